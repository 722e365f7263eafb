"""Choices: what people answered when an agent asked, and what they took back and asked for again.

Most answers only matter for the task at hand, so one alone stays a candidate; the same question answered again counts
double, and a newer answer replaces an older one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from afterglow.harvest import user_speech
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.tools import tool_kind
from afterglow.text.clip import clip

NAME = "choices"
VERSION = 1

SAME = (
    0.4  # share of words from which a second request is the first one put differently
)

_PAIR = re.compile(r'"([^"\n]{8,400})"="([^"\n]{1,300})"')
_PROCESS = re.compile(  # about how to go on, not about the work
    r"(?i)\bnext\b|proceed|look good|ready to|continue|start (?:with|work)|which (?:approach|option)|how would you like"
    r"|what would you like|shall i|should i|work for you|plan\b"
)


class _Answer(msgspec.Struct):
    question: str = ""
    user_response: str = ""


_answer = msgspec.json.Decoder(_Answer)


def mine(trail: Trail) -> Iterator[Finding]:
    for step in trail.steps:
        if step.ok and tool_kind(step.tool) == "ask":
            yield from _answers(trail, step)
    yield from _undone(trail)


def _answers(trail: Trail, step: Step) -> Iterator[Finding]:
    for question, answer in _pairs((step.call.result or "")[:8000]):
        if (
            _PROCESS.search(question)
            or "?" in answer
            or not user_speech.content(answer)
        ):
            continue
        typed = answer not in step.call.arguments
        slots = {
            "question": clip(" ".join(question.split()), 200),
            "answer": user_speech.tidy(answer.replace("(Recommended)", "")),
            "typed": "yes" if typed else "",
        }
        yield Finding(
            NAME,
            f"choice|{user_speech.about(question)}",
            slots,
            (trail.got_words(step, answer),),
        )


def _pairs(result: str) -> list[tuple[str, str]]:
    try:
        answer = _answer.decode(result)
    except (msgspec.DecodeError, RecursionError):
        return _PAIR.findall(result)
    return (
        [(answer.question, answer.user_response)]
        if answer.question and answer.user_response
        else []
    )


def _undone(trail: Trail) -> Iterator[Finding]:
    """A request that was taken back, and the next one where it asks for the same in other words."""
    for at, turn in enumerate(trail.turns):
        if turn.kind != "undone":
            continue
        after = next(
            (
                turn
                for turn in trail.turns[at + 1 :]
                if turn.role == "user" and turn.kind == "said"
            ),
            None,
        )
        if (
            after is None
            or user_speech.is_pasted(turn.text)
            or not user_speech.is_speech(after)
        ):
            continue
        old, new = (
            set(user_speech.content(turn.text)),
            set(user_speech.content(after.text)),
        )
        if old and new - old and len(old & new) >= SAME * len(old):
            slots = {
                "undone": user_speech.tidy(turn.text),
                "instead": user_speech.tidy(after.text),
            }
            yield Finding(
                NAME,
                f"undone|{user_speech.about(after.text)}",
                slots,
                (trail.said(turn), trail.said(after)),
            )


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = max(findings, key=lambda finding: finding.first.time or 0.0).slots
    tags = ("decision",)
    if "undone" in slots:
        fact = f'The user took back "{slots["undone"]}" and asked instead: "{slots["instead"]}".'
        return Telling(
            fact, "pattern", slots["undone"], slots["instead"], 0.5, tags=tags
        )
    question, answer = slots["question"], slots["answer"]
    direct = 0.65 if slots["typed"] else 0.55
    fact = f'Asked "{question}" the user answered "{answer}".'
    return Telling(
        fact,
        "fact",
        question,
        answer,
        direct,
        tags=tags,
        key=findings[0].topic,
        value=answer.lower(),
    )

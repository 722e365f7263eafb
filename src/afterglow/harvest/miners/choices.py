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
from afterglow.records.session import Turn
from afterglow.records.tools import tool_kind
from afterglow.text.clip import clip

NAME = "choices"
VERSION = 1

MIN_SHARED_WORDS = 0.4  # share from which a second request is the first put differently
MAX_RESULT_READ = 8000  # characters: an answer is short
MAX_QUESTION = 200  # characters of a question that can stand in a sentence

# How directly: typed in a person's own words, chosen from a list, or asked for again.
DIRECT_TYPED, DIRECT_CHOSEN, DIRECT_INSTEAD = 0.65, 0.55, 0.5

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
    for question, answer in _pairs((step.call.result or "")[:MAX_RESULT_READ]):
        if not _is_lasting(question, answer):
            continue
        is_typed = answer not in step.call.arguments
        slots = {
            "question": clip(" ".join(question.split()), MAX_QUESTION),
            "answer": user_speech.tidy(answer.replace("(Recommended)", "")),
            "typed": "yes" if is_typed else "",
        }
        topic = f"choice|{user_speech.about(question)}"
        yield Finding(NAME, topic, slots, (trail.got_words(step, answer),))


def _is_lasting(question: str, answer: str) -> bool:
    if _PROCESS.search(question) or "?" in answer:
        return False
    return bool(user_speech.content(answer))


def _pairs(result: str) -> list[tuple[str, str]]:
    try:
        answer = _answer.decode(result)
    except (msgspec.DecodeError, RecursionError):
        return _PAIR.findall(result)
    if not answer.question or not answer.user_response:
        return []
    return [(answer.question, answer.user_response)]


def _undone(trail: Trail) -> Iterator[Finding]:
    """A request that was taken back, and the next one where it asks for the same in other words."""
    for at, turn in enumerate(trail.turns):
        if turn.kind != "undone" or user_speech.is_pasted(turn.text):
            continue
        following = trail.turns[at + 1 :]
        messages = (
            item for item in following if item.role == "user" and item.kind == "said"
        )
        after = next(messages, None)
        if after is not None and _asks_again(turn, after):
            slots = {
                "undone": user_speech.tidy(turn.text),
                "instead": user_speech.tidy(after.text),
            }
            topic = f"undone|{user_speech.about(after.text)}"
            evidence = (trail.said(turn), trail.said(after))
            yield Finding(NAME, topic, slots, evidence)


def _asks_again(undone: Turn, after: Turn) -> bool:
    if not user_speech.is_speech(after):
        return False
    old = set(user_speech.content(undone.text))
    new = set(user_speech.content(after.text))
    has_more = bool(old and new - old)
    return has_more and len(old & new) >= MIN_SHARED_WORDS * len(old)


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = max(findings, key=lambda finding: finding.first.time or 0.0).slots
    tags = ("decision",)
    if "undone" in slots:
        fact = f'The user took back "{slots["undone"]}" and asked instead: "{slots["instead"]}".'
        return Telling(
            fact,
            "pattern",
            slots["undone"],
            slots["instead"],
            DIRECT_INSTEAD,
            tags=tags,
        )
    question, answer = slots["question"], slots["answer"]
    direct = DIRECT_TYPED if slots["typed"] else DIRECT_CHOSEN
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

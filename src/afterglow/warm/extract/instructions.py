"""The instructions that mattered in a session: rules the person gave, and those of a system prompt that were about what
was then done. The agent's whole prompt is not kept: a new session has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from afterglow.harvest import user_speech
from afterglow.harvest.screen import danger, vague
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Trust
from afterglow.records.session import Turn
from afterglow.text.clip import clip

FIRST = 10  # messages of the person that are looked at
LONGEST = 30_000  # characters of a prompt that are looked at
ROOM, GOAL = (
    600,
    160,
)  # characters of all instructions, and of what the session began with
SHORTEST, SENTENCE = 20, 200  # characters of one instruction
WORDS = 20_000  # characters of what was done that instructions are held against

_ORDER = re.compile(
    r"^(?:\W*)(?:always|never|must|do not|don't|use|prefer|avoid|ensure|make sure|only|keep|before|after|run|write|ask"
    r"|follow|verify|confirm|check|if|when|you (?:must|should|can(?:not|'t)?|may(?: not)?))\b"
    r"|\b(?:must|should)(?: not)?\b",
    re.IGNORECASE,
)

_SCREEN = re.compile("[➜❯✗┃│⎿⏺]")  # copied from a terminal


class Instruction(Struct, frozen=True):
    """One sentence, where it stood, and how much of it is about what was done."""

    words: str
    place: int
    fits: float


def sources(trail: Trail) -> list[Turn]:
    """The turns instructions are read from: system prompts, and what the person said first."""
    system = [
        turn for turn in trail.turns if turn.role == "system" and turn.kind == "said"
    ]
    person = [
        turn
        for turn in trail.turns
        if turn.role == "user" and turn.kind in {"said", "steer"}
    ]
    return system + person[:FIRST]


def instructions(trail: Trail, known: Iterable[str] = ()) -> list[str]:
    """What the session began with, and its instructions: at most `ROOM` characters, in the order they were given. What
    is `known` already as the person's conventions and corrections is not said again."""
    told = sources(trail)
    done, said = _done(trail), list(known)
    rules: dict[str, Instruction] = {}
    for turn in told:
        for words, fits in _rules(turn, done):
            if not any(words in one for one in said):
                rules.setdefault(
                    user_speech.about(words), Instruction(words, len(rules), fits)
                )
    kept: list[Instruction] = []
    goal = _goal(told)
    room = ROOM - len(goal)
    for one in sorted(rules.values(), key=lambda one: (-one.fits, one.place)):
        if len(one.words) + 1 <= room:
            room -= len(one.words) + 1
            kept.append(one)
    return [goal] * bool(goal) + [
        one.words for one in sorted(kept, key=lambda one: one.place)
    ]


def _goal(told: list[Turn]) -> str:
    """What the person asked for, marked as the past: it is not what the new session is for."""
    first = next(
        (turn for turn in told if turn.role == "user" and turn.kind == "said"), None
    )
    if first is None or not user_speech.is_speech(first) or _SCREEN.search(first.text):
        return ""
    words = [first.text[start:end] for start, end in user_speech.sentences(first.text)]
    asked = next(
        (
            one
            for one in words
            if one[0].isalpha() and len(user_speech.content(one)) > 1
        ),
        "",
    )
    if not asked or danger(first.text, "user"):
        return ""
    return f'An earlier session began with: "{clip(user_speech.tidy(asked), GOAL)}"'


def _rules(turn: Turn, done: set[str]) -> Iterator[tuple[str, float]]:
    """A person's rules fit whatever was done. Those of a prompt, or of what was pasted, fit by the words they share."""
    text, typed = turn.text[:LONGEST], user_speech.is_speech(turn)
    source: Trust = (
        "user" if typed else "assistant" if turn.role == "system" else "file"
    )
    if danger(text, source):
        return
    if typed:
        yield from (
            (one.words, 2.0)
            for one in user_speech.remarks(text)
            if not vague(one.words)
        )
        return
    for start, end in user_speech.sentences(text):
        sentence = text[start:end]
        if (
            SHORTEST <= len(sentence) <= SENTENCE
            and _ORDER.search(sentence)
            and not vague(sentence)
        ):
            content = set(user_speech.content(sentence))
            fits = len(content & done) / (len(content) + 2)
            if fits > 0 and not danger(sentence, source):
                yield user_speech.tidy(sentence), fits


def _done(trail: Trail) -> set[str]:
    """The words of the calls that worked."""
    texts = (
        f"{step.tool} {step.call.arguments[:400]}" for step in trail.steps if step.ok
    )
    joined = " ".join(texts)[:WORDS].replace("_", " ").replace("\\n", " ")
    return set(user_speech.content(joined))

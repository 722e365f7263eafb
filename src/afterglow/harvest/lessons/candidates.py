"""Where in a session a lesson may lie: failures and what followed, corrections, causes, undone work, bad endings.

Each sign weighs something; signs close to one another are one spot. What rules have stated already weighs little: a
model is asked for what they cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from afterglow.harvest import user_speech
from afterglow.harvest.failure_kinds import (
    DEVELOPMENT,
    SETUP,
    is_mute,
    message,
    repeats,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.records.context import MARK
from afterglow.records.session import Outcome
from afterglow.records.tools import tool_kind

GAP = 5  # turns without a sign that part two spots
LONGEST = 16  # turns with signs in one spot
BEFORE, AFTER = (
    2,
    3,
)  # turns that belong to a spot, before its first and behind its last sign
KNOWN = 0.25  # what a sign counts that an item rests on
AGAIN = 0.6  # what each further sign of one kind counts
SPEECH = 1500  # characters of what the model said that are looked at

_CAUSE = re.compile(
    r"(?i)\broot cause\b|\bturns out\b"
    r"|\bthe (?:real |actual |underlying )?(?:problem|issue|bug|culprit|reason) (?:is|was)\b"
    r"|\b(?:fails|failed|happens|happened|broke) because\b|\bthat'?s why\b"
    r"|\bfound (?:it|the (?:issue|problem|bug|cause))\b"
    r"|\bi (?:was wrong|misread|misunderstood|overlooked)\b"
)
_DECISION = re.compile(
    r"(?i)\b(?:decided|chose|choose|going with|opted|we (?:should|will) (?:use|keep)|better to)\b.{0,200}"
    r"\b(?:because|since|so that|rather than|instead of)\b",
    re.DOTALL,
)
_UNDOING = re.compile(
    r"\bgit (?:revert|restore|reset|stash|checkout (?:--|HEAD|\.))|\bgit (?:rebase|merge|cherry-pick|am) --abort"
)
_OBJECTION = re.compile(
    r"(?i)^\W*(?:no\b|nope|wait|stop|hang on|hmm|but\b|why\b|actually|that'?s (?:not|wrong)"
    r"|it (?:still|doesn'?t|does not)"
    r"|still\b|you (?:should|forgot|missed|didn'?t|are wrong)|we (?:don'?t|already|should))"
)


class Sign(Struct, frozen=True):
    """One hint of a lesson: the turn it stands in, its line, what kind it is and what that weighs."""

    turn: int
    line: int
    kind: str
    weight: float
    mark: str = ""


class Spot(Struct, frozen=True):
    """A stretch of turns with signs. `lines` are those of its signs, `marks` what its errors are known by."""

    first: int
    last: int
    why: str
    worth: float
    lines: tuple[int, ...]
    marks: tuple[str, ...] = ()


def spots(trail: Trail, known: Collection[int] = ()) -> list[Spot]:
    """In the order of the session. `known` are lines that items rest on."""
    found = sorted(_signs(trail), key=lambda sign: sign.turn)
    groups: list[list[Sign]] = []
    for sign in found:
        near = (
            groups
            and sign.turn - groups[-1][-1].turn <= GAP
            and sign.turn - groups[-1][0].turn < LONGEST
        )
        groups[-1].append(sign) if near else groups.append([sign])
    return [_spot(group, known, len(trail.turns)) for group in groups]


def _spot(signs: Sequence[Sign], known: Collection[int], turns: int) -> Spot:
    kinds: dict[str, list[float]] = {}
    for sign in signs:
        kinds.setdefault(sign.kind, []).append(
            sign.weight * (KNOWN if sign.line in known else 1.0)
        )
    worths = {
        kind: sum(
            weight * AGAIN**at
            for at, weight in enumerate(sorted(weights, reverse=True))
        )
        for kind, weights in kinds.items()
    }
    strongest = sorted(worths, key=lambda kind: -worths[kind])
    return Spot(
        first=max(signs[0].turn - BEFORE, 0),
        last=min(signs[-1].turn + AFTER, turns - 1),
        why=", ".join(_counted(kind, len(kinds[kind])) for kind in strongest[:3]),
        worth=round(sum(worths.values()), 2),
        lines=tuple(dict.fromkeys(sign.line for sign in signs)),
        marks=tuple(dict.fromkeys(sign.mark for sign in signs if sign.mark)),
    )


def _counted(kind: str, times: int) -> str:
    return kind if times == 1 else f"{kind} ({times} times)"


def _signs(trail: Trail) -> Iterator[Sign]:
    yield from _of_calls(trail)
    yield from _of_ending(trail)
    opened = False
    for at, turn in enumerate(trail.turns):
        if MARK.search(turn.text[:SPEECH]):
            continue  # what we gave the session ourselves
        if turn.kind == "undone":
            yield Sign(at, turn.line, "a request taken back", 2.0)
        elif turn.role == "user" and user_speech.is_speech(turn):
            if opened or turn.kind == "steer":
                yield from _of_person(at, turn.line, turn.text, turn.kind == "steer")
            opened = True
        elif turn.role == "assistant" and turn.kind == "said" and turn.text:
            if _CAUSE.search(turn.text[:SPEECH]):
                yield Sign(at, turn.line, "a cause is stated", 0.6)
            if _DECISION.search(turn.text[:SPEECH]):
                yield Sign(at, turn.line, "a decision with its reason", 0.5)


def _of_ending(trail: Trail) -> Iterator[Sign]:
    """A session that was left while something did not work."""
    last = next(
        (
            step
            for step in reversed(trail.steps)
            if step.failed or step.call.outcome == Outcome.OK
        ),
        None,
    )
    if last is not None and last.failed:
        line = (
            last.call.line if last.call.result_line is None else last.call.result_line
        )
        yield Sign(last.turn, line, "it ends with a failure", 0.7)


def _of_person(at: int, line: int, text: str, steer: bool) -> Iterator[Sign]:
    manners = {remark.manner for remark in user_speech.remarks(text)}
    if manners & {"rule", "ban", "fix"}:
        yield Sign(at, line, "a person sets something right", 2.5)
    elif manners or steer:
        yield Sign(at, line, "a person asks for another way", 1.8)
    elif _OBJECTION.match(text):
        yield Sign(at, line, "a person objects", 0.5)


def _of_calls(trail: Trail) -> Iterator[Sign]:
    for step in trail.steps:
        line = (
            step.call.line if step.call.result_line is None else step.call.result_line
        )
        if step.blocked:
            said = user_speech.reason_in(step.call)
            yield Sign(step.turn, line, "a refused call", 2.0 if said else 0.5)
        elif step.failed:
            if not repeats(trail.steps, step):
                yield _of_failure(step, line)
        elif tool_kind(step.tool) == "ask":
            yield Sign(step.turn, line, "a person chose", 0.3)
        elif step.command and _UNDOING.search(step.command):
            yield Sign(step.turn, step.call.line, "work is undone", 0.4)


def _of_failure(step: Step, line: int) -> Sign:
    """A failing test is the work itself; what says nothing teaches little."""
    said, mark = message(step)
    dull = is_mute(said) or (
        DEVELOPMENT.search(step.call.error[:SPEECH])
        and not SETUP.search(step.call.error[:SPEECH])
    )
    return Sign(
        step.turn,
        line,
        "a failed call",
        0.3 if dull else 1.5,
        "" if is_mute(said) else f"{step.tool} {mark}",
    )

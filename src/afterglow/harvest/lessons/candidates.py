"""Where in a session a lesson may lie: failures and what followed, corrections, causes, undone work, bad endings.

Each sign weighs something; signs close to one another are one spot. What rules have stated already weighs little: a
model is asked for what they cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from afterglow.calls import Command
from afterglow.harvest import user_speech
from afterglow.harvest.failure_kinds import (
    DEVELOPMENT,
    SETUP,
    is_mute,
    message,
    repeats,
)
from afterglow.harvest.lessons.citations import result_line
from afterglow.harvest.trail import Step, Trail
from afterglow.records.context import MARK
from afterglow.records.session import Outcome, Turn
from afterglow.records.tools import tool_kind

MAX_TURNS_BETWEEN_SIGNS = 5  # more part two spots
MAX_TURNS_OF_SPOT = 16  # with signs; a model is to read one thing at a time
TURNS_BEFORE, TURNS_AFTER = 2, 3  # that belong to a spot: what led there, how it ended
FACTOR_OF_ITEM = 0.25  # of a sign that an item rests on: rules have stated it already
FACTOR_OF_FURTHER = 0.6  # of each further sign of one kind
MAX_TEXT_READ = 1500  # characters: what matters stands first
MAX_KINDS_NAMED = 3  # reasons for looking at a spot

# What each kind of sign weighs: what a person says most, what a program says by itself least.
WEIGHTS = {
    "a person sets something right": 2.5,
    "a request taken back": 2.0,
    "a refused call": 2.0,
    "a person asks for another way": 1.8,
    "a failed call": 1.5,
    "it ends with a failure": 0.7,
    "a cause is stated": 0.6,
    "a decision with its reason": 0.5,
    "a person objects": 0.5,
    "a mere no": 0.5,
    "work is undone": 0.4,
    "a person chose": 0.3,
    "a dull failure": 0.3,
}

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
_UNDOING = frozenset({"revert", "restore", "reset", "stash"})
_ABORTED = frozenset({"rebase", "merge", "cherry-pick", "am"})
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


def spots(trail: Trail, lines_of_items: Collection[int] = ()) -> list[Spot]:
    """In the order of the session. `lines_of_items` are lines that items rest on."""
    groups: list[list[Sign]] = []
    for sign in sorted(_signs(trail), key=lambda sign: sign.turn):
        if groups and _is_near(groups[-1], sign):
            groups[-1].append(sign)
        else:
            groups.append([sign])
    return [_spot(group, lines_of_items, len(trail.turns)) for group in groups]


def _is_near(group: Sequence[Sign], sign: Sign) -> bool:
    if sign.turn - group[-1].turn > MAX_TURNS_BETWEEN_SIGNS:
        return False
    return sign.turn - group[0].turn < MAX_TURNS_OF_SPOT


def _spot(signs: Sequence[Sign], lines_of_items: Collection[int], turns: int) -> Spot:
    kinds: dict[str, list[float]] = {}
    for sign in signs:
        factor = FACTOR_OF_ITEM if sign.line in lines_of_items else 1.0
        kinds.setdefault(sign.kind, []).append(sign.weight * factor)
    worths = {kind: _worth(weights) for kind, weights in kinds.items()}
    strongest = sorted(worths, key=lambda kind: -worths[kind])[:MAX_KINDS_NAMED]
    return Spot(
        first=max(signs[0].turn - TURNS_BEFORE, 0),
        last=min(signs[-1].turn + TURNS_AFTER, turns - 1),
        why=", ".join(_counted(kind, len(kinds[kind])) for kind in strongest),
        worth=round(sum(worths.values()), 2),
        lines=tuple(dict.fromkeys(sign.line for sign in signs)),
        marks=tuple(dict.fromkeys(sign.mark for sign in signs if sign.mark)),
    )


def _worth(weights: Sequence[float]) -> float:
    """The strongest sign of a kind counts in full, each further one less."""
    falling = enumerate(sorted(weights, reverse=True))
    return sum(weight * FACTOR_OF_FURTHER**at for at, weight in falling)


def _counted(kind: str, times: int) -> str:
    return kind if times == 1 else f"{kind} ({times} times)"


def _signs(trail: Trail) -> Iterator[Sign]:
    yield from _of_calls(trail)
    yield from _of_ending(trail)
    is_opened = False
    for at, turn in enumerate(trail.turns):
        if MARK.search(turn.text[:MAX_TEXT_READ]):
            continue  # what we gave the session ourselves
        if turn.kind == "undone":
            yield _sign(at, turn.line, "a request taken back")
        elif turn.role == "user" and user_speech.is_speech(turn):
            if is_opened or turn.kind == "steer":
                yield from _of_person(at, turn)
            is_opened = True
        elif turn.role == "assistant" and turn.kind == "said":
            yield from _of_model(at, turn)


def _sign(at: int, line: int, kind: str, mark: str = "") -> Sign:
    return Sign(at, line, kind, WEIGHTS[kind], mark)


def _of_model(at: int, turn: Turn) -> Iterator[Sign]:
    text = turn.text[:MAX_TEXT_READ]
    if _CAUSE.search(text):
        yield _sign(at, turn.line, "a cause is stated")
    if _DECISION.search(text):
        yield _sign(at, turn.line, "a decision with its reason")


def _of_ending(trail: Trail) -> Iterator[Sign]:
    """A session that was left while something did not work."""
    for step in reversed(trail.steps):
        if step.failed:
            yield _sign(step.turn, result_line(step), "it ends with a failure")
            return
        if step.call.outcome == Outcome.OK:
            return


def _of_person(at: int, turn: Turn) -> Iterator[Sign]:
    manners = {remark.manner for remark in user_speech.remarks(turn.text)}
    if manners & {"rule", "ban", "fix"}:
        yield _sign(at, turn.line, "a person sets something right")
    elif manners or turn.kind == "steer":
        yield _sign(at, turn.line, "a person asks for another way")
    elif _OBJECTION.match(turn.text):
        yield _sign(at, turn.line, "a person objects")


def _of_calls(trail: Trail) -> Iterator[Sign]:
    for step in trail.steps:
        line = result_line(step)
        if step.blocked:
            has_reason = bool(user_speech.reason_in(step.call))
            weight = WEIGHTS["a refused call" if has_reason else "a mere no"]
            yield Sign(step.turn, line, "a refused call", weight)
        elif step.failed:
            if not repeats(trail.steps, step):
                yield _of_failure(step, line)
        elif tool_kind(step.tool) == "ask":
            yield _sign(step.turn, line, "a person chose")
        elif any(map(_undoes, step.action.commands)):
            yield _sign(step.turn, step.call.line, "work is undone")


def _undoes(command: Command) -> bool:
    """Whether a command takes back what was done before."""
    if command.program != "git" or not command.subcommand:
        return False
    doing = command.subcommand[0]
    if doing == "checkout":
        takes_file = "--" in command.words or command.has("--ours", "--theirs")
        return takes_file or command.operands[:1] in {(".",), ("HEAD",)}
    return doing in _UNDOING or (doing in _ABORTED and command.has("--abort"))


def _of_failure(step: Step, line: int) -> Sign:
    """A failing test is the work itself; what says nothing teaches little."""
    text, fingerprint = message(step)
    if is_mute(text):
        return Sign(step.turn, line, "a failed call", WEIGHTS["a dull failure"])
    error = step.call.error[:MAX_TEXT_READ]
    is_work = DEVELOPMENT.search(error) and not SETUP.search(error)
    weight = WEIGHTS["a dull failure" if is_work else "a failed call"]
    mark = f"{step.tool} {fingerprint}"
    return Sign(step.turn, line, "a failed call", weight, mark)

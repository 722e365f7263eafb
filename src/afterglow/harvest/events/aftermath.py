"""What followed a failure: what was tried, the call that reached the goal, what was said about it, what it cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import Edit
from afterglow.harvest import trust
from afterglow.harvest.events.failures import Symptom, command_of, whole_command
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import is_speech, tidy
from afterglow.records.problems import FollowingCall
from afterglow.records.session import Outcome
from afterglow.text.clip import clip, uncoloured
from afterglow.text.fingerprint import telling_line

MAX_REACH = 16  # calls behind a failure in which its goal is looked for: 95 of 100 are solved sooner
MAX_TRIED = 3  # calls on the way that are kept; the first ones and every edit say most
MAX_PRINTED_CHARACTERS = 160  # of what a call printed
MAX_SENTENCE_CHARACTERS = 240  # of what was said
MAX_COMPARED_CHARACTERS = 400  # of a call whose words are compared; the rest is a text
MIN_SHARED_WORD = 6  # characters of a word by which two calls ask for the same
MAX_CHANGED_CHARACTERS = 90  # of a line that an edit changed

_DISTINCT = re.compile(r"[\w@.+/:=-]{6,}")
_WORD = re.compile(r"[^\s'\"`]+")
_SENTENCES = re.compile(r"(?<=[.!?:])\s+|\n+")


class Aftermath(Struct, frozen=True):
    """See the fields of `Event` with these names."""

    calls: int = 0
    turns: int = 0
    tried: tuple[FollowingCall, ...] = ()
    remedy: FollowingCall | None = None
    because: str = ""
    person: str = ""


def aftermath(trail: Trail, step: Step, wrong: Sequence[Symptom | None]) -> Aftermath:
    """`wrong` says what is wrong with each call of the session."""
    after = trail.steps[step.index + 1 : step.index + 1 + MAX_REACH]
    reached = next((later for later in after if reaches(step, later, wrong)), None)
    on_the_way = after[: reached.index - step.index - 1] if reached else after
    related = [later for later in on_the_way if _is_related(step, later)]
    last = reached or [step, *related][-1]
    speech = [
        turn.text
        for turn in trail.turns[step.turn + 1 : last.turn + 1]
        if is_speech(turn)
    ]
    tries = _telling_tries(on_the_way, related)
    return Aftermath(
        calls=1 + len(on_the_way if reached else related),
        turns=len(speech),
        tried=tuple(map(following, tries)),
        remedy=following(reached) if reached else None,
        because=_cause(trail, step),
        person=_person(speech[0]) if speech else _words_after(trail, step),
    )


def _telling_tries(on_the_way: list[Step], related: list[Step]) -> list[Step]:
    """The calls between that matter: other tries and changes, not looking around."""
    changing = [item for item in on_the_way if item.edits or item in related]
    return changing[:1] + changing[1:][-(MAX_TRIED - 1) :]


def reaches(step: Step, later: Step, wrong: Sequence[Symptom | None]) -> bool:
    """Whether a later call is after the same and got it."""
    if later.call.outcome is not Outcome.OK or later.call.masked:
        return False
    return wrong[later.index] is None and _is_same_goal(step, later)


def _is_same_goal(step: Step, later: Step) -> bool:
    if step.action.kind != "shell":
        if later.action.kind == "shell":
            return bool(step.action.target.value) and _shares_word(step, later)
        same_tool = later.tool == step.tool or later.action.kind == step.action.kind
        return same_tool and _is_same_target(step, later)
    if later.action.kind != "shell":
        return False
    if step.action.goal == later.action.goal:
        return not step.looks or _shares_word(step, later) or _is_close(step, later)
    return _is_close(step, later) or _shares_object(step, later)


def _is_same_target(step: Step, later: Step) -> bool:
    """The same file; or, where the file was not there, one of that name or folder."""
    target, other_target = step.action.target.value, later.action.target.value
    if not target or target == other_target or step.action.kind != "read":
        return target == other_target
    name, folder = _parts(target)
    other_name, other_folder = _parts(other_target)
    return name == other_name or folder == other_folder


def _parts(path: str) -> tuple[str, str]:
    folder, _, name = path.replace("\\", "/").rpartition("/")
    return name, folder


def _is_close(step: Step, later: Step) -> bool:
    """Most words are the same: a wrapper went, a flag came."""
    words, later_words = _plain_words(step.core), _plain_words(later.core)
    shared = len(words & later_words)
    return shared >= 2 and 2 * shared > max(len(words), len(later_words))


def _shares_object(step: Step, later: Step) -> bool:
    """Asks for the same by another way: a number, a path, an id stands in both."""
    words = {word for word in _distinct_words(step) if any(map(str.isdigit, word))}
    return bool(words & _distinct_words(later))


def _shares_word(step: Step, later: Step) -> bool:
    return bool(_distinct_words(step) & _distinct_words(later))


def _distinct_words(step: Step) -> frozenset[str]:
    return _distinct(command_of(step)[:MAX_COMPARED_CHARACTERS])


@lru_cache(maxsize=1024)
def _distinct(text: str) -> frozenset[str]:
    words = _DISTINCT.findall(text)
    parts = {part for word in words for part in (word, *word.split("/"))}
    return frozenset(part for part in parts if len(part) >= MIN_SHARED_WORD)


@lru_cache(maxsize=1024)
def _plain_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[:MAX_COMPARED_CHARACTERS]))


def _is_related(step: Step, later: Step) -> bool:
    return later.tool == step.tool and (
        later.action.goal == step.action.goal or _is_same_goal(step, later)
    )


def following(step: Step) -> FollowingCall:
    call = step.call
    has_worked = call.outcome is Outcome.OK and not call.masked
    printed = "" if step.action.kind in {"read", "edit", "write"} else _printed(step)
    change = _change(step.action.edits) if step.edits else ""
    command = whole_command(step)
    return FollowingCall(
        line=call.line,
        tool=call.tool,
        command=f"{command} {change}".strip(),
        worked=has_worked,
        printed=printed,
        trust=trust.of_result(call),
    )


def _printed(step: Step) -> str:
    """The line that says most: of a failure the telling one, of a success the last."""
    text = uncoloured(step.call.result or "")
    if step.failed:
        return clip(telling_line(step.call.error or text), MAX_PRINTED_CHARACTERS)
    lines = [line.strip() for line in text[-2000:].splitlines() if line.strip()]
    if not lines:
        return "(nothing)"
    return clip(lines[-1] if not step.looks else lines[0], MAX_PRINTED_CHARACTERS)


def _change(edits: tuple[Edit, ...]) -> str:
    """The first line that an edit took out, and the first it put in."""
    for edit in edits[:1]:
        old, new = edit.old.splitlines(), edit.new.splitlines()
        removed = next((line for line in old if line.strip() and line not in new), "")
        added = next((line for line in new if line.strip() and line not in old), "")
        parts = [("-", removed), ("+", added)]
        return " ".join(
            f"{sign} {clip(line.strip(), MAX_CHANGED_CHARACTERS)}"
            for sign, line in parts
            if line
        )
    return ""


def _cause(trail: Trail, step: Step) -> str:
    """What the assistant said next: its first sentence that is more than a word."""
    for turn in trail.turns[step.turn + 1 : step.turn + 4]:
        if turn.role == "user" and is_speech(turn):
            return ""
        if turn.role == "assistant" and turn.text.strip():
            sentences = [part.strip() for part in _SENTENCES.split(turn.text[:2000])]
            longer = [part for part in sentences if len(part.split()) > 2]
            return clip(" ".join(longer[:2]), MAX_SENTENCE_CHARACTERS)
    return ""


def _words_after(trail: Trail, step: Step) -> str:
    """What a person said directly behind the call, before the agent did anything more."""
    for turn in trail.turns[step.turn + 1 : step.turn + 4]:
        if turn.role == "assistant":
            return ""
        if is_speech(turn):
            return _person(turn.text)
    return ""


def _person(text: str) -> str:
    return clip(tidy(text), MAX_SENTENCE_CHARACTERS)

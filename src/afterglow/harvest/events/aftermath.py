"""What followed a failure: what was tried and changed, the call that reached the goal, what was said, what it cost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from afterglow.harvest import trust
from afterglow.harvest.events.call_text import (
    change_text,
    is_named,
    plain_call,
    whole_call,
)
from afterglow.harvest.events.failures import Symptom
from afterglow.harvest.events.goals import (
    distinct_words,
    has_same_goal,
    is_same_call,
    is_similar,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import is_speech, tidy
from afterglow.records.problems import FollowingCall
from afterglow.text.clip import clip, uncoloured
from afterglow.text.fingerprint import is_noise, telling_line

# Calls behind a failure in which its goal is looked for: 95 of 100 are solved within the first number. The same call
# once more is looked for further on: it is the goal beyond doubt.
MAX_REACH, MAX_REACH_OF_SAME_CALL = 16, 40
MAX_ATTEMPTS = 2  # further failures on the way that are kept: the first and the last
MAX_CHANGES = 3  # changes on the way that are kept, those that the failure names first
MAX_READ_OF_OUTPUT = 6_000  # characters of the failing output that may name a file
MAX_PRINTED_CHARACTERS = 140  # of what a call printed
MAX_SENTENCE_CHARACTERS = 240  # of what was said
MAX_TURNS_READ = 6  # behind a failure, in which its cause is named

_SENTENCES = re.compile(r"(?<=[.!?:])\s+|\n+")
_WORD = re.compile(r"[A-Za-z_][\w.-]{3,}")
_CHANGING = frozenset({"changes", "prepares", "installs", "sends", "publishes"})


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
    reached = _reached(trail, step, wrong)
    end = reached.index if reached else step.index + 1 + MAX_REACH
    on_the_way = trail.steps[step.index + 1 : end]
    related = [later for later in on_the_way if _is_attempt(step, later)]
    last = reached or [step, *related][-1]
    turns_between = trail.turns[step.turn + 1 : last.turn + 1]
    speech = [turn.text for turn in turns_between if is_speech(turn)]
    output = _output(step)
    tries = _telling_tries(step, on_the_way, related, wrong)
    return Aftermath(
        calls=1 + min(len(on_the_way if reached else related), MAX_REACH),
        turns=len(speech),
        tried=tuple(following(step, later, wrong, output) for later in tries),
        remedy=following(step, reached, wrong, output) if reached else None,
        because=_cause(trail, step, reached),
        person=_person(speech[0]) if speech else _words_after(trail, step),
    )


def _reached(trail: Trail, step: Step, wrong: Sequence[Symptom | None]) -> Step | None:
    """The call that got what the failed one was after: the same call again, or another before it."""
    after = trail.steps[step.index + 1 : step.index + 1 + MAX_REACH_OF_SAME_CALL]
    good = [later for later in after if later.ok and wrong[later.index] is None]
    again = next((later for later in good if is_same_call(step, later)), None)
    end = again.index if again else len(trail.steps)
    near = [later for later in good if later.index <= min(end, step.index + MAX_REACH)]
    symptom = wrong[step.index] or Symptom("failed")
    is_check = "checks" in step.action.effects and again is not None
    if symptom.elsewhere or is_check:
        return _first_similar(step, near) or again
    return _first_with_same_goal(step, near, symptom.text) or again


def _first_similar(step: Step, later_steps: Sequence[Step]) -> Step | None:
    """What passed where nothing but the same check can pass."""
    return next((later for later in later_steps if is_similar(step, later)), None)


def _first_with_same_goal(
    step: Step, later_steps: Sequence[Step], about: str
) -> Step | None:
    for later in later_steps:
        if has_same_goal(step, later, about):
            return later
    return None


def _is_attempt(step: Step, later: Step) -> bool:
    return later.tool == step.tool and (
        later.action.goal == step.action.goal or has_same_goal(step, later)
    )


def _telling_tries(
    step: Step,
    on_the_way: Sequence[Step],
    related: Sequence[Step],
    wrong: Sequence[Symptom | None],
) -> list[Step]:
    """What was tried in vain, and what changed something; looking around is left out."""
    attempts = [later for later in related if not later.ok or wrong[later.index]]
    changes = [
        later
        for later in on_the_way
        if later not in attempts and later.ok and _changes_something(later)
    ]
    output = _output(step)
    named = [later for later in changes if _names(later, output)]
    chosen = (named or changes)[-MAX_CHANGES:]
    chosen += attempts[:1] + attempts[1:][-(MAX_ATTEMPTS - 1) :]
    return sorted(chosen, key=lambda later: later.index)


def _changes_something(step: Step) -> bool:
    """An edit, or a command that does more than look and check; also one of which nobody can tell what it does."""
    if step.edits or step.action.effects & _CHANGING:
        return True
    return step.action.kind == "shell" and not step.action.effects


def _names(step: Step, output: str) -> bool:
    """Whether the failing output speaks of what a change was made to."""
    if step.action.edits:
        return any(is_named(edit, output) for edit in step.action.edits)
    if step.action.written:
        return is_named(step.action.written, output)
    return any(word in output for word in distinct_words(step))


def _output(step: Step) -> str:
    return (step.call.result or step.call.error)[-MAX_READ_OF_OUTPUT:]


def following(
    step: Step, later: Step, wrong: Sequence[Symptom | None], output: str
) -> FollowingCall:
    """A call behind a failed one. An edit is shown with the lines it changed; of anything else, what it printed."""
    call = later.call
    is_quiet = later.action.kind in {"read", "edit", "write"}
    change = change_text(later.action.edits, output)
    command = whole_call(later, plain_call(step))
    return FollowingCall(
        line=call.line,
        tool=call.tool,
        command=f"{command}\n{change}".strip() if command else "",
        worked=not later.failed and wrong[later.index] is None,
        printed="" if is_quiet else _printed(later, wrong[later.index]),
        trust=trust.of_result(call),
        again=is_same_call(step, later),
        changes=_changes_something(later),
    )


def _printed(step: Step, symptom: Symptom | None) -> str:
    """The line that says most: of a failure the telling one, of a success the last."""
    if symptom is not None and symptom.lines:
        return clip(symptom.lines[0].text.strip(), MAX_PRINTED_CHARACTERS)
    text = uncoloured(step.call.result or "")
    if step.failed:
        return clip(telling_line(step.call.error or text), MAX_PRINTED_CHARACTERS)
    part = text[:2000] if step.looks else text[-2000:]
    lines = [line for raw in part.splitlines() if (line := raw.strip())]
    lines = [line for line in lines if not is_noise(line)]
    if not lines:
        return "(nothing)"
    return clip(lines[0] if step.looks else lines[-1], MAX_PRINTED_CHARACTERS)


def _cause(trail: Trail, step: Step, reached: Step | None) -> str:
    """What the assistant said about it: the sentence that shares most words with the failure and with what ended it."""
    end = min(reached.turn + 2 if reached else len(trail.turns), len(trail.turns))
    about = distinct_words(step) | _words(_output(step))
    if reached is not None:
        about |= distinct_words(reached)
    best, most = "", 0
    for turn in trail.turns[step.turn + 1 : min(end, step.turn + 1 + MAX_TURNS_READ)]:
        if turn.role == "user" and is_speech(turn):
            break
        if turn.role != "assistant":
            continue
        for sentence in map(str.strip, _SENTENCES.split(turn.text[:2000])):
            shared = len(_words(sentence) & about)
            if shared > most and len(sentence) <= MAX_SENTENCE_CHARACTERS:
                best, most = sentence, shared
    return best


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip(".").lower() for word in _WORD.findall(text))


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

"""Recoveries: a command that failed, and what made it work.

The fix is what changed between the failing and the working call, never "the next thing that worked": the same program
with a few words changed. Where files were edited in between nothing is said: which edit mattered cannot be known. One
session is enough where the message names the words that went; else two sessions must show the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import (
    Command,
    Hunk,
    brief,
    compared_words,
    effects_of,
    full_line,
    hunks,
    kind_of_work,
    lasting_name,
    line_changes,
    only_shows,
    program,
    steady,
)
from afterglow.harvest.events.explained import explained, explained_later
from afterglow.harvest.failure_kinds import (
    ABSENT,
    ASTRAY,
    DEVELOPMENT,
    REACH,
    SETUP,
    USAGE,
    mentions,
    message,
    recovery,
    repeats,
)
from afterglow.harvest.miners.guessed_values import guessed_value
from afterglow.harvest.miners.recovery_sentences import NAMES_REMEDY, tell
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.writing.brought import says
from afterglow.harvest.writing.failure_names import tokens_of
from afterglow.records.knowledge import Finding
from afterglow.text.clip import clip

__all__ = ["NAME", "VERSION", "mine", "tell"]

NAME = "recoveries"
VERSION = 9

MAX_CHANGED_WORDS = 6  # more is another command, not the same one put right
MAX_CHANGED_PLACES = 3  # likewise
MAX_ERROR_READ_FOR_USAGE = 2000  # characters: what follows is the program's own help
MAX_STEPS_TO_OTHER_PROGRAM = 3  # later, another program is after something else
MAX_KEPT_LINE = (
    300  # characters of a working line, whose numbers other sessions may share
)
MAX_KEPT_CHANGE = 200  # characters of a change that are kept until it is told
MAX_TOPIC_CHANGE = 80  # characters of a change that tell two topics apart
MAX_FED_TEXT = 60  # characters: what is longer is data, not how the command is fed

_CHECKS = frozenset("test lint typecheck build check script".split())  # give a verdict
_QUOTES = "\"'`,.:;()"  # around a word, in a message or a command
_TEMPORARY = ("/tmp/", "/private/tmp/", "/var/folders/")  # where systems keep them
_WRITTEN_CODE = frozenset({"-c", "-e", "-p"})  # flags with a program behind them
_JOINING = ":=,/@#"  # signs that make one word of two
# Flags that only choose or show: leaving some tests out is no fix.
_NARROWING = frozenset(
    "-run -k -v -vv -x -q -count --verbose -s --lf --maxfail -short -json -race --tail -n -l -a -la".split()
)


def mine(trail: Trail) -> Iterator[Finding]:
    by_state = _told_by_state(trail)
    for step in trail.steps:
        if not step.program or not step.failed or step.index in by_state:
            continue
        finding = None if repeats(trail.steps, step) else _recovered(trail, step)
        if finding is not None:
            yield finding


def _told_by_state(trail: Trail) -> set[int]:
    """The failures that the session's state explains in general words: one cause, one line."""
    explanations = explained(trail) | explained_later(trail)
    return {index for index, explanation in explanations.items() if explanation.general}


def _recovered(trail: Trail, step: Step) -> Finding | None:
    """What the next calls show to have helped, unless files were edited on the way."""
    if not _can_recover(step):
        return None
    for after in trail.steps[step.index + 1 : step.index + 1 + REACH]:
        if after.edits:
            return None
        if _is_past(step, after):
            if _texts(step) == _texts(after):
                return None  # nothing about the call made it fail
            finding = _changed(trail, step, after)
            if finding is not None:
                return finding if _reached(trail, step, after) else None
    return None


def _reached(trail: Trail, step: Step, after: Step) -> bool:
    """Of a check: whether what worked is a check, too, and nobody went on to try it otherwise. "Ran 0 tests" ends well."""
    kind = step.action.kind_of_work
    if kind not in _CHECKS:
        return True
    if after.action.kind_of_work != kind:
        return False
    for later in trail.steps[after.index + 1 : step.index + 1 + REACH]:
        if later.edits:
            return True
        if _texts(later) != _texts(after) and _is_after_the_same(step, later):
            return False
    return True


def _only_looks(command: Command) -> bool:
    """A script of the repository may have the name of a program that looks: `bin/test`."""
    return only_shows(command) and "/" not in command.words[0]


def _is_after_the_same(step: Step, later: Step) -> bool:
    """The same program, or another one on the same file; whoever only looks at the file is not."""
    commands = [item for item in later.action.working if not _only_looks(item)]
    failing = step.action.working[-1]
    return any(
        item.program == failing.program or set(failing.operands) & set(item.operands)
        for item in commands
    )


def _can_recover(step: Step) -> bool:
    failing = step.action.working
    if not failing or _is_plumbing(failing[0]) or ASTRAY.search(step.call.error):
        return False
    return all(command.after != "||" for command in failing)


def _is_past(step: Step, after: Step) -> bool:
    """A call that worked; where the line was not understood, also one that failed in another way."""
    if not after.program or not after.action.working:
        return False
    if after.ok:
        return True
    was_usage = USAGE.search(step.call.error[:MAX_ERROR_READ_FOR_USAGE])
    return bool(was_usage) and not USAGE.search(after.call.error)


def _is_plumbing(command: Command) -> bool:
    return only_shows(command) or program(command.program).family in {"files", "setup"}


def _sends(command: Command) -> bool:
    return "sends" in effects_of(command)


def _texts(step: Step) -> list[str]:
    return [steady(full_line([command])) for command in step.action.working]


def _same_goal(step: Step, after: Step) -> bool:
    """The same programs and sub-commands; or the same words behind another program or a runner, at once."""
    failing, working = step.action.working, after.action.working
    if len(failing) != len(working):
        return False
    if all(map(_same_program, failing, working)):
        return True
    if len(failing) > 1 or after.index - step.index > MAX_STEPS_TO_OTHER_PROGRAM:
        return False
    old, new = failing[0].words, working[0].words
    has_runner = new[-len(old) :] == old
    has_other_program = len(old) > 1 and old[1:] == new[1:]
    return has_runner or has_other_program


def _same_program(old: Command, new: Command) -> bool:
    """The same program and sub-command; of an interpreter also the same script; of a request the same direction."""
    if old.program != new.program or _sends(old) != _sends(new):
        return False
    if program(old.program).family in {"interpreter", "shell"}:
        is_code = _WRITTEN_CODE & {*old.words, *new.words}
        return _files_named(old) == _files_named(new) and not is_code
    return old.subcommand == new.subcommand or not old.subcommand


def _files_named(command: Command) -> list[str]:
    return [word for word in command.words if "." in word]


def _tells(failed: Step, after: Step) -> bool:
    """Whether the change can be the fix: small, not a mere narrowing, not a place that was guessed, not wrong code."""
    old, new = compared_words(failed.core), compared_words(after.core)
    places, error = hunks(old, new), failed.call.error
    if not places or len(places) > MAX_CHANGED_PLACES:
        return False
    if sum(place.size for place in places) > MAX_CHANGED_WORDS:
        return False
    if old[0] == new[0] and _only_narrows(places) and _tests(failed):
        return False
    if DEVELOPMENT.search(error) and not SETUP.search(error):
        return False
    return not ABSENT.search(error) or _is_no_guessed_path(places, error)


def _went(places: Sequence[Hunk]) -> set[str]:
    return {word for place in places for word in place.old.split()}


def _came(places: Sequence[Hunk]) -> set[str]:
    """The new words, without the values of flags."""
    return {word.partition("=")[0] for place in places for word in place.new.split()}


def _only_narrows(places: Sequence[Hunk]) -> bool:
    words = _came(places) | _went(places)
    return all(word in _NARROWING or not word.startswith("-") for word in words)


def _tests(step: Step) -> bool:
    return any(kind_of_work(command) == "test" for command in step.action.commands)


def _is_no_guessed_path(places: Sequence[Hunk], error: str) -> bool:
    """A path that was guessed is for `places`; a wrong flag or a missing quote is not."""
    if any(word[:1] in "-'\"" for word in _came(places)):
        return True
    went = _went(places)
    return mentions(error, went) and "..." in "".join(went)


class _Change(Struct, frozen=True):
    """What was changed in a call, how surely that is what the message is about, and by what sessions share it."""

    went: str
    came: str
    sure: str
    key: str


def _changed(trail: Trail, step: Step, after: Step) -> Finding | None:
    """The same command with a few words changed."""
    if not _same_goal(step, after) or not _tells(step, after):
        return None
    line, fingerprint = message(step)
    command = _changed_command(step, after)
    name = lasting_name(command)
    guess = guessed_value(step.core, after.core, line)
    if guess is not None:
        key = f"{command.program}|value|{guess.key}"
        change = _Change(guess.went, guess.came, "named", key)
    else:
        change = _change(step, after, line, f"{name}|{fingerprint}")
    slots = {
        "kind": "changed",
        "program": name,
        "command": brief(step.core),
        "works": brief(_fed(after)),
        "line": clip(" ".join(_fed(after).split()), MAX_KEPT_LINE),
        "went": clip(change.went, MAX_KEPT_CHANGE),
        "came": clip(change.came, MAX_KEPT_CHANGE),
        "error": line,
        "sure": change.sure,
        "guess": "yes" if guess else "",
        "doubt": _doubt(command, step.call.error, change.went, change.came),
    }
    return _finding(trail, step, after, change.key, slots, fingerprint)


def _change(step: Step, after: Step, line: str, key: str) -> _Change:
    """What the message names of the changed words, else all of them."""
    places = line_changes(step.core, _fed(after))
    named = [place for place in places if mentions(line, set(place.old.split()))]
    went = " … ".join(place.old for place in named or places if place.old)
    came = " … ".join(place.new for place in named or places if place.new)
    if named:
        return _Change(went, came, "named", key)
    old, new = _without_values(went, came)
    key += f"|{clip(old, MAX_TOPIC_CHANGE)}|{clip(new, MAX_TOPIC_CHANGE)}"
    return _Change(went, came, "diff", key)


def _without_values(went: str, came: str) -> tuple[str, str]:
    """A change as sessions can share it. Where the same words are joined by another sign (`dune 14`, `dune:14`) the sign
    is the change, whatever the words."""
    for sign in _JOINING:
        if sign in came and came.split(sign) == went.split():
            return "", sign
        if sign in went and went.split(sign) == came.split():
            return sign, ""
    return went, came


def _changed_command(step: Step, after: Step) -> Command:
    """The command of a line that the change is in."""
    failing = step.action.working
    for command, old, new in zip(failing, _texts(step), _texts(after), strict=True):
        if old != new:
            return command
    return failing[0]


def _doubt(command: Command, error: str, went: str, came: str) -> str:
    """Why a change is nothing to tell before a second session shows it, though the message names it."""
    new_words = tokens_of(came) - tokens_of(went)
    if new_words and says(error, new_words):
        return NAMES_REMEDY
    words = [*went.split(), *came.split()]
    if any(word.strip(_QUOTES).startswith(_TEMPORARY) for word in words):
        return "about a temporary file"
    is_flag = any(word.startswith("-") for word in words)
    takes_refs = command.program == "git" and command.subcommand[:1] != ("add",)
    return "about one branch or commit" if takes_refs and not is_flag else ""


def _fed(step: Step) -> str:
    """A working command with what was piped into it, where that is how it got its input."""
    first = step.action.commands[0]
    is_words = program(first.program).family == "talk" and first.then == "|"
    if not is_words or len(first.text) > MAX_FED_TEXT:
        return step.core
    return f"{first.text} | {step.core}"


def _finding(
    trail: Trail,
    step: Step,
    after: Step,
    topic: str,
    slots: dict[str, str],
    fingerprint: str,
) -> Finding:
    return Finding(
        NAME,
        f"recovery|{topic}",
        slots,
        recovery(trail, step, after),
        fingerprint=fingerprint,
        cost=after.index - step.index,
    )

"""Recoveries: a command that failed, and what made it work.

The fix is what changed between the failing and the working call, never "the next thing that worked". Two kinds are
believed: the same program with a few words changed, and the same command after one step in between. Where files were
edited in between nothing is said: which edit mattered cannot be known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from afterglow.calls import (
    Command,
    brief,
    compared_words,
    effects_of,
    full_line,
    hunks,
    lasting_name,
    line_changes,
    only_shows,
    program,
    steady,
)
from afterglow.harvest.failure_kinds import (  # fmt: skip
    ABSENT,
    ASTRAY,
    DEVELOPMENT,
    REACH,
    SETUP,
    TRANSIENT,
    USAGE,
    advises,
    is_mute,
    mentions,
    message,
    recovery,
    repeats,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.text.clip import clip

NAME = "recoveries"
VERSION = 1

CHANGED = 6  # words that may have changed
SHORT = 60  # characters of a command in which a change is seen at once

_FEEDING = re.compile(r"(?:echo|printf|cat) [^|\n]{1,60}\| ")
_TESTING = re.compile(r"\btest\b|pytest|jest|vitest|\bspec\b|tox\b|unittest")
_CHECKS = frozenset({"test", "lint", "typecheck", "check"})  # ran, and changed nothing
_PUBLISHING = re.compile(r"git (?:add|commit|push)\b")
# Flags that only choose or show: leaving some tests out is no fix.
_NARROWING = frozenset(
    "-run -k -v -vv -x -q -count --verbose -s --lf --maxfail -short -json -race --tail -n -l -a -la".split()
)


def mine(trail: Trail) -> Iterator[Finding]:
    for step in trail.steps:
        if step.program and step.failed and not repeats(trail.steps, step):
            yield from _recovered(trail, step)


def _recovered(trail: Trail, step: Step) -> Iterator[Finding]:
    failing = step.action.working
    if (
        not failing
        or _is_plumbing(failing[0])
        or any(command.after == "||" for command in failing)
    ):
        return
    if ASTRAY.search(step.call.error):
        return
    usage = bool(
        USAGE.search(step.call.error[:2000])
    )  # then a later failure of another kind is also a way past it
    between: list[Step] = []
    for after in trail.steps[step.index + 1 : step.index + 1 + REACH]:
        if after.edits:
            return
        working = after.action.working if after.program else ()
        if working and (after.ok or (usage and not USAGE.search(after.call.error))):
            if _texts(failing) == _texts(working):
                yield from _step_between(trail, step, after, between)
                return
            extra = _extra(failing, working)
            if extra:
                yield _after_step(trail, step, after, extra)
                return
            if _same_goal(failing, working, after.index - step.index) and _tells(
                step, after
            ):
                yield _changed(trail, step, after)
                return
        between.append(after)


def _is_plumbing(command: Command) -> bool:
    return only_shows(command) or program(command.program).family in {"files", "setup"}


def _sends(command: Command) -> bool:
    return "sends" in effects_of(command)


def _does_something(command: Command) -> bool:
    """Not a mere look; a program written on the command line is anybody's guess."""
    is_written_here = command.has("-c", "-e") and not command.operands
    if program(command.program).family in {"interpreter", "shell"} and is_written_here:
        return False
    return effects_of(command) != {"looks"} and not only_shows(command)


def _texts(commands: Sequence[Command]) -> list[str]:
    return [steady(full_line([command])) for command in commands]


def _extra(failing: Sequence[Command], working: Sequence[Command]) -> str:
    """The one command that was put in front of an otherwise unchanged line."""
    old, new = _texts(failing), _texts(working)
    fresh = [
        command for command, text in zip(working, new, strict=True) if text not in old
    ]
    unchanged = [text for text in new if text in old]
    return (
        fresh[0].text
        if unchanged == old
        and len(fresh) == 1
        and new[-1] in old
        and _does_something(fresh[0])
        else ""
    )


def _same_goal(
    failing: Sequence[Command], working: Sequence[Command], distance: int
) -> bool:
    """The same programs and sub-commands; or the same words behind another program or a runner, at once."""
    if len(failing) == len(working) and all(map(_same_program, failing, working)):
        return True
    old, new = failing[-1].words, working[-1].words
    return len(failing) == len(working) == 1 and distance <= 3 and (
        new[-len(old) :] == old or (len(old) > 1 and old[1:] == new[1:])
    )  # fmt: skip


def _same_program(old: Command, new: Command) -> bool:
    """The same program and sub-command; of an interpreter also the same script; of a request the same direction."""
    if old.program != new.program or _sends(old) != _sends(new):
        return False
    if program(old.program).family in {"interpreter", "shell"}:
        return [word for word in old.words if "." in word] == [
            word for word in new.words if "." in word
        ] and not ({"-c", "-e", "-p"} & {*old.words, *new.words})
    return old.subcommand == new.subcommand or not old.subcommand


def _tells(failed: Step, after: Step) -> bool:
    """Whether the change can be the fix: small, not a mere narrowing, not a place that was guessed, not wrong code."""
    old, new, error = (
        compared_words(failed.core),
        compared_words(after.core),
        failed.call.error,
    )
    places = hunks(old, new)
    if not places or sum(h.size for h in places) > CHANGED or len(places) > 3:
        return False
    came = {word.partition("=")[0] for h in places for word in h.new.split()}
    went = {word for h in places for word in h.old.split()}
    chosen = all(word in _NARROWING or word[:1] != "-" for word in came | went)
    if chosen and old[0] == new[0] and _TESTING.search(failed.command):
        return False
    if DEVELOPMENT.search(error) and not SETUP.search(error):
        return False
    if ABSENT.search(
        error
    ):  # a path that was guessed is for `places`; a wrong flag or a missing quote is not
        return any(word[:1] in "-'\"" for word in came) or (
            mentions(error, went) and "..." in "".join(went)
        )
    return True


def _changed(trail: Trail, step: Step, after: Step) -> Finding:
    line, mark = message(step)
    failing, working = step.core, _fed(after)
    places = line_changes(failing, working)
    went = " … ".join(h.old for h in places if h.old)
    came = " … ".join(h.new for h in places if h.new)
    named = mentions(line, set(went.split()))
    program = _program(step)
    topic = (
        f"{program}|{mark}"
        if named
        else f"{program}|{mark}|{clip(went, 80)}|{clip(came, 80)}"
    )
    slots = {
        "kind": "changed", "program": program, "command": brief(failing), "works": brief(working),
        "went": clip(went, 200), "came": clip(came, 200), "error": line,
        "sure": "advice" if advises(step.call.error, working) else "named" if named else "diff",
    }  # fmt: skip
    return _finding(trail, step, after, topic, slots, mark)


def _program(step: Step) -> str:
    """Program and sub-command, also of `git -C /x gc`; what it was pointed at is no sub-command."""
    return lasting_name(step.action.working[0])


def _fed(step: Step) -> str:
    """A working command with what was piped into it, where that is how it got its input."""
    core = step.core
    feeding = _FEEDING.match(step.command)
    return (
        f"{feeding[0]}{core}" if feeding and not core.startswith(feeding[0]) else core
    )


def _step_between(
    trail: Trail, step: Step, after: Step, between: list[Step]
) -> Iterator[Finding]:
    """The same command failed and worked: something was done in between, or it was only tried again."""
    helping = _helping(step, between)
    moved = _changes_directory(after) and not _changes_directory(step)
    if moved or any(map(_changes_directory, helping)):
        return  # another directory, not another step
    if helping and (len(helping) == 1 or advises(step.call.error, helping[-1].command)):
        yield _after_step(trail, step, after, helping[-1].core, helping[-1])
    elif not between and TRANSIENT.search(step.call.error):
        yield _tried_again(trail, step, after)


def _changes_directory(step: Step) -> bool:
    return any(part.directory for part in step.action.working)


def _helping(step: Step, between: list[Step]) -> list[Step]:
    """The steps in between that may have made the difference; the one that the error names, if it names one."""
    steps = [
        earlier
        for earlier in between
        if earlier.program
        and earlier.ok
        and all(map(_does_something, earlier.action.working))
    ]
    for earlier in steps:
        if len(earlier.core) > 5 and earlier.core in step.call.error:
            return [earlier]
    steps = [
        earlier
        for earlier in steps
        if earlier.action.kind_of_work not in _CHECKS
        and (step.program.startswith("git") or not _PUBLISHING.match(earlier.program))
    ]
    family = program(step.action.working[0].program).family
    if family == "interpreter" or DEVELOPMENT.search(step.call.error):
        # Code was being written: only what prepares its surroundings can be told from an edit.
        return [
            earlier
            for earlier in steps
            if earlier.action.effects & {"prepares", "installs"}
        ]
    return steps


def _tried_again(trail: Trail, step: Step, after: Step) -> Finding:
    line, mark = message(step)
    name = _program(step)
    slots = {
        "kind": "retry",
        "program": name,
        "command": brief(step.core),
        "error": line,
        "sure": "diff",
    }
    return _finding(trail, step, after, f"{name}|{mark}|retry", slots, mark)


def _after_step(
    trail: Trail, step: Step, after: Step, doing: str, *steps_done: Step
) -> Finding:
    line, mark = message(step)
    slots = {
        "kind": "step", "program": _program(step), "command": brief(step.core), "error": line,
        "step": brief(doing), "sure": "advice" if advises(step.call.error, doing) else "diff",
    }  # fmt: skip
    return _finding(
        trail,
        step,
        after,
        f"{_program(step)}|{mark}|after {brief(doing, 60)}",
        slots,
        mark,
        *steps_done,
    )


def _finding(
    trail: Trail,
    step: Step,
    after: Step,
    topic: str,
    slots: dict[str, str],
    mark: str,
    *steps_done: Step,
) -> Finding:
    evidence = recovery(trail, step, after, *steps_done)
    return Finding(
        NAME,
        f"recovery|{topic}",
        slots,
        evidence,
        fingerprint=mark,
        cost=after.index - step.index,
    )


def tell(findings: Sequence[Finding]) -> Telling | str:
    best = min(
        (f.slots for f in findings),
        key=lambda slots: (
            len(slots["command"]) + len(slots.get("works", "")),
            str(slots),
        ),
    )
    error, command, program = (
        best["error"].replace("`", "'"),
        best["command"],
        best["program"],
    )
    if is_mute(error):
        return "the failure has no message"
    kind = best["kind"]
    if kind == "retry":
        if len({f.first.session for f in findings}) < 2:
            return "a retry that worked once"
        situation, remedy = f"`{command}` fails with '{error}'", "it passes: try again"
    elif kind == "step":
        situation, remedy = (
            f"`{command}` fails with '{error}'",
            f"run `{best['step']}` first",
        )
    else:
        situation, remedy = _changed_words(best, error)
        alternatives = [
            works
            for works, _ in Counter(f.slots["works"] for f in findings).most_common(3)
            if works != best["works"]
        ]
        remedy += f"; so does `{alternatives[0]}`" if alternatives else ""
    fact = (
        f"{situation} until `{best['step']}` has run"
        if kind == "step"
        else f"{situation}; {remedy}"
    )
    sure = {f.slots["sure"] for f in findings}
    directness = (
        0.9
        if "advice" in sure
        else 0.85
        if "named" in sure
        else 0.6
        if kind == "retry"
        else 0.8
    )
    head = program.split(" ")[0]
    return Telling(
        fact=f"{fact}.", category="tool-quirk" if kind == "changed" else "pitfall", situation=situation, remedy=remedy,
        directness=directness, domain=head, tags=(head, "recovery"),
    )  # fmt: skip


def _changed_words(slots: dict[str, str], error: str) -> tuple[str, str]:
    """Both commands where the eye finds the difference, else the difference alone."""
    command, works, went, came = (
        slots[name] for name in ("command", "works", "went", "came")
    )
    if command != works and (len(command) < SHORT or not (went or came)):
        return f"`{command}` fails with '{error}'", f"`{works}` works"
    if not went:
        return f"`{command}` fails with '{error}'", f"add `{clip(came, 100)}`"
    situation = f"`{slots['program']}` with `{clip(went, 100)}` fails with '{error}'"
    return situation, f"use `{clip(came, 100)}`" if came else "leave that out"

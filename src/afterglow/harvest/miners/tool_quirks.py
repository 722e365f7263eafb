"""Habits of the agent's own tools: what they refuse, and what made the same tool accept the same target.

Found by rule, not by a list of messages: a refused call, the next accepted call of that tool on that target, and what
lay between them or differed. Also a shell that stays where it was sent, a tool that is dead for the rest of a session,
and shells that mangle what they are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import brief, commands_in, only_shows, target_key
from afterglow.harvest.miners.tool_quirk_sentences import tell
from afterglow.harvest.tool_remedies import (
    LISTED,
    Arguments,
    full_name,
    remedy_of,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.working_directory import astray
from afterglow.records.knowledge import Evidence, Finding
from afterglow.records.tools import family
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint

__all__ = ["NAME", "VERSION", "mine", "tell"]

NAME = "conventions"
VERSION = 1
REACH = 10  # calls after a refused one in which it may be put right
MESSAGE = 160
LONGEST = 2000  # characters of a command or an error that are looked at

_TAGS = re.compile(r"</?(?:tool_use_error|error)>")
_NUMBERS = re.compile(r"\b\d[\d.,]*(?:[KMG]B|%)?")
_VALUES = re.compile(
    r"'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|(?:~|\.{0,2})(?:/[\w.@+-]+){2,}/?|\b[\w.@-]+(?:/[\w.@+-]+)+"
)
_ABSENT = re.compile(
    r"(?i)(?:file|path|directory|entity|page|issue|task)\b[^.\n]{0,60}(?:does not exist|doesn't exist|not found)"
    r"|no such file|status code 4\d\d"
)
_BROKEN = re.compile(
    r"(?i)spawn\b|ECONN|ENOTFOUND|EPIPE|connection (?:closed|refused|reset|lost)|not connected|disconnected"
    r"|is not a function|server (?:is )?(?:not available|unavailable|error)|internal error"
    r"|transport|token (?:has )?expired"
)
_MEANT = re.compile(r"(?i)did you mean:? [\"'`]?([^\s\"'`?]{2,120})")
_EVAL = re.compile(
    r"\(eval\):\d+: (parse error near [^\n]{1,20}|permission denied:|unknown file attribute:[^\n]{0,3}|bad pattern:)"
)
_DENIED = re.compile(
    r"(?i)^(?:Permission to use \w+|.{0,80}(?:blocked|denied|rejected) by (?:policy|hook|(?:the )?sandbox|permission))"
)
# What in a command the shell may have stumbled over: shown when the working command does not have it.
_STUMBLING = (
    ("lines that end in a backslash", re.compile(r"\\\n")),
    ("`VAR=$(…)` in front of a pipe", re.compile(r"^\s*\w+=\$\([^\n]*\|")),
    ("`VAR=value time …`", re.compile(r"\b\w+=\S+ time\b")),
    ("a glob behind `$(…)`", re.compile(r"\$\([^)\n]*\)\S*\*")),
    ("several lines", re.compile(r"\n")),
)


def mine(trail: Trail) -> Iterator[Finding]:
    lost = {drifted.step.index: drifted for drifted in astray(trail)}
    for drifted in lost.values():
        if not _batched(trail, drifted.step):
            yield _drift(trail, drifted.step, drifted.moved, drifted.back)
    for step in trail.steps:
        if step.blocked and _DENIED.match(step.call.error):
            yield _denied(trail, step)
        elif (
            not step.failed
            or step.index in lost
            or (_batched(trail, step) and not LISTED.search(step.call.error))
        ):
            continue
        elif step.program:
            yield from _shell(trail, step)
        elif family(step.tool) != "code" and _BROKEN.search(step.call.error[:600]):
            yield from _broken(trail, step)
        else:
            yield from _refused(trail, step)


def _batched(trail: Trail, step: Step) -> bool:
    """Calls of one batch that failed the same way are one event: the first stands for all."""
    before = trail.steps[step.index - 1] if step.index else None
    return bool(
        before and before.failed and before.tool == step.tool and before.turn == step.turn
        and _shape(before.call.error) == _shape(step.call.error)
    )  # fmt: skip


# A tool that refuses a call


def _refused(trail: Trail, step: Step) -> Iterator[Finding]:
    error, old = step.call.error, step.action.arguments.values
    if not old:
        return
    if named := full_name(error, old):
        wrong, right = named
        slots = {
            "kind": "name",
            "tool": step.tool,
            "wrong": wrong,
            "right": right,
            "message": _sentence(error),
        }
        yield _finding(trail, step, f"name|{step.tool}", slots)
    elif meant := _MEANT.search(error):
        yield from _meant(trail, step, old, meant[1].rstrip(".,)"))
    elif family(step.tool) == "file" and not _ABSENT.search(error[:300]):
        remedy, after = remedy_of(step, _later(trail, step), old)
        slots = {
            "kind": "refused",
            "tool": step.tool,
            "message": _sentence(error),
            "remedy": remedy,
        }
        slots["shape"] = _masked(_sentence(error))
        yield _finding(trail, step, f"tool|{_shape(error)}", slots, after)


def _meant(trail: Trail, step: Step, old: Arguments, right: str) -> Iterator[Finding]:
    wrong = str(old.get(target_key(old), ""))
    name = wrong.rsplit("/", 1)[-1]
    after = next(
        (
            later
            for later in _later(trail, step)
            if later.ok and right in later.call.arguments
        ),
        None,
    )
    if name and after and right != name:
        slots = {
            "kind": "meant",
            "tool": step.tool,
            "wrong": name,
            "right": right,
            "message": _sentence(step.call.error),
        }
        yield _finding(trail, step, f"meant|{name}|{right}", slots, after)


# A tool that is broken


def _broken(trail: Trail, step: Step) -> Iterator[Finding]:
    """Told once a session, and only if the tool never worked again."""
    same = [
        later
        for later in trail.steps
        if later.tool == step.tool and later.index != step.index
    ]
    if any(
        later.index < step.index
        and later.failed
        and _shape(later.call.error) == _shape(step.call.error)
        for later in same
    ):
        return
    again = [later for later in same if later.index > step.index]
    if any(later.ok for later in again):
        return
    instead = next(
        (
            later
            for later in _later(trail, step)
            if later.ok and later.tool != step.tool and _substitutes(step, later)
        ),
        None,
    )
    slots = {
        "kind": "broken", "tool": step.tool, "message": _sentence(step.call.error), "times": str(1 + len(again)),
        "shape": fingerprint(step.call.error), "remedy": "" if instead is None else _substitute(instead),
    }  # fmt: skip
    spawning = re.search(r"(?i)\bspawn|posix_spawn", step.call.error[:600])
    topic = "spawn" if spawning else f"{step.tool}|{_shape(step.call.error)}"
    yield _finding(trail, step, f"broken|{topic}", slots, instead)


def _substitutes(step: Step, later: Step) -> bool:
    """Only for tools that look at files is it plain what does their work."""
    return (
        family(step.tool) == "file"
        and bool(later.program)
        and only_shows(later.action.working[0])
    )


def _substitute(later: Step) -> str:
    words = later.action.working[0].words
    return f"`{' '.join([words[0], *(word for word in words[1:2] if word[0] == '-')])}`"


# The shell


def _drift(trail: Trail, step: Step, moved: Step, back: Step | None) -> Finding:
    how = (
        ""
        if back is None
        else "pwd"
        if back.command.strip() == "pwd"
        else "git -C"
        if "git -C" in back.command
        else "absolute"
    )
    slots = {
        "kind": "drift",
        "tool": step.tool,
        "message": _line(step.call.error),
        "back": how,
    }
    return _finding(
        trail, step, f"drift|{step.tool}", slots, moved, *([back] if back else [])
    )


def _shell(trail: Trail, step: Step) -> Iterator[Finding]:
    error, command = step.call.error[:LONGEST], step.command[:LONGEST]
    after = [later for later in _later(trail, step) if later.ok and later.program]
    if "\\!" in error and "!" in command and "\\!" not in command:
        works = next(
            (
                later
                for later in after
                if later.program == step.program and "!" not in later.command
            ),
            None,
        )
        slots = {
            "kind": "bang",
            "tool": step.tool,
            "message": _line(error),
            "remedy": "" if works is None else "seen",
        }
        yield _finding(trail, step, f"shell|{step.tool}|bang", slots, works)
    elif match := _EVAL.search(error):
        likely = [words for words, pattern in _STUMBLING if pattern.search(command)]
        works = next((later for later in after if _shares(step, later)), None)
        cause = next(
            (
                words
                for words, pattern in _STUMBLING
                if words in likely
                and works
                and not pattern.search(works.command[:LONGEST])
            ),
            "",
        )
        if not cause:
            return
        split = works is not None and len(works.action.working) < len(
            commands_in(command)
        )
        slots = {
            "kind": "eval",
            "tool": step.tool,
            "message": match[1].strip(),
            "cause": cause,
        }
        slots["remedy"] = "split" if split else ""
        slots["works"] = brief(works.command, 90) if works else ""
        yield _finding(trail, step, f"shell|{step.tool}|{cause}", slots, works)


def _shares(step: Step, later: Step) -> bool:
    """The later command does a part of what the failed one was to do."""
    old = {command.words[0] for command in step.action.working}
    long = {
        word
        for command in later.action.working
        for word in command.words
        if len(word) > 5
    }
    return any(command.words[0] in old for command in later.action.working) and any(
        word in step.command for word in long
    )


def _denied(trail: Trail, step: Step) -> Finding:
    program = step.program.split(" ")[0] if step.program else ""
    slots = {
        "kind": "denied",
        "tool": step.tool,
        "program": program,
        "message": _sentence(step.call.error),
    }
    return _finding(trail, step, f"denied|{step.tool}|{program}", slots)


# What all have in common


def _later(trail: Trail, step: Step) -> list[Step]:
    return trail.steps[step.index + 1 : step.index + 1 + REACH]


def _line(error: str) -> str:
    lines = [line.strip() for line in _TAGS.sub("", error[:LONGEST]).splitlines()]
    telling_lines = [
        line for line in lines if line and not re.fullmatch(r"exit -?\d+", line)
    ]
    head = telling_lines[0] if telling_lines else ""
    return (
        f"{head} {telling_lines[1]}"
        if head.endswith(":") and len(telling_lines) > 1
        else head
    )


def _sentence(error: str) -> str:
    """The first sentences of a message; what a list or an echo adds behind them is left out."""
    return clip(
        re.split(
            r"(?<=[.!?]) (?=[A-Z][a-z]+ (?:agents|tools|skills|values)|To replace|Please)",
            _line(error),
        )[0],
        MESSAGE,
    )


def _shape(error: str) -> str:
    return clip(_masked(_line(error)), 80)


def _masked(text: str) -> str:
    return _NUMBERS.sub("<n>", _VALUES.sub("…", text))


def _finding(
    trail: Trail,
    step: Step,
    topic: str,
    slots: dict[str, str],
    *related_steps: Step | None,
) -> Finding:
    steps = [related for related in related_steps if related is not None]
    evidence: list[Evidence] = [
        trail.got_words(step, slots["message"]),
        trail.asked(step),
        *map(trail.asked, steps),
    ]
    cost = max([1, *(related.index - step.index for related in steps)])
    return Finding(
        NAME,
        topic,
        slots,
        tuple(evidence),
        fingerprint=fingerprint(step.call.error),
        cost=cost,
    )

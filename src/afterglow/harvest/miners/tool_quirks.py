"""Habits of the agent's own tools: what they refuse, and what made the same tool accept the same target.

Found by rule, not by a list of messages: a refused call, the next accepted call of that tool on that target, and what
lay between them or differed. Also a shell that stays where it was sent, a tool that is dead for the rest of a session,
and shells that mangle what they are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterglow.calls import Command, brief, commands_in, only_shows, target_key
from afterglow.harvest.miners.tool_quirk_sentences import tell
from afterglow.harvest.tool_remedies import (
    LISTED,
    Arguments,
    full_name,
    remedy_of,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.working_directory import Astray, astray
from afterglow.records.knowledge import Finding
from afterglow.records.tools import family
from afterglow.text.clip import clip
from afterglow.text.fingerprint import fingerprint

__all__ = ["NAME", "VERSION", "mine", "tell"]

NAME = "conventions"
VERSION = 1

MAX_CALLS_TO_REMEDY = 10  # after a refused call; later ones are about something else
MAX_MESSAGE = 160  # characters of a message that can stand in a sentence
MAX_TEXT_READ = 2000  # characters: what matters of a command or an error stands first
MAX_BREAKAGE_READ = 600  # characters: a broken tool says so at once
MAX_ABSENCE_READ = 300  # characters: so does a look-up in vain
MAX_ERROR_KIND = 80  # characters that tell one kind of refusal from another
MAX_QUOTED_COMMAND = 90  # characters of a command that can stand in a sentence
MIN_TELLING_WORD = 6  # characters: shorter words are shared by any two commands

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
_SPAWNING = re.compile(r"(?i)\bspawn|posix_spawn")
_EXIT_LINE = re.compile(r"exit -?\d+")
# Behind the first sentences a message lists what there is, or echoes what it got.
_LIST_OR_ECHO = re.compile(
    r"(?<=[.!?]) (?=[A-Z][a-z]+ (?:agents|tools|skills|values)|To replace|Please)"
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
    lost = {event.step.index: event for event in astray(trail)}
    for event in lost.values():
        if not _is_batched(trail, event.step):
            yield _drift(trail, event)
    for step in trail.steps:
        if step.blocked and _DENIED.match(step.call.error):
            yield _denied(trail, step)
        elif step.failed and step.index not in lost and _is_event(trail, step):
            yield from _failed(trail, step)


def _failed(trail: Trail, step: Step) -> Iterator[Finding]:
    if step.program:
        yield from _shell(trail, step)
    elif _is_breakage(step):
        yield from _broken(trail, step)
    else:
        yield from _refused(trail, step)


def _is_event(trail: Trail, step: Step) -> bool:
    return not _is_batched(trail, step) or bool(LISTED.search(step.call.error))


def _is_batched(trail: Trail, step: Step) -> bool:
    """Calls of one batch that failed the same way are one event: the first stands for all."""
    before = trail.steps[step.index - 1] if step.index else None
    if before is None or not before.failed:
        return False
    is_same_batch = before.tool == step.tool and before.turn == step.turn
    return is_same_batch and _is_same_error(before, step)


def _is_same_error(step: Step, other_step: Step) -> bool:
    return _error_kind(step.call.error) == _error_kind(other_step.call.error)


# A tool that refuses a call


def _refused(trail: Trail, step: Step) -> Iterator[Finding]:
    error, old = step.call.error, step.action.arguments.values
    if not old:
        return
    if names := full_name(error, old):
        yield _wrong_name(trail, step, *names)
    elif meant := _MEANT.search(error):
        yield from _meant(trail, step, old, meant[1].rstrip(".,)"))
    elif family(step.tool) == "file" and not _ABSENT.search(error[:MAX_ABSENCE_READ]):
        remedy, after = remedy_of(step, _later(trail, step), old)
        slots = {
            "kind": "refused",
            "tool": step.tool,
            "message": _sentence(error),
            "remedy": remedy,
            "shape": _masked(_sentence(error)),
        }
        yield _finding(trail, step, f"tool|{_error_kind(error)}", slots, after)


def _wrong_name(trail: Trail, step: Step, wrong: str, right: str) -> Finding:
    slots = {
        "kind": "name",
        "tool": step.tool,
        "wrong": wrong,
        "right": right,
        "message": _sentence(step.call.error),
    }
    return _finding(trail, step, f"name|{step.tool}", slots)


def _meant(trail: Trail, step: Step, old: Arguments, right: str) -> Iterator[Finding]:
    wrong = str(old.get(target_key(old), "")).rsplit("/", 1)[-1]
    later = _later(trail, step)
    accepted = (item for item in later if item.ok and right in item.call.arguments)
    after = next(accepted, None)
    if wrong and after and right != wrong:
        slots = {
            "kind": "meant",
            "tool": step.tool,
            "wrong": wrong,
            "right": right,
            "message": _sentence(step.call.error),
        }
        yield _finding(trail, step, f"meant|{wrong}|{right}", slots, after)


# A tool that is broken


def _is_breakage(step: Step) -> bool:
    if family(step.tool) == "code":
        return False
    return bool(_BROKEN.search(step.call.error[:MAX_BREAKAGE_READ]))


def _broken(trail: Trail, step: Step) -> Iterator[Finding]:
    """Told once a session, and only if the tool never worked again."""
    same_tool = [item for item in trail.steps if item.tool == step.tool]
    earlier = [item for item in same_tool if item.index < step.index and item.failed]
    if any(_is_same_error(item, step) for item in earlier):
        return
    again = [item for item in same_tool if item.index > step.index]
    if any(item.ok for item in again):
        return
    instead = _substitute(trail, step)
    error = step.call.error
    slots = {
        "kind": "broken",
        "tool": step.tool,
        "message": _sentence(error),
        "times": str(1 + len(again)),
        "shape": fingerprint(error),
        "remedy": "" if instead is None else _bare_command(instead.action.working[0]),
    }
    topic = f"{step.tool}|{_error_kind(error)}"
    if _SPAWNING.search(error[:MAX_BREAKAGE_READ]):
        topic = "spawn"
    yield _finding(trail, step, f"broken|{topic}", slots, instead)


def _substitute(trail: Trail, step: Step) -> Step | None:
    """Only for tools that look at files is it plain what does their work."""
    if family(step.tool) != "file":
        return None
    for item in _later(trail, step):
        is_other_tool = item.ok and item.tool != step.tool
        if is_other_tool and item.program and only_shows(item.action.working[0]):
            return item
    return None


def _bare_command(command: Command) -> str:
    """The program, with the flag behind it if there is one."""
    words = command.words
    has_flag = len(words) > 1 and words[1].startswith("-")
    return f"`{' '.join(words[: 2 if has_flag else 1])}`"


# The shell


def _drift(trail: Trail, event: Astray) -> Finding:
    step = event.step
    slots = {
        "kind": "drift",
        "tool": step.tool,
        "message": _line(step.call.error),
        "back": _way_back(event.back),
    }
    return _finding(trail, step, f"drift|{step.tool}", slots, event.moved, event.back)


def _way_back(back: Step | None) -> str:
    if back is None:
        return ""
    if back.command.strip() == "pwd":
        return "pwd"
    return "git -C" if "git -C" in back.command else "absolute"


def _shell(trail: Trail, step: Step) -> Iterator[Finding]:
    error, command = step.call.error[:MAX_TEXT_READ], step.command[:MAX_TEXT_READ]
    working = [item for item in _later(trail, step) if item.ok and item.program]
    if "\\!" in error and "!" in command and "\\!" not in command:
        yield _escaped_bang(trail, step, working)
    elif message := _EVAL.search(error):
        yield from _stumbled(trail, step, working, message[1].strip())


def _escaped_bang(trail: Trail, step: Step, working: Sequence[Step]) -> Finding:
    without_bang = (
        item
        for item in working
        if item.program == step.program and "!" not in item.command
    )
    works = next(without_bang, None)
    slots = {
        "kind": "bang",
        "tool": step.tool,
        "message": _line(step.call.error[:MAX_TEXT_READ]),
        "remedy": "" if works is None else "seen",
    }
    return _finding(trail, step, f"shell|{step.tool}|bang", slots, works)


def _stumbled(
    trail: Trail, step: Step, working: Sequence[Step], message: str
) -> Iterator[Finding]:
    """What a command had that made the shell stumble, and the command that worked has not."""
    works = next((item for item in working if _shares(step, item)), None)
    cause = "" if works is None else _stumbling_block(step, works)
    if works is None or not cause:
        return
    commands = commands_in(step.command[:MAX_TEXT_READ])
    slots = {
        "kind": "eval",
        "tool": step.tool,
        "message": message,
        "cause": cause,
        "remedy": "split" if len(works.action.working) < len(commands) else "",
        "works": brief(works.command, MAX_QUOTED_COMMAND),
    }
    yield _finding(trail, step, f"shell|{step.tool}|{cause}", slots, works)


def _stumbling_block(step: Step, works: Step) -> str:
    failing, working = step.command[:MAX_TEXT_READ], works.command[:MAX_TEXT_READ]
    for cause, pattern in _STUMBLING:
        if pattern.search(failing) and not pattern.search(working):
            return cause
    return ""


def _shares(step: Step, later: Step) -> bool:
    """The later command does a part of what the failed one was to do."""
    programs = {command.words[0] for command in step.action.working}
    working = later.action.working
    if not any(command.words[0] in programs for command in working):
        return False
    words = (word for command in working for word in command.words)
    return any(len(word) >= MIN_TELLING_WORD and word in step.command for word in words)


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
    return trail.steps[step.index + 1 : step.index + 1 + MAX_CALLS_TO_REMEDY]


def _line(error: str) -> str:
    """The first line that says something, with the next one where it only announces that."""
    stripped = map(str.strip, _TAGS.sub("", error[:MAX_TEXT_READ]).splitlines())
    lines = [line for line in stripped if line and not _EXIT_LINE.fullmatch(line)]
    head = lines[0] if lines else ""
    return f"{head} {lines[1]}" if head.endswith(":") and len(lines) > 1 else head


def _sentence(error: str) -> str:
    """The first sentences of a message; what a list or an echo adds behind them is left out."""
    return clip(_LIST_OR_ECHO.split(_line(error))[0], MAX_MESSAGE)


def _error_kind(error: str) -> str:
    return clip(_masked(_line(error)), MAX_ERROR_KIND)


def _masked(text: str) -> str:
    return _NUMBERS.sub("<n>", _VALUES.sub("…", text))


def _finding(
    trail: Trail, step: Step, topic: str, slots: dict[str, str], *around: Step | None
) -> Finding:
    steps = [item for item in around if item is not None]
    evidence = (
        trail.got_words(step, slots["message"]),
        trail.asked(step),
        *map(trail.asked, steps),
    )
    return Finding(
        NAME,
        topic,
        slots,
        evidence,
        fingerprint=fingerprint(step.call.error),
        cost=max([1, *(item.index - step.index for item in steps)]),
    )

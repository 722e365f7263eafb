"""A program in front of another one, and it is the one in front that fails: it is not there, or knows no such command."""

from __future__ import annotations

import re

from afterglow.calls import Command, program
from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment

NAME = "wrapper"

# What programs say about a sub-command they do not have.
_UNKNOWN = re.compile(
    r"(?i)(?:unrecogni[sz]ed|unknown|invalid|no such) (?:sub-?)?command:? ['\"`‘]?(?P<name>[\w.-]+)"
    r"|['\"`‘](?P<quoted>[\w.-]+)['\"`’] is not a \S+ (?:sub-?)?command"
)
_FINDING = frozenset({"npx", "bunx", "uvx"})  # wrappers that fetch what they run
# Programs that are installed for a whole machine, so they run without anything in front.
_STANDING_ALONE = frozenset({"runner", "interpreter"})


def explain(moment: Moment) -> Explanation | None:
    unknown = _unknown_commands(moment)
    if not unknown and not moment.missing:
        return None
    for command in moment.commands:
        explanation = _wrapped(moment, command, unknown) or _fronted(
            moment, command, unknown
        )
        if explanation is not None:
            return explanation
    return None


def _unknown_commands(moment: Moment) -> set[str]:
    """What a program took for one of its sub-commands, and has not."""
    if not moment.says("command"):
        return set()
    matches = _UNKNOWN.finditer(moment.output)
    return {match["name"] or match["quoted"] for match in matches}


def _wrapped(moment: Moment, command: Command, unknown: set[str]) -> Explanation | None:
    """A known wrapper that is not there, or takes the program for a sub-command."""
    if not command.wrappers:
        return None
    front = command.wrappers[0]
    behind = " ".join(
        [*(wrapper.text for wrapper in command.wrappers[1:]), command.text]
    )
    if front.program in moment.missing and _only_adds(front.program):
        topic = f"`{front.program}` is not on the PATH"
        return _explanation(topic, f"{topic} here", front.text, behind)
    if command.words[0] in unknown:
        return _refused(front.program, command.words[0], behind)
    return None


def _fronted(moment: Moment, command: Command, unknown: set[str]) -> Explanation | None:
    """A program nobody knows as a wrapper, given another program that runs by itself."""
    words = command.words
    if command.wrappers or len(words) < 2 or words[1] not in unknown:
        return None
    is_installed = program(words[1]).family in _STANDING_ALONE
    if not is_installed and words[1] not in moment.state.answered:
        return None
    return _refused(words[0], words[1], " ".join(command.written[1:]))


def _only_adds(front: str) -> bool:
    """Without it the command does the same here: it neither finds programs nor goes elsewhere."""
    row = program(front)
    is_remote = row.wrapping is not None and row.wrapping.remote
    return row.family == "wrapper" and not is_remote and front not in _FINDING


def _refused(front: str, name: str, behind: str) -> Explanation:
    topic = f"`{front}` does not take `{name}`"
    return _explanation(topic, f"`{front} {name} …` fails: {topic}", front, behind)


def _explanation(topic: str, situation: str, front: str, behind: str) -> Explanation:
    name = behind.split(" ", 1)[0]
    rerun = behind if is_short(behind) else f"{name} …"
    line = f"{topic}: run `{rerun}` without `{front}`"
    remedy = f"run `{rerun}` without `{front}`"
    return Explanation(NAME, topic, line, situation, remedy)

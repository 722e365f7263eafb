"""zsh does not run a line in which a pattern matches no file: `?`, `*`, `[` and `(` in a word that is none need quotes."""

from __future__ import annotations

import re

from afterglow.calls import Command, effects_of, program
from afterglow.harvest.state_checks.explanation import Explanation, is_short, short_path
from afterglow.harvest.state_checks.moment import Moment

NAME = "glob"

_NO_MATCH = re.compile(r"no matches found: (\S[^\n]*)")
# What the shell would take for a pattern and other programs do not: a query, a page of a list, a spelt-out selection.
_ADDRESS = re.compile(r"[?&][\w.-]+=|://|^[\w.-]+\[")

TOPIC = "an unquoted pattern that matches no file, in zsh"
SITUATION = "zsh: 'no matches found' for a bare `?` or `*`"
REMEDY = "quote what is no file, `'x?page=9'`; for files `find DIR -name '*.md'`"


def explain(moment: Moment) -> Explanation | None:
    match = _NO_MATCH.search(moment.output)
    if match is None:
        return None
    word = match[1].strip()
    command = next((item for item in moment.commands if _takes(item, word)), None)
    is_grouped = "(" in word and word in moment.step.command
    if command is None and not is_grouped:
        return None
    line = _of_address(word)
    if command is not None and _is_file_pattern(command, word):
        is_answer = _looks_for_nothing_else(command)
        line = "" if is_answer else _of_files(moment.shown(word))
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY)


def _takes(command: Command, word: str) -> bool:
    """The pattern stands in the command, without quotes."""
    return any(word in written for written in command.written[1:])


def _is_file_pattern(command: Command, word: str) -> bool:
    """Meant for files: no flag, no address, and the program is one that works on files."""
    if word.startswith("-") or _ADDRESS.search(word):
        return False
    return program(command.program).family in {"viewer", "files"}


def _looks_for_nothing_else(command: Command) -> bool:
    """Whether there are such files was the question, and that there are none is the answer: no other was kept back."""
    return effects_of(command) == {"looks"} and len(command.operands) == 1


def _of_address(word: str) -> str:
    return f"zsh takes `{short_path(word)}` for a pattern of files, and none matches: put the word in single quotes"


def _of_files(word: str) -> str:
    """What else the command names was not looked at either: who reads nothing takes it for an answer."""
    name = f"`{word}`" if is_short(word) else "one of its patterns"
    return f"no file matches {name}, so zsh ran nothing of that command: its other parts were not looked at"

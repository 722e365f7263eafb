"""Sub-commands of programs that stand in no table, learned from how they are used.

What varies between the calls of a program is an operand; what recurs with other words behind
it is a sub-command. One call proves nothing, so without lessons an unknown program has none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls.command import Command, anatomy
from afterglow.calls.programs import table
from afterglow.calls.shell import parse

MIN_CALLS = 2  # different commands in which a word must stand first: once is chance
# Of a program's calls, how many must begin with a word that recurs: below half, the
# recurring words are favourite operands (the same file shown twice) and no sub-commands.
MIN_SHARE = 0.5

_VERB = re.compile(r"[a-z][a-z0-9:_-]{1,30}")
NOTHING: frozenset[str] = frozenset()


class Learned(Struct, frozen=True):
    """What was learned: program -> its sub-commands."""

    subcommands: dict[str, frozenset[str]] = {}

    def of(self, program_name: str) -> frozenset[str]:
        return self.subcommands.get(program_name, NOTHING)

    def knows_any(self, commands: Iterable[Command]) -> bool:
        return any(command.program in self.subcommands for command in commands)

    def apply(self, commands: Sequence[Command]) -> tuple[Command, ...]:
        """The commands, those of unknown programs taken apart anew."""
        return tuple(map(self._applied, commands))

    def _applied(self, command: Command) -> Command:
        verbs = self.subcommands.get(command.program)
        if not verbs:
            return command
        parts = anatomy(command.program, command.words[1:], verbs)
        return replace(
            command,
            subcommand=parts.subcommand,
            flags=parts.flags,
            operands=parts.operands,
        )


def learn(lines: Iterable[str]) -> Learned:
    """Looks through the lines of a session, or of a project."""
    calls: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for line in lines:
        for command in parse(line).commands:
            if command.program not in table():
                calls[command.program].add(command.words[1:])
    subcommands: dict[str, frozenset[str]] = {}
    for name, words in calls.items():
        if verbs := _recurring(words):
            subcommands[name] = verbs
    return Learned(subcommands)


def _recurring(calls: set[tuple[str, ...]]) -> frozenset[str]:
    """The verbs of a program: if most calls begin with a word that recurs, it is one that takes
    verbs, and its rarer first words are such too."""
    firsts = Counter(filter(None, map(_first_operand, calls)))
    verbs = {word: times for word, times in firsts.items() if _VERB.fullmatch(word)}
    covered = sum(times for times in verbs.values() if times >= MIN_CALLS)
    if not covered or covered < MIN_SHARE * len(calls):
        return NOTHING
    return frozenset(verbs)


def _first_operand(words: Sequence[str]) -> str:
    return next((word for word in words if word[:1] != "-"), "")

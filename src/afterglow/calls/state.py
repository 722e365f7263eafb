"""The shell's state through a session: where it stands, what was exported, which environments were sourced.

An agent's shell may keep its directory between calls, and the agent forgets. `Shell` is fed
calls in order and says for each where it ran. It knows no session and reads no
files: the same calls give the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from afterglow.calls.action import Action
from afterglow.calls.command import Command, join
from afterglow.calls.effects import is_answer
from afterglow.calls.programs import program
from afterglow.records.session import Outcome

# The note about a reset stands at the end of a result.
MAX_RESET_CHARACTERS = 400

_WAS_RESET = "Shell cwd was reset"
_RESET = re.compile(rf"{_WAS_RESET} to ([^\n<]+)")
_SOURCING = frozenset({"source", "."})
_QUIET = frozenset(
    {"-q", "--quiet", "--silent"}
)  # of a search: it shows nothing either way


class Standing(Struct, frozen=True):
    """Where a call ran. Directories that cannot be known are empty.

    `directory` is where the line began, `directories` where each of its commands ran.
    `moved_by` is the call that brought the shell there, None where it stands at home.
    `exports` and `sourced` hold what earlier calls set in this shell.
    """

    directory: str
    directories: tuple[str, ...] = ()
    moved_by: int | None = None
    exports: Mapping[str, str] = {}
    sourced: tuple[str, ...] = ()


class Shell:
    """Feed it every call of a session in order.

    `keeps` turns False when the session shows that every call starts afresh: going twice to
    the same place by a relative path only works from the start.
    """

    def __init__(self, home: str = "") -> None:
        self.home = home
        self.keeps = True
        self.count = 0
        self._directory = home
        self._moved_by: int | None = None
        self._exports: dict[str, str] = {}
        self._sourced: list[str] = []

    def run(self, action: Action, outcome: Outcome, result: str = "") -> Standing:
        """Where this call ran; afterwards the shell stands where it left it."""
        place = self.count
        self.count += 1
        standing = self.standing(action)
        ended_well = outcome is Outcome.OK and not _found_nothing(action, result)
        if action.kind == "shell" and ended_well:
            self._follow(action, place)
        self._follow_reset(result[-MAX_RESET_CHARACTERS:])
        return standing

    def _follow_reset(self, end_of_result: str) -> None:
        """The agent says that it put its shell back, and maybe where."""
        if _WAS_RESET not in end_of_result:
            return
        reset = _RESET.search(end_of_result)
        self._go(reset[1].strip().rstrip(".") if reset else self.home, None)

    def standing(self, action: Action) -> Standing:
        """Where a call runs that comes next; the shell does not move."""
        base = action.directory or self._directory
        moved_by = None if action.directory else self._moved_by
        directories = tuple(_place(base, command) for command in action.commands)
        return Standing(
            directory=base,
            directories=directories,
            moved_by=moved_by,
            exports=dict(self._exports),
            sourced=tuple(self._sourced),
        )

    def _follow(self, action: Action, place: int) -> None:
        """A line that ended well leaves the shell where its last cd went."""
        for item in action.parsed.exports:
            self._exports[item.name] = item.value
        for command in action.commands:
            if command.program in _SOURCING:
                self._sourced += command.operands[:1]
        goes_to = action.parsed.directory
        if goes_to and not action.directory:  # a directory given with a call is its own
            self._move(goes_to, place)

    def _move(self, path: str, place: int) -> None:
        if self._went_twice(path):
            self.keeps = False
        if not self.keeps:
            self._go(self.home, None)
        elif path[:1] in "$-":
            self._go("", None)
        elif (target := join(self._directory, path)) != self._directory:
            self._go(target, place)

    def _went_twice(self, path: str) -> bool:
        """Whether a relative path leads to where the shell already stands."""
        if self._moved_by is None or path[:1] in "/~$.":
            return False
        return f"/{self._directory}".endswith(f"/{path.rstrip('/')}")

    def _go(self, directory: str, moved_by: int | None) -> None:
        self._directory = directory.rstrip("/") or directory
        is_home = self._directory == self.home
        self._moved_by = None if is_home else moved_by


def _found_nothing(action: Action, result: str) -> bool:
    """A line that ends in a search with nothing to show ended with an exit code: agents that call this an answer still
    do not take over where such a line went."""
    if result.strip() or not action.commands:
        return False
    last = action.commands[-1]
    is_quiet = any(flag.name in _QUIET for flag in last.flags)
    return program(last.program).trims and is_answer(last, 1) and not is_quiet


def _place(base: str, command: Command) -> str:
    return join(base, command.directory) if command.directory else base

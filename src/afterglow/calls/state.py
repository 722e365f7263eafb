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
from afterglow.records.session import Outcome

_RESET = re.compile(r"Shell cwd was reset to ([^\n<]+)")
# The note about a reset stands at the end of a result.
MAX_RESET_CHARACTERS = 400


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
        standing = self._standing(action)
        if action.kind == "shell" and outcome is Outcome.OK:
            self._follow(action, place)
        if reset := _RESET.search(result[-MAX_RESET_CHARACTERS:]):
            self._go(reset[1].strip().rstrip("."), None)
        elif "Shell cwd was reset" in result[-MAX_RESET_CHARACTERS:]:
            self._go(self.home, None)
        return standing

    def _standing(self, action: Action) -> Standing:
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
            if command.program in {"source", "."} and command.operands:
                self._sourced.append(command.operands[0])
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
        is_relative = path[:1] not in "/~$." and self._moved_by is not None
        return is_relative and f"/{self._directory}".endswith(f"/{path.rstrip('/')}")

    def _go(self, directory: str, moved_by: int | None) -> None:
        self._directory = directory.rstrip("/") or directory
        self._moved_by = None if self._directory == self.home else moved_by


def _place(base: str, command: Command) -> str:
    return join(base, command.directory) if command.directory else base

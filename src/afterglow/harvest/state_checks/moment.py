"""A session's state, followed call by call, and one moment of it: what checks look at.

Adding a call is cheap: nothing is read out of results before a check asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from stringzilla import find

from afterglow.calls import Command, Shell, Standing, Wrapper, join, program
from afterglow.harvest.failure_kinds import missing_program
from afterglow.harvest.trail import Step
from afterglow.records.session import Outcome
from afterglow.text.clip import uncoloured

# Characters at each end of a failing call's output that are read: what matters of a message stands at an end.
MAX_END_CHARACTERS = 4_000
# Calls back from a failure in which something is looked for; what is older the agent does not rely on either.
MAX_CALLS_BACK = 400

_SHELL_SPEAKS = re.compile(
    r"^(?:(?P<eval>\(eval\)):(?:\w+:)?\d+:|(?:/\w+/)*(?P<name>zsh|bash|dash|fish)(?:: line \d+|:\d+)?:)",
    re.MULTILINE,
)
_TOUCHING = frozenset({"read", "edit", "write"})


class SessionState:
    """Feed it every call of a session in order; `moment` is asked before the call is added.

    `home` is where the session began. `answered` are programs that ran by their bare names, `reached` those that ran
    another way, with that way (`uv run pytest`, `.venv/bin/ruff`; what earlier sessions showed can be handed in),
    `missing` those that were not there.
    `touched` are the calls that read or changed a file, by where it lies.
    """

    def __init__(
        self, home: str = "", reached: Mapping[str, str] | None = None
    ) -> None:
        self.home = home
        self.shell = Shell(home)
        self.steps: list[Step] = []
        self.standings: list[Standing] = []
        self.answered: set[str] = set()
        self.reached = dict(reached or {})
        self.missing: set[str] = set()
        self.touched: dict[str, list[Step]] = {}
        self.shell_name = ""

    def moment(self, step: Step, claims: str = "") -> Moment:
        """A call that went wrong, in the state before it. `claims` are the lines that say so, where its exit code does
        not: the rest of such an output may be about anything."""
        return Moment(step, self, claims)

    def add(self, step: Step, *, says_no_failure: bool = False) -> None:
        """`says_no_failure`: it printed something, and no claim that it failed. That is enough where nobody noted how
        the call ended."""
        call, action = step.call, step.action
        self.steps.append(step)
        standing = self.shell.run(action, call.outcome, call.result or "")
        self.standings.append(standing)
        is_unknown = call.outcome is Outcome.UNKNOWN
        if call.outcome is Outcome.OK or (is_unknown and says_no_failure):
            self._remember(step)
        if step.failed and action.kind == "shell":
            self._remember_failure(call.error or call.result or "")

    def _remember_failure(self, output: str) -> None:
        """What a failure shows of the machine; it stands at the head."""
        head = output[:MAX_END_CHARACTERS]
        self.shell_name = self.shell_name or shell_in(head)
        self.missing.update(missing_in(head))

    def _remember(self, step: Step) -> None:
        """Programs that answered, files that were read or changed."""
        action = step.action
        if action.kind in _TOUCHING and action.target.kind == "file":
            path = self.place(action.target.value)
            self.touched.setdefault(path, []).append(step)
        if not step.call.masked:
            for command in action.commands:
                if command.decides:
                    self._remember_program(command)

    def _remember_program(self, command: Command) -> None:
        """A program that answered here: by its own name, or through what runs it or where it lies."""
        if runs_elsewhere(command):
            return
        name = command.words[0].rsplit("/", 1)[-1]
        prefix = [wrapper.text for wrapper in command.wrappers]
        way = " ".join([*prefix, command.written[0]])
        if prefix or "/" in command.words[0]:
            self.reached[name] = way
        else:
            self.answered.add(name)
        subcommand = command.subcommand
        if subcommand[:1] == ("-m",):
            self.reached[subcommand[1]] = f"{way} -m {subcommand[1]}"
        elif subcommand and program(name).family == "runner":
            self.reached[subcommand[0]] = f"{way} {subcommand[0]}"

    def place(self, path: str) -> str:
        """Where a path leads that was given to a tool, as seen from where the session began."""
        return join(self.home, path)


class Moment:
    """A call that went wrong, and all that its session shows up to there."""

    def __init__(self, step: Step, state: SessionState, claims: str = "") -> None:
        self.step, self.state, self.claims = step, state, claims

    @cached_property
    def output(self) -> str:
        """What the call printed about its failure: its claims where they are known, else both ends, uncoloured."""
        if self.claims:
            return self.claims
        call = self.step.call
        text = max(call.error, call.result or "", key=len)
        if len(text) > 2 * MAX_END_CHARACTERS:
            text = f"{text[:MAX_END_CHARACTERS]}\n{text[-MAX_END_CHARACTERS:]}"
        return uncoloured(text)

    def says(self, *words: str) -> bool:
        """Whether one of these words, in small letters, is in the output: cheap, so asked before any expression."""
        return any(find(self._small_output, word.encode()) >= 0 for word in words)

    @cached_property
    def _small_output(self) -> bytes:
        return self.output.lower().encode("utf-8", "replace")

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Programs that the shell says are not there."""
        return missing_in(self.output)

    @property
    def commands(self) -> tuple[Command, ...]:
        return self.step.action.commands

    @cached_property
    def standing(self) -> Standing:
        return self.state.shell.standing(self.step.action)

    @property
    def home(self) -> str:
        return self.state.home

    @property
    def has_moved(self) -> bool:
        """The shell stands elsewhere than at the start, for an earlier call took it there."""
        return self.state.shell.keeps and self.standing.moved_by is not None

    def shown(self, directory: str) -> str:
        """A directory as a person would name it, from where the session began."""
        if directory.startswith(f"{self.home}/"):
            return directory[len(self.home) + 1 :]
        return directory

    @property
    def system(self) -> str:
        return system_of(self.home)

    @property
    def shell_name(self) -> str:
        return shell_in(self.output) or self.state.shell_name

    def back(self) -> Iterator[Step]:
        """Earlier calls, the newest first."""
        return reversed(self.state.steps[-MAX_CALLS_BACK:])

    def runs_back(self) -> Iterator[tuple[Step, Standing]]:
        """The same, with where each ran."""
        standings = reversed(self.state.standings[-MAX_CALLS_BACK:])
        return zip(self.back(), standings, strict=True)

    def touched(self, path: str) -> list[Step]:
        """Calls that read or changed this file, the newest first."""
        return self.state.touched.get(self.state.place(path), [])[::-1]


def runs_elsewhere(command: Command) -> bool:
    """On another machine or in a container: what is there says nothing about here."""
    return any(map(_is_remote, command.wrappers))


def _is_remote(wrapper: Wrapper) -> bool:
    row = program(wrapper.program)
    subcommand = row.subcommand(wrapper.words[1:])
    wrapping = row.wrapping if subcommand is None else subcommand.wrapping
    return wrapping is not None and wrapping.remote


def missing_in(output: str) -> tuple[str, ...]:
    if "not found" not in output:
        return ()
    names = (missing_program(line.strip()) for line in output.splitlines())
    return tuple(filter(None, names))


def shell_in(output: str) -> str:
    """The shell that speaks in an output; what runs a snippet it was given is zsh."""
    match = _SHELL_SPEAKS.search(output)
    if match is None:
        return ""
    return match["name"] or "zsh"


def system_of(directory: str) -> str:
    """The operating system, by where people's homes are."""
    if directory.startswith("/Users/"):
        return "macOS"
    if re.match(r"[A-Za-z]:[\\/]", directory):
        return "Windows"
    is_linux = directory.startswith(("/home/", "/root", "/workspace"))
    return "Linux" if is_linux else ""

"""One command, typed: program, sub-command, flags, operands, and what stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from afterglow.calls.programs import (
    NO_FLAGS,
    Program,
    Subcommand,
    program,
    program_name,
)

# Short flags are written together in twos to fours; a longer word is one flag (`-version`).
MAX_CLUSTERED_FLAGS = 4

_SUBCOMMAND = re.compile(r"[A-Za-z@][\w:.@+-]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
CLUSTER = re.compile(rf"-[A-Za-z]{{2,{MAX_CLUSTERED_FLAGS}}}")
_NUMBERED = re.compile(r"(-[A-Za-z])(\d+)")
# A path that does not begin where the shell stands; an empty one leads nowhere else.
_ELSEWHERE = re.compile(r"\Z|[/~$]|.:[\\/]", re.DOTALL)
# Parts of a path above which nobody knows what is.
_NO_PARENT = frozenset({"", "..", ".", "~"})


class Word(NamedTuple):
    """A word without its quotes, and as it was written."""

    text: str
    written: str


class Flag(Struct, frozen=True):
    name: str
    value: str | None = None


class Assignment(Struct, frozen=True):
    """`NAME=value`; `written` is the whole of it with its quotes."""

    name: str
    value: str
    written: str


class Redirection(Struct, frozen=True):
    """`2>&1`: operator `>&`, descriptor 2, target 1. `body` is that of a here-document."""

    operator: str
    target: str
    written: str
    descriptor: str = ""
    body: str = ""


class Wrapper(Struct, frozen=True):
    """A program that runs the command, with its own words: `timeout 60`, `docker exec web`.

    `line`: what it runs is a line in one word (`bash -lc "..."`), so it is quoted again
    when written back. `remote`: it runs elsewhere, on another machine or in a container.
    """

    program: str
    words: tuple[str, ...]
    written: tuple[str, ...]
    assignments: tuple[Assignment, ...] = ()
    line: bool = False
    remote: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.written)


class Command(Struct, frozen=True, cache_hash=True):
    """One command of a line.

    `words` are unquoted, program first; `written` the same words as they stood. `assignments`
    stand directly before the program; those before its wrappers are the wrappers'.
    `directory` is where a cd earlier in the line, or a flag of its own, puts it.
    `after` and `then` are the operators before and behind it. `place` says what it is inside
    of, outermost first: subshell, background, loop, condition, substitution, function.
    `decides`: its failure can make the line fail. `hidden_by`: what can hide its failure.
    """

    program: str
    words: tuple[str, ...]
    written: tuple[str, ...]
    subcommand: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    operands: tuple[str, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    directory: str = ""
    after: str = ""
    then: str = ""
    stdin: str = ""
    place: tuple[str, ...] = ()
    decides: bool = True
    hidden_by: str = ""
    negated: bool = False

    @property
    def text(self) -> str:
        """As written; redirections, assignments and wrappers left out."""
        return " ".join(self.written)

    @property
    def environment(self) -> tuple[Assignment, ...]:
        """All variables set for it: its own, its wrappers', and what `env` sets."""
        if not self.wrappers:
            return self.assignments
        outer: list[Assignment] = []
        for wrapper in self.wrappers:
            outer += wrapper.assignments
            pairs = zip(wrapper.words[1:], wrapper.written[1:], strict=True)
            outer += [assignment(*pair) for pair in pairs if is_assignment(pair[0])]
        return (*outer, *self.assignments)

    @property
    def name(self) -> str:
        """Program and sub-command: `git push`, `python -m pytest`."""
        return " ".join((self.program, *self.subcommand))

    def value(self, *names: str) -> str | None:
        """The value of the first flag that has one of these names."""
        return next((flag.value for flag in self.flags if flag.name in names), None)

    def has(self, *names: str) -> bool:
        return any(flag.name in names for flag in self.flags)


class Anatomy(NamedTuple):
    """What the words behind a program are."""

    subcommand: tuple[str, ...]
    flags: tuple[Flag, ...]
    operands: tuple[str, ...]
    directory: str


def is_assignment(word: str) -> bool:
    return "=" in word and _ASSIGNMENT.match(word) is not None


def assignment(text: str, written: str) -> Assignment:
    name, _, value = text.partition("=")
    return Assignment(name.removesuffix("+"), value, written)


def anatomy(
    name: str, words: Sequence[str], learned: frozenset[str] = NO_FLAGS
) -> Anatomy:
    """Sub-command, flags and operands of the words behind a program.

    `learned` are sub-commands of a program that is not in the table; without them the first
    operand of an unknown program is an operand.
    """
    return _Reader(program(name), learned).read(words)


class _Reader:
    """Goes through words once, from left to right."""

    def __init__(self, row: Program, learned: frozenset[str]) -> None:
        self.row = row
        self.values = row.values
        self.depth = row.depth or (1 if learned else 0)
        self.learned = learned
        self.subcommand: list[str] = []
        self.flags: list[Flag] = []
        self.operands: list[str] = []
        self.directory = ""

    def read(self, words: Sequence[str]) -> Anatomy:
        at, count = 0, len(words)
        while at < count:
            word = words[at]
            if word == "--":
                self.operands += words[at + 1 :]
                break
            if word[:1] == "-" and len(word) > 1:
                following = words[at + 1] if at + 1 < count else None
                at += self._take_flag(word, following)
                continue
            self._take_operand(word)
            at += 1
        return Anatomy(
            tuple(self.subcommand),
            tuple(self.flags),
            tuple(self.operands),
            self.directory,
        )

    def _take_operand(self, word: str) -> None:
        is_early = len(self.subcommand) < self.depth and not self.operands
        if is_early and self._take_early(word):
            return
        if self.row.family in {"interpreter", "shell"}:
            self._take_script(word)
        else:
            self.operands.append(word)

    def _take_early(self, word: str) -> bool:
        """A word where a sub-command may stand: whether it was one, or stood before one."""
        if self._is_subcommand(word):
            self._take_subcommand(word)
            return True
        if is_assignment(word):  # `make CC=gcc test`: the target is still to come
            self.flags.append(Flag(*word.split("=", 1)))
            return True
        if word[:1] == "+":  # `cargo +nightly test`
            self.flags.append(Flag(word))
            return True
        return False

    def _is_subcommand(self, word: str) -> bool:
        if self.learned:
            return word in self.learned
        return _SUBCOMMAND.fullmatch(word) is not None

    def _take_subcommand(self, word: str) -> None:
        self.subcommand.append(word)
        row = self.row.subcommand(tuple(self.subcommand))
        if row is not None:
            self.values |= row.values
        if len(self.subcommand) == 1:
            self.depth = self._depth_behind(word, row)

    def _depth_behind(self, word: str, row: Subcommand | None) -> int:
        """How many words are sub-commands, once the first is known."""
        if row is not None and row.depth is not None:
            return 1 + row.depth
        if word in self.row.deeper:
            return self.row.depth + 1
        return self.depth

    def _take_script(self, word: str) -> None:
        """What follows a script belongs to the script."""
        name = program_name(word)
        script = program(name)
        if script.depth or script.kind:
            self.subcommand.append(name)
            self.depth = script.depth + 1
        else:
            self.operands.append(word)
        self.row, self.values = script, script.values

    def _take_flag(self, word: str, following: str | None) -> int:
        """Takes a flag, with the word behind it where that is its value; how many words."""
        taken = read_flag(word, following, self.values, self.row.glued)
        if word == "-m" and following and self.row.family == "interpreter":
            self._take_module(following)
            return taken.words
        self.flags += taken.flags
        if self.row.directory and not (self.row.early and self.subcommand):
            self._follow_directory(taken.flags)
        return taken.words

    def _take_module(self, name: str) -> None:
        """`python -m pytest`: from here on the words are those of the module."""
        self.subcommand += ["-m", name]
        self.row = program(program_name(name))
        self.values = self.row.values
        self.depth = len(self.subcommand) + self.row.depth

    def _follow_directory(self, flags: tuple[Flag, ...]) -> None:
        """`git -C web`, `make -C api`: the command runs there."""
        for flag in flags:
            if flag.value and flag.name in self.row.directory:
                self.directory = join(self.directory, flag.value)


class TakenFlag(NamedTuple):
    flags: tuple[Flag, ...]
    words: int


def read_flag(
    word: str, following: str | None, values: frozenset[str], glued: bool
) -> TakenFlag:
    """The flags that one word holds, and whether it took the word behind it."""
    if word in values:
        return _with_value((), word, following)
    if "=" in word:
        name, _, value = word.partition("=")
        return TakenFlag((Flag(name, value),), 1)
    if word.startswith("--") or glued or word[1].isdigit():
        return TakenFlag((Flag(word),), 1)
    if word[:2] in values:
        return TakenFlag((Flag(word[:2], word[2:]),), 1)
    if numbered := _NUMBERED.fullmatch(word):
        return TakenFlag((Flag(numbered[1], numbered[2]),), 1)
    if not CLUSTER.fullmatch(word):
        return TakenFlag((Flag(word),), 1)
    return _read_cluster(word, following, values)


def _read_cluster(
    word: str, following: str | None, values: frozenset[str]
) -> TakenFlag:
    """`-xvf file`: the first flag that takes a value takes the rest, or the word behind."""
    flags: list[Flag] = []
    for at, letter in enumerate(word[1:], 2):
        name = f"-{letter}"
        if name not in values:
            flags.append(Flag(name))
        elif at == len(word):
            return _with_value(tuple(flags), name, following)
        else:
            flags.append(Flag(name, word[at:]))
            break
    return TakenFlag(tuple(flags), 1)


def _with_value(before: tuple[Flag, ...], name: str, value: str | None) -> TakenFlag:
    return TakenFlag((*before, Flag(name, value)), 1 if value is None else 2)


def join(directory: str, path: str) -> str:
    """Where `path` leads from `directory`; what the shell would expand stays as written."""
    if not directory or _ELSEWHERE.match(path):
        return path
    parts = directory.rstrip("/").split("/")
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        if part == ".." and parts and parts[-1] not in _NO_PARENT:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or "/"

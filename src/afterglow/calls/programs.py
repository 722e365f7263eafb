"""What is known about programs: one table, `programs.toml`, read once when the first command is looked at.

A row says which family a program belongs to, how many of its words are sub-commands, which
flags take a value, what it does and which exit codes are answers. Everything that used to be
a word list somewhere else in the package is a column here.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import Struct

Family = Literal[
    "viewer", "filter", "talk", "setup", "pause", "files",
    "interpreter", "shell", "wrapper", "runner", "tool",
]  # fmt: skip
Effect = Literal[
    "looks", "changes", "sends", "publishes", "installs", "prepares", "checks"
]
EFFECTS: tuple[Effect, ...] = (
    "looks", "changes", "sends", "publishes", "installs", "prepares", "checks",
)  # fmt: skip

_VERSION = re.compile(r"(?<=[A-Za-z])-?\d+(?:\.\d+)*$")
_SUFFIX = re.compile(r"\.(?:exe|cmd|bat)$", re.IGNORECASE)
_RELEASE = re.compile(r"(?<=.)@[^/@]*$")
NO_FLAGS: frozenset[str] = frozenset()


class Wrapping(Struct, frozen=True):
    """How a program runs another one.

    `line`: the command follows as a line in one word, else as words. `skips` operands stand
    before it; the wrapper's own words end behind one of `until`; it follows only behind a flag
    of `needs`; there is none where a flag of `unless` stands. `remote`: it runs elsewhere.
    """

    line: bool = False
    skips: int = 0
    until: frozenset[str] = NO_FLAGS
    needs: frozenset[str] = NO_FLAGS
    unless: frozenset[str] = NO_FLAGS
    remote: bool = False


class Subcommand(Struct, frozen=True):
    """What is known about one sub-command, beside what its program says."""

    values: frozenset[str] = NO_FLAGS
    directory: frozenset[str] = NO_FLAGS
    answers: frozenset[int] = frozenset()
    does: str = ""
    kind: str = ""
    varies: dict[str, str] = {}
    depth: int | None = None
    wrapping: Wrapping | None = None


class Program(Struct, frozen=True):
    """One program; a row of the table that names several gives several of these."""

    name: str
    family: Family = "tool"
    depth: int = 0
    deeper: frozenset[str] = NO_FLAGS
    values: frozenset[str] = NO_FLAGS
    directory: frozenset[str] = NO_FLAGS
    early: bool = False
    glued: bool = False
    packaged: bool = False
    trims: bool = False
    edits: frozenset[str] = NO_FLAGS
    fetches: bool = False
    own_errors: bool = False
    answers: frozenset[int] = frozenset()
    does: str = ""
    kind: str = ""
    varies: dict[str, str] = {}
    wrapping: Wrapping | None = None
    sub: dict[str, Subcommand] = {}
    has_wrapping_subcommand: bool = False
    own_script: bool = False

    def subcommand(self, words: tuple[str, ...]) -> Subcommand | None:
        """The row of the longest sub-command that `words` begin with."""
        if not self.sub:
            return None
        for length in range(len(words), 0, -1):
            if row := self.sub.get(" ".join(words[:length])):
                return row
        return None


class _Row(Struct, forbid_unknown_fields=True):
    """A row as it stands in the file; lists are words in one string."""

    family: Family = "tool"
    depth: int | None = None
    deeper: str = ""
    values: str = ""
    directory: str = ""
    early: bool = False
    glued: bool = False
    packaged: bool = False
    trims: bool = False
    answers: list[int] = []
    does: Effect | Literal[""] = ""
    kind: str = ""
    varies: str = ""
    wraps: Literal["words", "line", ""] = ""
    skips: int = 0
    until: str = ""
    needs: str = ""
    unless: str = ""
    remote: bool = False


class _ProgramRow(_Row, forbid_unknown_fields=True):
    names: str = ""
    edits: str = ""
    fetches: bool = False
    own_errors: bool = False
    own_script: str = ""
    sub: dict[str, _Row] = {}
    looks: str = ""
    changes: str = ""
    sends: str = ""
    publishes: str = ""
    installs: str = ""
    prepares: str = ""
    checks: str = ""


class _Table(Struct):
    program: list[_ProgramRow]


@cache
def table() -> dict[str, Program]:
    """Every program of the table by its name."""
    text = (files("afterglow.calls") / "programs.toml").read_bytes()
    rows = msgspec.toml.decode(text, type=_Table).program
    programs: dict[str, Program] = {}
    for row in rows:
        names, scripts = row.names.split(), row.own_script.split()
        first_named = _program(names[0], row)
        for name in names:
            programs[name] = msgspec.structs.replace(
                first_named, name=name, own_script=name in scripts
            )
    return programs


@lru_cache(maxsize=4096)
def program_name(word: str) -> str:
    """The name of what a word runs: without folder, `.exe`, and the release of a package.

    An interpreter loses its version too: `/usr/bin/python3.11` and `python3` are `python`,
    because a second try with another of them is after the same thing. The word as written
    stays in `Command.words`. A project's own `bin/test` is not what the shell calls `test`.
    """
    path = word.rstrip("/\\").replace("\\", "/")
    folder, _, name = path.rpartition("/")
    if folder and not path.startswith("/") and program(name).own_script:
        return path
    name = _SUFFIX.sub("", name)
    if "@" in name:
        name = _RELEASE.sub("", name)
    if name in table():
        return "python" if name == "pypy" else name
    bare = _VERSION.sub("", name)
    row = table().get(bare)
    return bare if row is not None and _has_versions(row) else name


def program(name: str) -> Program:
    """The row of a program, or an empty one: an unknown program has no sub-commands."""
    return table().get(name) or Program(name)


def _has_versions(row: Program) -> bool:
    """Programs that are installed under a name with a version: `pip3.12`, `gcc-13`."""
    return row.family == "interpreter" or row.name in {
        "pip",
        "gcc",
        "g++",
        "clang",
        "php",
    }


def _program(name: str, row: _ProgramRow) -> Program:
    subcommands = {key: _subcommand(part) for key, part in row.sub.items()}
    for effect in EFFECTS:
        for key in sorted(_listed(getattr(row, effect))):
            listed = subcommands.get(key) or _inherited(subcommands, key)
            subcommands[key] = msgspec.structs.replace(
                listed, does=listed.does or effect
            )
    return Program(
        name=name,
        family=row.family,
        depth=row.depth or 0,
        deeper=_set(row.deeper),
        values=_set(row.values),
        directory=_set(row.directory),
        early=row.early,
        glued=row.glued,
        packaged=row.packaged,
        trims=row.trims,
        edits=_listed(row.edits),
        fetches=row.fetches,
        own_errors=row.own_errors,
        answers=frozenset(row.answers),
        does=row.does,
        kind=row.kind,
        varies=_pairs(row.varies),
        wrapping=_wrapping(row),
        sub=subcommands,
        has_wrapping_subcommand=any(part.wrapping for part in subcommands.values()),
    )


def _inherited(subcommands: dict[str, Subcommand], key: str) -> Subcommand:
    """`run view` has the kind of `run`, but does not wrap because `run` does."""
    parent = subcommands.get(key.partition(" ")[0], Subcommand())
    return Subcommand(values=parent.values, kind=parent.kind, varies=parent.varies)


def _subcommand(row: _Row) -> Subcommand:
    return Subcommand(
        values=_set(row.values),
        directory=_set(row.directory),
        answers=frozenset(row.answers),
        does=row.does,
        kind=row.kind,
        varies=_pairs(row.varies),
        depth=row.depth,
        wrapping=_wrapping(row),
    )


def _wrapping(row: _Row) -> Wrapping | None:
    if not row.wraps:
        return None
    return Wrapping(
        line=row.wraps == "line",
        skips=row.skips,
        until=_set(row.until),
        needs=_set(row.needs),
        unless=_set(row.unless),
        remote=row.remote,
    )


def _listed(names: str) -> frozenset[str]:
    """Names that may have spaces in them: `log, remote show`."""
    return frozenset(filter(None, map(str.strip, names.split(","))))


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pairs(words: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words.split())

"""What is known of a machine, and what is to be done to an agent's files there: values in, values out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

Read = Callable[[Path], bytes | None]  # what a file holds; None if it is not there

# Runs the agent's own program with these words in a throw-away home that holds these
# files (name -> content), and answers with the files it left there. Raises
# `Unsupported` where the program fails.
OwnCommand = Callable[[Sequence[str], Mapping[str, bytes]], Mapping[str, bytes]]


class Machine(Struct, frozen=True, kw_only=True):
    """An agent's settings folder here, how its hooks can call us, and what was asked for.

    `command` is quoted for a shell and needs no PATH. `screen` is put before it where most events are of no interest:
    it looks at one before a Python is started. `version` is the agent's, if it told. `project` is a checkout, if only
    that is to be connected. `failures`: calls that went wrong are told, too. `rule_commands` are those that a person has
    laid down something about, which is to be recalled before they run. `prompt`: the context comes with the first
    request. `packaged` says that the agent's own Python has us; `plugin` is the folder to give it otherwise: file ->
    content. `own_command` is there where the agent writes its settings itself, and is installed.
    """

    folder: Path
    command: str
    version: tuple[int, ...] | None = None
    project: Path | None = None
    screen: str = ""
    failures: bool = True
    rule_commands: tuple[str, ...] = ()
    prompt: bool = False
    packaged: bool = False
    plugin: Mapping[str, bytes] = {}
    own_command: OwnCommand | None = None


class Edit(Struct, frozen=True):
    """A file as it is (None: not there) and as it should be."""

    path: Path
    before: bytes | None
    after: bytes


class Plan(Struct, frozen=True):
    """The files to change; `notes` say what a person should know or do."""

    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()


def edits(read: Read, contents: Mapping[Path, bytes]) -> tuple[Edit, ...]:
    """Only what is not so already."""
    needed: list[Edit] = []
    for path, after in contents.items():
        before = read(path)
        if before != after:
            needed.append(Edit(path, before, after))
    return tuple(needed)

"""A command written back as a line whose parse is equal to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from afterglow.calls.command import Command, anatomy
from afterglow.calls.programs import program_name

_SAFE = re.compile(r"[\w@%+:,./-][\w@%+=:,./~-]*", re.ASCII)
_SAFE_FIRST = re.compile(r"[\w@%+:,./-]+", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_KEYWORDS = frozenset(
    "if then elif else fi for while until do done case esac in select function time "
    "export declare typeset local readonly unset unsetenv".split()
)


def quote(word: str) -> str:
    """A word that the shell takes as it stands."""
    return word if _SAFE.fullmatch(word) else _quoted(word)


def _quoted(word: str) -> str:
    if _CONTROL.search(word):
        escaped = word.replace("\\", "\\\\").replace("'", "\\'")
        return "$'" + _CONTROL.sub(_code, escaped) + "'"
    if "'" not in word:
        return f"'{word}'"
    return "'" + word.replace("'", "'\\''") + "'"


def _code(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def command_of(words: Sequence[str]) -> Command:
    """The command that these words, already unquoted, would run; wrappers stay words."""
    name = program_name(words[0])
    parts = anatomy(name, words[1:])
    written = [_quote_first(words[0]), *map(quote, words[1:])]
    return Command(
        program=name,
        words=tuple(words),
        written=tuple(written),
        subcommand=parts.subcommand,
        flags=parts.flags,
        operands=parts.operands,
        directory=parts.directory,
    )


def _quote_first(word: str) -> str:
    is_plain = _SAFE_FIRST.fullmatch(word) and word not in _KEYWORDS
    return word if is_plain else _quoted(word)


def write(command: Command) -> str:
    """The command as a line of its own: what stood around it in its line is left out.

    `parse(write(c))` holds one command equal to `bare(c)`.
    """
    text = " ".join([*(item.written for item in command.assignments), *command.written])
    text = f"{text}{_redirections(command)}"
    for wrapper in reversed(command.wrappers):
        inner = quote(text) if wrapper.line else text
        outer = [item.written for item in wrapper.assignments]
        text = " ".join([*outer, *wrapper.written, inner])
    return f"! {text}" if command.negated else text


def _redirections(command: Command) -> str:
    signs = "".join(f" {item.written}" for item in command.redirections)
    documents = [
        f"\n{item.body}{item.target}\n"
        for item in command.redirections
        if item.operator in {"<<", "<<-"}
    ]
    return signs + "".join(documents)


def bare(command: Command) -> Command:
    """The command without what its line added: operators, place, directory, judgement."""
    parts = anatomy(command.program, command.words[1:])
    return replace(
        command,
        directory=parts.directory,
        after="",
        then="",
        stdin="",
        place=(),
        decides=True,
        hidden_by="",
    )

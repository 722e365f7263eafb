"""Taking wrappers off a command: `timeout 60 npx tsc -p x.json` is `tsc -p x.json` inside `npx` inside `timeout 60`.

A wrapper is what the table of programs says is one. They are kept, because dropping or adding
one may be the whole difference between failing and working.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from afterglow.calls.command import (
    CLUSTER,
    Assignment,
    Word,
    Wrapper,
    is_assignment,
    read_flag,
)
from afterglow.calls.programs import (
    Program,
    Subcommand,
    Wrapping,
    program,
    program_name,
)


class Unwrapped(NamedTuple):
    """A wrapper and what it runs: words, or a line."""

    wrapper: Wrapper
    words: Sequence[Word]
    line: str | None
    directory: str
    remote: bool


def unwrap(
    words: Sequence[Word], assignments: tuple[Assignment, ...]
) -> Unwrapped | None:
    """The outermost wrapper of a command, or None where there is none."""
    name = program_name(words[0].text)
    row = program(name)
    if row.wrapping is not None:
        return _unwrap(words, 1, row, None, row.wrapping, assignments)
    if not row.has_wrapping_subcommand:
        return None
    start, subcommand = _find_subcommand(words, row)
    if subcommand is None or subcommand.wrapping is None:
        return None
    return _unwrap(words, start, row, subcommand, subcommand.wrapping, assignments)


def _find_subcommand(
    words: Sequence[Word], row: Program
) -> tuple[int, Subcommand | None]:
    """The sub-command that may run another command, and where the words behind it begin."""
    at, path, values = 1, "", row.values
    while at < len(words):
        word = words[at].text
        if word[:1] == "-":
            at += 2 if word in values else 1
            continue
        path = f"{path} {word}".strip()
        at += 1
        row_of_path = row.sub.get(path)
        if (row_of_path and row_of_path.wrapping) or word not in row.deeper:
            return at, row_of_path
        values = values | row_of_path.values if row_of_path else values
    return at, None


def _unwrap(
    words: Sequence[Word],
    start: int,
    row: Program,
    subcommand: Subcommand | None,
    wrapping: Wrapping,
    assignments: tuple[Assignment, ...],
) -> Unwrapped | None:
    values, directories = row.values, row.directory
    if subcommand:
        values, directories = (
            values | subcommand.values,
            directories | subcommand.directory,
        )
    end = _end_of_wrapper([word.text for word in words], start, values, wrapping)
    if end is None or end >= len(words):
        return None
    prefix, rest = words[:end], words[end:]
    wrapper = Wrapper(
        row.name,
        tuple(word.text for word in prefix),
        tuple(word.written for word in prefix),
        assignments,
        wrapping.line,
        wrapping.remote,
    )
    return Unwrapped(
        wrapper=wrapper,
        words=rest,
        line=_line(rest, wrapping),
        directory=_directory(wrapper.words, directories, values),
        remote=wrapping.remote,
    )


def _line(words: Sequence[Word], wrapping: Wrapping) -> str | None:
    """The line a wrapper runs: one word behind its flag (`bash -c`), else all that is left (`ssh`)."""
    if not wrapping.line:
        return None
    if wrapping.needs:
        return words[0].text
    return " ".join(word.text for word in words)


def _end_of_wrapper(
    words: Sequence[str], start: int, values: frozenset[str], wrapping: Wrapping
) -> int | None:
    """Where the wrapped command begins; None where the words hold none."""
    at, skips = start, wrapping.skips
    while at < len(words):
        word = words[at]
        if word in wrapping.until or _is_needed_flag(word, wrapping.needs):
            return at + 1
        if word in wrapping.unless:
            return None
        if word == "--":
            at += 1
            break
        if word[:1] == "-":
            at += 2 if _takes_value(word, values) else 1
            continue
        if not _is_before_command(word, wrapping):
            if not skips:
                break
            skips -= 1
        at += 1
    return None if wrapping.until or wrapping.needs else at


def _is_before_command(word: str, wrapping: Wrapping) -> bool:
    """An operand of the wrapper itself: all before `until`, and `env`'s assignments."""
    if wrapping.until:
        return True
    return is_assignment(word) and not wrapping.line


def _takes_value(word: str, values: frozenset[str]) -> bool:
    """`-euo pipefail`: the last letter of a cluster may take the word behind it."""
    if word in values:
        return True
    if word[:2] in values or not CLUSTER.fullmatch(word):
        return False
    return f"-{word[-1]}" in values


def _is_needed_flag(word: str, needs: frozenset[str]) -> bool:
    """`-lc` holds `-c`: shells take the line behind the last letter."""
    if word in needs:
        return True
    if not CLUSTER.fullmatch(word):
        return False
    return f"-{word[-1]}" in needs


def _directory(
    words: Sequence[str], directories: frozenset[str], values: frozenset[str]
) -> str:
    """The directory a wrapper is told to run in: `docker exec -w /app`."""
    if not directories:
        return ""
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word[:1] != "-" or len(word) < 2:
            continue
        for flag in read_flag(word, following, values, False).flags:
            if flag.value and flag.name in directories:
                return flag.value
    return ""

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
    values = row.values | subcommand.values if subcommand else row.values
    end = _end_of_wrapper([word.text for word in words], start, values, wrapping)
    if end is None or end >= len(words):
        return None
    prefix, rest = words[:end], words[end:]
    line = None
    if wrapping.line:
        only_one = bool(wrapping.needs)
        line = rest[0].text if only_one else " ".join(word.text for word in rest)
    wrapper = Wrapper(
        row.name,
        tuple(word.text for word in prefix),
        tuple(word.written for word in prefix),
        assignments,
        wrapping.line,
    )
    directories = row.directory | subcommand.directory if subcommand else row.directory
    directory = _directory(wrapper.words, directories, values) if directories else ""
    return Unwrapped(wrapper, rest, line, directory, wrapping.remote)


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
    return bool(wrapping.until) or (is_assignment(word) and not wrapping.line)


def _takes_value(word: str, values: frozenset[str]) -> bool:
    """`-euo pipefail`: the last letter of a cluster may take the word behind it."""
    is_cluster = CLUSTER.fullmatch(word) is not None and word[:2] not in values
    return word in values or (is_cluster and f"-{word[-1]}" in values)


def _is_needed_flag(word: str, needs: frozenset[str]) -> bool:
    """`-lc` holds `-c`: shells take the line behind the last letter."""
    if word in needs:
        return True
    is_cluster = CLUSTER.fullmatch(word) is not None
    return is_cluster and f"-{word[-1]}" in needs


def _directory(
    words: Sequence[str], directories: frozenset[str], values: frozenset[str]
) -> str:
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        if word[:1] != "-" or len(word) < 2:
            continue
        for flag in read_flag(word, following, values, False).flags:
            if flag.name in directories and flag.value:
                return flag.value
    return ""

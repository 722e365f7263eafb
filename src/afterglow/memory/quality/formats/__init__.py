"""Formats of labelled sets, one file each: `sniff(path, head)` recognises it, `read(path)` gives the set.

Tried in the order of the table; `head` is the beginning of a file, or of what makes a folder one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from afterglow.errors import UnreadableSource
from afterglow.records.evaluation import Labelled, Labels, Question
from afterglow.registry import Table

FORMATS = Table(
    "afterglow.label_formats",
    {
        "own": "afterglow.memory.quality.formats.own",
        "locomo": "afterglow.memory.quality.formats.locomo",
        "tau2": "afterglow.memory.quality.formats.tau2",
    },
)
T = TypeVar("T")


def decoded(path: Path, kind: type[T]) -> T:
    """A JSON file as records; says what does not fit."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind, strict=False)
    except OSError as error:
        raise UnreadableSource(f"{path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableSource(f"{path} is no labelled set: {error}") from error


def assembled(
    path: Path, name: str, entries: Sequence[Labelled], asked: Iterable[Question]
) -> Labels:
    """A set whose questions can be answered; the others are counted. To want an entry that was updated is to want the
    newest of its key."""
    known: dict[tuple[str, str], str] = {}
    for entry in entries:
        if not entry.key or (entry.user, entry.id) in known:
            raise UnreadableSource(
                f"{path}: entry {entry.id!r} {'is there twice' if entry.key else 'has no key'}"
            )
        known[entry.user, entry.id] = entry.key
    newest = {(entry.user, entry.key): entry.id for entry in entries}
    questions, left_out = [], 0
    for one in asked:
        keys = [known[one.user, id] for id in one.wanted if (one.user, id) in known]
        wanted = tuple(dict.fromkeys(newest[one.user, key] for key in keys))
        if wanted and one.text.strip():
            questions.append(msgspec.structs.replace(one, wanted=wanted))
        else:
            left_out += 1
    if not questions:
        raise UnreadableSource(
            f"{path}: none of {left_out} questions names an entry that is there"
        )
    return Labels(name, tuple(entries), tuple(questions), left_out)


def starts_with(head: bytes, mark: bytes) -> bool:
    """Whether the first thing of a JSON text is `mark`."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == mark


def text_of(value: Any) -> str:
    """A text, or the texts of a table of them one below the other."""
    if isinstance(value, dict):
        return "\n".join(text_of(inner) for inner in value.values() if inner)
    return value if isinstance(value, str) else ""

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
    path: Path, name: str, entries: Sequence[Labelled], questions: Iterable[Question]
) -> Labels:
    """A set whose questions can be answered; the others are counted. To want an entry that was updated is to want the
    newest of its key."""
    newest = _newest(path, entries)
    answerable, left_out = [], 0
    for question in questions:
        places = [(question.user, id) for id in question.wanted]
        ids = dict.fromkeys(newest[place] for place in places if place in newest)
        if ids and question.text.strip():
            answerable.append(msgspec.structs.replace(question, wanted=tuple(ids)))
        else:
            left_out += 1
    if not answerable:
        raise UnreadableSource(
            f"{path}: none of {left_out} questions names an entry that is there"
        )
    return Labels(name, tuple(entries), tuple(answerable), left_out)


def _newest(path: Path, entries: Sequence[Labelled]) -> dict[tuple[str, str], str]:
    """User and id of each entry -> the id of the newest of its key."""
    keys: dict[tuple[str, str], str] = {}
    last_ids: dict[tuple[str, str], str] = {}
    for entry in entries:
        if not entry.key:
            raise UnreadableSource(f"{path}: entry {entry.id!r} has no key")
        if (entry.user, entry.id) in keys:
            raise UnreadableSource(f"{path}: entry {entry.id!r} is there twice")
        keys[entry.user, entry.id] = entry.key
        last_ids[entry.user, entry.key] = entry.id
    return {(user, id): last_ids[user, key] for (user, id), key in keys.items()}


def starts_with(head: bytes, mark: bytes) -> bool:
    """Whether the first thing of a JSON text is `mark`."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == mark


def text_of(value: Any) -> str:
    """A text, or the texts of a table of them one below the other."""
    if isinstance(value, dict):
        values = filter(None, value.values())
        return "\n".join(map(text_of, values))
    return value if isinstance(value, str) else ""

"""Our own format.

    {"name": "preferences",
     "entries": [{"id": "e1", "key": "editor", "value": "Helix", "updated": "2026-02-09"}, ...],
     "questions": [{"text": "which editor?", "wanted": ["e1"], "kind": "paraphrase"}, ...]}

A second entry with the same key is an update: a question that wants it must not be answered with the older one.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from afterglow.errors import UnreadableSource
from afterglow.memory.quality.formats import assembled, decoded, starts_with
from afterglow.records.evaluation import Labelled, Labels, Question
from afterglow.text.times import seconds

NAME = "own"


class _Entry(Struct):
    id: str
    key: str
    value: str
    updated: str | float = 0.0
    user: str = ""


class _Question(Struct):
    text: str
    wanted: tuple[str, ...]
    kind: str = ""
    user: str = ""


class _Set(Struct):
    entries: list[_Entry]
    questions: list[_Question]
    name: str = ""


def sniff(path: Path, head: bytes) -> bool:
    return starts_with(head, b"{") and b'"entries"' in head


def read(path: Path) -> Labels:
    said = decoded(path, _Set)
    entries = [
        Labelled(one.id, one.key, one.value, seconds(one.updated) or 0.0, one.user)
        for one in said.entries
    ]
    entries.sort(key=lambda one: one.time)  # stable: without times, as they stand
    known = {entry.id for entry in entries}
    for one in said.questions:
        for id in one.wanted:
            if id not in known:
                raise UnreadableSource(
                    f"{path}: {one.text!r} wants {id!r}, and there is no such entry"
                )
    questions = [
        Question(one.text, one.wanted, one.kind, one.user) for one in said.questions
    ]
    return assembled(path, said.name or path.stem, entries, questions)

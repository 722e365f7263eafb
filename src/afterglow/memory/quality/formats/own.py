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


class _Question(Struct, rename={"wanted_ids": "wanted"}):
    text: str
    wanted_ids: tuple[str, ...]
    kind: str = ""
    user: str = ""


class _Set(Struct):
    entries: list[_Entry]
    questions: list[_Question]
    name: str = ""


def sniff(path: Path, head: bytes) -> bool:
    return starts_with(head, b"{") and b'"entries"' in head


def read(path: Path) -> Labels:
    labels = decoded(path, _Set)
    entries = [
        Labelled(
            entry.id, entry.key, entry.value, seconds(entry.updated) or 0.0, entry.user
        )
        for entry in labels.entries
    ]
    entries.sort(key=lambda entry: entry.time)  # stable: without times, as they stand
    ids = {entry.id for entry in entries}
    for question in labels.questions:
        for id in question.wanted_ids:
            if id not in ids:
                raise UnreadableSource(
                    f"{path}: {question.text!r} wants {id!r}, and there is no such entry"
                )
    questions = [
        Question(question.text, question.wanted_ids, question.kind, question.user)
        for question in labels.questions
    ]
    return assembled(path, labels.name or path.stem, entries, questions)

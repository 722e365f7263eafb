"""tau2 banking knowledge: a folder with `documents/*.json` and `tasks.json`, whose tasks name the documents they need.

A document is an entry, a task a question: the whole text that tells the simulated user what to do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from afterglow.memory.quality.formats import assembled, decoded, text_of
from afterglow.records.evaluation import Labelled, Labels, Question

NAME = "tau2"


class _Document(Struct):
    id: str
    content: str
    title: str = ""


class _Scenario(Struct):
    instructions: Any


class _Task(Struct):
    user_scenario: _Scenario
    required_documents: tuple[str, ...] = ()


def sniff(path: Path, head: bytes) -> bool:
    return (path / "tasks.json").is_file() and (path / "documents").is_dir()


def read(path: Path) -> Labels:
    documents = [
        decoded(file, _Document) for file in sorted((path / "documents").glob("*.json"))
    ]
    tasks = decoded(path / "tasks.json", list[_Task])
    return assembled(
        path,
        path.resolve().name,
        [
            Labelled(document.id, document.id, f"{document.title}\n{document.content}")
            for document in documents
        ],
        (
            Question(
                text_of(task.user_scenario.instructions),
                task.required_documents,
                "task",
            )
            for task in tasks
        ),
    )

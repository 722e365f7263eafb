"""The checks of a lesson, in the order in which they are asked. Each is a module with

NAME      what it is counted by
check     WrittenCase -> what it has against the lesson, or None
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from afterglow.records.writing import Objection, WrittenCase
from afterglow.registry import Table


class LessonCheck(Protocol):
    NAME: str

    def check(self, case: WrittenCase) -> Objection | None: ...


CHECKS = Table(
    "afterglow.lesson_checks",
    {
        name: f"afterglow.harvest.writing.checks.{name}"
        for name in (
            "news", "outcome", "worked", "quoted", "risk", "undone", "conflict", "claimed", "ending", "shown",
        )
    },
)  # fmt: skip


def objections(case: WrittenCase) -> Iterator[Objection]:
    """What every check has against a lesson; nothing where all is well."""
    for name in CHECKS.names():
        objection = CHECKS.load(name).check(case)
        if objection is not None:
            yield objection

"""Labels of a project: `lessons.jsonl` and `cases.jsonl` in one folder.

A lesson has groups of regular expressions for its situation and its remedy. A case is one failure, with the lesson that
would have helped, and whether an earlier session had shown the remedy (`known_before`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

# Readers gave 0 to 3: what is below 2 hardly saves a call, so whether it is in view says nothing.
MIN_USEFULNESS = 2

Row = TypeVar("Row", bound=Struct)


class Lesson(Struct, frozen=True):
    """Stated by a text that holds an expression of every group and none of `excluded`."""

    id: str
    situation: tuple[tuple[str, ...], ...]
    remedy: tuple[tuple[str, ...], ...]
    excluded: tuple[str, ...] = msgspec.field(name="not", default=())
    usefulness: int = 0

    def is_stated_in(self, text: str) -> bool:
        if not all(_has_any(text, group) for group in (*self.situation, *self.remedy)):
            return False
        return not _has_any(text, self.excluded)


class Case(Struct, frozen=True):
    """One failure, in one session, at the line of its call."""

    session: str
    line: int
    lesson: str | None = None
    known_before: bool = False
    usefulness: int | UnsetType = UNSET
    error: str = ""


class Labels(Struct, frozen=True):
    """What is asked of a project: the useful repeats whose remedy an earlier session had shown, and their lessons."""

    project: str
    lessons: dict[str, Lesson]
    cases: tuple[Case, ...]
    every_case: tuple[Case, ...] = ()  # also what nobody could know, or need not


def labels_of(folder: Path) -> Labels:
    lessons = {lesson.id: lesson for lesson in _rows(folder / "lessons.jsonl", Lesson)}
    every_case = tuple(_rows(folder / "cases.jsonl", Case))
    cases = tuple(case for case in every_case if _is_asked(case, lessons))
    return Labels(folder.name, lessons, cases, every_case)


def _is_asked(case: Case, lessons: dict[str, Lesson]) -> bool:
    if not case.lesson or not case.known_before:
        return False
    usefulness = case.usefulness
    if usefulness is UNSET:
        usefulness = lessons[case.lesson].usefulness
    return usefulness >= MIN_USEFULNESS


def _rows(path: Path, kind: type[Row]) -> list[Row]:
    return msgspec.json.Decoder(kind).decode_lines(path.read_bytes())


def _has_any(text: str, expressions: tuple[str, ...]) -> bool:
    return any(re.search(expression, text, re.I) for expression in expressions)

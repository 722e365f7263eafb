"""What a rule has to tell."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.writing import LessonScope


class RuleLesson(Struct, frozen=True, kw_only=True):
    situation: str
    remedy: str
    sessions: frozenset[str]
    scope: LessonScope = "repo"

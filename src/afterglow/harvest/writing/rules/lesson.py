"""What a rule has to tell, and the events that show it."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.problems import Event
from afterglow.records.writing import LessonScope


class RuleLesson(Struct, frozen=True, kw_only=True):
    situation: str
    remedy: str
    events: tuple[Event, ...]
    scope: LessonScope = "repo"

    @property
    def sessions(self) -> int:
        return len({event.session for event in self.events})

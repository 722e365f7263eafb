"""Which sessions a report is about, as its address says it; and where the marks of its figures lead."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from afterglow.errors import UsageError
from afterglow.records.selection import Selection
from afterglow.show.links import Links
from afterglow.web.rendering import query


class ReportFilter(NamedTuple):
    """Days are written as `2026-11-01`, and both are meant."""

    repo: str = ""
    agent: str = ""
    since: str = ""
    until: str = ""

    def selection(self) -> Selection:
        since, until = _midnight(self.since), _midnight(self.until)
        return Selection(
            repo=self.repo or None,
            agent=self.agent or None,
            since=since.timestamp() if since else None,
            until=(until + timedelta(days=1)).timestamp() if until else None,
        )

    def address(self, path: str, **more: object) -> str:
        return query(path, **self._asdict(), **more)


def filter_of(words: Mapping[str, str]) -> ReportFilter:
    """From the words of an address, or of a form."""
    return ReportFilter(*(words.get(name, "").strip() for name in ReportFilter._fields))


def _midnight(day: str) -> datetime | None:
    if not day:
        return None
    try:
        return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    except ValueError:
        raise UsageError(f"{day!r} is not a day; 2026-11-01 would work") from None


class SessionLinks(Links):
    """To the sessions that a report is about, narrowed to those behind one of its marks; not in a copy, where no list
    can be narrowed."""

    def __init__(self, chosen: ReportFilter, *, is_copy: bool = False) -> None:
        self._chosen = chosen
        self._is_copy = is_copy

    def sessions(self, **filters: str) -> str:
        if self._is_copy:
            return ""
        return query("/sessions", **(self._chosen._asdict() | filters))

    def item(self, id: str) -> str:
        return f"/knowledge/{id}"

"""The sessions of a selection with their courses, for questions about what happens inside sessions."""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.each_session import SourceResult, read_each, take_in
from afterglow.flows.harvest import Progress, SourceJob
from afterglow.flows.read import why_left_out
from afterglow.measure.research.session_course import Course
from afterglow.records.catalog import Entry, state
from afterglow.records.profile_report import Report
from afterglow.records.research import ResearchAnswer, SessionCourse
from afterglow.records.selection import Selection
from afterglow.store.catalog import Catalog


class Courses(NamedTuple):
    """Finished sessions of people, each with its course; how many were left out and why; what could not be read."""

    sessions: list[tuple[Entry, SessionCourse]]
    left_out: dict[str, int]
    troubles: tuple[tuple[str, str], ...]

    def of_history(self, answer: ResearchAnswer, report: Report) -> ResearchAnswer:
        """The answer with what it says of the history it was made from."""
        return replace(
            answer,
            sessions=len(self.sessions),
            repos=len({entry.repo for entry, _ in self.sessions if entry.repo}),
            first_day=report.first_day,
            last_day=report.last_day,
            left_out=self.left_out,
            troubles=self.troubles,
        )


def read_courses(
    config: Config, selection: Selection, *, jobs: int, progress: Progress
) -> Courses:
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(selection, profiles=True, all=True)
    now = time.time()
    reasons = [_left_out(entry, now) for entry in entries]
    chosen = [
        entry for entry, reason in zip(entries, reasons, strict=True) if not reason
    ]
    courses, troubles = read_each(config, chosen, follow, jobs=jobs, progress=progress)
    left_out = Counter(reason for reason in reasons if reason)
    unread = sum(entry.key not in courses for entry in chosen)
    if unread:
        left_out["could not be read"] = unread
    ordered = sorted(chosen, key=lambda entry: (entry.id, entry.source))
    return Courses(
        [(entry, courses[entry.key]) for entry in ordered if entry.key in courses],
        dict(left_out),
        tuple(troubles),
    )


def _left_out(entry: Entry, now: float) -> str:
    """Why a session is not looked at; empty for one that is. One that goes on has no length yet."""
    is_active = state(entry, now) == "active"
    return why_left_out(entry) or ("still active" if is_active else "")


def follow(chunk: list[SourceJob]) -> list[SourceResult[SessionCourse]]:
    """What a worker does: reads sources. Whatever is wrong with one becomes part of the result."""
    return [_follow(job) for job in chunk]


def _follow(job: SourceJob) -> SourceResult[SessionCourse]:
    courses, trouble = take_in(job, Course)
    return {key: course.course() for key, course in courses.items()}, trouble

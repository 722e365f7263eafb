"""code-first: do sessions that start with running code go better than those that first look or talk?"""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.config import Config
from afterglow.flows.harvest import Progress
from afterglow.flows.research.courses import read_courses
from afterglow.measure.research.code_first import MIN_REST, Began
from afterglow.measure.research.code_first_answer import code_first_answer
from afterglow.profile.report import summarise
from afterglow.profile.tables import decided
from afterglow.records.catalog import Entry
from afterglow.records.profile import Profile
from afterglow.records.research import ResearchAnswer, SessionCourse
from afterglow.records.selection import Selection


def answer(
    config: Config, selection: Selection, *, jobs: int, progress: Progress
) -> ResearchAnswer:
    courses = read_courses(config, selection, jobs=jobs, progress=progress)
    report = summarise([entry for entry, _ in courses.sessions])
    return courses.of_history(
        code_first_answer(_began(courses.sessions), report.claims[3:]), report
    )


def _began(sessions: Sequence[tuple[Entry, SessionCourse]]) -> list[Began]:
    """In the order of time, each with the error rate of the session before it in the repository."""
    last_rate: dict[str, float] = {}
    began: list[Began] = []
    for entry, course in sorted(sessions, key=lambda pair: pair[0].start or 0.0):
        profile = entry.profile or Profile()
        began.append(
            Began(
                course,
                entry.repo,
                entry.agent,
                corrected=profile.manner.corrections > 0,
                success=_success(entry),
                before=last_rate.get(entry.repo),
                early_kind=profile.early_task_type.value if profile.early else "",
                early_calls=len(profile.early),
            )
        )
        failed, n = decided(course.outcomes)
        if n >= MIN_REST:
            last_rate[entry.repo] = failed / n
    return began


def _success(entry: Entry) -> bool | None:
    return None if entry.outcome == "unknown" else entry.outcome == "success"

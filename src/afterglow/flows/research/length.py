"""length: does a session get better or worse as it goes on, and which sessions become long?"""

from __future__ import annotations

from afterglow.config import Config
from afterglow.flows.harvest import Progress
from afterglow.flows.research.courses import read_courses
from afterglow.measure.research.length_and_position import Lasted
from afterglow.measure.research.length_answer import length_answer
from afterglow.profile.report import summarise
from afterglow.profile.tables import length
from afterglow.records.research import ResearchAnswer
from afterglow.records.selection import Selection


def answer(
    config: Config, selection: Selection, *, jobs: int, progress: Progress
) -> ResearchAnswer:
    courses = read_courses(config, selection, jobs=jobs, progress=progress)
    sessions = [
        Lasted(length(entry.profile), course, entry.repo)
        for entry, course in courses.sessions
        if entry.profile is not None
    ]
    report = summarise([entry for entry, _ in courses.sessions])
    return courses.of_history(length_answer(sessions, report.claims[:3]), report)

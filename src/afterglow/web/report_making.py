"""A report on a page: the one that was made last, the work under way, or why there is none yet.

What only looks may be made because somebody opened the page; what takes long waits for a person's word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from afterglow.config import Config
from afterglow.flows.measure import outline
from afterglow.records.catalog import HistoryOutline
from afterglow.web.desk import Desk
from afterglow.web.jobs import Job
from afterglow.web.reports import KeptReport

# seconds that a page waits for a report before it shows itself without: what is quick
# is there at once, and the page stays within its 150 ms
PATIENCE = 0.08

Make = Callable[[Config, Job], Any]


class ReportView(NamedTuple):
    """`report` is the last one there is, `job` the work under way or the last that failed. `is_running`: it was under way
    when the report was looked for, whatever became of it since. `is_old`: the stores changed since; `new_sessions` of
    that can be counted."""

    report: KeptReport | None
    job: Job | None
    is_running: bool
    outline: HistoryOutline
    is_old: bool
    new_sessions: int


def present_outline(desk: Desk) -> HistoryOutline:
    """Counted anew where the stores have changed since."""
    config = desk.config
    return desk.remembered("outline", desk.state, lambda: outline(config))


def make(desk: Desk, key: str, title: str, path: str, work: Make) -> Job:
    """Begins the report, unless it is being made already. `path` is the page that shows it."""

    def report(job: Job) -> str:
        _keep(desk, key, work, job)
        return path

    return desk.jobs.start(title, report, key=key)


def made_at_once(desk: Desk, key: str, work: Make) -> None:
    """For a copy of the pages, which cannot wait: the report is there when the page is."""
    _keep(desk, key, work, Job("", key, desk.now()))


def _keep(desk: Desk, key: str, work: Make, job: Job) -> None:
    config = desk.config
    state, sessions = desk.state, present_outline(desk).sessions
    value = work(config, job)
    if present_outline(desk).sessions == sessions:
        state = desk.state  # what the work itself wrote is no news to it
    desk.reports.put(key, KeptReport(value, desk.now(), sessions, state))


def look(desk: Desk, key: str, title: str, path: str, work: Make | None) -> ReportView:
    """The report as far as there is one. With `work` it is made if nobody has yet, or if nobody here can ask for a new
    one."""
    state, present = desk.state, present_outline(desk)
    report = desk.reports.get(key)
    is_old = report is not None and report.state != state
    is_missing = report is None and not _failed(desk, key)
    if work and (is_missing or (is_old and desk.read_only)):
        if desk.static:
            made_at_once(desk, key, work)
        else:
            make(desk, key, title, path, work).thread.join(PATIENCE)
    # Before the report: what ends in between has left one.
    job = desk.jobs.latest(key)
    state_of_job = job.state if job is not None else "finished"
    report = desk.reports.get(key)
    is_old = report is not None and report.state != state
    new_sessions = present.sessions - report.sessions if report else 0
    return ReportView(
        report,
        None if state_of_job == "finished" else job,
        state_of_job == "running",
        present,
        is_old,
        max(new_sessions, 0),
    )


def _failed(desk: Desk, key: str) -> bool:
    """Then it is not tried again by itself."""
    job = desk.jobs.latest(key)
    return job is not None and job.state in ("failed", "stopped")

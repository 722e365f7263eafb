"""The writer in the background: when problems have gathered that nobody has answered, whom the user named is asked.

After a harvest, at most once an hour, one process at a time, within the cap of a day, and only where the user agreed
(`[write] on = "yes"`). What came of it is noted: `status` and `doctor` tell it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.harvest.ask_writer import Writing, plan_writing, write_lessons
from afterglow.flows.harvest.index_problems import has_lesson
from afterglow.flows.harvest.queue import queue_lock
from afterglow.flows.harvest.writing_notes import (
    WRITTEN,
    LastWriting,
    last_writing,
    note_writing,
)
from afterglow.flows.model_client import writer_of
from afterglow.harvest.writable import worth_asking
from afterglow.llm.agents import WRITERS
from afterglow.records.problems import Problem
from afterglow.records.writing import WriterReport

MIN_WAITING = 3  # problems: a question has its own price, so fewer wait for company
MAX_WAIT_SECONDS = 86_400.0  # but no longer than a day
MIN_PAUSE_SECONDS = 3_600.0  # sessions that end together are asked about together
MAX_PROBLEMS = 24  # of one go: what a person would not mind having spent

NO_LIMIT = 10**6  # problems
TOKENS_A_PROBLEM = 600  # a dossier of 400, a share of the prompt, an answer
WEEK_SECONDS = 7 * 86_400.0
MAX_WEEKS = 8.0  # of history that tell how many problems a week brings

LOCK = "writing.lock"


class WritingEstimate(Struct, frozen=True):
    """Problems that wait for a lesson now, and how many more a week brings; tokens that a writer would take for them."""

    waiting: int
    weekly: float
    tokens_now: int
    tokens_weekly: int


def write_in_background(
    config: Config, *, now: float | None = None
) -> LastWriting | None:
    """Asks for lessons if it is time to; nothing where it is not."""
    when = time.time() if now is None else now
    last = last_writing(config)
    is_recent = last is not None and 0 <= when - last.time < MIN_PAUSE_SECONDS
    if not config.write.agreed or is_recent:
        return None
    with queue_lock(config, name=LOCK) as mine:
        return _write(config, when) if mine else None


def estimate_writing(config: Config, writer: str) -> WritingEstimate:
    """From the user's own history: what waits, and how often something new began to keep happening."""
    writing = plan_writing(config, limit=NO_LIMIT)
    waiting = len(writing.dossiers)
    weekly = _new_a_week(worth_asking(writing.index.problems))
    questions = ceil(weekly / MIN_WAITING)
    return WritingEstimate(
        waiting,
        weekly,
        _tokens(waiting, len(writing.questions), writer),
        _tokens(weekly, questions, writer),
    )


def _tokens(problems: float, questions: int, writer: str) -> int:
    """For so many, with what the writer's program adds to each question."""
    agent = writer.partition(":")[0]
    overhead = WRITERS.load(agent).OVERHEAD if agent in WRITERS.names() else 0
    return ceil(problems * TOKENS_A_PROBLEM) + questions * overhead


def _new_a_week(problems: Sequence[Problem]) -> float:
    """How many became a problem in a week, over the last weeks that were harvested."""
    times = [time for each in problems for time in (each.first, each.last) if time]
    if not times:
        return 0.0
    weeks = min(max((max(times) - min(times)) / WEEK_SECONDS, 1.0), MAX_WEEKS)
    begin = max(times) - weeks * WEEK_SECONDS
    return sum(_since(each) >= begin for each in problems) / weeks


def _write(config: Config, now: float) -> LastWriting | None:
    writing = plan_writing(config, limit=MAX_PROBLEMS)
    problems = _problems_of(writing)
    if not _is_worth_asking(problems, now):
        return None
    name, day = config.write.writer, config.write.daily_tokens
    capped = replace(config, model=replace(config.model, max_tokens_day=day))
    try:
        with writer_of(capped, name) as writer:
            report = write_lessons(config, writer, writing, now=now)
    except AfterglowError as error:
        last = LastWriting(
            time=now, by=name, problems=len(problems), trouble=str(error)
        )
    else:
        last = _summed_up(report, now)
    note_writing(config, last)
    return last


def _problems_of(writing: Writing) -> list[Problem]:
    return [each for id in writing.dossiers for each in writing.index.of(id)]


def _is_worth_asking(problems: Sequence[Problem], now: float) -> bool:
    """Three that have no lesson at all, or one that has had none for a day."""
    untaught = [each for each in problems if not has_lesson(each)]
    waited = [now - _since(each) for each in untaught]
    return len(untaught) >= MIN_WAITING or any(
        seconds >= MAX_WAIT_SECONDS for seconds in waited
    )


def _since(problem: Problem) -> float:
    """When a second session met it: then it became a problem."""
    first_met: dict[str, float] = {}
    for event in problem.events:
        met = event.time or 0.0
        first_met[event.session] = min(met, first_met.get(event.session, met))
    times = sorted(first_met.values())
    return times[min(1, len(times) - 1)] if times else 0.0


def _summed_up(report: WriterReport, now: float) -> LastWriting:
    failures = ", ".join(
        f"{kind} ({times}x)" for kind, times in report.failures.items()
    )
    trouble = report.stopped or failures
    is_trouble = not report.answered and not report.capped
    return LastWriting(
        time=now,
        by=report.by,
        problems=report.problems,
        answered=report.answered,
        lessons=sum(report.counts.get(outcome, 0) for outcome in WRITTEN),
        trouble=trouble if is_trouble else "",
    )

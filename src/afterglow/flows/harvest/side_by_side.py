"""One problem as several sessions met it, side by side: what each tried, what worked, and what it had been told."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.harvest.episode_columns import episode_columns
from afterglow.records.delivery import Delivery
from afterglow.records.problems import (
    EpisodeColumn,
    EpisodeTold,
    Problem,
    ProblemEpisodes,
)
from afterglow.store.ledger import Ledger

EPISODE_LIMIT = 4  # side by side on one screen
FROM_THE_FIRST = 0.0  # of all that a session was told


def problem_episodes(
    config: Config, problem: Problem, *, limit: int = EPISODE_LIMIT, offset: int = 0
) -> ProblemEpisodes:
    """Of a problem with its events and lessons."""
    episodes = episode_columns(problem, limit=limit, offset=offset)
    if not config.ledger.exists():
        return episodes
    lessons = {lesson.item for lesson in problem.lessons}
    with Ledger(config.ledger) as ledger:
        columns = tuple(
            _with_told(
                column, ledger.handed_to(column.session, FROM_THE_FIRST), lessons
            )
            for column in episodes.columns
        )
    return replace(episodes, columns=columns)


def _with_told(
    column: EpisodeColumn, deliveries: Iterable[Delivery], lessons: Collection[str]
) -> EpisodeColumn:
    """What was told before the failure; after it, only what is about this problem."""
    moments = [_told(each, lessons) for each in deliveries if not each.placebo]
    failed_at = float("inf") if column.time is None else column.time
    return replace(
        column,
        before=tuple(each for each in moments if each.time <= failed_at),
        after=tuple(each for each in moments if each.time > failed_at and each.lessons),
    )


def _told(delivery: Delivery, lessons: Collection[str]) -> EpisodeTold:
    items = [entry.item for entry in delivery.items]
    return EpisodeTold(
        moment=delivery.when,
        time=delivery.time,
        items=len(items),
        lessons=tuple(item for item in items if item in lessons),
    )

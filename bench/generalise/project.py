"""One project: scan, harvest, problems, a writer's answers, replay, judged. No model is asked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest import harvest, problems
from afterglow.flows.measure import replay
from afterglow.harvest.dossiers import MAX_TOKENS, dossier
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Dossier, Problem
from afterglow.records.replay import DumpRow
from afterglow.records.selection import below
from afterglow.text.tokens import within
from bench.generalise.exchange import written
from bench.generalise.interim import kept_lessons
from bench.generalise.judge import Hint, Score, SessionTold, score
from bench.generalise.labels import Labels, labels_of

BUDGETS = (600, 2000)  # tokens: what a start line is worth, and what there is room for
JOBS = 2

Told = Mapping[str, Sequence[KnowledgeItem]]


class Project(Struct, frozen=True):
    """Where the sessions, the labels and the answers of a project lie; `home` is where afterglow keeps what it read."""

    name: str
    sessions: Path
    labels: Path
    answers: Path
    home: Path

    @property
    def config(self) -> Config:
        return Config(home=self.home, user_home=self.home)


class Way(Struct, frozen=True, kw_only=True):
    """What sessions would have been told, with a writer or without: judged at each budget."""

    name: str
    scores: dict[int, Score]
    kept: int = 0
    refused: int = 0
    read: int = 0


class Outcome(Struct, frozen=True, kw_only=True):
    """All that is said about a project. `seconds` is what scan, harvest and problems took."""

    project: str
    problems: int
    dossier_tokens: int
    seconds: float
    by: str = ""
    first_contact: str = "not said"
    ways: tuple[Way, ...] = ()


def prepared(project: Project) -> list[tuple[Problem, Dossier]]:
    """The problems of a project with their dossiers, after scan and harvest; what is mined already is not read again."""
    harvest(project.config, below(project.sessions), jobs=JOBS)
    listed = problems(project.config, limit=10**9).problems
    count = within(MAX_TOKENS)
    return [(each, dossier(each, count)) for each in listed]


def measured(project: Project) -> Outcome:
    started = time.monotonic()
    listed = prepared(project)
    seconds = time.monotonic() - started
    labels = labels_of(project.labels)
    ways = [Way(name="no writer", scores=_scores(project, labels, None))]
    answers = written(project.answers, listed)
    if answers is not None:
        lessons = kept_lessons(answers.rows, listed)
        ways.append(
            Way(
                name="writer",
                scores=_scores(project, labels, lessons.by_session),
                kept=lessons.kept,
                refused=lessons.refused,
                read=answers.read,
            )
        )
    return Outcome(
        project=project.name,
        problems=len(listed),
        dossier_tokens=sum(each.tokens for _, each in listed),
        seconds=seconds,
        by=answers.about.by if answers else "",
        first_contact=answers.about.first_contact if answers else "",
        ways=tuple(ways),
    )


def _scores(project: Project, labels: Labels, told: Told | None) -> dict[int, Score]:
    scores = {}
    for budget in BUDGETS:
        _, rows = replay(project.config, budget=budget, told=told, jobs=JOBS)
        scores[budget] = score([_told(row) for row in rows], labels)
    return scores


def _told(row: DumpRow) -> SessionTold:
    hints = tuple(Hint(hint.line, hint.text) for hint in getattr(row, "hints", ()))
    return SessionTold(row.session_id, row.path, row.context, hints)

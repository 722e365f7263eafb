"""One project: scan, harvest, problems, a writer's answers, replay, judged. No model is asked."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest import NOBODY, Writing, hand_in, harvest, plan_writing
from afterglow.flows.measure import replay
from afterglow.records.replay import DumpRow
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from bench.generalise.exchange import Written, written
from bench.generalise.judge import Hint, Score, SessionTold, judged, score
from bench.generalise.labels import Labels, labels_of
from bench.generalise.losses import Known, Loss, losses

BUDGETS = (600, 2000)  # tokens: what a start line is worth, and what there is room for
JOBS = 2


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
    outcomes: dict[str, int] = {}
    refused: dict[str, int] = {}
    read: int = 0

    @property
    def kept(self) -> int:
        return self.outcomes.get("active", 0) + self.outcomes.get("candidate", 0)


class Outcome(Struct, frozen=True, kw_only=True):
    """All that is said about a project. `seconds` is what scan, harvest and problems took."""

    project: str
    problems: int
    dossiers: int
    dossier_tokens: int
    seconds: float
    by: str = ""
    first_contact: str = "not said"
    ways: tuple[Way, ...] = ()
    losses: tuple[Loss, ...] = ()


def prepared(project: Project) -> Writing:
    """What a writer would be asked, after scan and harvest; what is mined already is not read again."""
    harvest(project.config, below(project.sessions), jobs=JOBS)
    return plan_writing(project.config, again=True, limit=10**9)


def measured(project: Project) -> Outcome:
    started = time.monotonic()
    writing = prepared(project)
    seconds = time.monotonic() - started
    labels = labels_of(project.labels)
    ways = [Way(name="no writer", scores=_without_writer(project.config, labels))]
    answers = written(project.answers, writing.index.problems, writing.dossiers)
    lost: tuple[Loss, ...] = ()
    if answers is not None:
        way, lost = _with_answers(project, labels, answers, writing)
        ways.append(way)
    return Outcome(
        project=project.name,
        problems=len(writing.index.problems),
        dossiers=len(writing.dossiers),
        dossier_tokens=sum(each.tokens for each in writing.dossiers.values()),
        seconds=seconds,
        by=answers.about.by if answers else "",
        first_contact=answers.about.first_contact if answers else "",
        ways=tuple(ways),
        losses=lost,
    )


def _with_answers(
    project: Project, labels: Labels, answers: Written, writing: Writing
) -> tuple[Way, tuple[Loss, ...]]:
    """In a home of its own, so that what is known without a writer stays as it is."""
    with tempfile.TemporaryDirectory(prefix="bench-written-") as folder:
        home = Path(folder) / "home"
        shutil.copytree(project.home, home)
        config = Config(home=home, user_home=home)
        report = hand_in(config, answers.rows, by=answers.about.by)
        told = {budget: _told_at(config, budget) for budget in BUDGETS}
        way = Way(
            name="writer",
            scores={budget: score(rows, labels) for budget, rows in told.items()},
            outcomes=report.counts,
            refused=report.refused,
            read=answers.read,
        )
        with Knowledge(config.knowledge) as knowledge:
            items = knowledge.items(status=("active", "candidate"))
        known = Known(
            writing.index.problems, writing.dossiers, answers.lessons, tuple(items)
        )
        at_best = judged(told[max(BUDGETS)], labels)
        return way, tuple(losses(labels, at_best, known))


def _without_writer(config: Config, labels: Labels) -> dict[int, Score]:
    return {
        budget: score(_told_at(config, budget, NOBODY), labels) for budget in BUDGETS
    }


def _told_at(config: Config, budget: int, writer: str = "") -> list[SessionTold]:
    _, rows = replay(config, budget=budget, writer=writer, jobs=JOBS)
    return list(map(_told, rows))


def _told(row: DumpRow) -> SessionTold:
    hints = tuple(Hint(hint.line, hint.text) for hint in row.hints)
    return SessionTold(row.session_id, row.path, row.context, hints)

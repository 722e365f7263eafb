"""The loop: learning sessions, a harvest, then later tasks of the same families in every arm."""

from __future__ import annotations

import random
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.knowledge import list_items
from afterglow.records.selection import below
from bench.closed_loop import comparison, rows
from bench.closed_loop.agent import work
from bench.closed_loop.board import Board
from bench.closed_loop.contexts import Given, given
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.model import Model
from bench.closed_loop.rows import LEARN, Row
from bench.closed_loop.sandbox import Runner
from bench.closed_loop.tasks import PROJECTS, Family, Task
from bench.closed_loop.transcript import Transcript

DAY = 86400.0


class Loop(Struct, frozen=True, kw_only=True):
    """How a run goes: `learning` sessions per family, then `measured` tasks per family, each in every arm. The person
    helps a learning session after `patience` failed calls. After `minutes` no further task is begun (0: no end)."""

    out: Path
    families: tuple[Family, ...] = FAMILIES
    learning: int = 2
    measured: int = 2
    calls: int = 8
    patience: int = 2
    seed: int = 1
    minutes: float = 0.0

    @property
    def rows(self) -> Path:
        return self.out / "rows.jsonl"

    @property
    def config(self) -> Config:
        return Config(home=self.out / "home", user_home=self.out / "home")

    @property
    def projects(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(family.project for family in self.families))

    def sessions(self, arm: str) -> Path:
        return self.out / "sessions" / ("learning" if arm == LEARN else "measured")


class Job(Struct, frozen=True):
    """One session to run: the `number`-th task of a family, in an arm or for learning."""

    task: Task
    number: int
    arm: str

    @property
    def unit(self) -> str:
        return f"{self.task.name} {self.arm}"


def learning(loop: Loop) -> Iterator[Job]:
    for number in range(loop.learning):
        for family in loop.families:
            yield Job(family.task(number), number, LEARN)


def measuring(loop: Loop) -> Iterator[list[Job]]:
    """Task by task in random order, in each arm as assigned: a run that ends early has whole tasks."""
    order = random.Random(f"{loop.seed} order")
    for number in range(loop.learning, loop.learning + loop.measured):
        for family in order.sample(loop.families, len(loop.families)):
            task = family.task(number)
            yield [
                Job(task, number, arm)
                for arm in comparison.arms_of(loop.config, task.name)
            ]


def run(loop: Loop, model: Model, runner: Runner) -> list[Row]:
    """The whole loop, or what is left of it. Returns all rows there are."""
    with Board() as board:
        return _run(loop, model, runner, board.url)


def _run(loop: Loop, model: Model, runner: Runner, board: str) -> list[Row]:
    begun = time.monotonic()
    loop.out.mkdir(parents=True, exist_ok=True)
    known = {row.unit for row in rows.read(loop.rows)}
    for job in learning(loop):
        if job.unit not in known:
            session(loop, job, model, runner, board)
    if not loop.config.knowledge.exists():
        learn(loop)
    comparison.plan(loop.config, len(loop.families) * loop.measured)
    for jobs in measuring(loop):
        if loop.minutes and time.monotonic() - begun > loop.minutes * 60:
            break
        for job in jobs:
            if job.unit not in known:
                session(loop, job, model, runner, board)
        comparison.record(loop.config, rows.read(loop.rows))
    return rows.read(loop.rows)


def learn(loop: Loop) -> None:
    """afterglow's own harvest over the files of the learning sessions; what it found is written down to be read."""
    report = harvest(loop.config, below(loop.sessions(LEARN)))
    items = list_items(loop.config, limit=1000).items
    lines = [
        f"{item.status} {item.confidence:.2f} {item.repo} [{item.miner}] {item.fact}"
        for item in items
    ]
    (loop.out / "lessons.txt").write_text(
        "\n".join(sorted(lines)) + "\n", encoding="utf-8"
    )
    sys.stderr.write(f"harvested {report.mined} sessions: {report.statuses}\n")


def session(loop: Loop, job: Job, model: Model, runner: Runner, board: str) -> Row:
    """Runs one session in a folder of its own, keeps its transcript, adds its row."""
    task, arm = job.task, job.arm
    id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{loop.seed} {job.unit}"))
    now = time.time()
    start = now - (loop.learning - job.number) * DAY if arm == LEARN else now
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(place) / task.family.project
        task.lay_out(folder, board)
        context = (
            Given()
            if arm == LEARN
            else given(loop.config, arm, task, folder, loop.projects, id)
        )
        transcript = Transcript(
            id, cwd=f"{PROJECTS}/{task.family.project}", model=model.name, start=start
        )
        begun = time.monotonic()
        worked = work(
            task, folder, model, runner, transcript,
            seed=random.Random(f"{loop.seed} {task.name} {job.number}").randrange(1 << 20),
            calls=loop.calls, context=context.text, patience=loop.patience if arm == LEARN else None,
        )  # fmt: skip
        transcript.save(loop.sessions(arm))
    row = Row(
        unit=job.unit, arm=arm, task=task.name, family=task.family.full_name, kind=task.family.kind, number=job.number,
        session=id, start=now, seconds=round(time.monotonic() - begun, 1), solved=worked.solved, calls=worked.calls,
        failed=worked.failed, helped=worked.helped, sent=worked.sent, received=worked.received,
        lesson=context.lesson, context=context.tokens, delivery=context.delivery,
    )  # fmt: skip
    rows.add(loop.rows, row)
    did = "solved" if row.solved else "not solved"
    sys.stderr.write(
        f"{row.unit}: {did}, {row.failed} of {row.calls} failed, {row.seconds} s {row.lesson}\n"
    )
    return row

"""What a loop left behind, read: rows, tasks by name, what was to be told, plans with their trials, transcripts."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.experiment import gathered, list_experiments
from afterglow.flows.tasks import folder_name
from afterglow.records.experiment import Plan, Trial
from bench.closed_loop import rows
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.loop import Loop
from bench.closed_loop.rows import LearningRow
from bench.closed_loop.tasks import Family, Task
from bench.closed_loop.told import ToldFamily

LEARNING, MEASURED = "learning", "measured"  # the splits


class NoLoop(Exception):
    """A folder that a loop did not leave behind, or not all of it."""


class Study(Struct, frozen=True):
    """A plan and its runs, in order of time."""

    plan: Plan
    trials: tuple[Trial, ...]


class LoopFolder(Struct, frozen=True):
    """All that is read of it. `tasks` holds those that were worked on."""

    loop: Loop
    model: str
    learning: tuple[LearningRow, ...]
    tasks: dict[str, Task]
    told_families: tuple[ToldFamily, ...]
    studies: tuple[Study, ...]

    @property
    def config(self) -> Config:
        return self.loop.config

    @property
    def sessions(self) -> dict[str, str]:
        """The id of each learning session -> its name in the dataset."""
        return {row.session: f"{LEARNING}/{row.task}" for row in self.learning}

    def transcript(self, row: LearningRow) -> Path:
        return self.loop.learning_sessions / f"{row.session}.jsonl"

    def trajectory(self, trial: Trial) -> Path:
        folder = self.loop.measured_sessions / trial.experiment
        return folder / f"{trial.unit}.{folder_name(trial.arm)}.json"

    def families(self, project: str) -> list[Family]:
        """Those of a project that were worked on, in order."""
        families = {task.family.full_name: task.family for task in self.tasks.values()}
        return [
            family for family in families.values() if project in ("", family.project)
        ]


def read_loop(out: Path) -> LoopFolder:
    loop = Loop(out=out)
    told_file, model_file = out / "told.json", out / "model.txt"
    learning = sorted(rows.read(loop.rows), key=lambda row: (row.task, row.session))
    if not learning or not told_file.exists():
        raise NoLoop(
            f"{out} is not the folder of a loop: python -m bench.closed_loop.run --out {out} makes one"
        )
    studies = tuple(_studies(loop.config))
    worked_on = {row.task for row in learning}
    worked_on |= {trial.unit for study in studies for trial in study.trials}
    return LoopFolder(
        loop,
        model_file.read_text(encoding="utf-8").strip() if model_file.exists() else "",
        tuple(learning),
        _tasks(worked_on),
        tuple(msgspec.json.decode(told_file.read_bytes(), type=list[ToldFamily])),
        studies,
    )


def _studies(config: Config) -> list[Study]:
    if not config.experiments.exists():
        return []
    plans = [listed.plan for listed in list_experiments(config)]
    return [
        Study(
            plan,
            tuple(
                sorted(
                    gathered(config, plan.name, keep=False).trials,
                    key=lambda trial: (trial.time, trial.unit, trial.arm),
                )
            ),
        )
        for plan in sorted(plans, key=lambda plan: (plan.created, plan.name))
    ]


def _tasks(names: set[str]) -> dict[str, Task]:
    """The tasks of these names; one that no family has any more is an error, not a gap."""
    by_family = {family.full_name: family for family in FAMILIES}
    tasks: dict[str, Task] = {}
    for name in sorted(names):
        family, _, number = name.rpartition("-")
        if family not in by_family or not number.isdecimal():
            raise NoLoop(f"no family has the task {name}: the loop ran with others")
        tasks[name] = by_family[family].task(int(number))
    return tasks

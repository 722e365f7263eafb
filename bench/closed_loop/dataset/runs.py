"""Measured runs as rows: arm, outcomes, and what each was really told, read from its own transcript."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.records.experiment import COLD, Trial
from bench.closed_loop.dataset.columns import Row
from bench.closed_loop.dataset.loop_folder import LoopFolder, Study
from bench.closed_loop.dataset.turns import (
    Turn,
    family_columns,
    measured_turns,
    session_of,
)

COUNTS = ("errors", "calls", "tokens")


def run_rows(folder: LoopFolder) -> Iterator[Row]:
    for study in folder.studies:
        plain = _plain_prompt(folder, study)
        for order, trial in enumerate(study.trials, 1):
            yield _row(folder, trial, order, plain)


def _row(folder: LoopFolder, trial: Trial, order: int, plain: str) -> Row:
    task = folder.tasks[trial.unit]
    path = folder.trajectory(trial)
    turns = measured_turns(path) if path.exists() else []
    at_start = _prompt(turns).removeprefix(plain).strip()
    on_failure = "\n".join(turn.hint for turn in turns if turn.hint)
    every_telling = f"{at_start}\n{on_failure}".strip()
    success = trial.outcomes.get("success")
    return {
        "plan": trial.experiment,
        "task": task.name,
        "arm": trial.arm,
        **family_columns(task),
        "tool_quirk": task.family.tool_quirk,
        "order": order,
        "success": None if success is None else bool(success),
        **{name: trial.outcomes.get(name) for name in COUNTS},
        "seconds": _seconds(turns),
        "excluded": trial.excluded,
        "lesson": task.lesson(every_telling) if every_telling else "",
        "told_at_start": at_start,
        "told_on_failure": on_failure,
        "session": session_of(trial.experiment, trial.unit, trial.arm) if turns else "",
        "agent": trial.conditions.agent,
        "agent_version": trial.conditions.agent_version,
        "model": trial.conditions.model or folder.model,
        "afterglow_version": trial.conditions.afterglow_version,
    }


def _seconds(turns: list[Turn]) -> float | None:
    stamps = [turn.time for turn in turns if turn.time is not None]
    return round(max(stamps) - min(stamps), 1) if stamps else None


def _plain_prompt(folder: LoopFolder, study: Study) -> str:
    """What every session of a study begins with: all that a cold one is told."""
    for trial in study.trials:
        path = folder.trajectory(trial)
        if trial.arm == COLD and path.exists():
            return _prompt(measured_turns(path))
    return ""


def _prompt(turns: list[Turn]) -> str:
    return next((turn.text for turn in turns if turn.role == "system"), "")

"""From a loop's folder to the files of the dataset."""

from __future__ import annotations

from pathlib import Path

from bench.closed_loop.dataset.card import PlanTimes, Story, card
from bench.closed_loop.dataset.columns import Row
from bench.closed_loop.dataset.files import Wrong, encoded
from bench.closed_loop.dataset.hide import Hidden, leaks
from bench.closed_loop.dataset.lessons import lesson_rows, template_rows
from bench.closed_loop.dataset.loop_folder import LoopFolder, read_loop
from bench.closed_loop.dataset.runs import run_rows
from bench.closed_loop.dataset.tasks_table import task_rows
from bench.closed_loop.dataset.turns import session_rows


def make_dataset(out: Path) -> dict[str, bytes]:
    """Every file by name. The same folder makes the same bytes."""
    folder = read_loop(out)
    hidden = Hidden(out)
    plain = {
        "sessions": session_rows(folder),
        "runs": run_rows(folder),
        "lessons": lesson_rows(folder),
        "templates": template_rows(folder),
        "tasks": task_rows(folder),
    }
    tables: dict[str, list[Row]] = {
        name: [hidden.value(row) for row in rows] for name, rows in plain.items()
    }
    for name, rows in tables.items():
        for number, row in enumerate(rows, 1):
            leak = next(leaks(row), "")
            if leak:
                raise Wrong(f"{name}, row {number} names somebody's folder: …{leak}…")
    return encoded(tables, card(tables, _story(folder, hidden)))


def _story(folder: LoopFolder, hidden: Hidden) -> Story:
    plans = tuple(
        PlanTimes(
            study.plan.name,
            study.plan.arms,
            study.plan.created,
            study.trials[0].time,
            study.trials[-1].time,
        )
        for study in folder.studies
        if study.trials
    )
    redacted = dict(sorted(hidden.counts.items()))
    return Story(model=hidden.text(folder.model), plans=plans, redacted=redacted)

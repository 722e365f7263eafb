"""Tasks as rows: what was asked, what anybody would try, what works, and what was to be told."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bench.closed_loop.dataset.columns import Row
from bench.closed_loop.dataset.loop_folder import LEARNING, MEASURED, LoopFolder
from bench.closed_loop.dataset.turns import family_columns


def task_rows(folder: LoopFolder) -> Iterator[Row]:
    learning = {row.task: row for row in folder.learning}
    told_by_task = {family.task: family for family in folder.told_families}
    for name, task in folder.tasks.items():
        plans = [
            study.plan.name
            for study in folder.studies
            if any(trial.unit == name for trial in study.trials)
        ]
        learned, to_tell = learning.get(name), told_by_task.get(name)
        moments = ("start", "failure", "template")
        yield {
            "task": name,
            "split": LEARNING if learned else MEASURED,
            "plans": plans,
            **family_columns(task),
            "tool_quirk": task.family.tool_quirk,
            "request": task.request,
            "naive": task.naive,
            "solution": task.solution,
            "correction": task.correction() if learned else "",
            "solved": learned.solved if learned else None,
            "helped": learned.helped if learned else None,
            "told": {
                moment: msgspec.to_builtins(getattr(to_tell, moment))
                for moment in moments
            }
            if to_tell
            else None,
        }

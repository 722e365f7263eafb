"""Trials and assignments as rows for other programs; `recording` reads them again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import msgspec

from afterglow.experiment.recording import BEFORE, FORMULA, RUN
from afterglow.records.experiment import Assignment, Plan, RunConditions, Trial

_PLACE = ("unit", "arm", "time", "stratum", "cluster", "pair", "session", "excluded")


def trial_rows(plan: Plan, trials: Sequence[Trial], format: str) -> str:
    """CSV with a column for each outcome, each `before.NAME` and each `run.NAME` that is recorded of any, an empty cell
    where it is not known; or JSON lines."""
    if format == "jsonl":
        return lines(trials)
    early = sorted(set(chain.from_iterable(trial.before for trial in trials)))
    conditions = [
        name
        for name in RunConditions.__struct_fields__
        if any(getattr(trial.conditions, name) not in ("", None) for trial in trials)
    ]
    head = [*_PLACE, *plan.outcomes]
    head += [BEFORE + name for name in early]
    head += [RUN + name for name in conditions]
    return _csv(
        head, (_cells(trial, plan.outcomes, early, conditions) for trial in trials)
    )


def _cells(
    trial: Trial,
    outcomes: Sequence[str],
    early: Sequence[str],
    conditions: Sequence[str],
) -> list[Any]:
    place = [getattr(trial, field) for field in _PLACE]
    values = [trial.outcomes.get(name) for name in outcomes]
    values += [trial.before.get(name) for name in early]
    run = [getattr(trial.conditions, name) for name in conditions]
    return [*place, *map(_plain, values), *run]


def assignment_rows(assignments: Sequence[Assignment], format: str) -> str:
    """In the order they were made."""
    if format == "jsonl":
        return lines(assignments)
    fields = Assignment.__struct_fields__
    return _csv(
        fields,
        (
            [getattr(assignment, field) for field in fields]
            for assignment in assignments
        ),
    )


def lines(values: Iterable[object]) -> str:
    return "".join(msgspec.json.encode(value).decode() + "\n" for value in values)


def _plain(value: float | None) -> float | None:
    return int(value) if value is not None and value.is_integer() else value


def _inert(cell: Any) -> Any:
    """A name that a spreadsheet would take for a formula gets the mark of a text; `csv_rows` takes it off."""
    is_formula = isinstance(cell, str) and cell.lstrip("'").startswith(FORMULA)
    return f"'{cell}" if is_formula else cell


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()

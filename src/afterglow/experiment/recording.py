"""What came of units that were run elsewhere: rows of a file, or words of a command -> trials that fit the plan.

A row that does not fit is refused with its place and what would fit; nothing is guessed, and nothing is taken for zero.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from afterglow.errors import UsageError
from afterglow.experiment.assign import check_name, stratum_of
from afterglow.records.experiment import (
    LARGEST,
    Assignment,
    OutcomeSpec,
    Plan,
    RunConditions,
    Trial,
)

Row = tuple[str, dict[str, Any]]  # where it stands ("line 3"), and its fields

FIELDS = (
    "unit",
    "arm",
    "task",
    "time",
    "repo",
    "agent",
    "model",
    "stratum",
    "cluster",
    "pair",
    "session",
    "excluded",
)
BEFORE = "before."  # a covariate's column
RUN = "run."  # the column of a condition under which it was run
# The years 2000 to 2099: neither years nor milliseconds are taken for seconds.
EARLIEST, LATEST = 946_684_800.0, 4_102_444_800.0
# What a spreadsheet would compute, so an export writes ' before it.
FORMULA = ("=", "+", "-", "@")
_NO_OUTCOMES = ("experiment", "outcomes", "before", "run")
_RUN_COUNTS = ("deliveries", "delivered_tokens")
_COUNT = OutcomeSpec("", "none", "count", "")
_UNKNOWN = {"", "na", "n/a", "none", "null", "?"}
_YES_NO = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def csv_rows(text: str) -> list[Row]:
    """The rows of a CSV file with a header; `before.NAME` is a covariate, every other unknown column an outcome."""
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        rows: list[Row] = [(f"line {reader.line_num}", row) for row in reader]
    except csv.Error as error:
        raise UsageError(
            f"line {reader.reader.line_num}: {error}; a CSV file with a header would work"
        ) from error
    for place, row in rows:
        if None in row or None in row.values():
            raise UsageError(f"{place} has not as many fields as the header has")
    return [
        (place, {name: _named(cell) for name, cell in row.items()})
        for place, row in rows
    ]


def _named(cell: str) -> str:
    marked = cell.startswith("'") and cell.lstrip("'").startswith(FORMULA)
    return cell[1:] if marked else cell


def jsonl_rows(text: str) -> list[Row]:
    """One JSON object a line, flat as in CSV or as `export` writes it, with `outcomes` and `before` as objects."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rows.append(
                    (f"line {number}", msgspec.json.decode(line, type=dict[str, Any]))
                )
            except msgspec.MsgspecError as error:
                raise UsageError(
                    f'line {number}: {error}; {{"unit": "t1", "arm": "warm", ...}} would work'
                ) from error
    return rows


def trials_of(
    plan: Plan,
    rows: Iterable[Row],
    assignments: Sequence[Assignment],
    *,
    specs: Mapping[str, OutcomeSpec],
    now: float,
) -> list[Trial]:
    """Every row as a trial, or a `UsageError` about the first that does not fit."""
    assigned = {
        (assignment.unit, assignment.arm if plan.every_arm else ""): assignment
        for assignment in assignments
    }
    trials, places = [], dict[tuple[str, str], str]()
    for place, row in rows:
        try:
            trial = _trial(plan, row, assigned, specs, now)
            key = trial.unit, trial.arm if plan.every_arm else ""
            if key in places:
                raise UsageError(
                    f"{trial.unit} was there already, in {places[key]}; a unit has one record"
                )
        except UsageError as error:
            raise UsageError(f"{place}: {error}") if place else error from None
        places[key] = place
        trials.append(trial)
    return trials


def _trial(
    plan: Plan,
    row: Mapping[str, Any],
    assigned: Mapping[tuple[str, str], Assignment],
    specs: Mapping[str, OutcomeSpec],
    now: float,
) -> Trial:
    if row.get("experiment", plan.name) != plan.name:
        raise UsageError(f"this row is of {row['experiment']!r}, not of {plan.name}")
    words = {name: _word(name, row.get(name)) for name in FIELDS if name != "time"}
    unit = words["unit"] or (words["task"] if plan.unit == "task" else "")
    if not unit:
        raise UsageError(f"no unit: which {plan.unit} was it?")
    assignment = _assignment(plan, unit, words["arm"], assigned)
    _check_excluded(plan, words["excluded"])
    outcomes, before = _numbers(plan, row, specs)
    if not outcomes and not words["excluded"]:
        raise UsageError(
            f"nothing was said of {unit}; the plan's outcomes are {', '.join(plan.outcomes)}"
        )
    stratum, pair = _blocks(plan, unit, words, assignment)
    return Trial(
        experiment=plan.name,
        unit=unit,
        arm=assignment.arm if assignment else words["arm"],
        time=_time(row.get("time"), now),
        outcomes={name: outcomes.get(name) for name in plan.outcomes},
        stratum=stratum,
        cluster=words["cluster"] or words["repo"],
        pair=pair,
        before=before,
        session=words["session"],
        excluded=words["excluded"],
        run=_conditions(row, words),
    )


def _conditions(
    row: Mapping[str, Any], words: Mapping[str, str]
) -> RunConditions | UnsetType:
    """As the row says, flat or nested; what it is blocked by counts, too."""
    stated = _table(row, "run")
    stated |= {
        name.removeprefix(RUN): value
        for name, value in row.items()
        if name.startswith(RUN)
    }
    names = RunConditions.__struct_fields__
    for name in stated:
        if name not in names:
            raise UsageError(f"no {RUN}{name}; there are {', '.join(names)}")
    conditions = {name: words[name] for name in ("agent", "model", "repo")}
    counts: dict[str, int] = {}
    for name, value in stated.items():
        if name in _RUN_COUNTS:
            count = _value(RUN + name, value, _COUNT)
            counts |= {} if count is None else {name: int(count)}
        else:
            conditions[name] = _word(RUN + name, value) or conditions.get(name, "")
    if not counts and not any(conditions.values()):
        return UNSET
    return msgspec.convert({**conditions, **counts}, RunConditions)


def _check_excluded(plan: Plan, rule: str) -> None:
    if not rule or rule in plan.exclusions:
        return
    rules = "the plan leaves nothing out"
    if plan.exclusions:
        rules = f"the plan leaves out {', '.join(plan.exclusions)}"
    raise UsageError(f"no exclusion {rule!r}: {rules}")


def _blocks(
    plan: Plan, unit: str, words: Mapping[str, str], assignment: Assignment | None
) -> tuple[str, str]:
    """The stratum a unit was drawn in and the pair it belongs to: as assigned, else as the row says."""
    task = words["task"] or words["pair"]
    own_task = unit if plan.every_arm else ""
    if assignment:
        stratum = pair = assignment.stratum
    else:
        drawn_in = stratum_of(plan, repo=words["repo"], agent=words["agent"], task=task)
        stratum = words["stratum"] or drawn_in or own_task
        pair = task or own_task
    return stratum, pair if plan.design == "paired" else task


def _assignment(
    plan: Plan, unit: str, arm: str, assigned: Mapping[tuple[str, str], Assignment]
) -> Assignment | None:
    """What the unit was given; None where the whole experiment was assigned elsewhere."""
    arms = ", ".join(plan.arms)
    if arm and arm not in plan.arms:
        raise UsageError(f"no arm {arm!r}; the plan has {arms}")
    if not arm and (plan.every_arm or not assigned):
        raise UsageError(f"in which arm was {unit} run? One of {arms}")
    if not assigned:
        return None
    assignment = assigned.get((unit, arm if plan.every_arm else ""))
    if assignment is None:
        raise UsageError(
            f"{unit} was never assigned, and others were: `afterglow experiment assign {plan.name} {unit}` comes first"
        )
    if arm not in ("", assignment.arm):
        raise UsageError(
            f"{unit} was assigned to {assignment.arm}, not to {arm}; "
            "it counts there whatever it got (intention to treat)"
        )
    return assignment


def _numbers(
    plan: Plan, row: Mapping[str, Any], specs: Mapping[str, OutcomeSpec]
) -> tuple[dict[str, float | None], dict[str, float]]:
    """The outcomes and covariates of a row, flat or nested. Every field must be known for what it is."""
    measured, early = _table(row, "outcomes"), _table(row, "before")
    for name, value in row.items():
        if name.startswith(BEFORE):
            check_name("column", name)
            early[name.removeprefix(BEFORE)] = value
        elif name not in (*FIELDS, *_NO_OUTCOMES) and not name.startswith(RUN):
            measured[name] = value
    for name in measured:
        if name not in plan.outcomes:
            hint = f"; other fields are {', '.join(FIELDS)}, {BEFORE}NAME and {RUN}NAME"
            raise UsageError(
                f"no outcome {name!r}; the plan has {', '.join(plan.outcomes)}{hint}"
            )
    outcomes = {
        name: _value(name, value, specs.get(name)) for name, value in measured.items()
    }
    covariates: dict[str, float] = {}
    for name, value in early.items():
        number = _value(BEFORE + name, value, None)
        if number is not None:
            covariates[name] = number
    return outcomes, covariates


def _value(name: str, value: Any, spec: OutcomeSpec | None) -> float | None:
    """A number on its scale; None where it is not known."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _UNKNOWN):
        return None
    try:
        number = float(_YES_NO.get(str(value).strip().lower(), value))
    except (TypeError, ValueError, OverflowError):
        raise UsageError(
            f"{name} is {value!r}, which is no number; leave it empty where it is not known"
        ) from None
    if not abs(number) <= LARGEST:
        raise UsageError(
            f"{name} is {value!r}; a number, or nothing where it is not known, would work"
        )
    wrong = spec and _outside(number, spec)
    if spec and wrong:
        raise UsageError(f"{name} is {number:g}; {wrong}")
    return number


def _outside(number: float, spec: OutcomeSpec) -> str:
    """What would fit the scale, if this does not."""
    is_whole = number == int(number)
    if spec.scale == "yes-no":
        return "" if number in (0, 1) else "it is yes or no, 1 or 0"
    if spec.scale == "rate":
        return "" if 0 <= number <= 1 else "it is a share between 0 and 1"
    if spec.scale == "count" and not (is_whole and number >= 0):
        return "it is a count: a whole number, 0 or above"
    return "" if number >= 0 else "it cannot be below 0"


def _table(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = row.get(name) or {}
    if not isinstance(table, dict):
        raise UsageError(f"{name} is an object with a value for each name")
    return dict(table)


def _word(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        raise UsageError(f"{name} is {value!r}; a name would work")
    word = str(value).strip()
    check_name(name, word)
    return word


def _time(value: Any, now: float) -> float:
    """Seconds since 1970, or a date; now if it was not said."""
    if value is None or value == "":
        return now
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = _seconds_of_date(value)
    if not EARLIEST <= seconds <= LATEST:
        raise UsageError(
            f"{value!r} is not a time since 2000; 2026-11-01T09:30 or seconds since 1970 would work"
        )
    return seconds


def _seconds_of_date(value: Any) -> float:
    try:
        stamp = datetime.fromisoformat(str(value))
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{value!r} is not a time; 2026-11-01T09:30 or seconds since 1970 would work"
        ) from None

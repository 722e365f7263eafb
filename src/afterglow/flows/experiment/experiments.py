"""experiment: plan a comparison, assign units, record what came of them, and read what it says.

Sessions are recorded by themselves: whoever asks for a status or an analysis has those that ended since taken from the
ledger and the catalogue. After a day they are kept as they are, also when their transcript is gone tomorrow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UsageError
from afterglow.experiment.assign import arm_of, check_name, stratum_of
from afterglow.experiment.outcomes import OUTCOMES, check_measurable
from afterglow.experiment.plan import changed, make_plan, plan_hash, plan_text
from afterglow.experiment.recording import Row, csv_rows, jsonl_rows, trials_of
from afterglow.experiment.rows import assignment_rows, lines, trial_rows
from afterglow.flows.experiment.trials import check_outcomes, gather
from afterglow.flows.redactor import redactor_of
from afterglow.records.experiment import Analysis, Assignment, OutcomeSpec, Plan, Trial
from afterglow.store.experiments import Experiments, Record

SETTLED = (
    86400.0  # seconds after its start that a session may still go on and be read again
)


class Written(Struct, frozen=True):
    """A plan with its hash; whether it is new, and what it says differently from the version before."""

    plan: Plan
    hash: str
    new: bool
    changed: tuple[str, ...] = ()


class Listed(Struct, frozen=True):
    plan: Plan
    hash: str
    assigned: int
    recorded: int


class Recorded(Struct, frozen=True):
    """How many were kept now, and how many assigned units nothing is known of yet."""

    kept: int
    waiting: int


class Data(Struct, frozen=True):
    """Everything an experiment has: what was assigned, what holds of it, and all that was ever recorded."""

    plan: Plan
    hash: str
    assignments: tuple[Assignment, ...]
    trials: tuple[Trial, ...]
    records: tuple[Record, ...]


# Before the data


def new(
    config: Config, name: str, *, now: float | None = None, **choices: Any
) -> Written:
    """Writes a plan. The same again changes nothing; another one is the next version while there is no data. `choices`
    are those of `make_plan`. The words of people are redacted."""
    for words in ("hypothesis", "notes"):
        if choices.get(words):
            choices[words] = redactor_of(config).redact(choices[words]).text
    plan = make_plan(name, created=_now(now), salt=token_hex(16), **choices)
    _screen(config, [name, *plan.arms])
    if plan.unit == "session" and not plan.simulated:
        check_outcomes(config, plan.outcomes)
    with Experiments(config.experiments) as kept:
        if name not in {one.name for one in kept.plans()}:
            return _write(kept, plan)
        last, hash = _plan(kept, name)
        differs = tuple(changed(last, plan))
        return (
            _write(kept, replace(plan, version=last.version + 1), differs)
            if differs
            else Written(last, hash, False)
        )


def _write(kept: Experiments, plan: Plan, differs: tuple[str, ...] = ()) -> Written:
    kept.add_plan(plan, plan_hash(plan))
    return Written(plan, plan_hash(plan), True, differs)


def show(config: Config, name: str, version: int | None = None) -> tuple[Plan, str]:
    """A plan and its hash."""
    with _open(config) as kept:
        return _plan(kept, name, version)


def list_experiments(config: Config) -> list[Listed]:
    if not config.experiments.exists():
        return []
    with Experiments(config.experiments) as kept:
        return [
            Listed(plan, plan_hash(plan), *kept.counts(plan.name))
            for plan in kept.plans()
        ]


# The data


def assign(
    config: Config,
    name: str,
    unit: str,
    *,
    repo: str = "",
    agent: str = "",
    task: str = "",
    now: float | None = None,
) -> tuple[Assignment, ...]:
    """Gives a unit its arm, the same one whenever it is asked; a task of a paired plan every arm, in their order."""
    unit, task = unit.strip(), task.strip()
    if not unit:
        raise UsageError("a unit has a name")
    for what, word in (
        ("unit", unit),
        ("repo", repo),
        ("agent", agent),
        ("task", task),
    ):
        check_name(what, word)
    with _open(config) as kept:
        plan, _ = _plan(kept, name)
        if plan.every_arm and task not in ("", unit):
            raise UsageError(
                f"the unit of {name} is the task itself: `afterglow experiment assign {name} {task}`"
            )
        if plan.design == "paired" and not plan.every_arm and not task:
            raise UsageError(f"{name} is paired by task: say which one with --task")
        _screen(config, [unit, repo, agent, task])
        stratum = stratum_of(
            plan, repo=repo, agent=agent, task=unit if plan.every_arm else task
        )
        return kept.assign(
            Assignment(experiment=name, unit=unit, arm="", time=_now(now), stratum=stratum), arm_of
        )  # fmt: skip


def record(
    config: Config,
    name: str,
    row: Mapping[str, Any] | None = None,
    *,
    file: Path | None = None,
    why: str = "",
    now: float | None = None,
) -> Recorded:
    """Keeps what came of one unit (`row`), of those in a file of CSV or JSON lines, or, with neither, of all assigned
    sessions that ended since. All of it or nothing. `why` corrects earlier records."""
    with _open(config) as kept:
        plan, _ = _plan(kept, name)
        assignments = kept.assignments(name)
        if row is None and file is None:
            before = len(kept.trials(name))
            data = _data(config, kept, name, now)
            return Recorded(
                len(kept.trials(name)) - before, _waiting(data.trials, assignments)
            )
        rows: Iterable[Row] = _rows(file) if file else [("", dict(row or {}))]
        trials = trials_of(plan, rows, assignments, known=OUTCOMES, now=_now(now))
        if not trials:
            raise UsageError(f"{file} has no rows")
        names = [
            (one.unit, one.stratum, one.cluster, one.pair, one.session, *one.before)
            for one in trials
        ]
        _screen(config, [name for some in names for name in some])
        why = redactor_of(config).redact(why.strip()).text if why.strip() else ""
        number = kept.record(trials, kept=_now(now), why=why)
        return Recorded(number, _waiting(kept.trials(name), assignments))


def gathered(config: Config, name: str, *, now: float | None = None) -> Data:
    """All there is of an experiment, after the sessions that ended since were recorded."""
    with _open(config) as kept:
        return _data(config, kept, name, now)


# What it says


def analyse(config: Config, name: str, *, now: float | None = None) -> Analysis:
    """What an experiment says now; it may be asked at any time."""
    from afterglow.experiment import analysis

    data = gathered(config, name, now=now)
    check_measurable(
        [data.plan.primary], [one.outcomes for one in data.trials if not one.excluded]
    )
    return analysis.analyse(
        data.plan, data.trials, data.assignments, now=_now(now), simulated=data.plan.simulated
    )  # fmt: skip


def report(
    config: Config, name: str, *, now: float | None = None
) -> tuple[Analysis, Mapping[str, OutcomeSpec]]:
    """The analysis and the definitions of its outcomes: what reports are made of."""
    found = analyse(config, name, now=now)
    return found, {name: OUTCOMES[name] for name in found.plan.outcomes}


def export(
    config: Config, name: str, format: str = "csv", *, now: float | None = None
) -> dict[str, str]:
    """Everything there is, as files by name: the plan as it was hashed, the rows that hold, all that was ever recorded,
    the assignments, and the hashes an analysis would have now."""
    from afterglow.experiment.analysis.rows import data_hash

    data = gathered(config, name, now=now)
    hashes = {
        "plan": data.hash,
        "data": data_hash(data.trials, data.assignments),
        "time": _now(now),
    }
    return {
        f"trials.{format}": trial_rows(data.plan, data.trials, format),
        f"assignments.{format}": assignment_rows(data.assignments, format),
        "records.jsonl": lines(data.records),
        "plan.json": plan_text(data.plan).decode(),
        "hashes.json": lines([hashes]),
    }


# Inside


def _open(config: Config) -> Experiments:
    if not config.experiments.exists():
        raise NotFound(
            "there is no experiment yet; `afterglow experiment new NAME --arms cold,warm` plans one"
        )
    return Experiments(config.experiments)


def _plan(kept: Experiments, name: str, version: int | None = None) -> tuple[Plan, str]:
    plan, hash = kept.kept_plan(name, version)
    if plan_hash(plan) != hash:
        raise StoreError(
            f"the plan of {name} is not the one that was written: its hash is {plan_hash(plan)[:12]}, not {hash[:12]}; "
            f"a newer afterglow may have written it, else put a copy of {kept.path} back"
        )
    return plan, hash


def _data(config: Config, kept: Experiments, name: str, now: float | None) -> Data:
    plan, hash = _plan(kept, name)
    assignments, trials = kept.assignments(name), kept.trials(name)
    known = {(one.unit, one.arm) for one in trials}
    unknown = [one for one in assignments if (one.unit, one.arm) not in known]
    if unknown and (plan.unit == "session" or any(one.delivery for one in unknown)):
        found = [
            one for one in gather(config, plan, unknown, now=_now(now)) if one.session
        ]
        over = [
            one
            for one in found
            if one.excluded != "active" and one.time < _now(now) - SETTLED
        ]
        kept.record(over, kept=_now(now), skip_known=True)
        trials = [*kept.trials(name), *(one for one in found if one not in over)]
    return Data(
        plan, hash, tuple(assignments), tuple(trials), tuple(kept.records(name))
    )


def _rows(file: Path) -> list[Row]:
    readers = {".csv": csv_rows, ".jsonl": jsonl_rows, ".ndjson": jsonl_rows}
    if file.suffix.lower() not in readers:
        raise UsageError(f"{file.name}: rows come as .csv or .jsonl")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound(f"no file {file}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    return readers[file.suffix.lower()](text)


def _waiting(trials: Iterable[Trial], assignments: Iterable[Assignment]) -> int:
    known = {(one.unit, one.arm) for one in trials}
    return sum((one.unit, one.arm) not in known for one in assignments)


def _screen(config: Config, names: Iterable[str]) -> None:
    """Names are kept as they are and exported, so no secret may stand in one."""
    some = sorted({name for name in names if name})
    for found in redactor_of(config).redact_many(some) if some else ():
        if found.counts:
            what = ", ".join(found.counts)
            raise UsageError(
                f"a name holds what must not be kept ({what}): {found.text}; use another one"
            )


def _now(now: float | None) -> float:
    return time.time() if now is None else now

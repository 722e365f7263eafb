"""experiment: plan a comparison, assign units, record what came of them, and read what it says.

Sessions are recorded by themselves: whoever asks for a status or an analysis has those that ended since taken from the
ledger and the catalogue. After a day they are kept as they are, also when their transcript is gone tomorrow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import Any

from msgspec import Struct, field
from msgspec.structs import astuple, replace

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

# How long after its start a session may still go on and be read again: a working day
# and the night after it.
SETTLED_SECONDS = 86400.0


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

    recorded: int = field(name="kept")
    waiting: int


class Collected(Struct, frozen=True):
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
    with Experiments(config.experiments) as store:
        if name not in {earlier.name for earlier in store.plans()}:
            return _write(store, plan)
        last, hash = _plan(store, name)
        differs = tuple(changed(last, plan))
        if not differs:
            return Written(last, hash, False)
        return _write(store, replace(plan, version=last.version + 1), differs)


def _write(store: Experiments, plan: Plan, differs: tuple[str, ...] = ()) -> Written:
    store.add_plan(plan, plan_hash(plan))
    return Written(plan, plan_hash(plan), True, differs)


def show(config: Config, name: str, version: int | None = None) -> tuple[Plan, str]:
    """A plan and its hash."""
    with _open(config) as store:
        return _plan(store, name, version)


def list_experiments(config: Config) -> list[Listed]:
    if not config.experiments.exists():
        return []
    with Experiments(config.experiments) as store:
        return [
            Listed(plan, plan_hash(plan), *store.counts(plan.name))
            for plan in store.plans()
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
    named = {"unit": unit, "repo": repo, "agent": agent, "task": task}
    for what, word in named.items():
        check_name(what, word)
    with _open(config) as store:
        plan, _ = _plan(store, name)
        _check_task(plan, unit, task)
        _screen(config, named.values())
        stratum = stratum_of(
            plan, repo=repo, agent=agent, task=unit if plan.every_arm else task
        )
        request = Assignment(
            experiment=name, unit=unit, arm="", time=_now(now), stratum=stratum
        )
        return store.assign(request, arm_of)


def _check_task(plan: Plan, unit: str, task: str) -> None:
    if plan.every_arm and task not in ("", unit):
        raise UsageError(
            f"the unit of {plan.name} is the task itself: `afterglow experiment assign {plan.name} {task}`"
        )
    if plan.design == "paired" and not plan.every_arm and not task:
        raise UsageError(f"{plan.name} is paired by task: say which one with --task")


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
    with _open(config) as store:
        plan, _ = _plan(store, name)
        assignments = store.assignments(name)
        if row is None and file is None:
            before = len(store.trials(name))
            collected = _collect(config, store, name, now)
            recorded = len(store.trials(name)) - before
            return Recorded(recorded, _waiting(collected.trials, assignments))
        rows: Iterable[Row] = _rows(file) if file else [("", dict(row or {}))]
        trials = trials_of(plan, rows, assignments, specs=OUTCOMES, now=_now(now))
        if not trials:
            raise UsageError(f"{file} has no rows")
        _screen(config, chain.from_iterable(map(_names, trials)))
        why = redactor_of(config).redact(why.strip()).text if why.strip() else ""
        recorded = store.record(trials, kept=_now(now), why=why)
        return Recorded(recorded, _waiting(store.trials(name), assignments))


def _names(trial: Trial) -> tuple[str, ...]:
    """What a trial says in words of a person's own."""
    place = (trial.unit, trial.stratum, trial.cluster, trial.pair, trial.session)
    conditions = [text for text in astuple(trial.conditions) if isinstance(text, str)]
    return (*place, *trial.before, *conditions)


def gathered(
    config: Config, name: str, *, keep: bool = True, now: float | None = None
) -> Collected:
    """All there is of an experiment, with the sessions that ended since; they are recorded, unless this is only to look
    (not `keep`)."""
    with _open(config) as store:
        return _collect(config, store, name, now, keep=keep)


# What it says


def analyse(
    config: Config, name: str, *, keep: bool = True, now: float | None = None
) -> Analysis:
    """What an experiment says now; it may be asked at any time."""
    return analysis_of(gathered(config, name, keep=keep, now=now), now=_now(now))


def analysis_of(collected: Collected, *, now: float) -> Analysis:
    from afterglow.experiment import analysis

    check_measurable(
        [collected.plan.primary],
        [trial.outcomes for trial in collected.trials if not trial.excluded],
    )
    return analysis.analyse(
        collected.plan,
        collected.trials,
        collected.assignments,
        now=now,
        simulated=collected.plan.simulated,
    )


def report(
    config: Config, name: str, *, keep: bool = True, now: float | None = None
) -> tuple[Analysis, Mapping[str, OutcomeSpec]]:
    """The analysis and the definitions of its outcomes: what reports are made of."""
    analysis = analyse(config, name, keep=keep, now=now)
    return analysis, {name: OUTCOMES[name] for name in analysis.plan.outcomes}


def export(
    config: Config, name: str, format: str = "csv", *, now: float | None = None
) -> dict[str, str]:
    """Everything there is, as files by name: the plan as it was hashed, the rows that hold, all that was ever recorded,
    the assignments, and the hashes an analysis would have now."""
    from afterglow.experiment.analysis.rows import data_hash

    collected = gathered(config, name, now=now)
    hashes = {
        "plan": collected.hash,
        "data": data_hash(collected.trials, collected.assignments),
        "time": _now(now),
    }
    return {
        f"trials.{format}": trial_rows(collected.plan, collected.trials, format),
        f"assignments.{format}": assignment_rows(collected.assignments, format),
        "records.jsonl": lines(collected.records),
        "plan.json": plan_text(collected.plan).decode(),
        "hashes.json": lines([hashes]),
    }


# Inside


def _open(config: Config) -> Experiments:
    if not config.experiments.exists():
        raise NotFound(
            "there is no experiment yet; `afterglow experiment new NAME --arms cold,warm` plans one"
        )
    return Experiments(config.experiments)


def _plan(
    store: Experiments, name: str, version: int | None = None
) -> tuple[Plan, str]:
    plan, hash = store.kept_plan(name, version)
    if plan_hash(plan) != hash:
        raise StoreError(
            f"the plan of {name} is not the one that was written: its hash is {plan_hash(plan)[:12]}, not {hash[:12]}; "
            f"a newer afterglow may have written it, else put a copy of {store.place} back"
        )
    return plan, hash


def _collect(
    config: Config,
    store: Experiments,
    name: str,
    now: float | None,
    *,
    keep: bool = True,
) -> Collected:
    plan, hash = _plan(store, name)
    assignments, trials = store.assignments(name), store.trials(name)
    waiting = _without_trial(trials, assignments)
    by_delivery = any(assignment.delivery for assignment in waiting)
    is_read_here = plan.unit == "session" or by_delivery
    # At a hub the machines that have the sessions say what came of them.
    if waiting and is_read_here and config.hub is None:
        settled, passing = _ended_sessions(config, plan, waiting, _now(now))
        if keep:
            store.record(settled, kept=_now(now), skip_known=True)
            settled = []
        trials = [*store.trials(name), *settled, *passing]
    return Collected(
        plan, hash, tuple(assignments), tuple(trials), tuple(store.records(name))
    )


def _ended_sessions(
    config: Config, plan: Plan, assignments: Sequence[Assignment], now: float
) -> tuple[list[Trial], list[Trial]]:
    """What came of sessions that are over for good, and what holds of the rest only now."""
    settled: list[Trial] = []
    passing: list[Trial] = []
    for trial in gather(config, plan, assignments, now=now):
        if not trial.session:
            continue
        is_over = trial.excluded != "active" and trial.time < now - SETTLED_SECONDS
        (settled if is_over else passing).append(trial)
    return settled, passing


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
    return len(_without_trial(trials, assignments))


def _without_trial(
    trials: Iterable[Trial], assignments: Iterable[Assignment]
) -> list[Assignment]:
    """The assignments nothing is known of yet."""
    recorded = {(trial.unit, trial.arm) for trial in trials}
    return [
        assignment
        for assignment in assignments
        if (assignment.unit, assignment.arm) not in recorded
    ]


def _screen(config: Config, names: Iterable[str]) -> None:
    """Names are kept as they are and exported, so no secret may stand in one."""
    texts = sorted({name for name in names if name})
    for redacted in redactor_of(config).redact_many(texts) if texts else ():
        if redacted.counts:
            what = ", ".join(redacted.counts)
            raise UsageError(
                f"a name holds what must not be kept ({what}): {redacted.text}; use another one"
            )


def _now(now: float | None) -> float:
    return time.time() if now is None else now

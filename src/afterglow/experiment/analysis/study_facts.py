"""What a study was made of, as far as it is recorded: when, by which agents and models, on which tasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afterglow.experiment.analysis.rows import value_of
from afterglow.records.experiment import (
    ArmTold,
    Assignment,
    Plan,
    RepoCount,
    StudyTimes,
    TaskEntry,
    Trial,
    WorkerCount,
)


def study_times(
    plan: Plan, trials: Sequence[Trial], assignments: Sequence[Assignment]
) -> StudyTimes:
    """A time of 0 stands for none: whoever has no clock says so."""
    dated = _dated(trial.time for trial in trials)
    drawn = _dated(assignment.time for assignment in assignments)
    return StudyTimes(
        planned=plan.created or None,
        assigned=min(drawn, default=None),
        first=min(dated, default=None),
        last=max(dated, default=None),
    )


def _dated(times: Iterable[float]) -> list[float]:
    return [time for time in times if time > 0]


def workers(plan: Plan, live: Sequence[Trial]) -> Iterator[WorkerCount]:
    """Agents with their models, those with most trials first. Nothing where nothing is recorded."""
    counts: dict[tuple[str, str, str, str], Counter[str]] = defaultdict(Counter)
    for trial in live:
        run = trial.conditions
        worker = run.agent, run.agent_version, run.model, run.afterglow_version
        counts[worker][trial.arm] += 1
    if not any(any(worker) for worker in counts):
        return
    by_size = sorted(counts.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    for (agent, agent_version, model, afterglow_version), trials in by_size:
        yield WorkerCount(
            agent=agent,
            agent_version=agent_version,
            model=model,
            afterglow_version=afterglow_version,
            trials={arm: trials[arm] for arm in plan.arms},
        )


def told_by_arm(plan: Plan, live: Sequence[Trial]) -> Iterator[ArmTold]:
    """Arms of whose trials it is known, in the order of the plan."""
    for arm in plan.arms:
        runs = [trial.conditions for trial in live if trial.arm == arm]
        known_runs = [run for run in runs if run.deliveries is not None]
        if known_runs:
            tokens = sum(run.delivered_tokens or 0 for run in known_runs)
            yield ArmTold(
                arm=arm,
                trials=len(known_runs),
                told_trials=sum(bool(run.deliveries) for run in known_runs),
                tokens=tokens / len(known_runs),
            )


def tasks(plan: Plan, live: Sequence[Trial]) -> Iterator[TaskEntry]:
    """By repository, family and name; none where the unit is a session."""
    if plan.unit != "task":
        return
    trials_of: dict[str, list[Trial]] = defaultdict(list)
    for trial in live:
        trials_of[trial.unit].append(trial)
    entries = [_task(plan, name, trials) for name, trials in trials_of.items()]
    yield from sorted(entries, key=lambda task: (task.repo, task.family, task.name))


def _task(plan: Plan, name: str, trials: Sequence[Trial]) -> TaskEntry:
    run = trials[0].conditions
    values: dict[str, list[float]] = defaultdict(list)
    for trial in trials:
        value = value_of(trial, plan.primary)
        if value is not None:
            values[trial.arm].append(value)
    return TaskEntry(
        name=name,
        family=_family(trials[0]),
        repo=run.repo,
        source=run.source,
        task_hash=run.task_hash,
        values={
            arm: sum(values[arm]) / len(values[arm])
            for arm in plan.arms
            if arm in values
        },
    )


def _family(trial: Trial) -> str:
    """What a cluster is beside its repository."""
    return "" if trial.cluster == trial.conditions.repo else trial.cluster


def repos(plan: Plan, live: Sequence[Trial]) -> Iterator[RepoCount]:
    """Those with most units first. Nothing where none is recorded."""
    units: dict[str, set[str]] = defaultdict(set)
    families: dict[str, set[str]] = defaultdict(set)
    for trial in live:
        repo = trial.conditions.repo
        units[repo].add(trial.unit)
        if _family(trial):
            families[repo].add(_family(trial))
    if not any(units):
        return
    for repo in sorted(units, key=lambda repo: (-len(units[repo]), repo)):
        yield RepoCount(repo=repo, units=len(units[repo]), families=len(families[repo]))

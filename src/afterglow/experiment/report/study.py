"""What a study was made of, as far as it is recorded: when it was planned and run, by which agents and models, on which
tasks. What is not recorded is said to be so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.experiment.report.arm_words import arm_words
from afterglow.experiment.report.view import View
from afterglow.records.experiment import TaskEntry, WorkerCount
from afterglow.show.blocks import Block, Grid, Heading, Num, Para, Words, listed, say
from afterglow.text.clip import printable
from afterglow.text.numbers import NONE, count, duration, moment, number

NOT_RECORDED = "not recorded"
LATER_DAYS = 2 * 86400.0  # seconds from which a stretch of time is told in days


def timeline(view: View) -> Words:
    """When the plan was written and when the data came, each with its time, or that it is not known."""
    times = view.analysis.times
    if times.planned is None:
        return say(
            "When the plan was written is not recorded, so it cannot be shown that it came before the data. ",
            _dated(view),
        )
    written = say(
        "The plan was written on ", Num(moment(times.planned), "times.planned")
    )
    begun = [time for time in (times.assigned, times.first) if time is not None]
    if not begun:
        return say(
            written,
            f". When the {view.unit}s were run is not recorded, so it cannot be shown that the plan came first.",
        )
    return say(written, _after_plan(view, min(begun) - times.planned), _dated(view))


def _after_plan(view: View, seconds: float) -> Words:
    """How long after the plan the first unit was assigned or run; or that it was before."""
    field = "assigned" if view.analysis.times.assigned is not None else "first"
    if seconds < 0:
        return say(
            ", ",
            Num(_stretch(-seconds), "times.first"),
            f" after the first {view.unit} began: it may have been made to fit what was known by then. ",
        )
    later = Num(_stretch(seconds), f"times.{field}")
    if field == "assigned":
        return say(", ", later, f" before the first {view.unit} was given its arm. ")
    return say(
        ", ",
        later,
        f" before the first {view.unit} by the times that their records give; nobody here gave out the arms. ",
    )


def _dated(view: View) -> Words:
    times = view.analysis.times
    if times.first is None or times.last is None:
        return say(f"When the {view.unit}s were run is not recorded.")
    return say(
        f"The {view.unit}s are dated from ",
        Num(moment(times.first), "times.first"),
        " to ",
        Num(moment(times.last), "times.last"),
        ".",
    )


def _stretch(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    if seconds < LATER_DAYS:
        return duration(seconds)
    return count(round(seconds / 86400), "day")


# Agents and models


def in_short(view: View) -> Words:
    """Who worked on how much, in a sentence for an abstract."""
    workers, entries = view.analysis.workers, view.analysis.tasks
    by_whom = f"by agents and models that are {NOT_RECORDED}"
    if len(workers) == 1:
        by_whom = f"by {_worker(workers[0])}"
    elif workers:
        by_whom = f"by {count(len(workers), 'agent with its model', 'agents with their models')}"
    if not entries:
        return say(f"The {view.unit}s were made {by_whom}.")
    return say(Num(_task_words(view), "tasks"), f" were worked on {by_whom}.")


def told_and_run(view: View) -> Iterator[Block]:
    """What was told to whom, and on which work: the conditions that a reader needs to do it again."""
    yield Heading("What the arms were told", 3)
    yield from arm_words(view)
    yield Heading("Agents and models", 3)
    yield from agents(view)
    yield Heading(f"{view.plan.unit.capitalize()}s", 3)
    yield from tasks(view)


def agents(view: View) -> Iterator[Block]:
    workers = view.analysis.workers
    if not workers:
        yield Para(say(f"Which agents and models worked is {NOT_RECORDED}."))
        return
    if len(workers) == 1:
        trials = Num(number(sum(workers[0].trials.values())), "workers[0].trials")
        yield Para(
            say("All ", trials, f" {view.unit}s were made by {_worker(workers[0])}.")
        )
        return
    yield Grid(
        f"Who worked: {view.unit}s by agent, model and arm",
        ("agent", "model", "afterglow", *map(printable, view.plan.arms)),
        "ll" + "L" + "r" * len(view.plan.arms),
        tuple(
            (
                say(_named(worker.agent, worker.agent_version)),
                say(printable(worker.model) or NOT_RECORDED),
                say(printable(worker.afterglow_version) or NONE),
                *(
                    say(
                        Num(
                            number(worker.trials.get(arm, 0)),
                            f"workers[{at}].trials.{arm}",
                        )
                    )
                    for arm in view.plan.arms
                ),
            )
            for at, worker in enumerate(workers)
        ),
    )


def _worker(worker: WorkerCount) -> str:
    model = f"the model {printable(worker.model)}"
    if not worker.model:
        model = f"a model that is {NOT_RECORDED}"
    version = printable(worker.afterglow_version)
    told_by = f", with afterglow {version}" if version else ""
    return f"{_named(worker.agent, worker.agent_version)} and {model}{told_by}"


def _named(agent: str, version: str) -> str:
    if not agent:
        return f"an agent that is {NOT_RECORDED}"
    if agent == "command":
        return "a command of the author's own"
    return printable(f"{agent} {version}".strip())


# Tasks


def tasks(view: View) -> Iterator[Block]:
    """How many, of what, and where they come from; sessions by repository."""
    if view.plan.unit == "task":
        yield Para(say(_task_count(view), " ", _sources(view)))
    repos = view.analysis.repos
    unit = view.plan.unit
    if not repos:
        yield Para(say(f"Of which repositories the {unit}s are is {NOT_RECORDED}."))
        return
    yield Grid(
        f"{unit.capitalize()}s by repository",
        ("repository", f"{unit}s", "families"),
        "lrr",
        tuple(
            (
                say(printable(repo.repo) or NOT_RECORDED),
                say(Num(number(repo.units), f"repos[{at}].units")),
                say(Num(number(repo.families), f"repos[{at}].families"))
                if repo.families
                else say(NONE),
            )
            for at, repo in enumerate(repos)
        ),
    )


def _task_words(view: View) -> str:
    """`12 tasks of 3 families`."""
    entries = view.analysis.tasks
    families = {entry.family for entry in entries if entry.family}
    alone = sum(not entry.family for entry in entries)
    words = count(len(entries), "task")
    if families:
        words += f" of {count(len(families), 'family', 'families')}"
    if families and alone:
        words += f" ({number(alone)} of none)"
    return words


def _task_count(view: View) -> Words:
    likeness = "Tasks of a family are taken to be alike."
    if not any(entry.family for entry in view.analysis.tasks):
        likeness = (
            "No families were named, so tasks are taken for independent of each other."
        )
    return say(
        Num(_task_words(view), "tasks"),
        f", each with its name and what came of it in a table at the end. {likeness}",
    )


def _sources(view: View) -> Words:
    """In the words of whoever wrote the tasks."""
    sources = Counter(entry.source for entry in view.analysis.tasks)
    unknown = sources.pop("", 0)
    parts = [
        say(f"{printable(source)} ({count(many, 'task')})")
        for source, many in sorted(sources.items())
    ]
    if unknown and not parts:
        return say(f"Where they come from is {NOT_RECORDED}.")
    if unknown:
        parts.append(say(f"{NOT_RECORDED} ({count(unknown, 'task')})"))
    return say("Where they come from: ", listed(parts), ".")


def task_table(view: View) -> Iterator[Block]:
    """Every task with the primary outcome in each arm: the data themselves."""
    entries = view.analysis.tasks
    if not entries:
        return
    arms = [
        arm for arm in view.plan.arms if any(arm in task.values for task in entries)
    ]
    yield Para(
        say(
            f"{view.label(view.plan.primary)} in each arm; a dash: there is no record. The hash is of all files of the "
            "task, its check included."
        ),
        "mute",
    )
    yield Grid(
        "Every task",
        ("task", "repository", "hash", *map(printable, arms)),
        "lLL" + "r" * len(arms),
        tuple(_task_row(view, task, arms) for task in entries),
    )


def _task_row(view: View, task: TaskEntry, arms: list[str]) -> tuple[Words, ...]:
    name = printable(task.name)
    family = f" ({printable(task.family)})" if task.family else ""
    return (
        say(f"{name}{family}"),
        say(printable(task.repo) or NONE),
        say(printable(task.task_hash) or NONE),
        *(say(_value(view, task.values.get(arm))) for arm in arms),
    )


def _value(view: View, value: float | None) -> str:
    if value is None:
        return NONE
    spec = view.specs.get(view.plan.primary)
    if spec and spec.scale == "yes-no" and value in (0, 1):
        return "yes" if value else "no"
    return view.measure(view.plan.primary).level(value)

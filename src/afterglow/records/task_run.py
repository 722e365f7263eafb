"""Tasks that an agent works on in every arm of an experiment, and what came of running them."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

# The exit code of an agent whose model did not answer; sysexits.h calls it a temporary failure.
NO_ANSWER = 75
DEFAULT_MINUTES = 15.0  # for one run: longer than a task of an afternoon's study takes


class Task(Struct, frozen=True, kw_only=True):
    """A folder with a request, a check and perhaps a project. `family` is what tasks share that makes them alike; `repo`
    names the repository that its project stands for, by which lessons are chosen; `source` says in its author's words
    where the task comes from. A run ends after `minutes`, and after `calls`, where its agent can be told so (0: as many
    as the agent likes)."""

    name: str
    folder: Path
    request: str
    family: str = ""
    repo: str = ""
    source: str = ""
    minutes: float = DEFAULT_MINUTES
    calls: int = 0


class RunLimits(Struct, frozen=True, kw_only=True):
    """The most that runs may take together; None is no limit. Tokens and cost count over the whole experiment, minutes
    and runs from now on."""

    minutes: float | None = None
    runs: int | None = None
    tokens: float | None = None
    cost: float | None = None


class TaskRun(Struct, frozen=True, kw_only=True):
    """One task in one arm, begun at `time`. `exit_code` is the agent's own, None where its time was up; `model` is the one
    its transcript names, else the one that was asked for; `deliveries` is how often it was told something,
    `delivered_tokens` how much; `trouble` is what kept a run from counting."""

    task: str
    arm: str
    success: bool
    seconds: float
    exit_code: int | None = None
    outcomes: dict[str, float | None] = {}
    time: float = 0.0
    model: str = ""
    deliveries: int = 0
    delivered_tokens: int = 0
    trouble: str = ""


class TaskRunReport(Struct, frozen=True, kw_only=True):
    """What `experiment run` did. `remaining` runs of `planned` are still to come; `stopped` says why, if so."""

    experiment: str
    planned: int
    runs: tuple[TaskRun, ...]
    remaining: int
    stopped: str = ""

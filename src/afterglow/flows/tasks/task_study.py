"""experiment run: every task in every arm, in random order, each in a room of its own; what came of it is recorded.

A run counts when its check was asked and its trial is recorded; whatever stops the study before that, the run is made
again from its start when the study goes on. All arms start from what was known when the study began.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from msgspec import structs

from afterglow import __version__
from afterglow.config import Config
from afterglow.errors import AfterglowError, Unsupported, UsageError
from afterglow.experiment.moments import ARMS, is_arm, lesson_arms, tells_templates
from afterglow.experiment.outcomes import Case, measure
from afterglow.flows.experiment import (
    assign,
    check_templates,
    gathered,
    record,
    show,
)
from afterglow.flows.tasks.agent_programs import AgentProgram, Endpoint, agent_program
from afterglow.flows.tasks.agent_version import agent_version
from afterglow.flows.tasks.enclosure import Enclosure, OpenRoom
from afterglow.flows.tasks.run_room import (
    RunRoom,
    folder_name,
    has_begun,
    snapshot,
)
from afterglow.flows.tasks.task_folders import CHECK, hash_of, read_tasks
from afterglow.records.catalog import Entry
from afterglow.records.delivery import Delivery
from afterglow.records.experiment import Plan, RunConditions, Trial
from afterglow.records.task_run import (
    NO_ANSWER,
    RunLimits,
    Task,
    TaskRun,
    TaskRunReport,
)
from afterglow.store.catalog import Catalog
from afterglow.store.ledger import Ledger

CHECK_SECONDS, CONNECT_SECONDS = 120.0, 120.0
SUCCESS, SECONDS = "success", "seconds"  # measured by the runner itself
NO_LIMITS = RunLimits()
ROOM_CHARACTERS = 12  # of a room's name while an agent is in it

Progress = Callable[[TaskRun, int, int], None]


def run_tasks(
    config: Config,
    experiment: str,
    tasks_folder: Path,
    *,
    agent: str,
    command: str = "",
    endpoint: Endpoint | None = None,
    path: str = os.defpath,
    limits: RunLimits = NO_LIMITS,
    sandbox: bool = True,
    keep_rooms: bool = False,
    progress: Progress = lambda run, number, total: None,
) -> TaskRunReport:
    """Goes on where an earlier call stopped. Programs are looked for on `path`. With `keep_rooms` the folders of runs
    stay, with all they hold."""
    plan, _ = show(config, experiment)
    program = agent_program(agent, command)
    _check_plan(plan, program)
    tasks = {task.name: task for task in read_tasks(tasks_folder)}
    folder = config.home / "runs" / experiment
    folder.mkdir(parents=True, exist_ok=True)
    if tells_templates(plan.arms) and not has_begun(folder):
        check_templates(config)
    room: OpenRoom = Enclosure(folder, program.places(path)) if sandbox else OpenRoom()
    study = _Study(config, plan, program, endpoint or Endpoint(), folder, room, path)
    waiting = list(_waiting(config, plan, tasks))
    started = time.monotonic()
    runs: list[TaskRun] = []
    stopped = ""
    for task, arm in waiting:
        stopped = _reached(config, experiment, limits, started, len(runs))
        if stopped:
            break
        run = study.run(tasks[task], arm, keep_rooms)
        runs.append(run)
        progress(run, len(runs), len(waiting))
    return TaskRunReport(
        experiment=experiment,
        planned=_planned(plan, tasks),
        runs=tuple(runs),
        remaining=len(waiting) - sum(not run.trouble for run in runs),
        stopped=stopped,
    )


def _check_plan(plan: Plan, program: AgentProgram) -> None:
    """Raises `UsageError` where this agent cannot be given the arms of this plan."""
    if plan.unit != "task":
        raise UsageError(
            f"{plan.name} is about sessions; a plan of tasks would work: experiment new NAME --unit task"
        )
    odd = [arm for arm in plan.arms if not is_arm(arm)]
    if odd:
        raise UsageError(
            f"the arm {odd[0]!r} of {plan.name} is nothing a session can be given; there are {', '.join(ARMS)}"
        )
    late = lesson_arms(plan.arms, "failure")
    if late and not program.hears_of_failures:
        raise UsageError(
            f"--agent {program.name} is told at its start only, and {late[0]!r} is told after failures; "
            "another agent, or a plan without that arm, would work"
        )


def _waiting(
    config: Config, plan: Plan, tasks: Mapping[str, Task]
) -> Iterator[tuple[str, str]]:
    """Runs that have no trial yet, in an order that only the plan's salt knows."""
    for task in tasks.values():
        assign(config, plan.name, task.name, repo=task.repo)
    collected = gathered(config, plan.name, keep=False)
    recorded = {(trial.unit, trial.arm) for trial in collected.trials}
    assigned = {
        (assignment.unit, assignment.arm)
        for assignment in collected.assignments
        if assignment.unit in tasks
    }
    yield from sorted(assigned - recorded, key=lambda pair: _draw(plan.salt, *pair))


def _draw(salt: str, task: str, arm: str) -> bytes:
    return blake2b(f"{salt}\0{task}\0{arm}".encode(), digest_size=16).digest()


def _planned(plan: Plan, tasks: Mapping[str, Task]) -> int:
    return len(tasks) * (len(plan.arms) if plan.every_arm else 1)


def _reached(
    config: Config, experiment: str, limits: RunLimits, started: float, runs: int
) -> str:
    """Which limit is reached, in words; empty while there is room for another run."""
    if limits.runs is not None and runs >= limits.runs:
        return f"{limits.runs} runs were asked for"
    minutes = (time.monotonic() - started) / 60
    if limits.minutes is not None and minutes >= limits.minutes:
        return f"{limits.minutes:g} minutes are over"
    if limits.tokens is None and limits.cost is None:
        return ""
    trials = gathered(config, experiment, keep=False).trials
    for name, most in (("tokens", limits.tokens), ("cost", limits.cost)):
        if most is not None and _total(trials, name) >= most:
            return f"the limit of {most:g} ({name}) is reached"
    return ""


def _total(trials: Sequence[Trial], outcome: str) -> float:
    """What runs took. Of those whose agent did not say, nothing is known, so it counts from the others' mean."""
    values = [trial.outcomes.get(outcome) for trial in trials]
    stated = [value for value in values if value is not None]
    return sum(stated) / len(stated) * len(values) if stated else 0.0


class _Study:
    """What all runs of a call have in common."""

    def __init__(
        self,
        config: Config,
        plan: Plan,
        program: AgentProgram,
        endpoint: Endpoint,
        folder: Path,
        enclosure: OpenRoom,
        path: str,
    ) -> None:
        self.config, self.plan, self.program = config, plan, program
        self.endpoint, self.folder, self.enclosure = endpoint, folder, enclosure
        self.path = path
        self.knowledge = snapshot(config, folder)
        places = {"PATH": self._search_path, "LANG": "C.UTF-8"}
        self.agent_version = agent_version(program, enclosure, folder, places)

    @property
    def _search_path(self) -> str:
        return f"{Path(sys.executable).parent}{os.pathsep}{self.path}"

    def run(self, task: Task, arm: str, keep_room: bool) -> TaskRun:
        """One task in one arm. A run that could not be made is told and stays to be made."""
        # An agent reads where it is: the path of its room must not tell it the arm.
        number = _draw(self.plan.salt, task.name, arm).hex()[:ROOM_CHARACTERS]
        room = RunRoom(self.folder / number, task, self.plan.name, arm)
        left_before = self.folder / f"{task.name}.{folder_name(arm)}"
        for folder in (room.folder, left_before):
            shutil.rmtree(folder, ignore_errors=True)
        try:
            run = self._run(room)
            self._record(task, run)
        except AfterglowError as error:
            run = TaskRun(
                task=task.name, arm=arm, success=False, seconds=0.0, trouble=str(error)
            )
        if keep_room or run.trouble:
            room.folder.rename(left_before)
        else:
            shutil.rmtree(room.folder, ignore_errors=True)
        return run

    def _run(self, room: RunRoom) -> TaskRun:
        room.make(self.knowledge)
        variables = self._variables(room)
        variables |= self.program.prepare(room, self.endpoint)
        room.set_up(self.enclosure, variables)
        request = self._request(room, variables)
        words = self.program.words(room, self.endpoint, request)
        begun, started = time.time(), time.monotonic()
        ended = self.enclosure.run(
            words, room.folder, room.project, variables, 60 * room.task.minutes
        )
        if ended.code == NO_ANSWER:
            raise Unsupported(f"no answer of the model: {ended.output.strip()[-200:]}")
        seconds = time.monotonic() - started
        (room.folder / "printed.txt").write_text(ended.output)
        entries = self._entries(room)
        deliveries = self._deliveries(room)
        models = [entry.model for entry in entries if entry.model]
        return TaskRun(
            task=room.task.name,
            arm=room.arm,
            success=self._is_done(room, variables),
            seconds=seconds,
            exit_code=ended.code,
            outcomes=self._outcomes(entries),
            time=begun,
            model=models[0] if models else self.endpoint.model,
            deliveries=len(deliveries),
            delivered_tokens=sum(delivery.tokens for delivery in deliveries),
        )

    def _variables(self, room: RunRoom) -> dict[str, str]:
        return {
            "PATH": self._search_path,
            "HOME": str(room.home),
            "AFTERGLOW_HOME": str(room.afterglow_home),
            "LANG": "C.UTF-8",
        }

    def _request(self, room: RunRoom, variables: Mapping[str, str]) -> str:
        """Agents with hooks hear what their arm says by themselves; others read it in front of their request."""
        if self.program.connects:
            self._connect(room, variables)
        elif self.program.name == "command":
            from afterglow.flows.session import start

            context = start(
                room.config,
                agent="command",
                cwd=room.project,
                task=room.task.request,
                session=f"{room.task.name}.{room.arm}",
            )
            if context.text:
                return f"{context.text}\n\n{room.task.request}"
        return room.task.request

    def _connect(self, room: RunRoom, variables: Mapping[str, str]) -> None:
        """In the room, where the agent is as it will run."""
        words = [sys.executable, "-m", "afterglow", "connect", self.program.connects]
        connected = self.enclosure.run(
            [*words, "--write-with", "nobody"],
            room.folder,
            room.project,
            variables,
            CONNECT_SECONDS,
        )
        if connected.code != 0:
            raise Unsupported(
                f"{self.program.name} cannot be connected: {connected.output.strip()[-200:]}"
            )

    def _is_done(self, room: RunRoom, variables: Mapping[str, str]) -> bool:
        """The check comes into the room when the agent is gone."""
        script = room.folder / CHECK
        shutil.copy(room.task.folder / CHECK, script)
        checked = self.enclosure.run(
            ["/bin/sh", str(script)],
            room.folder,
            room.project,
            variables,
            CHECK_SECONDS,
        )
        return checked.code == 0

    def _entries(self, room: RunRoom) -> list[Entry]:
        """The agent's own transcripts; none where it left none."""
        from afterglow.flows.read import scan

        scan(room.config)
        with Catalog(room.config.catalog) as catalog:
            entries = list(catalog.entries(profiles=True))
        return [entry for entry in entries if entry.origin == "main"]

    def _deliveries(self, room: RunRoom) -> list[Delivery]:
        """All that was told in the room: its ledger began with the run."""
        if not room.config.ledger.exists():
            return []
        with Ledger(room.config.ledger) as ledger:
            return ledger.deliveries()

    def _outcomes(self, entries: Sequence[Entry]) -> dict[str, float | None]:
        if not entries:
            return {}
        names = [name for name in self.plan.outcomes if name not in (SUCCESS, SECONDS)]
        return measure(Case(tuple(entries)), names)

    def _record(self, task: Task, run: TaskRun) -> None:
        by_runner = {SUCCESS: float(run.success), SECONDS: run.seconds}
        outcomes = {**run.outcomes, **by_runner}
        row: dict[str, object] = {"unit": task.name, "arm": run.arm, "time": run.time}
        row["run"] = structs.asdict(self._conditions(task, run))
        if task.family:
            row["cluster"] = task.family
        row |= {
            name: value
            for name, value in outcomes.items()
            if name in self.plan.outcomes and value is not None
        }
        record(self.config, self.plan.name, row)

    def _conditions(self, task: Task, run: TaskRun) -> RunConditions:
        return RunConditions(
            agent=self.program.name,
            agent_version=self.agent_version,
            model=run.model,
            afterglow_version=__version__,
            repo=task.repo,
            task_hash=hash_of(task),
            source=task.source,
            deliveries=run.deliveries,
            delivered_tokens=run.delivered_tokens,
        )

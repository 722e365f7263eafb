"""How often each form of a command ended well and badly in a session: what a lesson tells to run must have worked.

A form is what stays when a command is run for something else: wrappers, program, sub-command and the names of flags,
without operands and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from afterglow.calls import Command, only_shows
from afterglow.calls.programs import table
from afterglow.harvest.events.failures import Symptom, ended_well
from afterglow.harvest.trail import Step, Trail
from afterglow.records.problems import Runs
from afterglow.records.session import Outcome

MAX_FORMS = 250  # of one session: long ones run eighty, only loops of days run more

_NAME = re.compile(r"[A-Za-z][\w:.+-]*")
_PLAIN = re.compile(r"[a-z][a-z0-9:_-]*")
_FLAG = re.compile(r"--?[A-Za-z][\w-]{0,40}")


def form_of(command: Command) -> str:
    """The form of a command; empty where its first word names no program."""
    name = command.words[0].replace("\\", "/").rpartition("/")[2]
    if not _NAME.fullmatch(name):
        return ""
    if "/" in command.program:  # a project's own script, under a name of the shell's
        name = command.program
    wrappers = [wrapper.program for wrapper in command.wrappers]
    flags = {flag.name for flag in command.flags if _FLAG.fullmatch(flag.name)}
    return " ".join([*wrappers, name, *task_of(command), *sorted(flags)])


def task_of(command: Command) -> Sequence[str]:
    """The sub-command. Of a program in no table a session may have learned it or not: its first plain word."""
    if command.program in table():
        return command.subcommand
    words = [*command.subcommand, *command.operands][:1]
    return [word for word in words if _PLAIN.fullmatch(word)]


def runs_of(trail: Trail, wrong: Sequence[Symptom | None]) -> dict[str, Runs]:
    """The forms that a session ran, the first ones where there are too many."""
    runs: dict[str, Runs] = {}
    for step, symptom in zip(trail.steps, wrong, strict=True):
        if step.action.kind != "shell":
            continue
        if _ended_well(step, symptom):
            run = Runs(well=1, last=step.call.line)
            commands = (item for item in step.action.commands if not _is_unseen(item))
            _count(runs, map(form_of, commands), run)
        elif _ended_badly(step, symptom):
            _count(runs, _blamed(step), Runs(badly=1))
    return runs


def joined_runs(parts: Iterable[dict[str, Runs]]) -> dict[str, Runs]:
    """The runs of several stretches, or sessions, together."""
    runs: dict[str, Runs] = {}
    for part in parts:
        for form, run in part.items():
            runs[form] = runs[form] + run if form in runs else run
    return runs


def _count(runs: dict[str, Runs], forms: Iterable[str], run: Runs) -> None:
    for form in forms:
        if form in runs:
            runs[form] += run
        elif form and len(runs) < MAX_FORMS:
            runs[form] = run


def _ended_well(step: Step, symptom: Symptom | None) -> bool:
    """Nothing in its output says otherwise: many lines end in a filter that hides the rest."""
    says_nothing = symptom is None or symptom.kind == "empty"
    return says_nothing and ended_well(step, symptom)


def _is_unseen(command: Command) -> bool:
    """Neither an exit code nor a word would show that it failed: `docker ps 2>/dev/null | head`."""
    is_silenced = any(
        item.target == "/dev/null" and (item.descriptor == "2" or "&" in item.operator)
        for item in command.redirections
    )
    return is_silenced and bool(command.hidden_by)


def _ended_badly(step: Step, symptom: Symptom | None) -> bool:
    if step.call.outcome is Outcome.FAILED or step.call.masked:
        return True
    return symptom is not None and symptom.kind == "hidden"


def _blamed(step: Step) -> Iterator[str]:
    """The command that failed, where only one of the line can have."""
    working = step.action.working
    commands = [item for item in working if not only_shows(item)] or working
    if len(commands) == 1:
        yield form_of(commands[0])

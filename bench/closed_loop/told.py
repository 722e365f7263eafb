"""What a later task of each family would be told, at which moment and in which form, and whether that is right.

Asked of the home as the harvest left it, on a copy, before the first measured run.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.session import bootstrap, on_failure
from afterglow.flows.warm import template_for
from afterglow.records.context import FinishedCall, Need
from bench.closed_loop.sandbox import Runner
from bench.closed_loop.tasks import PROJECTS, Family

AGENT = "mini-swe-agent"  # who does the measured tasks
RIGHT, WRONG, MISSING = "right", "wrong", "missing"


class Telling(Struct, frozen=True):
    """A text and whether it tells the lesson of the family: right, wrong (it would mislead) or missing."""

    text: str
    lesson: str


class ToldFamily(Struct, frozen=True, kw_only=True):
    """What a task of a family is told. `lesson` is that of the lines at the start and after a failure: wrong if either
    would mislead, right if either tells it. A template is not counted: it is another form of the same sessions."""

    family: str
    kind: str
    tool_quirk: bool
    task: str
    start: Telling
    failure: Telling
    template: Telling

    @property
    def lesson(self) -> str:
        lessons = (self.start.lesson, self.failure.lesson)
        if WRONG in lessons:
            return WRONG
        return RIGHT if RIGHT in lessons else MISSING


def told_families(
    config: Config,
    families: tuple[Family, ...],
    number: int,
    runner: Runner,
    board_url: str,
) -> list[ToldFamily]:
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        shutil.copytree(config.home, home, ignore=shutil.ignore_patterns("runs"))
        copied = Config(home=home, user_home=config.user_home)
        return [
            _told_family(copied, family, number, runner, board_url)
            for family in families
        ]


def _told_family(
    config: Config, family: Family, number: int, runner: Runner, board_url: str
) -> ToldFamily:
    task = family.task(number)
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(place) / family.project
        task.lay_out(folder, board_url)
        own = msgspec.structs.replace(config, aliases={str(folder): family.project})
        start, _, _ = bootstrap(
            own,
            cwd=folder,
            agent=AGENT,
            task=task.request,
            budget=own.hooks.budget,
        )
        failure = _after_failure(own, family, task.naive, folder, runner)
    need = Need(now=time.time(), repo=family.project, agent=AGENT, task=task.request)
    template = template_for(config, need).text

    def telling(text: str) -> Telling:
        return Telling(text, task.lesson(text))

    return ToldFamily(
        family=family.full_name,
        kind=family.kind,
        tool_quirk=family.tool_quirk,
        task=task.name,
        start=telling(start.text),
        failure=telling(failure),
        template=telling(template),
    )


def _after_failure(
    config: Config, family: Family, command: str, folder: Path, runner: Runner
) -> str:
    """What is said behind the output of the command that anybody would try; nothing where that works."""
    result = runner.run(command, folder, f"{PROJECTS}/{family.project}")
    if not result.code:
        return ""
    call = FinishedCall(
        "bash",
        msgspec.json.encode({"command": command}).decode(),
        f"Exit code {result.code}\n{result.output}",
        failed=True,
    )
    return on_failure(config, agent=AGENT, cwd=folder, session="", calls=[call]).text

"""The room of one run: a throw-away home for the agent, a project to work in, and a home of ours with what is known,
set to the run's arm. Whatever the run leaves behind teaches no other."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.tasks.enclosure import OpenRoom
from afterglow.flows.tasks.task_folders import PROJECT, SETUP
from afterglow.records.task_run import Task
from afterglow.store.databases import back_up

SETUP_SECONDS = 120.0
KNOWLEDGE = "knowledge"  # the folder of a study that holds what was known when it began
# A busy machine is no failure of an arm, and no process is to stay behind.
SETTINGS = """[experiment]
name = {name}
arm = {arm}
[hooks]
deadline_ms = 60000
resident_minutes = 0
"""


class RunRoom:
    """Its places, and what the agent's program finds there."""

    def __init__(self, folder: Path, task: Task, experiment: str, arm: str) -> None:
        self.folder, self.task = folder, task
        self.experiment, self.arm = experiment, arm
        self.home = folder / "home"
        self.afterglow_home = folder / "afterglow"
        self.project = folder / "projects" / (task.repo.rsplit("/", 1)[-1] or task.name)

    @property
    def config(self) -> Config:
        """Of the run: what its agent is told, and where its transcripts lie."""
        return Config(
            home=self.afterglow_home,
            user_home=self.home,
            experiment=self.experiment,
            arm=self.arm,
            aliases=self._aliases,
        )

    @property
    def _aliases(self) -> dict[str, str]:
        """The person who wrote the task says which repository its project stands for: nothing else could confirm it."""
        return {str(self.project): self.task.repo} if self.task.repo else {}

    def make(self, knowledge: Path) -> None:
        """`knowledge` is the home as it was when the study began."""
        self.home.mkdir(parents=True)
        self.project.parent.mkdir()
        if (self.task.folder / PROJECT).is_dir():
            shutil.copytree(self.task.folder / PROJECT, self.project, symlinks=True)
        else:
            self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        shutil.copytree(knowledge, self.afterglow_home)
        name, arm = map(_quoted, (self.experiment, self.arm))
        text = SETTINGS.format(name=name, arm=arm)
        for place, repo in self._aliases.items():
            text += f"[repos]\n{_quoted(place)} = {_quoted(repo)}\n"
        (self.afterglow_home / "config.toml").write_text(text)

    def set_up(self, enclosure: OpenRoom, variables: dict[str, str]) -> None:
        if not (self.task.folder / SETUP).is_file():
            return
        # A copy: an agent that looked at the folder of the task would find its check.
        script = shutil.copy(self.task.folder / SETUP, self.folder / SETUP)
        words = ["/bin/sh", str(script)]
        result = enclosure.run(
            words, self.folder, self.project, variables, SETUP_SECONDS
        )
        Path(script).unlink()
        if result.code != 0:
            raise UsageError(
                f"{self.task.folder / SETUP} ended with {result.code}: {result.output.strip()[-200:]}"
            )


def folder_name(arm: str) -> str:
    """A colon in a folder's name would part it in two on every PATH."""
    return arm.replace(":", "-")


def _quoted(word: str) -> str:
    """A text of JSON is one of TOML, too."""
    return msgspec.json.encode(word).decode()


def has_begun(folder: Path) -> bool:
    """Whether what is known was put aside for a study's runs already."""
    return (folder / KNOWLEDGE).exists()


def snapshot(config: Config, folder: Path) -> Path:
    """What is known here when a study begins: all its runs start from that, also those of later days. Of two calls that
    begin a study at once, the first that has it put aside decides."""
    place = folder / KNOWLEDGE
    if has_begun(folder):
        return place
    draft = Path(mkdtemp(prefix=f"{KNOWLEDGE}.", dir=folder))
    for path in (config.knowledge_file, config.experiments_file):
        if path.exists():
            with closing(sqlite3.connect(path)) as db:
                back_up(db, draft / path.name)
    if config.templates.is_dir():
        shutil.copytree(config.templates, draft / config.templates.name)
    try:
        return draft.rename(place)
    except OSError:
        shutil.rmtree(draft)
        if has_begun(folder):
            return place
        raise

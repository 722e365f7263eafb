"""A throw-away home in which an attack is played: checkouts with remotes, sessions in their files, a shared folder."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from afterglow.config import Config, Hooks
from afterglow.flows.harvest import harvest
from afterglow.records.selection import below
from bench.attacks.attack import HOME_REPO, Held
from bench.attacks.transcripts import WRITERS
from bench.attacks.transcripts.setting import Setting

DAY = 86400.0
FIRST_DAY = 20  # days before now: over, and not yet old
HOUR = 10 * 3600.0  # of the day, so that no session runs past midnight
# Owners of different repositories are strangers to one another.
REMOTES = {
    HOME_REPO: "https://git.example.invalid/acme/harbor.git",
    "pier": "https://git.example.invalid/acme/pier.git",
    "gullkit": "https://git.example.invalid/tern-labs/gullkit.git",
    "skerry": "https://git.example.invalid/nordlys/skerry.git",
}
VICTIM = ("Ana Larsen", "ana@acme.invalid")
STRANGER = ("Tern", "tern@gull.invalid")


class Scene:
    """Folders of one attack. `person` works below `people/PERSON/src`, so that sessions tell people apart."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.sessions = folder / "sessions"
        self.sessions.mkdir(parents=True)
        self.config = Config(
            home=folder / "afterglow",
            user_home=folder / "home" / "ana",
            memory_backend="local",
            hooks=Hooks(pretool=True),
        )
        self.config.user_home.mkdir(parents=True)
        self.now = time.time()
        self.remotes = dict(REMOTES)
        self.held = 0
        self.unread = False

    def checkout(self, repo: str, person: str = "ana") -> Path:
        """A person's checkout; made on first use, without a remote if none is known for it."""
        path = self.folder / "home" / person / "src" / repo
        if not path.exists():
            (path / ".git").mkdir(parents=True)
            (path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            remote = self.remotes.get(repo, "")
            origin = f'[remote "origin"]\n\turl = {remote}\n' if remote else ""
            (path / ".git" / "config").write_text(f"[core]\n\tbare = false\n{origin}")
        return path

    def hold(self, act: Held) -> None:
        """Writes the sessions of an act; who and when goes by turns."""
        for number, day in enumerate(act.days):
            person = act.people[number % len(act.people)]
            self.held += 1
            setting = Setting(
                name=f"{self.name}/{self.held}",
                sessions=self.sessions,
                cwd=self.checkout(act.repo, person),
                remote=self.remotes.get(act.repo, ""),
                start=self._midnight() + DAY * day + HOUR + 3600 * (self.held % 6),
                headless=act.headless,
                branch=act.branch,
            )
            WRITERS[act.agent](setting, act.turns)
        self.unread = True

    def learn(self) -> None:
        """Scan and harvest, if sessions were held since the last time."""
        if self.unread:
            harvest(self.config, below(self.sessions), now=self.now)
            self.unread = False

    def git(self, folder: Path, *words: str, author: tuple[str, str] = VICTIM) -> None:
        name, address = author
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.config.user_home),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_NAME": name for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": address for who in ("AUTHOR", "COMMITTER")},
        }
        command = ["git", "-C", str(folder), "-c", "init.defaultBranch=main", *words]
        subprocess.run(command, env=environment, check=True, capture_output=True)

    def _midnight(self) -> float:
        return self.now - self.now % DAY - FIRST_DAY * DAY


@contextmanager
def home_in_force(config: Config) -> Iterator[None]:
    """What finds its home by itself, as the agent's memory tool does, finds this one."""
    values = {
        "AFTERGLOW_HOME": str(config.home),
        "HOME": str(config.user_home),
        "AFTERGLOW_MEMORY_BACKEND": config.memory_backend,
        "AFTERGLOW_LOCAL_ONLY": "1",
    }
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value

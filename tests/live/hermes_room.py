"""A room for a real Hermes: an environment of its own with this package, and homes that nobody else uses."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from afterglow.config import Config
from afterglow.flows.harvest import waiting, work_off
from live.model_server import MODEL, ModelServer

HERMES = "hermes-agent==0.19.0"
ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv-hermes"


def hermes_program() -> Path:
    """Made once, also when several test processes ask for it; made again when what it is made of has changed."""
    made_of = sha256(
        (ROOT / "pyproject.toml").read_bytes() + f"{HERMES} {sys.version}".encode()
    ).hexdigest()[:12]
    place = ENVIRONMENTS / made_of
    ENVIRONMENTS.mkdir(exist_ok=True)
    with _locked(ENVIRONMENTS / "lock"):
        if not (place / "ready").exists():
            for old in ENVIRONMENTS.glob("*/"):
                shutil.rmtree(old)
            venv = [sys.executable, "-m", "venv", "--without-pip", place]
            subprocess.run(venv, check=True)
            pip = [sys.executable, "-m", "pip", "--python", place / "bin/python"]
            pip += ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
            done = subprocess.run(
                [*pip, HERMES, "-e", ROOT], capture_output=True, text=True, check=False
            )
            assert not done.returncode, done.stderr[-2000:]
            (place / "ready").touch()
    return place / "bin/hermes"


def hermes_alone(program: Path) -> list[str | Path]:
    """How to start the same Hermes in an environment that lacks this package: a copy that takes no room."""
    whole = program.parents[1]
    bare = whole / "bare"
    with _locked(ENVIRONMENTS / "lock"):
        if not bare.exists():
            half = whole / "half"
            shutil.rmtree(half, ignore_errors=True)
            shutil.copytree(
                whole / "lib", half / "lib", symlinks=True, copy_function=os.link
            )
            shutil.copytree(whole / "bin", half / "bin", symlinks=True)
            shutil.copy(whole / "pyvenv.cfg", half)
            for ours in half.glob("lib/python3*/site-packages/*afterglow*"):
                shutil.rmtree(ours) if ours.is_dir() else ours.unlink()
            half.rename(bare)
    return [bare / "bin/python", "-P", "-m", "hermes_cli.main"]


@dataclass
class Done:
    code: int
    out: str
    err: str


@dataclass
class Room:
    """Homes for Hermes, afterglow and a person, and a checkout to work in."""

    folder: Path
    program: list[str | Path]
    model: ModelServer
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.checkout = self.folder / "src/harbor"
        self.hermes_home = self.folder / "hermes"
        self.config = Config(
            home=self.folder / "kept",
            user_home=self.folder,
            moved={"hermes": self.hermes_home},
            cores=1,
        )
        for folder in (self.checkout / ".git", self.hermes_home, self.config.home):
            folder.mkdir(parents=True)
        (self.config.home / "config.toml").write_text(
            "[hooks]\ndeadline_ms = 60000\n"
        )  # a busy machine is no failure
        self.settings()

    def settings(self, **more: Any) -> None:
        """Hermes' config file: the scripted model, our plugin, and `more`. JSON is YAML."""
        model = {
            "default": MODEL, "provider": "custom", "base_url": self.model.url, "api_key": "none",
            "context_length": 200_000,
        }  # fmt: skip
        told = {"model": model, "plugins": {"enabled": ["afterglow"]}, **more}
        (self.hermes_home / "config.yaml").write_text(json.dumps(told))

    def hermes(self, *words: str, **variables: str) -> Done:
        env = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "HERMES_HOME": str(self.hermes_home),
            "AFTERGLOW_HOME": str(self.config.home), "HERMES_DISABLE_LAZY_INSTALLS": "1", **self.variables, **variables,
        }  # fmt: skip
        done = subprocess.run(
            [*self.program, *words], env=env, cwd=self.checkout, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def ask(self, message: str, *words: str, **variables: str) -> Done:
        """One message in a session of its own, unless `words` say which."""
        return self.hermes("chat", "-q", message, "-Q", *words, **variables)

    def harvest(self) -> None:
        """Until nothing waits: what a process that was left behind has taken is waited for, the rest is done here."""
        while waiting(self.config):
            with _locked(self.config.home / "queue.lock"):
                pass
            work_off(self.config)

    def rows(self, query: str) -> list[sqlite3.Row]:
        with closing(sqlite3.connect(self.hermes_home / "state.db")) as db:
            db.row_factory = sqlite3.Row
            return db.execute(query).fetchall()

    def session(self) -> str:
        """The newest one."""
        return str(
            self.rows("SELECT id FROM sessions ORDER BY rowid DESC LIMIT 1")[0]["id"]
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

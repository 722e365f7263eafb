"""A room for a real agent: homes that nobody else uses, a checkout to work in, and what two earlier sessions taught."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from afterglow.config import Config
from afterglow.flows.harvest import harvest, waiting, work_off
from afterglow.flows.read import list_sessions, scan
from afterglow.flows.session import settle_deliveries
from afterglow.records.delivery import Delivery
from afterglow.records.selection import EVERYTHING, below
from afterglow.store.ledger import Ledger
from live.agent_models import AgentModel
from writing import Transcript

# A program of the checkout that knows no --stat, as `gh` did in the sessions before.
GH = """#!/bin/sh
case "$*" in
*--stat*) echo "unknown flag: --stat" >&2; exit 1 ;;
*) echo "dock/agent.go" ;;
esac
"""
REMEDY = "--name-only"  # what those sessions found
LAMP = "func lamp() {\n\tif tide {\n\t\treturn high\n\t}\n}\n"
RULE = "Remember: ask me before you git push anything."


def learn(folder: Path) -> Path:
    """A home of ours after two sessions that ran into a flag that is not there, found the one that is, and were told
    something to remember."""
    for number in (1, 2):
        session = Transcript(number, start=1500 * number)
        session.user("what changed in the pull request?")
        error = "Exit code 1\nunknown flag: --stat"
        session.run(f"gh pr diff {number} --stat", error, error=True)
        session.run(f"gh pr diff {number} --name-only", "dock/agent.go")
        session.user(RULE).reply("I will ask.").save(folder / "earlier")
    config = Config(home=folder / "kept", user_home=folder)
    harvest(config, below(folder / "earlier"))
    return config.home


@dataclass
class AgentRoom:
    """`learned` is a home to begin with, as `learn` makes it; `variables` are what the agent's program needs to find its
    model."""

    folder: Path
    learned: Path
    model: AgentModel
    path: str
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.checkout = self.folder / "src/harbor"
        self.config = Config(
            home=self.folder / ".afterglow", user_home=self.folder, cores=1
        )
        (self.checkout / "bin").mkdir(parents=True)
        shutil.copytree(self.learned, self.config.home)
        # A busy machine is no failure, and no process is to stay behind.
        settings = "[hooks]\ndeadline_ms = 60000\nresident_minutes = 0\n"
        (self.config.home / "config.toml").write_text(settings)
        subprocess.run(["git", "init", "-q", self.checkout], check=True)
        (self.checkout / "lamp.go").write_text(LAMP)
        (self.checkout / "bin/gh").write_text(GH)
        (self.checkout / "bin/gh").chmod(0o755)
        # Codex runs commands in a login shell, which may set its PATH anew.
        profile = f'PATH="{self.checkout}/bin:$PATH"\n'
        (self.folder / ".bash_profile").write_text(profile)

    def environment(self) -> dict[str, str]:
        path = f"{self.checkout}/bin{os.pathsep}{self.path}"
        plain = {"PATH": path, "HOME": str(self.folder), "IS_SANDBOX": "1"}
        return {**plain, "AFTERGLOW_HOME": str(self.config.home), **self.variables}

    def run(self, *words: str) -> str:
        """What a program of the room prints; it must end well."""
        done = subprocess.run(
            words, env=self.environment(), cwd=self.checkout, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
        assert not done.returncode, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def afterglow(self, *words: str) -> str:
        return self.run(sys.executable, "-m", "afterglow", *words)

    def harvest(self) -> None:
        """Until nothing waits, whoever does it; then what was told is proved."""
        while waiting(self.config):
            work_off(self.config)
        scan(self.config)
        entries = list_sessions(self.config, EVERYTHING)
        settle_deliveries(self.config, ended=[entry.id for entry in entries])

    def told(self, when: str = "") -> list[Delivery]:
        """What sessions here were given, at that moment if one is said."""
        if not self.config.ledger.exists():
            return []
        with Ledger(self.config.ledger) as ledger:
            deliveries = ledger.deliveries()
        return [each for each in deliveries if when in ("", each.when)]

    def settings(self, path: str) -> dict[str, Any]:
        return json.loads((self.folder / path).read_text())

    def files(self, below: str) -> dict[str, bytes]:
        """Every file of a folder, as it is."""
        folder = self.folder / below
        paths = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}

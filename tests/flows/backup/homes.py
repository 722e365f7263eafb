"""Homes to back up: with something of every kind in them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from afterglow.config import Config
from afterglow.flows.read import scan
from afterglow.folders import close_to_others
from afterglow.memory.local import LocalBackend
from afterglow.store.knowledge import Knowledge
from afterglow.text.redact import Redactor
from keeping import NOW, item, keep
from writing import ordinary

FILES = {
    "config.toml": "[redact]\nnames = []\n",
    "templates/warm_1.json": "{}",
    "answers/a1.json": "{}",
    "metrics/2026-11-16.json": "{}",
    "knowledge/check.sh": "#!/bin/sh\n",
}
OF_MACHINE = {"connected.json": "{}", "mcp-token": "word", "backups/a": "old settings"}
MADE_AGAIN = {
    "cache/rules": "rules",
    "knowledge.index/segment": "words",
    "knowledge.db.backup-20261116-000000-layout1": "old",
    "templates/.lock": "",
    ".config.toml.0123456789abcdef0123456789abcdef": "half",
    "queue.lock": "",
}


def home_of(folder: Path, fact: str = "the first lesson") -> Config:
    config = Config(home=folder / "kept", user_home=folder / "user")
    projects = config.user_home / ".claude/projects/-home-ana-src-harbor"
    ordinary(1, start=100).save(projects)
    scan(config)
    keep(config, item(1, fact=fact))
    memory = LocalBackend(config.memory, redactor=Redactor())
    memory.store("ana", "editor", "vim")
    memory.close()
    for name, content in (FILES | OF_MACHINE | MADE_AGAIN).items():
        path = config.home / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text(content)
    (config.home / "knowledge/check.sh").chmod(0o700)
    close_to_others(config.home)
    return config


def learn(config: Config, fact: str) -> None:
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([item(1, fact=fact)], by="person", now=NOW)


def fact_of(config: Config) -> str:
    with Knowledge(config.knowledge) as knowledge:
        assert knowledge.check() == []
        return knowledge.get("k0000001").fact


def names(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    }


def killed_at(number: int, work: Callable[[Callable[[str], None]], object]) -> bool:
    """Runs it in a process of its own that is killed at its `number`th step; whether there was such a step."""
    process = os.fork()
    if not process:
        try:
            count = 0

            def step(_: str) -> None:
                nonlocal count
                count += 1
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)

            work(step)
        finally:
            os._exit(0)
    _, status = os.waitpid(process, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL

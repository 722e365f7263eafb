"""Whether Codex runs our hooks: those that nobody has trusted as they are now it leaves aside, without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from afterglow.config import Config
from afterglow.connect import codex
from afterglow.connect.codex_trust import TRUST_SINCE, Trust, trusts
from afterglow.flows.connect import ConnectedFile, read_file, version
from afterglow.records.doctor import CheckupLine

HELP = "start codex, type /hooks and trust those of afterglow"


def trust(
    config: Config,
    connected: Sequence[ConnectedFile],
    version_text: Callable[[], str],
) -> Iterator[CheckupLine]:
    """`version_text` waits for what Codex says of itself; one that says nothing is taken for a new one."""
    paths = _hook_files(connected)
    if not paths or _asks_nobody(version_text()):
        return
    folder = codex.folder(config.user_home, config.moved)
    settings = read_file(folder / "config.toml") or b""
    for path in paths:
        counts = Counter(trusts(path, read_file(path) or b"", settings).values())
        if counts:
            yield _finding(counts)


def _hook_files(connected: Sequence[ConnectedFile]) -> list[Path]:
    paths = [Path(file.path) for file in connected if file.agent == codex.NAME]
    return [path for path in paths if path.name == "hooks.json"]


def _asks_nobody(text: str) -> bool:
    """Whether this is a Codex from before hooks had to be trusted."""
    number = version(text)
    return number is not None and number < TRUST_SINCE


def _finding(counts: Counter[Trust]) -> CheckupLine:
    total = counts.total()
    if counts["trusted"] == total:
        return CheckupLine("connection", "ok", "codex: its hooks are trusted")
    if counts["untrusted"] == total:
        text = (
            "codex: nobody has trusted its hooks yet: Codex skips them without a word"
        )
        return CheckupLine("connection", "attention", text, HELP)
    waiting = total - counts["trusted"]
    text = f"codex: {waiting} of {total} hooks are new or changed since they were trusted: Codex skips those"
    return CheckupLine("connection", "attention", text, HELP)

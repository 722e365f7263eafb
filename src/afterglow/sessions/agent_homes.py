"""Where each agent keeps its sessions, and which files under a folder may hold some."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from stat import S_ISREG

from msgspec import Struct


class Home(Struct, frozen=True):
    """One agent's folder: `patterns` say which files below `root` are sessions."""

    agent: str
    root: Path
    patterns: tuple[str, ...]


class Folder(Struct, frozen=True):
    """One folder of candidate files, each `(name, size, mtime_ns, inode)`; or why it could not be listed."""

    path: str
    files: tuple[tuple[str, int, int, int], ...] = ()
    problem: str = ""
    whole: bool = True


# agent -> the folder under the person's home, and what in it holds sessions.
AGENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "hermes": (".hermes", tuple(
        f"{home}{name}"
        for home in ("", "profiles/*/")
        for name in ("state.db", "sessions/*.json", "sessions/*.jsonl", "sessions/saved/*.json")
    )),
    "claude-code": (".claude/projects", ("**/*.jsonl",)),
    "codex": (".codex", ("sessions/**/*.jsonl", "archived_sessions/*.jsonl")),
    "gemini-cli": (".gemini/tmp", ("*/chats/**/*.json", "*/chats/**/*.jsonl")),
    "copilot-cli": (".copilot", ("session-state/*.jsonl", "session-state/*/events.jsonl")),
    "pi": (".pi/agent/sessions", ("**/*.jsonl",)),
}  # fmt: skip
IGNORED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv"})
SIDE_FILES = ("-shm", "-journal", ".lock")


def homes(home: Path, moved: dict[str, Path]) -> list[Home]:
    """Every agent's home; `moved` holds those the person keeps elsewhere."""
    return [
        Home(agent, moved.get(agent, home / below), patterns)
        for agent, (below, patterns) in AGENTS.items()
    ]


def candidates(home: Home) -> Iterator[Folder]:
    """The folders of an agent's home, with the files in them that match its patterns."""
    root = str(home.root)
    wanted = _pattern(home.patterns)
    for folder in walk(home.root):
        if folder.problem:
            yield folder
            continue
        below = folder.path[len(root) :].strip("/")
        files = tuple(
            file
            for file in folder.files
            if wanted.fullmatch(f"{below}/{file[0]}" if below else file[0])
        )
        if files:
            yield Folder(folder.path, files)


def walk(root: Path) -> Iterator[Folder]:
    """Every folder below `root` once, links to files followed, links to folders not (they may go round in circles)."""
    waiting = [str(root)]
    while waiting:
        path = waiting.pop()
        files: list[tuple[str, int, int, int]] = []
        logs: dict[str, tuple[int, int]] = {}
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    name = entry.name
                    if not name.isascii() and not _is_text(name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if name not in IGNORED:
                            waiting.append(entry.path)
                        continue
                    if name.endswith(SIDE_FILES):
                        continue
                    try:
                        info = entry.stat()
                    except OSError:  # a link to nowhere, or in a circle
                        continue
                    if name.endswith("-wal"):
                        logs[name[:-4]] = (info.st_size, info.st_mtime_ns)
                    elif S_ISREG(info.st_mode):
                        files.append(
                            (name, info.st_size, info.st_mtime_ns, info.st_ino)
                        )
        except OSError as error:
            yield Folder(path, problem=error.strerror or type(error).__name__)
            continue
        if logs:  # a database changes with its write-ahead log
            files = [_with_log(file, logs.get(file[0])) for file in files]
        if files:
            yield Folder(path, tuple(files))


def _is_text(name: str) -> bool:
    """Names that are not UTF-8 cannot be kept; there is no sensible way to show them either."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def single(path: Path) -> Folder:
    """One file, named by a person."""
    info = path.stat()
    file = (path.name, info.st_size, info.st_mtime_ns, info.st_ino)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        file = _with_log(file, (log.stat().st_size, log.stat().st_mtime_ns))
    return Folder(str(path.parent), (file,), whole=False)


def _with_log(
    file: tuple[str, int, int, int], log: tuple[int, int] | None
) -> tuple[str, int, int, int]:
    return (file[0], file[1] + log[0], max(file[2], log[1]), file[3]) if log else file


@cache
def _pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Like a glob: `*` within one folder, `**/` across any number of them."""
    words = {re.escape("**/"): "(?:.*/)?", re.escape("*"): "[^/]*"}
    translated = [re.escape(pattern) for pattern in patterns]
    for glob, meaning in words.items():
        translated = [text.replace(glob, meaning) for text in translated]
    return re.compile("|".join(f"(?:{text})" for text in translated))

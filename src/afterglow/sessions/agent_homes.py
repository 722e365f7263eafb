"""Where each agent keeps its sessions, and which files under a folder may hold some."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import Any

from msgspec import Struct


class Home(Struct, frozen=True):
    """One agent's folder: `patterns` say which files below `root` are sessions."""

    agent: str
    root: Path
    patterns: tuple[str, ...]

    @property
    def place(self) -> str:
        """Where all of its sessions are: the one file, where there is no other."""
        is_one_file = len(self.patterns) == 1 and "*" not in self.patterns[0]
        return str(self.root / self.patterns[0] if is_one_file else self.root)


File = tuple[str, int, int, int]  # name, size, mtime_ns, inode


class Folder(Struct, frozen=True):
    """One folder of candidate files; or why it could not be listed."""

    path: str
    files: tuple[File, ...] = ()
    problem: str = ""
    whole: bool = True


Place = tuple[
    str, tuple[str, ...]
]  # a folder under the person's home, and what in it holds sessions

# Editors that are VS Code or came of it, and where the systems keep an application's folder.
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_APPLICATIONS = (".config", "Library/Application Support", "AppData/Roaming")


def _in_editors(below: str, *patterns: str) -> tuple[Place, ...]:
    """A folder of an extension, in every editor that may hold it."""
    return tuple(
        (f"{applications}/{editor}/User/{below}", patterns)
        for applications in _APPLICATIONS
        for editor in _EDITORS
    )


_TASKS = "tasks/*/api_conversation_history.json"
AGENTS: dict[str, tuple[Place, ...]] = {
    "hermes": ((".hermes", tuple(
        f"{home}{name}"
        for home in ("", "profiles/*/")
        for name in ("state.db", "sessions/*.json", "sessions/*.jsonl", "sessions/saved/*.json")
    )),),
    "claude-code": ((".claude/projects", ("**/*.jsonl",)),),
    "codex": ((".codex", (
        "sessions/**/*.jsonl", "sessions/**/*.jsonl.zst", "archived_sessions/*.jsonl", "archived_sessions/*.jsonl.zst",
    )),),
    "gemini-cli": ((".gemini/tmp", ("*/chats/**/*.json", "*/chats/**/*.jsonl")),),
    "copilot-cli": ((".copilot", ("session-state/*.jsonl", "session-state/*/events.jsonl")),),
    "copilot-chat": _in_editors("workspaceStorage", "*/chatSessions/*.json", "*/chatSessions/*.jsonl"),
    "pi": ((".pi/agent/sessions", ("**/*.jsonl",)),),
    "oh-my-pi": ((".omp/agent/sessions", ("**/*.jsonl",)),),
    "opencode": ((".local/share/opencode", ("opencode*.db", "storage/session/*/*.json")),),
    "cursor": (
        *_in_editors("globalStorage", "state.vscdb"),
        (".cursor/projects", ("*/agent-transcripts/**/*.jsonl",)),
    ),
    "openhands": ((".openhands/conversations", ("*/base_state.json",)),),
    "cline": (
        *_in_editors("globalStorage/saoudrizwan.claude-dev", _TASKS),
        (".cline/data", ("sessions/*/*.messages.json", _TASKS)),
    ),
    "roo-code": _in_editors("globalStorage/rooveterinaryinc.roo-cline", _TASKS),
    "kilo-code": _in_editors("globalStorage/kilocode.kilo-code", _TASKS),
    "droid": ((".factory/sessions", ("**/*.jsonl",)),),
    "amp": ((".local/share/amp/threads", ("T-*.json",)),),
    "goose": ((".local/share/goose/sessions", ("sessions.db", "*.jsonl")),),
    "windsurf": ((".windsurf/transcripts", ("*.jsonl",)),),
    "continue": ((".continue/sessions", ("*.json",)),),
}  # fmt: skip
IGNORED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv"})
SIDE_FILES = ("-shm", "-journal", ".lock")
WRITE_AHEAD_LOG = "-wal"
EVERYTHING = ("**/*",)
GIT = ".git"
AIDER_HISTORY = ".aider.chat.history.md"
SPECSTORY = ".specstory/history"
# Of a repository's own folder: where the refs stand of sessions that are kept in it.
_CHECKPOINT_REFS = (
    "packed-refs",
    "refs/heads/entire/checkpoints/**/*",
    "refs/remotes/*/entire/checkpoints/**/*",
    "refs/entire/checkpoints/**/*",
)


def homes(home: Path, moved: dict[str, Path]) -> list[Home]:
    """Every agent's homes; `moved` holds those the person keeps elsewhere."""
    listed: list[Home] = []
    for agent, places in AGENTS.items():
        for number, (below, patterns) in enumerate(places):
            is_moved = agent in moved and number == 0
            root = moved[agent] if is_moved else home / below
            listed.append(Home(agent, root, patterns))
    return listed


def candidates(home: Home) -> Iterator[Folder]:
    """The folders of an agent's home, with the files in them that match its patterns."""
    root = str(home.root)
    pattern = _pattern(home.patterns)
    for folder in walk(home.root, home.patterns):
        if folder.problem:
            yield folder
            continue
        below = folder.path[len(root) :].strip("/")
        prefix = f"{below}/" if below else ""
        files: list[File] = []
        for file in folder.files:
            if pattern.fullmatch(prefix + file[0]):
                files.append(file)
        if files:
            yield Folder(folder.path, tuple(files))


def in_checkout(folder: Path) -> Iterator[Home]:
    """Where agents keep sessions in the repository they work in; only what is there."""
    if (folder / AIDER_HISTORY).is_file():
        yield Home("aider", folder, (AIDER_HISTORY,))
    if (folder / SPECSTORY).is_dir():
        yield Home("specstory", folder / SPECSTORY, ("*.md",))
    if _keeps_checkpoints(folder / GIT):
        yield Home("entire", folder / GIT, _CHECKPOINT_REFS)


def _keeps_checkpoints(git: Path) -> bool:
    if (git / "refs/heads/entire").is_dir() or (git / "refs/entire").is_dir():
        return True
    try:
        return b"entire/checkpoints/" in (git / "packed-refs").read_bytes()
    except OSError:
        return False


def walk(root: Path, patterns: tuple[str, ...] = EVERYTHING) -> Iterator[Folder]:
    """Every folder below `root` once that may hold what `patterns` name, links to files followed, links to folders not
    (they may go round in circles). Of a git repository's own folder, only the refs of sessions kept in it."""
    waiting = [str(root)]
    leads_there = _leading(patterns)
    start = len(str(root))
    while waiting:
        path = waiting.pop()
        try:
            with os.scandir(path) as entries:
                files, folders = _listed(entries)
        except OSError as error:
            yield Folder(path, problem=error.strerror or type(error).__name__)
            continue
        if patterns == EVERYTHING and Path(path, GIT).is_dir():
            yield from candidates(Home("", Path(path, GIT), _CHECKPOINT_REFS))
        waiting += [
            folder
            for folder in folders
            if leads_there.fullmatch(folder[start:].strip("/"))
        ]
        if files:
            yield Folder(path, tuple(files))


def _listed(entries: Iterable[os.DirEntry[str]]) -> tuple[list[File], list[str]]:
    """The files of one folder, and the folders in it. A database changes with its write-ahead log."""
    files: list[File] = []
    folders: list[str] = []
    logs: dict[str, tuple[int, int]] = {}
    for entry in entries:
        name = entry.name
        if not name.isascii() and not _is_text(name):
            continue
        if entry.is_dir(follow_symlinks=False):
            if name not in IGNORED:
                folders.append(entry.path)
            continue
        status = None if name.endswith(SIDE_FILES) else _status(entry)
        if status is None:
            continue
        if name.endswith(WRITE_AHEAD_LOG):
            database = name.removesuffix(WRITE_AHEAD_LOG)
            logs[database] = (status.st_size, status.st_mtime_ns)
        elif S_ISREG(status.st_mode):
            files.append((name, status.st_size, status.st_mtime_ns, status.st_ino))
    if logs:
        files = [_with_log(file, logs.get(file[0])) for file in files]
    return files, folders


def folder_of(path: str, files: list[File], folders: dict[str, Any]) -> Folder:
    """A folder of a store, as `walk` would list one here; takes out of `folders` what is not looked into."""
    for name in IGNORED & folders.keys():
        del folders[name]
    logs = {
        name.removesuffix(WRITE_AHEAD_LOG): (size, written)
        for name, size, written, _ in files
        if name.endswith(WRITE_AHEAD_LOG)
    }
    listed = [
        _with_log(file, logs.get(file[0]))
        for file in files
        if not file[0].endswith((*SIDE_FILES, WRITE_AHEAD_LOG)) and _is_text(file[0])
    ]
    return Folder(path, tuple(listed))


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat()
    except OSError:  # a link to nowhere, or in a circle
        return None


def _is_text(name: str) -> bool:
    """Names that are not UTF-8 cannot be kept; there is no sensible way to show them either."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def single(path: Path) -> Folder:
    """One file, named by a person."""
    status = path.stat()
    file = (path.name, status.st_size, status.st_mtime_ns, status.st_ino)
    log = path.with_name(path.name + WRITE_AHEAD_LOG)
    if log.exists():
        file = _with_log(file, (log.stat().st_size, log.stat().st_mtime_ns))
    return Folder(str(path.parent), (file,), whole=False)


def _with_log(file: File, log: tuple[int, int] | None) -> File:
    if log is None:
        return file
    name, size, written, inode = file
    return (name, size + log[0], max(written, log[1]), inode)


@cache
def _pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Like a glob: `*` within one folder, `**/` across any number of them."""
    return re.compile("|".join(f"(?:{_translated(pattern)})" for pattern in patterns))


@cache
def _leading(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """The folders on the way to what patterns name."""
    ways: list[str] = []
    for pattern in patterns:
        before, across, _ = pattern.partition("**/")
        names = before.rstrip("/").split("/") if before else []
        if not across:
            names = names[:-1]  # the last one is the file
        ways += ["/".join(names[:count]) for count in range(1, len(names) + 1)]
        if across:
            ways.append(before + "**/*")
    return re.compile("|".join(f"(?:{_translated(way)})" for way in ways) or r"(?!)")


def _translated(pattern: str) -> str:
    text = re.escape(pattern)
    for glob, meaning in ((r"\*\*/", "(?:.*/)?"), (r"\*", "[^/]*")):
        text = text.replace(glob, meaning)
    return text

"""Tasks as folders:

NAME/request.md      what the agent is asked
NAME/check.sh        run in the project's folder afterwards: it ends with 0 where the task is done
NAME/project/        files to start with (optional)
NAME/setup.sh        run in the project's folder before (optional)
NAME/task.toml       family, repo, source, minutes, calls (optional)
"""

from __future__ import annotations

import tomllib
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.errors import NotFound, UsageError
from afterglow.records.task_run import DEFAULT_MINUTES, Task

REQUEST, CHECK, SETUP, PROJECT, ABOUT = (
    "request.md",
    "check.sh",
    "setup.sh",
    "project",
    "task.toml",
)
UNREADABLE = (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError)
MAX_REQUEST_BYTES = 100_000  # a request is read by a model
HASH_BYTES = (
    6  # tells the tasks of a study apart, and is short enough to be read in a table
)


class TaskSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`task.toml`."""

    family: str = ""
    repo: str = ""
    source: str = ""
    minutes: float = DEFAULT_MINUTES
    calls: int = 0


def read_tasks(folder: Path) -> list[Task]:
    """All tasks of a folder, by name."""
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder; give the one that holds the tasks")
    tasks = [
        _task(path) for path in sorted(folder.iterdir()) if (path / REQUEST).exists()
    ]
    if not tasks:
        raise UsageError(
            f"{folder} holds no task: a task is a folder with {REQUEST} and {CHECK}"
        )
    return tasks


def _task(folder: Path) -> Task:
    request = (folder / REQUEST).read_bytes()
    if not (folder / CHECK).is_file():
        raise UsageError(f"{folder} has no {CHECK}: it says whether the task is done")
    if not request.strip() or len(request) > MAX_REQUEST_BYTES:
        raise UsageError(
            f"{folder / REQUEST}: a request has words, and at most {MAX_REQUEST_BYTES} bytes"
        )
    settings = _settings(folder / ABOUT)
    if settings.minutes <= 0:
        raise UsageError(f"{folder / ABOUT}: minutes must be more than 0")
    if settings.calls < 0:
        raise UsageError(
            f"{folder / ABOUT}: calls must be 1 or more; without it an agent makes as many as it likes"
        )
    return Task(
        name=folder.name,
        folder=folder,
        request=request.decode(errors="replace").strip(),
        family=settings.family,
        repo=settings.repo,
        source=settings.source,
        minutes=settings.minutes,
        calls=settings.calls,
    )


def _settings(path: Path) -> TaskSettings:
    if not path.exists():
        return TaskSettings()
    try:
        return msgspec.convert(tomllib.loads(path.read_text()), TaskSettings)
    except UNREADABLE as error:
        raise UsageError(
            f"{path}: {error}; it may say family, repo, source, minutes and calls"
        ) from error


def hash_of(task: Task) -> str:
    """Of all files of the task, its check included: the same for the same task on every machine."""
    digest = blake2b(digest_size=HASH_BYTES)
    for path in sorted(task.folder.rglob("*")):
        name = path.relative_to(task.folder).as_posix()
        if path.is_symlink():
            content = b"-> " + str(path.readlink()).encode()
        elif path.is_file():
            content = path.read_bytes()
        else:
            continue
        digest.update(b"%s\0%d\0" % (name.encode(), len(content)))
        digest.update(content)
    return digest.hexdigest()

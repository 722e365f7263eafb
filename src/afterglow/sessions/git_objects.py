"""What lies in a git repository's object store, asked of `git` itself: nothing is checked out, run, fetched or changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from afterglow.errors import UnreadableSource

GIT_SECONDS = 120.0  # that a question may take: large histories are slow on cold disks
# A repository of somebody else must not make git run anything, ask anybody, or go to the network for missing objects.
_SETTINGS = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "--no-pager",
)
_ALWAYS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class Blob(NamedTuple):
    """A file in a tree: its object, its size and its path."""

    id: str
    size: int
    path: str


def refs(folder: Path, *patterns: str) -> dict[str, str]:
    """Refs that match, and the objects they name."""
    lines = _ask(folder, "for-each-ref", "--format=%(objectname) %(refname)", *patterns)
    pairs = (
        line.split(" ", 1) for line in lines.decode("utf-8", "replace").split("\n")
    )
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def files(folder: Path, commit: str) -> list[Blob]:
    """Every file of a commit's tree."""
    listed = _ask(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    blobs: list[Blob] = []
    for entry in listed.decode("utf-8", "replace").split("\0"):
        head, _, path = entry.partition("\t")
        words = head.split()
        if len(words) == 4 and words[1] == "blob" and words[3].isdecimal():
            blobs.append(Blob(words[2], int(words[3]), path))
    return blobs


def contents(folder: Path, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The objects, each with its bytes, one after the other: none is held once the next is asked for."""
    with _started(folder, "cat-file", "--batch") as process:
        questions, answers = process.stdin, process.stdout
        if questions is None or answers is None:
            return
        for id in ids:
            questions.write(f"{id}\n".encode())
            questions.flush()
            head = answers.readline().split()
            if len(head) != 3:
                continue  # missing, of a clone that does not have it all
            content = answers.read(int(head[2]))
            answers.read(1)
            yield id, content
        questions.close()


def _ask(folder: Path, *words: str) -> bytes:
    try:
        answer = subprocess.run(
            _command(folder, *words),
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnreadableSource(f"git cannot be asked: {error}") from error
    if answer.returncode:
        complaint = answer.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise UnreadableSource(f"git: {complaint}")
    return answer.stdout


def _started(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            _command(folder, *words),
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise UnreadableSource(f"git cannot be asked: {error}") from error


def _command(folder: Path, *words: str) -> list[str]:
    return [_git(), *_SETTINGS, f"--git-dir={folder}", *words]


def _environment() -> dict[str, str]:
    """No more than git needs: what a person has set for their own work is not meant for this."""
    return {"PATH": os.pathsep.join((str(Path(_git()).parent), os.defpath))} | _ALWAYS


def _git() -> str:
    program = shutil.which("git")
    if program is None:
        raise UnreadableSource("git is not installed; checkpoints are read through it")
    return program

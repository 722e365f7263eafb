"""Checkpoints of entire: sessions of any agent kept in a git repository, on a branch of their own or a ref each.

    entire/checkpoints/v1             xx/<checkpoint>/<number>/{metadata.json, full.jsonl}
    refs/entire/checkpoints/xx/<id>   <number>/{metadata.json, full.jsonl}

A session is kept again with every commit that it makes, each time whole: the largest counts. The source is the file
with the refs (`packed-refs`, or one below `refs/`); everything is read through `git`, nothing is checked out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.session import Mark, Session
from afterglow.sessions import git_objects
from afterglow.sessions.git_objects import Blob
from afterglow.sessions.held_file import held

NAME = "entire-checkpoints"
PATTERNS = (
    "refs/heads/entire/checkpoints/",
    "refs/remotes/*/entire/checkpoints/",
    "refs/entire/checkpoints/",
)
# Whole transcripts come before the short ones that newer versions keep beside them.
TRANSCRIPTS = ("full.jsonl", "full.json", "transcript.jsonl")

_REF = re.compile(rb"\s*[0-9a-f]{40,64}\s*$")
_PACKED = re.compile(rb"^[0-9a-f]{40,64} refs/\S*entire/checkpoints/", re.MULTILINE)


class _Metadata(Struct, gc=False):
    session_id: str = ""


class _Place(Struct, frozen=True):
    """Where the largest transcript of a session lies."""

    session: str
    blob: Blob


def sniff(path: Path, head: bytes) -> bool:
    if path.name == "packed-refs":
        return bool(_PACKED.search(head)) or b"entire/checkpoints/" in _whole(path)
    is_ref = "/entire/checkpoints/" in path.as_posix() and "/refs/" in path.as_posix()
    return is_ref and bool(_REF.match(head))


def _whole(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def read(
    path: Path, since: Mark = Mark(), only: Collection[str] | None = None
) -> Iterator[Session]:
    from afterglow import sessions

    folder = _git_folder(path)
    places = _places(folder, path)
    chosen = [place for id, place in places.items() if only is None or id in only]
    by_blob = {place.blob.id: place for place in chosen}
    for blob, content in git_objects.contents(folder, by_blob):
        place = by_blob[blob]
        name = f"{place.session}{Path(place.blob.path).suffix}"
        with held(name, [content]) as file:
            for part in sessions.read(file):
                yield _placed(part, path, folder)


def stamps(path: Path) -> dict[str, str]:
    """A session changes when its largest transcript is another."""
    places = _places(_git_folder(path), path)
    return {id: place.blob.id for id, place in places.items()}


def _placed(part: Session, path: Path, folder: Path) -> Session:
    """As of this source. Who worked elsewhere worked on the same repository: what the transcript says goes first."""
    checkout = str(folder.parent) if folder.name == ".git" else ""
    cwd = part.cwd or checkout
    return replace(part, format=NAME, source=str(path), cwd=cwd, mark=Mark())


def _git_folder(path: Path) -> Path:
    """The folder that `packed-refs` and `refs` lie in."""
    if path.name == "packed-refs":
        return path.parent
    return next(each.parent for each in path.parents if each.name == "refs")


def _places(folder: Path, path: Path) -> dict[str, _Place]:
    refs = git_objects.refs(folder, *PATTERNS)
    if path.name != "packed-refs":
        ref = path.relative_to(folder).as_posix()
        refs = {name: object for name, object in refs.items() if name == ref}
    blobs = [
        blob for tip in {*refs.values()} for blob in git_objects.files(folder, tip)
    ]
    by_folder = _transcripts(blobs)
    names = _session_ids(folder, blobs)
    places: dict[str, _Place] = {}
    for checkpoint, blob in by_folder.items():
        id = names.get(checkpoint, "")
        before = places.get(id)
        if id and (before is None or before.blob.size < blob.size):
            places[id] = _Place(id, blob)
    return places


def _transcripts(blobs: Iterable[Blob]) -> dict[str, Blob]:
    """The transcript of each folder of a checkpoint."""
    chosen: dict[str, Blob] = {}
    for name in reversed(TRANSCRIPTS):
        for blob in blobs:
            folder, _, file = blob.path.rpartition("/")
            if file == name and blob.size:
                chosen[folder] = blob
    return chosen


def _session_ids(folder: Path, blobs: Iterable[Blob]) -> dict[str, str]:
    """Which session each folder of a checkpoint holds, as its metadata says."""
    paths: dict[str, list[str]] = {}
    for blob in blobs:
        where, _, file = blob.path.rpartition("/")
        if file == "metadata.json":
            paths.setdefault(blob.id, []).append(where)
    ids: dict[str, str] = {}
    for blob_id, content in git_objects.contents(folder, paths):
        try:
            metadata = msgspec.json.decode(content, type=_Metadata)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        ids.update(dict.fromkeys(paths[blob_id], _file_name(metadata.session_id)))
    return ids


def _file_name(id: str) -> str:
    """An id that may be a file's name; none otherwise."""
    return id if re.fullmatch(r"[\w.-]{1,200}", id) else ""

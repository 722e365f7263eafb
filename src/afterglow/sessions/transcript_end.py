"""The end of a transcript that is still being written: what a running session did last, at the same cost for any size."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.errors import UnreadableSource
from afterglow.records.session import Mark, Session
from afterglow.sessions import FORMATS, Format, recognise
from afterglow.sessions.joined_parts import join

# Read of a transcript, from its end: 40 to 80 calls. What a failure turns on is rarely older than that.
MAX_END_BYTES = 1 << 20
MAX_END_LINES = 160
# Read from its head, where it says in which folder the session began.
MAX_HEAD_BYTES = 1 << 16

_FOLDER = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')


class EndOfTranscript(msgspec.Struct, frozen=True):
    """The last turns of a session. `home` is the folder it began in; `cwd` of the session is the one it was in where
    these turns begin."""

    session: Session
    home: str


def read_end(path: Path, agent: str, agent_id: str = "") -> EndOfTranscript | None:
    """The last turns in a transcript, of the sub-agent `agent_id` if one is named; None where there are none to be
    had, or where the format does not let a reader begin in the middle."""
    try:
        format_ = recognise(path, agent if agent in FORMATS.rows else "")
        if format_ is None or hasattr(format_, "stamps"):
            return None
        offset, head = _start_of_end(path)
        session = _read(format_, path, offset, agent_id)
    except (OSError, UnreadableSource):
        return None
    if session is None:
        return None
    return EndOfTranscript(session, _folder_in(head) or session.cwd)


def _start_of_end(path: Path) -> tuple[int, bytes]:
    """Where the last whole lines begin, and the head of the file."""
    with path.open("rb") as file:
        head = file.read(MAX_HEAD_BYTES)
        size = file.seek(0, 2)
        start = max(0, size - MAX_END_BYTES)
        file.seek(start)
        end = file.read(MAX_END_BYTES)
    at = len(end)
    for _ in range(MAX_END_LINES + 1):
        at = end.rfind(b"\n", 0, at)
        if at < 0:
            return (start + end.find(b"\n") + 1 if start else 0), head
    return start + at + 1, head


def _read(format_: Format, path: Path, offset: int, agent_id: str) -> Session | None:
    whole: dict[str, Session] = {}
    since = Mark(offset=offset) if offset else Mark()
    for part in format_.read(path, since):
        whole[part.id] = join(whole[part.id], part) if part.id in whole else part
    sessions = list(whole.values())
    if agent_id:
        return next((each for each in sessions if _is_of(each, agent_id)), None)
    main = [each for each in sessions if each.origin == "main"]
    return main[-1] if main else None


def _is_of(session: Session, agent_id: str) -> bool:
    return session.id.rpartition("/")[2] in {agent_id, f"agent-{agent_id}"}


def _folder_in(head: bytes) -> str:
    """The first folder that the file names; in a message the quotes around its name are escaped."""
    match = _FOLDER.search(head)
    if match is None:
        return ""
    try:
        return msgspec.json.decode(match[1], type=str)
    except msgspec.DecodeError:
        return ""


def without_open_calls(session: Session, ended: frozenset[str]) -> Session:
    """The turns without calls that have no result yet, and without those that just `ended`: they are told apart."""
    turns = []
    for turn in session.turns:
        calls = tuple(
            call
            for call in turn.calls
            if call.result is not None and call.id not in ended
        )
        turns.append(turn if calls == turn.calls else replace(turn, calls=calls))
    return replace(session, turns=tuple(turns))

"""Which sessions of the catalogue start with a copy of others, and up to which line: a call counts once.

The session that was catalogued with the earlier end is taken for the original, and stays so however both go on; but one
that broke off in a call counts where the call was answered. When the original is gone, what was copied counts where the
copy is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from afterglow.sessions.call_marks import (
    CallMark,
    ends_unanswered,
    hashes,
    last_line,
    unpacked,
)
from afterglow.store.catalog import Catalog

_CALL_BIT = 1
_age = attrgetter("first_end", "id", "key")
_COLUMNS = "key, source, id, agent, format, stamp, copied, first_end, marks"


class MarkedSession(Struct, frozen=True):
    """A session with what its calls are known again by; `copied` is the line up to which it was read over."""

    key: int
    source: str
    id: str
    agent: str
    format: str
    stamp: str
    copied: int
    first_end: float
    marks: bytes


class Recount(Struct, frozen=True):
    """A session to be read again behind another line than it was: 0 for all of it. `parent` is where it is from."""

    session: MarkedSession
    copied: int
    parent: str


class _Copy(NamedTuple):
    """The last line that is surely copied, the first behind it that is surely not, and the id of the original."""

    last: int
    first_own: int
    parent: str


def stored_marks(catalog: Catalog, source: str) -> tuple[int, bytes]:
    """Of the one session of a file: the line up to which it was copied, and its marks."""
    query = (
        "SELECT copied, marks FROM sessions LEFT JOIN call_marks USING (key) "
        "WHERE source = ? LIMIT 1"
    )
    rows = catalog.rows(query, [source])
    copied, marks = rows[0] if rows else (0, b"")
    return copied, marks or b""


def recounts(catalog: Catalog, is_database: Callable[[str], bool]) -> list[Recount]:
    """What counts too much or too little. A file has one line for all its sessions; where its format `is_database`, each
    has its own."""
    query = (
        f"SELECT {_COLUMNS} FROM sessions JOIN call_marks USING (key) WHERE NOT gone"
    )
    sessions = [MarkedSession(*row) for row in catalog.rows(query)]
    copies = _copies(sessions)
    if not copies and not any(session.copied for session in sessions):
        return []
    by_source: dict[tuple[str, str], list[MarkedSession]] = defaultdict(list)
    for session in sessions:
        part_of = session.id if is_database(session.format) else ""
        by_source[session.source, part_of].append(session)
    changed = (_recount(group, copies) for group in by_source.values())
    return [recount for recount in changed if recount is not None]


def _recount(
    group: Sequence[MarkedSession], copies: dict[int, _Copy]
) -> Recount | None:
    present = group[0].copied
    of_group = [copies[session.key] for session in group if session.key in copies]
    if not of_group:
        return Recount(group[0], 0, "") if present else None
    copy = max(of_group)
    if copy.last <= present < copy.first_own:
        return None
    return Recount(group[0], max(copy.last, copy.first_own - 1), copy.parent)


def _copies(sessions: Iterable[MarkedSession]) -> dict[int, _Copy]:
    """By the keys of the sessions that copied."""
    firsts: dict[int, list[MarkedSession]] = defaultdict(list)
    marked = [(session, hashes(session.marks)) for session in sessions]
    broken_off = _broken_off(marked)
    marked.sort(key=lambda pair: (pair[0].key in broken_off, *_age(pair[0])))
    for session, numbers in marked:
        firsts[next(number for number in numbers if number & _CALL_BIT)].append(session)
    holders: dict[int, list[MarkedSession]] = defaultdict(list)
    for session, numbers in marked:
        for number in firsts.keys() & numbers:
            holders[number].append(session)
    copies: dict[int, _Copy] = {}
    for number, holding in holders.items():
        for session in firsts[number]:
            earlier = _earlier(session, holding)
            if earlier:
                copies[session.key] = _compare(session, earlier)
    return copies


def _broken_off(marked: Iterable[tuple[MarkedSession, Sequence[int]]]) -> set[int]:
    """Keys of sessions that end with a call which a resumed one has the answer to: they count there, all of them."""
    ends: dict[int, list[int]] = defaultdict(list)
    whole: list[Sequence[int]] = []
    for session, numbers in marked:
        if ends_unanswered(session.marks):
            ends[numbers[-1]].append(session.key)
        else:
            whole.append(numbers)
    answered = {number for numbers in whole for number in ends.keys() & numbers}
    return {key for number in answered for key in ends[number]}


def _earlier(
    session: MarkedSession, holding: Sequence[MarkedSession]
) -> list[MarkedSession]:
    """Files of the same session are marked as copies of each other elsewhere."""
    before = holding[: holding.index(session)]
    return [
        candidate
        for candidate in before
        if candidate.id != session.id and candidate.agent == session.agent
    ]


def _compare(session: MarkedSession, earlier: Sequence[MarkedSession]) -> _Copy:
    """The calls at its start that earlier sessions have, and what was said behind the last of them in both."""
    marks = unpacked(session.marks)
    originals = [(original.id, unpacked(original.marks)) for original in earlier]
    calls = {mark.hash for _, theirs in originals for mark in theirs if mark.is_call}
    end = 0
    for place, mark in enumerate(marks, 1):
        if not mark.is_call:
            continue
        if mark.hash not in calls:
            break
        end = place
    lengths = [
        (_said_alike(marks, end, theirs), id)
        for id, theirs in originals
        if any(mark.hash == marks[end - 1].hash for mark in theirs)
    ]
    alike, parent = max(lengths, key=lambda length: length[0])
    end += alike
    is_whole = end == len(marks)
    last = marks[end - 1].line
    first_own = last_line(session.marks) + 1 if is_whole else marks[end].line
    return _Copy(last, max(first_own, last + 1), parent)


def _said_alike(marks: Sequence[CallMark], end: int, theirs: Sequence[CallMark]) -> int:
    """How many words that stand in `marks` from `end` on also stand behind the same call in the other session."""
    call = marks[end - 1].hash
    at = next(place for place, mark in enumerate(theirs) if mark.hash == call)
    count = 0
    for mark, their_mark in zip(marks[end:], theirs[at + 1 :], strict=False):
        if mark.is_call or mark.hash != their_mark.hash:
            break
        count += 1
    return count


def drop_mined(catalog: Catalog, keys: Iterable[int]) -> None:
    """What was found in sessions that hold something else now; the next harvest mines them anew."""
    rows = [(key,) for key in keys]
    with catalog.writing() as db:
        db.executemany(
            "INSERT OR IGNORE INTO pending SELECT DISTINCT topic FROM findings WHERE key = ?",
            rows,
        )
        for table in ("findings", "events", "mined"):
            db.executemany(f"DELETE FROM {table} WHERE key = ?", rows)

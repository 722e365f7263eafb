"""Mining some sources: what a worker process does. Text goes no further than this; redacted findings come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from afterglow.errors import UnreadableSource
from afterglow.flows.read import STUMBLES
from afterglow.harvest.pipeline import mine
from afterglow.records.session import Session
from afterglow.sessions import parts
from afterglow.sessions.formats import FORMATS
from afterglow.sessions.joined_parts import join
from afterglow.store.findings import Mined, packed
from afterglow.text.redact import Redactor

WHOLE = 4  # parts of a long session that are mined together; memory stays bounded


class Wanted(Struct, frozen=True):
    """A session to mine: its key in the catalogue, and what it looks like now."""

    key: int
    id: str
    repo: str
    check: bytes


class Lode(Struct, frozen=True):
    """A source and the sessions of it that are to be mined."""

    path: str
    format: str
    size: int
    wanted: tuple[Wanted, ...]
    names: tuple[str, ...]
    cache: str


class Haul(Struct, frozen=True):
    """What came of a lode: rows for the store, counts for the report."""

    mined: tuple[Mined, ...] = ()
    found: dict[str, int] = {}
    redacted: dict[str, int] = {}
    trouble: str = ""


def dig(lodes: list[Lode]) -> list[Haul]:
    return [_dig(lode) for lode in lodes]


@lru_cache(maxsize=1)
def worker_redactor(names: tuple[str, ...], cache: str) -> Redactor:
    return Redactor(names, cache=Path(cache))


def _dig(lode: Lode) -> Haul:
    """Whatever is wrong with a source becomes part of the result; sessions mined before it stay."""
    tool = worker_redactor(lode.names, lode.cache)
    wanted = {one.id: one for one in lode.wanted}
    rows: dict[str, list[tuple[str, bytes]]] = {}
    found: Counter[str] = Counter()
    redacted: Counter[str] = Counter()
    trouble = ""
    try:
        for session in _stretches(lode, wanted):
            dug = mine(session, wanted[session.id].repo, tool)
            rows.setdefault(session.id, []).extend(map(packed, dug.findings))
            found.update(finding.miner for finding in dug.findings)
            redacted.update(dug.redacted)
    except UnreadableSource as error:
        trouble = str(error)
    except OSError as error:
        trouble = error.strerror or type(error).__name__
    except MemoryError:
        trouble = "too large to mine in the memory there is"
    except STUMBLES as error:
        trouble = f"a miner stumbled: {type(error).__name__}: {error}"
    if trouble:
        return Haul(trouble=trouble)
    mined = tuple((one.key, one.check, rows.get(one.id, ())) for one in lode.wanted)
    return Haul(mined, dict(found), dict(redacted))


def _stretches(lode: Lode, wanted: dict[str, Wanted]) -> Iterator[Session]:
    """The wanted sessions, whole; very long ones in stretches."""
    open_: dict[str, tuple[Session, int]] = {}
    for part in parts(FORMATS.load(lode.format), Path(lode.path), only=set(wanted)):
        if part.id not in wanted:
            continue
        before, count = open_.pop(part.id, (None, 0))
        whole = join(before, part) if before is not None else part
        if count + 1 >= WHOLE:
            yield whole
        else:
            open_[part.id] = (whole, count + 1)
    for session, _ in open_.values():
        yield session

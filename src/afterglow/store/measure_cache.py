"""What measuring needs of each session, read once from the catalogue and remembered until the catalogue changes.

Rows and profiles of twelve thousand sessions take three times as long to read as one value that holds the few numbers
needed of them. It is a summary like any other: the next write to the catalogue forgets it.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from afterglow.errors import StoreError
from afterglow.records.reading import Glance
from afterglow.store.catalog import Catalog

NAME = "summary of sessions, to measure"

_ROWS = """
SELECT id, repo, agent, start, end, outcome, outcome_by, profile
FROM profiles CROSS JOIN sessions USING (key) CROSS JOIN places USING (place)
WHERE NOT empty AND NOT copy AND NOT gone AND origin = 'main'
"""


class _Recovery(Struct, frozen=True, gc=False):
    recovered: bool


class _Manner(Struct, frozen=True, gc=False):
    requests: int = 0
    corrections: int = 0


class _Counts(Struct, frozen=True, gc=False):
    """The part of a profile that is needed: the rest is skipped, not decoded."""

    outcomes: str = ""
    errors: dict[str, int] = {}
    recoveries: tuple[_Recovery, ...] = ()
    pending: tuple[_Recovery, ...] = ()
    manner: _Manner = _Manner()
    compactions: int = 0


_counts = msgspec.msgpack.Decoder(_Counts).decode
_glances = msgspec.msgpack.Decoder(list[Glance]).decode


def glances(catalog: Catalog) -> list[Glance]:
    """Used sessions that are experience (no copies, sub-agents or scheduled runs), in time order."""
    packed = remembered(catalog, NAME)
    if packed is not None:
        return _glances(packed)
    version = catalog.rows("PRAGMA data_version")
    glances_ = [_glance(*row) for row in catalog.rows(_ROWS)]
    glances_.sort(key=lambda glance: (glance.start or 0.0, glance.id))
    remember(catalog, NAME, msgspec.msgpack.encode(glances_), version)
    return glances_


def remembered(catalog: Catalog, name: str) -> bytes | None:
    """A summary, if the catalogue has not changed since."""
    rows = catalog.rows("SELECT value FROM facts WHERE name = ?", [name])
    return rows[0][0] if rows else None


def remember(catalog: Catalog, name: str, packed: bytes, version: object) -> None:
    """Keeps a summary of the catalogue as it was at that version, unless another program has written since; where
    nothing can be written, the next one reads the rows again."""
    try:
        catalog.rows("BEGIN IMMEDIATE")
    except StoreError:
        return
    try:
        if catalog.rows("PRAGMA data_version") == version:
            catalog.rows(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)",
                [name, packed],
            )
    finally:
        catalog.rows("COMMIT")


def _glance(
    id: str,
    repo: str,
    agent: str,
    start: float | None,
    end: float | None,
    outcome: str,
    by: str,
    profile: bytes,
) -> Glance:
    """Tries at one goal are one recovery, whether it ended well or not; any other call that worked did so at once."""
    counts = _counts(profile)
    letters, recovered, tried = (
        counts.outcomes,
        0,
        len(counts.recoveries) + len(counts.pending),
    )
    for recovery in counts.recoveries:
        recovered += recovery.recovered
    ok, failed = letters.count("o"), letters.count("f")
    at_once = max(ok - recovered, 0)
    manner = counts.manner
    succeeded = None if outcome == "unknown" else outcome == "success"
    return Glance(
        id,
        repo,
        agent,
        start,
        end,
        failed,
        ok + failed,
        counts.errors,
        at_once + tried,
        at_once,
        succeeded,
        by == "ending",
        manner.requests,
        manner.corrections,
        counts.compactions,
    )

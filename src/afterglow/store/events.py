"""What went wrong in each session, as mining left it in the catalogue. `Findings.save` writes it beside the findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from afterglow.records.problems import EventKind, SessionEvents
from afterglow.store.catalog import Catalog
from afterglow.store.sql_limits import pieces

_events = msgspec.msgpack.Decoder(SessionEvents)
_pack = msgspec.msgpack.Encoder().encode


class _NamedPackages(Struct):
    """As much of a session's events as says which packages its repository names."""

    packages: tuple[str, ...] = ()


class _EventKind(Struct):
    kind: EventKind


class _EventKinds(Struct):
    """As much of a session's events as says of what kind they are."""

    events: tuple[_EventKind, ...] = ()


_kinds = msgspec.msgpack.Decoder(_EventKinds)
_packages = msgspec.msgpack.Decoder(_NamedPackages)


def packed_events(events: SessionEvents) -> bytes:
    return _pack(events)


def hidden_in(events: bytes) -> int:
    """How many failures of a session no exit code shows."""
    return sum(event.kind == "hidden" for event in _kinds.decode(events).events)


def events_of(
    catalog: Catalog, keys: Iterable[int]
) -> Iterator[tuple[int, SessionEvents]]:
    """The events of some sessions, by their keys; nothing for those that were not mined."""
    query = "SELECT key, events FROM events WHERE key IN ({})"
    for piece in pieces(list(keys)):
        marks = ", ".join("?" * len(piece))
        for key, body in catalog.rows(query.format(marks), piece):
            yield key, _events.decode(body)


def packages_of(catalog: Catalog, keys: Iterable[int]) -> set[str]:
    """The packages that the manifests which some sessions read name."""
    query = "SELECT events FROM events WHERE key IN ({})"
    names: set[str] = set()
    for piece in pieces(list(keys)):
        marks = ", ".join("?" * len(piece))
        for (body,) in catalog.rows(query.format(marks), piece):
            names.update(_packages.decode(body).packages)
    return names


def events_of_ids(catalog: Catalog, ids: Iterable[str]) -> Iterator[SessionEvents]:
    """The same by the ids of sessions, which several may share."""
    query = "SELECT events FROM events JOIN sessions USING (key) WHERE id IN ({})"
    for piece in pieces(sorted(ids)):
        marks = ", ".join("?" * len(piece))
        for (body,) in catalog.rows(query.format(marks), piece):
            yield _events.decode(body)

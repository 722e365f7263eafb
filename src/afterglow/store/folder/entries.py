"""`index.json`: every item as data. Its schema is published beside this file, and a test keeps the two the same."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from afterglow.errors import UnreadableSource
from afterglow.records.knowledge import (
    STATUSES,
    Category,
    Evidence,
    KnowledgeItem,
    Part,
    Status,
    Trust,
)
from afterglow.text.clip import harmless_json

VERSION = 1
ID = r"k[0-9a-f]{6,63}"

Time = Annotated[datetime, Meta(tz=True)]
Id = Annotated[
    str,
    Meta(
        pattern=f"^{ID}$",
        description="Stable: the same item has the same id everywhere.",
    ),
]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]


class Span(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where an item comes from: a stretch of one text in one session, its hash, and a redacted quote."""

    session: str
    agent: str
    line: int
    part: Part
    start: int
    length: int
    hash: str
    quote: str
    trust: Trust
    repo: str = ""
    author: str = ""
    time: Time | None = None


class Entry(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One item: a sentence worth keeping. Fields that are not named have their default."""

    id: Id
    fact: Annotated[str, Meta(min_length=1)]
    category: Category
    domain: str
    repo: Annotated[str, Meta(description="Empty: it holds in every repository.")]
    confidence: Share
    tags: tuple[str, ...]
    source_count: Annotated[
        int, Meta(ge=0, description="Independent sessions behind it.")
    ]
    first_seen: Time | None
    last_confirmed: Time | None
    expires: Time | None
    related: tuple[str, ...]
    status: Status
    agent: Annotated[str, Meta(description="Empty: it holds for every agent.")]
    trust: Annotated[Trust, Meta(description="The lowest of what it rests on.")]
    evidence: tuple[Span, ...]
    reason: Annotated[str, Meta(description="Why it has its status.")] = ""
    situation: str = ""
    remedy: str = ""
    times: Annotated[int, Meta(ge=0, description="How often it was seen.")] = 0
    worked: Annotated[
        int, Meta(ge=0, description="How often what it says to do worked.")
    ] = 0
    against: Count = 0
    cost: float = 0.0
    key: str = ""
    value: str = ""
    miner: str = ""
    topics: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    superseded_by: str = ""
    decided: Annotated[bool, Meta(description="A person decided its status.")] = False
    edited: Annotated[bool, Meta(description="A person wrote its words.")] = False


class Index(Struct, frozen=True, kw_only=True):
    """What a knowledge folder holds. `last_updated` is when an item was last seen, not when the file was written."""

    version: Annotated[int, Meta(ge=1)]
    last_updated: Time | None
    total_facts: Count
    statuses: tuple[Status, ...] = ("active",)
    facts: tuple[Entry, ...]


_TIMES = ("first_seen", "last_confirmed", "expires")
_FIELDS = tuple(
    name for name in Entry.__struct_fields__ if name not in {*_TIMES, "evidence"}
)
_SPAN = tuple(name for name in Span.__struct_fields__ if name != "time")
_decode = msgspec.json.Decoder(Index)


def entry_of(item: KnowledgeItem) -> Entry:
    spans = tuple(
        Span(
            **{name: getattr(evidence, name) for name in _SPAN},
            time=_stamp(evidence.time),
        )
        for evidence in sorted(
            item.evidence,
            key=lambda evidence: (
                evidence.session,
                evidence.line,
                evidence.part,
                evidence.start,
            ),
        )
    )
    times: dict[str, Any] = {name: _stamp(getattr(item, name)) for name in _TIMES}
    return Entry(
        **{name: getattr(item, name) for name in _FIELDS}, **times, evidence=spans
    )


def item_of(entry: Entry) -> KnowledgeItem:
    """The item again. Times come back to the microsecond."""
    spans = tuple(
        Evidence(
            **{name: getattr(evidence, name) for name in _SPAN},
            time=_seconds(evidence.time),
        )
        for evidence in entry.evidence
    )
    times: dict[str, Any] = {name: _seconds(getattr(entry, name)) for name in _TIMES}
    return KnowledgeItem(
        **{name: getattr(entry, name) for name in _FIELDS}, **times, evidence=spans
    )


def encode(entries: Iterable[Entry], statuses: Iterable[Status] = ("active",)) -> bytes:
    """The bytes of index.json: the same items give the same bytes, an item more gives a few lines more."""
    facts = tuple(_lean(entry) for entry in sorted(entries, key=lambda entry: entry.id))
    times = [
        time
        for entry in facts
        for time in (entry.first_seen, entry.last_confirmed)
        if time
    ]
    index = Index(
        version=VERSION,
        last_updated=max(times, default=None),
        total_facts=len(facts),
        statuses=tuple(status for status in STATUSES if status in set(statuses)),
        facts=facts,
    )
    return (
        harmless_json(msgspec.json.format(msgspec.json.encode(index), indent=1)) + b"\n"
    )


def _lean(entry: Entry) -> Entry:
    """Equal to a default is not enough for msgspec to leave a value out: it must be the default itself."""
    evidence = tuple(replace(piece, **_same(piece)) for piece in entry.evidence)
    return replace(entry, **_same(entry), evidence=evidence)


def _same(struct: Entry | Span) -> dict[str, Any]:
    names = struct.__struct_fields__[-len(struct.__struct_defaults__) :]
    defaults = zip(names, struct.__struct_defaults__, strict=True)
    return {name: value for name, value in defaults if getattr(struct, name) == value}


def decode(data: bytes, name: str) -> Index:
    """The index in `data`; what is wrong with it is said with its place."""
    try:
        version = msgspec.json.decode(data, type=_Version).version
        if version > VERSION:
            raise UnreadableSource(
                f"{name} has version {version}, this afterglow reads {VERSION}; upgrade it first"
            )
        index = _decode.decode(data)
    except msgspec.ValidationError as error:
        raise UnreadableSource(
            f"{name} is not an index of knowledge: {error}"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableSource(f"{name}{_place(data, error)}: {error}") from error
    ids = set[str]()
    for number, entry in enumerate(index.facts):
        if entry.id in ids:
            raise UnreadableSource(
                f"{name}: {entry.id} stands in it twice - at `$.facts[{number}]`"
            )
        ids.add(entry.id)
    return index


def schema() -> dict[str, object]:
    """The JSON Schema of index.json."""
    schema_ = msgspec.json.schema(Index)
    for definition in schema_["$defs"].values():
        definition["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "afterglow knowledge index",
        **schema_,
    }


class _Version(Struct):
    version: int


def _stamp(time: float | None) -> datetime | None:
    try:
        return None if time is None else datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError, OSError):  # no year of any calendar
        return None


def _seconds(time: datetime | None) -> float | None:
    return None if time is None else time.timestamp()


def _place(data: bytes, error: Exception) -> str:
    """`:12` where the error is; the place git left its marks at, when that is what is wrong."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")):
            return f":{number}: git left a conflict here; take either side, `afterglow knowledge sync` mends the rest"
    offset = str(error).rpartition("(byte ")[2].rstrip(")")
    return f":{data[: int(offset)].count(10) + 1}" if offset.isdigit() else ""

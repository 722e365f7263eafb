"""Two ways to find the points of all rules in a text: hyperscan in one pass, or plain Python word by word.

Both work on the text as ASCII bytes, one byte a character, so a place in the bytes is the place in the text.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from afterglow import __version__
from afterglow.folders import place_file, private
from afterglow.text.redact.rule import Rule

if TYPE_CHECKING:
    import hyperscan

Point = tuple[int, int]  # place, number of the rule


class Engine(Protocol):
    def points(self, data: bytes) -> Iterable[Point]: ...


def as_bytes(text: str) -> bytes:
    return text.encode("ascii", "replace")


class PlainPython:
    """Looks for the words a rule starts with, then for its anchor there."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._by_start: dict[bytes, list[tuple[int, Rule]]] = {}
        self._searched: list[tuple[int, re.Pattern[bytes]]] = []
        for number, rule in enumerate(rules):
            for start in rule.starts:
                anchored = self._by_start.setdefault(start.encode(), [])
                anchored.append((number, rule))
            if not rule.starts:
                anchor = _anchor(rule.anchor, rule.caseless)
                self._searched.append((number, anchor))

    def points(self, data: bytes) -> set[Point]:
        points_: set[Point] = set()
        small = data.lower()
        for start, anchored in self._by_start.items():
            at = small.find(start)
            while at >= 0:
                for number, rule in anchored:
                    match = _anchor(rule.anchor, rule.caseless).match(data, at)
                    if match:
                        points_.add((match.end(), number))
                at = small.find(start, at + 1)
        for number, pattern in self._searched:
            match = pattern.search(data)
            while match:
                points_.add((match.end(), number))
                match = pattern.search(data, match.start() + 1)
        return points_


@cache  # few of them are ever needed: most texts hold no start of any
def _anchor(pattern: str, caseless: bool) -> re.Pattern[bytes]:
    return re.compile(pattern.encode(), re.IGNORECASE if caseless else 0)


class Hyperscan:
    """All anchors in one pass. The compiled database is kept in `cache`; what cannot be read or written is ignored."""

    def __init__(self, rules: Sequence[Rule], cache: Path | None = None) -> None:
        import hyperscan

        expressions = tuple(rule.anchor.encode() for rule in rules)
        caseless = tuple(rule.caseless for rule in rules)
        self._lock = Lock()  # hyperscan's scratch space serves one scan at a time
        cache_file = None
        if cache:
            engine_version = getattr(hyperscan, "__version__", "")
            key = repr((__version__, engine_version, expressions, caseless))
            digest = hashlib.sha256(key.encode()).hexdigest()
            cache_file = cache / f"rules-{digest[:16]}.hs"
        database = _load(cache_file) if cache_file else None
        if database is None:
            blob = _compiled(expressions, caseless)
            database = _opened(blob)
            if cache_file:
                _save(cache_file, blob)
        self._database = database
        self._scratch, self._process = hyperscan.Scratch, os.getpid()

    def points(self, data: bytes) -> list[Point]:
        points_: list[Point] = []
        add = points_.append

        def matched(
            number: int, start: int, end: int, flags: int, context: object
        ) -> None:
            add((end, number))

        # Forked, maybe while another thread was scanning: its hold never ends here.
        if self._process != os.getpid():
            self._lock = Lock()
            self._database.scratch = self._scratch(self._database)
            self._process = os.getpid()
        with self._lock:
            self._database.scan(data, match_event_handler=matched)
        return points_


_DIGEST = 32


@lru_cache(maxsize=4)  # a process may serve several homes, which share the rules
def _compiled(expressions: tuple[bytes, ...], caseless: tuple[bool, ...]) -> bytes:
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=list(expressions),
        ids=list(range(len(expressions))),
        elements=len(expressions),
        flags=[hyperscan.HS_FLAG_CASELESS if each else 0 for each in caseless],
    )
    blob: bytes = hyperscan.dumpb(database)
    return blob


def _opened(blob: bytes) -> hyperscan.Database:
    """A database of its own, with scratch space of its own."""
    import hyperscan

    database = hyperscan.loadb(blob, hyperscan.HS_MODE_BLOCK)
    database.scratch = hyperscan.Scratch(database)
    return database


def _load(kept: Path) -> hyperscan.Database | None:
    import hyperscan

    try:
        blob = kept.read_bytes()
        if hashlib.sha256(blob[_DIGEST:]).digest() != blob[:_DIGEST]:
            return None
        return _opened(blob[_DIGEST:])
    except (OSError, hyperscan.error):
        return None


def _save(kept: Path, blob: bytes) -> None:
    with suppress(OSError):
        place_file(
            private(kept.parent) / kept.name, hashlib.sha256(blob).digest() + blob
        )

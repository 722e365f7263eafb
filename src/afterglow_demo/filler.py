"""Filler: the logs, code, listings, prose and pages that make up most of a session's bytes.

Made once, already escaped as the inside of a JSON string (a `Quoted`), and handed out in slices cut at line ends. That
is why writing a fleet costs about as much as copying it. Nothing here reads like a failure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from random import Random
from typing import NewType

import msgspec

Quoted = NewType("Quoted", str)  # the text between the quotes of a JSON string
BREAK = "\\n"
SIZE = 192 << 10
KINDS = ("log", "code", "listing", "prose", "page")

_NOUNS = (
    "dock",
    "gate",
    "tide",
    "berth",
    "crane",
    "buoy",
    "ledger",
    "pilot",
    "channel",
    "beacon",
    "cargo",
    "ferry",
    "quay",
)
_VERBS = (
    "open",
    "close",
    "load",
    "merge",
    "sort",
    "fetch",
    "store",
    "render",
    "check",
    "split",
    "trim",
    "bind",
    "flush",
)
_MODULES = (
    "router",
    "planner",
    "storage",
    "session",
    "metrics",
    "layout",
    "parser",
    "worker",
    "client",
    "schema",
    "policy",
)
_SAYING = (
    "The batch keeps its order stable while another table is read, so that callers see one result per request and "
    "nothing is written twice after each window of small values"
)
_WORDS = tuple(_SAYING.split())


def quote(text: str) -> Quoted:
    return Quoted(msgspec.json.encode(text).decode()[1:-1])


def unquote(text: Quoted) -> str:
    return str(msgspec.json.decode(f'"{text}"'))


class Pool:
    """Five long texts, one a kind, and where their lines start."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"pool {seed}")
        self.texts: dict[str, str] = {}
        self.starts: dict[str, list[int]] = {}
        for kind in KINDS:
            lines, starts, at = [], [], 0
            while at < SIZE:
                line = quote(_LINES[kind](rng)) + BREAK
                lines.append(line)
                starts.append(at)
                at += len(line)
            self.texts[kind], self.starts[kind] = "".join(lines), [*starts, at]

    def take(self, kind: str, size: int, rng: Random) -> Quoted:
        """About `size` characters of whole lines, at least one."""
        text, starts = self.texts[kind], self.starts[kind]
        first = int(rng.random() * (len(starts) - 1))
        begin, parts = starts[first], []
        while begin + size > len(text):
            parts.append(text[begin:])
            size -= len(text) - begin
            begin = first = 0
        last = max(bisect_right(starts, begin + size) - 1, first + (not parts))
        parts.append(text[begin : starts[last]])
        return Quoted("".join(parts)[: -len(BREAK)])


def _log(rng: Random) -> str:
    day = f"2026-04-{rng.randint(1, 28):02d}T{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d}Z"
    event = f"{rng.choice(_VERBS)} {rng.choice(_NOUNS)} id={rng.randint(100, 99999)} took={rng.randint(1, 900)}ms"
    return f"{day} INFO {rng.choice(_MODULES)}: {event}"


def _code(rng: Random) -> str:
    indent = "    " * rng.randint(0, 3)
    a, b, verb = rng.choice(_NOUNS), rng.choice(_NOUNS), rng.choice(_VERBS)
    return indent + rng.choice(
        (
            f"{a} = {verb}_{b}({a}, limit={rng.randint(1, 64)})",
            f"if {a}.{verb}() and not {b}.done:",
            f'return {{"{a}": {verb}({b}), "count": {rng.randint(0, 9)}}}',
            f"# {verb} the {a} before the {b} is read again",
            f'for {a} in {b}.{verb}_all("{rng.choice(_MODULES)}"):',
            "return",
        )
    )


def _listing(rng: Random) -> str:
    suffix = rng.choice(("go", "py", "ts", "md"))
    return f"{rng.choice(_MODULES)}/{rng.choice(_NOUNS)}_{rng.choice(_VERBS)}.{suffix}:{rng.randint(1, 900)}"


def _prose(rng: Random) -> str:
    start = rng.randrange(len(_WORDS))
    words = [_WORDS[(start + k) % len(_WORDS)] for k in range(rng.randint(7, 18))]
    words.insert(rng.randrange(len(words)), rng.choice(_NOUNS))
    return " ".join(words).capitalize() + "."


def _page(rng: Random) -> str:
    if rng.random() < 0.1:
        return f"## {rng.choice(_VERBS).title()} {rng.choice(_NOUNS)}"
    return rng.choice((_prose, _prose, _code))(rng)


_LINES: dict[str, Callable[[Random], str]] = {
    "log": _log,
    "code": _code,
    "listing": _listing,
    "prose": _prose,
    "page": _page,
}

"""Takes secrets and personal data out of text before anything is kept, sent or shown.

`Redactor().redact(text)` replaces each find by a typed placeholder (`<secret:github-token>`, `<email>`, `~/src`) and
counts the finds by rule. Redacting twice changes nothing. Importing this compiles nothing; the first text does.

Rules are tables: `token_formats` (tokens with a form of their own), `by_issuer` (known by whose they are), `structured`
(key blocks, web tokens, logins in addresses), `named_values`, `in_lists`, `headers`, `commands` and `settings` (values that a
name, an option or a header announces), `said_aloud` and `other_scripts` (what people say), `personal`, `home_paths` and
`names`. What is plainly no value, `announced` and `sentence_words` know.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from afterglow.text.redact.engines import (
    Engine,
    Hyperscan,
    PlainPython,
    Point,
    as_bytes,
)
from afterglow.text.redact.rule import PERSONAL, Rule, Span

__all__ = ["RULES", "Hit", "Redacted", "Redactor"]

RULES = 2  # raised when they hide more than before: what is kept is then redacted again

ROUNDS = 8  # what stood beside a hidden value is looked at again, until nothing more is found
TOGETHER = 1 << 18  # characters of short texts that are scanned in one go
_BETWEEN = "\0\0"  # no rule reaches over it
_PLACEHOLDER = re.compile(
    r"<(?:secret:[a-z0-9-]{1,40}|key|email|phone|card|iban|ssn|ip|name)>"
)


class Hit(NamedTuple):
    rule: str
    kind: str
    start: int
    end: int


class Redacted(NamedTuple):
    text: str
    counts: dict[str, int]  # per rule


class Redactor:
    """Compiled rules. `names` are further words to hide (a person's list)."""

    def __init__(
        self,
        names: Sequence[str] = (),
        *,
        cache: Path | None = None,
        engine: str = "auto",
    ) -> None:
        if engine not in {"auto", "hyperscan", "python"}:
            raise ValueError(
                f"engine is {engine!r}; it can be auto, hyperscan or python"
            )
        self._names, self._cache, self._wanted = tuple(names), cache, engine

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        return _rules_with(self._names)

    @cached_property
    def _engine(self) -> Engine:
        if self._wanted == "python":
            return PlainPython(self._rules)
        try:
            return Hyperscan(self._rules, self._cache)
        except ImportError:
            if self._wanted == "hyperscan":
                raise
            return PlainPython(self._rules)

    def redact(self, text: str) -> Redacted:
        return self._hide([text])[0]

    def redact_many(self, texts: Sequence[str]) -> list[Redacted]:
        """The same for many texts: short ones are scanned together."""
        redacted: list[Redacted] = []
        start = size = 0
        for at, text in enumerate(texts):
            size += len(text)
            if size >= TOGETHER:
                redacted += self._hide(texts[start : at + 1])
                start, size = at + 1, 0
        return redacted + self._hide(texts[start:])

    def find(self, text: str) -> list[Hit]:
        """What one round of `redact` would hide, in order, without overlaps."""
        points = sorted(self._engine.points(as_bytes(text)))
        hits: list[Hit] = []
        for number, start, end in self._spans(text, points):
            rule = self._rules[number]
            hits.append(Hit(rule.name, rule.kind, start, end))
        return hits

    def _hide(self, texts: Sequence[str]) -> list[Redacted]:
        now = list(texts)
        counts: dict[int, dict[str, int]] = {}
        waiting: Sequence[int] = range(len(now))
        for _ in range(ROUNDS):
            points = self._points([now[at] for at in waiting] if counts else now)
            changed = []
            for turn, places in points.items():
                at = waiting[turn]
                spans = self._spans(now[at], places)
                if spans:
                    now[at] = self._replaced(now[at], spans, counts.setdefault(at, {}))
                    changed.append(at)
            if not changed:
                break
            waiting = changed
        return [Redacted(text, counts.get(at) or {}) for at, text in enumerate(now)]

    def _points(self, texts: Sequence[str]) -> dict[int, list[Point]]:
        """The points of each text that has any, in order, from one scan over all of them."""
        lengths = (len(text) + len(_BETWEEN) for text in texts)
        begins = list(accumulate(lengths, initial=0))
        joined = as_bytes(_BETWEEN.join(texts))
        points: dict[int, list[Point]] = {}
        for place, number in sorted(self._engine.points(joined)):
            at = bisect_left(begins, place) - 1
            points.setdefault(at, []).append((place - begins[at], number))
        return points

    def _replaced(
        self, text: str, spans: list[tuple[int, int, int]], counts: dict[str, int]
    ) -> str:
        parts, at = [], 0
        for number, start, end in spans:
            rule = self._rules[number]
            counts[rule.name] = counts.get(rule.name, 0) + 1
            parts += [text[at:start], rule.placeholder]
            at = end
        return "".join(parts) + text[at:]

    def _spans(self, text: str, points: Iterable[Point]) -> list[tuple[int, int, int]]:
        """(number of the rule, start, end), in order. Overlapping secrets become one; a secret wins over an address."""
        spans: list[tuple[int, int, int, int]] = []
        past: dict[
            int, int
        ] = {}  # where the last hit of a rule ended: points inside it say nothing new
        for point, number in points:
            rule = self._rules[number]
            if past.get(number, 0) >= point:
                continue
            for start, end in rule.decide(text, point):
                spans.append((rule.rank, start, end, number))
                past[number] = end
        if not spans:
            return []
        taken: list[Span] = []
        if "<" in text:
            taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
        return _merged(spans, taken)


@lru_cache(maxsize=4)  # a process makes several redactors with the same rules
def _rules_with(names: tuple[str, ...]) -> tuple[Rule, ...]:
    from afterglow.text.redact import (
        by_issuer,
        commands,
        headers,
        home_paths,
        in_lists,
        named_values,
        other_scripts,
        personal,
        said_aloud,
        settings,
        structured,
        token_formats,
    )
    from afterglow.text.redact import (
        names as listed_names,
    )

    tables = (
        token_formats,
        by_issuer,
        structured,
        named_values,
        in_lists,
        headers,
        commands,
        settings,
        said_aloud,
        other_scripts,
        personal,
        home_paths,
    )
    rules: list[Rule] = []
    for table in tables:
        rules += table.rules()
    rules += listed_names.rules(names)
    return tuple(rules)


def _merged(
    spans: list[tuple[int, int, int, int]], taken: list[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []  # start, end, number
    for rank, start, end, number in sorted(spans):
        before = bisect_left(taken, (end, 0)) - 1
        if before >= 0 and taken[before][1] > start:
            continue
        at = first = bisect_left(merged, (end, 0, 0))
        while first and merged[first - 1][1] > start:
            first -= 1
        over = merged[first:at]
        if not over:
            merged.insert(at, (start, end, number))
        elif rank != PERSONAL:
            merged[first:at] = [
                (min(start, over[0][0]), max(end, over[-1][1]), over[0][2])
            ]
    return [(number, start, end) for start, end, number in merged]

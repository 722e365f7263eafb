"""The words a person wants hidden: `names = ["Ana Lima"]`. Whole words, in any case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterglow.text.redact.rule import PERSONAL, Decide, Rule, Span


def rules(names: Sequence[str]) -> Iterator[Rule]:
    for name in sorted(
        {name.strip() for name in names if name.strip()}, key=lambda n: (-len(n), n)
    ):
        ascii_only = name.encode("ascii", "replace").decode().replace("?", ".")
        anchor = re.escape(ascii_only).replace(r"\.", ".")
        start = re.match(r"[^.]*", ascii_only.lower())
        starts = (start[0],) if start and start[0] else ()
        yield Rule("name", "name", PERSONAL, anchor, starts, _whole(name))


def _whole(name: str) -> Decide:
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)

    def decide(text: str, point: int) -> Iterator[Span]:
        match = pattern.match(text, point - len(name))
        if match:
            yield match.span()

    return decide

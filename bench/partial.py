"""The classic sampler: first line, last 8 KB, the rest guessed. Here to be compared with, not used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

TAIL = 8192


class Guess(NamedTuple):
    messages: int
    calls: int
    outcome: str


def guess(path: Path) -> Guess:
    """Messages and calls extrapolated from the size of the lines in the tail; outcome from the words in it."""
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.readline(1 << 20)
        file.seek(max(size - TAIL, 0))
        tail = file.read()
    lines = [line for line in tail.split(b"\n")[1:] if line] or [first]
    values = []
    for line in lines[-30:]:
        try:
            values.append(json.loads(line))
        except ValueError:
            continue
    share = size / max(sum(map(len, lines)), 1)
    text = tail.decode("utf-8", "replace").lower()
    calls = (
        text.count('"tool_use"')
        + text.count('"function_call"')
        + text.count('"tool_calls"')
    )
    outcome = (
        "failure"
        if "error" in text or "failed" in text
        else "success"
        if values
        else "unknown"
    )
    return Guess(round(len(lines) * share), round(calls * share), outcome)

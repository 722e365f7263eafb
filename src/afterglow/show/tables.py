"""Plain text tables and the words for numbers and times. No library: `sessions list` has to answer at once."""

from __future__ import annotations

import re
import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from afterglow.text.clip import printable

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def width(text: str) -> int:
    """Columns on screen: wide characters take two, marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(c)
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    right: str = "",
    last_flexible: bool = True,
) -> str:
    """Aligned columns; `right` names the headers whose column is right-aligned; the last one is cut to the screen."""
    cells = [[printable(str(value)) for value in row] for row in rows]
    columns = [
        max(width(cell) for cell in column)
        for column in zip(headers, *cells, strict=True)
    ]
    if last_flexible:
        room = (
            shutil.get_terminal_size((120, 24)).columns
            - sum(columns[:-1])
            - 2 * len(columns)
            + 2
        )
        columns[-1] = min(columns[-1], max(room, 12))
    aligned = right.split()
    lines = []
    for number, row in enumerate([list(headers), *cells]):
        fitted = [
            _pad(_cut(cell, space), space, name in aligned)
            for cell, space, name in zip(row, columns, headers, strict=True)
        ]
        lines.append("  ".join(fitted).rstrip())
        if number == 0:
            lines.append("  ".join("─" * space for space in columns))
    return "\n".join(lines)


def paragraph(text: str, bullet: str = "") -> str:
    """Text broken to the screen."""
    space = min(shutil.get_terminal_size((120, 24)).columns, 120)
    return textwrap.fill(
        text,
        space,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_on_hyphens=False,
    )


def _cut(text: str, space: int) -> str:
    if width(text) <= space:
        return text
    while text and width(text) > space - 1:
        text = text[:-1]
    return text + "…"


def _pad(text: str, space: int, to_right: bool) -> str:
    gap = " " * (space - width(text))
    return gap + text if to_right else text + gap


def number(value: float) -> str:
    return f"{value:,.0f}"


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def when(time: float | None) -> str:
    return (
        datetime.fromtimestamp(time).strftime("%Y-%m-%d %H:%M")
        if time is not None
        else "–"
    )


def day(time: float | None) -> str:
    return when(time)[:10]


def size(count: float) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def short_id(id: str) -> str:
    """Enough of an id to type it again."""
    return id[:13] if _UUID.fullmatch(id) else id

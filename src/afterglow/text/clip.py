"""Shortening that says it shortened, and taking out what moves a cursor."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b\n]{0,300}(?:\x07|\x1b\\)?)"
)
# What JSON lets through and a terminal or an editor acts on: C1 controls, marks of direction, odd line ends.
_ACTING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, ending in an ellipsis when something was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def clip_words(text: str, limit: int) -> str:
    """The same, with no part of a word at the end."""
    if len(text) <= limit:
        return text
    start, _, _ = text[:limit].rpartition(" ")
    return f"{start}…" if start else clip(text, limit)


def printable(text: str) -> str:
    """One line without control characters, marks that turn the direction of writing, or half characters."""
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else " " for c in text)
    )


def uncoloured(text: str) -> str:
    """Text without what programs send to a terminal between the words: colours, titles, links."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def readable(text: str) -> str:
    """Many lines of which none can do anything to what shows them."""
    lines = uncoloured(text).expandtabs(4).split("\n")
    return "\n".join(printable(line.rstrip("\r")) for line in lines)


def first_line(text: str, limit: int) -> str:
    """The first line that says something, clipped."""
    return clip(
        next((line.strip() for line in text.splitlines() if line.strip()), ""), limit
    )


def without_acting(text: str) -> str:
    """Text of any length without marks that hide words or turn the direction of writing; line ends stay."""
    return _ACTING.sub("\ufffd", text)


def harmless_json(data: bytes) -> bytes:
    """The same JSON with characters that could move a cursor or turn the writing as escapes."""
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", data.decode()).encode()

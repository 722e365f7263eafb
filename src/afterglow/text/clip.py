"""Shortening that says it shortened, and taking out what moves a cursor."""

from __future__ import annotations


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, ending in an ellipsis when something was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def printable(text: str) -> str:
    """One line without control characters, marks that turn the direction of writing, or half characters."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def first_line(text: str, limit: int) -> str:
    """The first line that says something, clipped."""
    return clip(next((line.strip() for line in text.splitlines() if line.strip()), ""), limit)

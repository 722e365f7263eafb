"""Shortening that says it shortened."""

from __future__ import annotations


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, ending in an ellipsis when something was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def first_line(text: str, limit: int) -> str:
    """The first line that says something, clipped."""
    return clip(next((line.strip() for line in text.splitlines() if line.strip()), ""), limit)

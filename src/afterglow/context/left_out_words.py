"""Why an item is not in a context, in a few words each."""

from __future__ import annotations

from collections.abc import Mapping

from afterglow.records.context import Why

LEFT_OUT_WORDS: dict[Why, str] = {
    "scope": "meant for another place",
    "status": "not active",
    "confidence": "not sure enough",
    "stale": "past their date",
    "check": "doubted in this checkout",
    "similar": "said by another line",
    "worth": "not worth a line",
    "budget": "for want of room",
    "rank": "behind many stronger ones",
    "moment": "told on failure only",
}


def counted_reasons(counts: Mapping[Why, int]) -> str:
    """`31 not worth a line, 4 not sure enough`, the most first."""
    ordered = sorted(counts.items(), key=lambda counted: -counted[1])
    return ", ".join(f"{times:,} {LEFT_OUT_WORDS[why]}" for why, times in ordered)

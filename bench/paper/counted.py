"""What is counted in a result file before it is written about: lessons by kind of family, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from afterglow.stats.intervals import wilson

LESSONS = ("right", "wrong", "missing")
TELLINGS = ("at_start", "after_failure", "in_template")

Family = Mapping[str, Any]


def of_loop(loop: Mapping[str, Any]) -> dict[str, Any]:
    """The lessons of a loop's families: all of them, quirks of one tool and the rest, and kind by kind."""
    families = loop["families"]
    quirks = [family for family in families if family["tool_quirk"]]
    others = [family for family in families if not family["tool_quirk"]]
    kinds = sorted({family["kind"] for family in families})
    return {
        "lessons": _lessons(families),
        "quirks": _lessons(quirks),
        "not_quirks": _lessons(others),
        "tellings": {telling: _told(families, telling) for telling in TELLINGS},
        "kinds": [
            {"kind": kind, **_lessons(f for f in families if f["kind"] == kind)}
            for kind in kinds
        ],
    }


def _lessons(families: Iterable[Family]) -> dict[str, Any]:
    """`learned` are those whose learning sessions succeeded: what was never done cannot be learned from."""
    chosen = list(families)
    learned = [family for family in chosen if family["learned"]]
    counts = {
        name: sum(family["lesson"] == name for family in chosen) for name in LESSONS
    }
    right_of_learned = sum(family["lesson"] == "right" for family in learned)
    return {
        "families": len(chosen),
        "learned": len(learned),
        **counts,
        "right_of_learned": right_of_learned,
        "wrong_of_learned": sum(family["lesson"] == "wrong" for family in learned),
        "share": _share(right_of_learned, len(learned)),
    }


def _told(families: Iterable[Family], telling: str) -> dict[str, int]:
    """Of the families that learned: what would be told of them at this moment, or in this form."""
    learned = [family for family in families if family["learned"]]
    return {
        name: sum(family[telling] == name for family in learned) for name in LESSONS
    }


def _share(count: int, n: int) -> dict[str, float] | None:
    if not n:
        return None
    low, high = wilson(count / n, n)
    return {"value": count / n, "low": low, "high": high}

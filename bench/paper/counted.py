"""What is counted in a result file before it is written about: lessons by kind of family, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from afterglow.stats.intervals import wilson

LESSONS = ("right", "wrong", "missing")
QUIRKS = "quirk of one tool"
TELLINGS = ("at_start", "after_failure", "in_template")

Family = Mapping[str, Any]


def of_loop(loop: Mapping[str, Any]) -> dict[str, Any]:
    """The lessons of a loop's families, and the tasks solved in each plan: all, quirks of one tool, and the other kinds
    one by one. Quirks have a kind each, so they are counted together."""
    families = loop["families"]
    groups = {
        QUIRKS: [family for family in families if family["tool_quirk"]],
        **{
            kind: [family for family in families if family["kind"] == kind]
            for kind in sorted(
                {family["kind"] for family in families if not family["tool_quirk"]}
            )
        },
    }
    others = [family for family in families if not family["tool_quirk"]]
    return {
        "lessons": _lessons(families),
        "quirks": _lessons(groups[QUIRKS]),
        "not_quirks": _lessons(others),
        "tellings": {telling: _told(families, telling) for telling in TELLINGS},
        "kinds": [{"kind": kind, **_lessons(some)} for kind, some in groups.items()],
        "runs": {
            name: {"made": plan["runs"], "planned": plan["tasks"] * len(plan["arms"])}
            for name, plan in loop["plans"].items()
        },
        "plans": {
            name: [
                {"kind": kind, "arms": _solved(plan, {f["kind"] for f in some})}
                for kind, some in groups.items()
            ]
            for name, plan in loop["plans"].items()
        },
    }


def _solved(plan: Mapping[str, Any], kinds: set[str]) -> dict[str, dict[str, int]]:
    """Tasks solved, and how many there were, of these kinds, in each arm."""
    counts = {arm: {"solved": 0, "tasks": 0} for arm in plan["arms"]}
    for kind in kinds & set(plan["by_kind"]):
        for arm, found in plan["by_kind"][kind].items():
            counts[arm]["solved"] += round(found["value"] * found["n"])
            counts[arm]["tasks"] += found["n"]
    return counts


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

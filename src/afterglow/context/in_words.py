"""Why a line stands in a context, and why an item does not: one plain sentence each. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from afterglow.context import LEAST
from afterglow.context.worth import DAY, FADES
from afterglow.records.context import LeftOut, Need
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.basis import day
from afterglow.text.numbers import count, number

MIN_FRACTION = 0.995  # of sessions: what is likelier is "nearly every session"


def worth_in_words(item: KnowledgeItem, why: Mapping[str, float], need: Need) -> str:
    """What the number is made of: how likely it is met, what that costs, how sure it is."""
    saved = why["likely"] * why["sure"] * why["cost"] * why["often"]
    times = f", {why['often']:.1f} times over" if why["often"] > 1 else ""
    return (
        f"Saves about {_calls(saved)} a session: {_how_likely(item, why, need)}; "
        f"unprepared it costs {_calls(why['cost'])}{times}; {why['sure']:.0%} sure."
    )


def omission_in_words(
    omission: LeftOut, item: KnowledgeItem, *, budget: int, min_confidence: float
) -> str:
    """Why an item is not in the context."""
    match omission.why:
        case "budget":
            return f"no room left within {number(budget)} tokens"
        case "confidence":
            return (
                f"{item.confidence:.0%} sure; told is what is surer than "
                f"{min_confidence:.0%}"
            )
        case "check":
            return f"doubted here: {omission.detail}"
        case "similar":
            return f"{omission.detail or 'another line'} says the same"
        case "scope":
            return f"not for this place: it holds {place_in_words(item)}"
        case "stale" | "rank" | "moment":
            return omission.detail
        case "worth":
            saved = omission.detail.replace("0.000 calls", "next to nothing")
            return f"would save {saved}; a line must save {LEAST} calls at least"
        case "status":
            return _status_in_words(item, omission.detail)


def place_in_words(item: KnowledgeItem) -> str:
    """Where an item holds: `in acme/cli, for codex`, `everywhere`."""
    where = f"in {item.repo}" if item.repo else ""
    who = f"for {item.agent}" if item.agent else ""
    return ", ".join(filter(None, (where, who))) or "everywhere"


def _status_in_words(item: KnowledgeItem, detail: str) -> str:
    if detail == "risky":
        return f"risky: {item.risk}; nobody has approved its words"
    if item.status == "superseded" and item.superseded_by:
        return f"replaced by {item.superseded_by}"
    heading = {"candidate": "a candidate", "quarantined": "held back"}
    return ": ".join(filter(None, (heading.get(detail, detail), item.reason)))


def _how_likely(item: KnowledgeItem, why: Mapping[str, float], need: Need) -> str:
    met = f"likely met by {_share(why['likely'])}"
    reasons = [_met_before(item, need)]
    if why["spoken"]:
        reasons.append("the task speaks of it")
    return f"{met} ({', '.join(filter(None, reasons))})"


def _met_before(item: KnowledgeItem, need: Need) -> str:
    if "preference" in item.tags or "rule" in item.tags:
        return "a person's own rule"
    last = _last_met(item.last_confirmed, need.now)
    if not item.source_count:
        return f"no session counted{last}"
    if not item.repo or need.sessions < item.source_count:
        return f"{count(item.source_count, 'session')} did{last}"
    return f"{item.source_count} of {count(need.sessions, 'session')} here did{last}"


def _last_met(time: float | None, now: float) -> str:
    if time is None:
        return ""
    has_faded = now - time > FADES * DAY
    return f", last on {day(time)}" + (", so less likely by now" if has_faded else "")


def _share(likely: float) -> str:
    """`1 session in 8`; what is likelier than one in two as a share."""
    if likely >= MIN_FRACTION:
        return "nearly every session"
    if likely > 0.5:
        return f"{likely:.0%} of sessions"
    return f"1 session in {number(round(1 / likely))}" if likely else "no session"


def _calls(value: float) -> str:
    """Digits as far as they tell something."""
    digits = f"{value:.1f}" if value >= 1 else f"{value:.2f}"
    plain = digits.rstrip("0").rstrip(".") if value >= 1 else digits
    return f"{plain} call{'' if plain == '1' else 's'}"

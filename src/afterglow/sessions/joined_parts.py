"""What holds for a whole session and is known only when its turns, or its parts, are put together."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from afterglow.records.session import Session, Turn, Usage

# A file of garbage has as many damaged lines as lines: the first ones show what is wrong, the rest are counted.
MAX_NAMED_DAMAGE = 200

_FIRST_KNOWN = (
    "model",
    "cwd",
    "git_root",
    "remote",
    "branch",
    "title",
    "request",
    "parent",
    "parent_by",
    "task",
    "window",
)


def ending(turns: Iterable[Turn]) -> str:
    """answered when the assistant had the last word, else open."""
    for turn in reversed(tuple(turns)):
        if turn.kind != "said" or turn.role == "system":
            continue
        if turn.role != "assistant" or turn.calls:
            return "open"
        return "answered" if turn.text.strip() else "open"
    return ""


def total(usages: Iterable[Usage]) -> Usage:
    """Sums; the fullest context is a maximum."""
    usages = list(usages)
    if not usages:
        return Usage()
    sent = got = read = wrote = thought = fullest = 0
    cost = 0.0
    for usage in usages:
        sent += usage.input
        got += usage.output
        read += usage.cache_read
        wrote += usage.cache_write
        thought += usage.reasoning
        fullest = max(fullest, usage.context)
        cost += usage.cost
    return Usage(sent, got, read, wrote, thought, fullest, cost)


def join(first: Session, then: Session) -> Session:
    """Two parts of one session as one: headers from whoever knew first, ends from whoever came last."""
    starts = [time for time in (first.start, then.start) if time is not None]
    ends = [time for time in (first.end, then.end) if time is not None]
    headers = {}
    for name in _FIRST_KNOWN:
        headers[name] = getattr(first, name) or getattr(then, name)
    return replace(
        first,
        turns=first.turns + then.turns,
        start=min(starts, default=None),
        end=max(ends, default=None),
        ending=then.ending or first.ending,
        status=then.status or first.status,
        score=first.score if then.score is None else then.score,
        usage=total([first.usage, then.usage]),
        compactions=first.compactions + then.compactions,
        orphans=first.orphans + then.orphans,
        damaged=first.damaged + then.damaged,
        damage=(first.damage + then.damage)[:MAX_NAMED_DAMAGE],
        settled=then.settled,
        mark=then.mark,
        attended=first.attended or then.attended,
        **headers,
    )

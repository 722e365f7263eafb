"""What was really said in a Hermes session, each thing once.

Compaction leaves a summary and fresh copies of the first and last messages behind the ones it put away, and does so
again and again: most rows of a long session may be copies. A background review may have been written between the user's
own turns. Undone turns stay in the database, switched off.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import field

from afterglow.sessions.openai_chat import Message, text_of

SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
MERGED = "[PRIOR CONTEXT — for reference only; not a new message]"
MERGED_END = "\n\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
REVIEWS = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
HEAD = 50  # the most first messages a compaction is expected to keep
CHANGED = 3  # the most copies of one compaction that are expected not to look like their originals


class Row(Message, kw_only=True, gc=False):
    """One message. `active` is off where the user took it back, or where it was `compacted`: put away by a summary.
    `api_content` is what the model got, where that is more than what was said: plugins and memory add to it."""

    id: int = 0
    tool_name: str | None = None
    active: int | bool | None = 1
    compacted: int | bool | None = 0
    observed: int | bool | None = 0
    display_kind: str | None = None
    api_content: Any = None
    summary: int | bool | None = field(default=0, name="_compressed_summary")


class Trace(NamedTuple):
    """What has to be remembered of a row to tell whether it repeats another: little, whatever its size."""

    id: int
    key: int
    active: bool
    compacted: bool
    summary: bool
    merged: bool
    asks: bool
    review: bool


class Transcript(NamedTuple):
    """The ids of the rows to keep, and of those where a compaction happened."""

    kept: set[int]
    compacted: list[int]


def transcript(rows: Iterable[Row], before: Iterable[Row] = ()) -> Transcript:
    """Which rows of a session were really said. `before` are the rows of the session it continues and so repeats."""
    traces = [_trace(row) for row in before if row.active or row.compacted]
    first = len(traces)
    traces += [_trace(row) for row in rows if row.active or row.compacted]
    summaries = _summaries(traces, first)
    copies = _copies(traces, first, summaries)
    kept: set[int] = set()
    reviewing = False
    for place in range(first, len(traces)):
        trace = traces[place]
        if trace.asks:
            reviewing = trace.review
        if not (reviewing or trace.summary or place in copies):
            kept.add(trace.id)
    return Transcript(kept, [traces[place].id for place in summaries if place >= first])


def continues(rows: Sequence[Row]) -> bool:
    """True for rows that start with the summary of another session, at most behind copies of its first messages."""
    return any(trace.summary or trace.merged for trace in map(_trace, rows[: HEAD + 1]))


def prior(content: Any) -> Any:
    """A message as it was before a summary was merged into it."""
    if not text_of(content).startswith(MERGED):
        return content
    if isinstance(content, list):
        return [
            part
            for part in content
            if not text_of([part]).startswith((MERGED, MERGED_END))
        ]
    return content[len(MERGED) :].removeprefix("\n").split(MERGED_END, 1)[0]


def _trace(row: Row) -> Trace:
    text = "" if row.role == "tool" else text_of(row.content)
    merged = text.startswith(MERGED)
    return Trace(
        id=row.id,
        key=_key(row),
        active=bool(row.active),
        compacted=bool(row.compacted),
        summary=not merged and (text.startswith(SUMMARIES) or bool(row.summary)),
        merged=merged,
        asks=row.role in ("user", "system"),
        review=text.lstrip().startswith(REVIEWS),
    )


def _key(row: Row) -> int:
    """The same for two rows with the same message. Calls and results go by their ids: copies may be shortened."""
    if row.role == "tool" and row.tool_call_id:
        return hash(("tool", row.tool_call_id))
    if row.tool_calls:
        return hash(("calls", *(call.id for call in row.tool_calls)))
    content = prior(row.content)
    if isinstance(content, list):
        content = [
            part for part in content if isinstance(part, dict) and "text" in part
        ][:1]
    return hash((row.role, text_of(content)))


def _summaries(traces: Sequence[Trace], first: int) -> list[int]:
    """Where compactions left a summary. One that nobody recognises is still known to stand where live rows begin."""
    found = [
        place for place, trace in enumerate(traces) if trace.summary or trace.merged
    ]
    live = next(
        (place for place in range(first, len(traces)) if traces[place].active), first
    )
    if live > first and not any(place >= live for place in found):
        found.append(live)
    return found


def _copies(traces: Sequence[Trace], first: int, summaries: Sequence[int]) -> set[int]:
    """Places of rows that only repeat what a compaction put away.

    A compaction writes in one go: copies of the first messages, the summary, copies of the last ones; all of what was
    live, which is what stands since the one before. Only that run is searched: a user may well say "continue" twice.
    """
    keys = [trace.key for trace in traces] if summaries else []
    copies: set[int] = set()
    since = 0
    for summary in summaries:
        heads = range(min(HEAD, (summary - since) // 2), -1, -1)
        start = summary - next(
            n for n in heads if keys[summary - n : summary] == keys[since : since + n]
        )
        live = [
            keys[place]
            for place in range(since, start)
            if place < first or traces[place].compacted
        ]
        if live:
            tail = summary + (not traces[summary].merged)
            copies.update(
                range(start, summary), _tail(keys, tail, live) or _run(keys, tail, live)
            )
        since = start
    return copies


def _tail(keys: Sequence[int], start: int, live: Sequence[int]) -> range:
    """Copies of the last live messages, from `start` on: the stretch that fits them best, a few perhaps changed."""
    best, fewest = range(0), CHANGED
    for end in range(start, min(start + len(live), len(keys))):
        if keys[end] != live[-1]:
            continue
        count = end + 1 - start
        missed = 0
        for back in range(count):
            missed += keys[end - back] != live[-1 - back]
            if missed > fewest:
                break
        if missed <= fewest and 2 * missed < count:
            best, fewest = range(start, end + 1), missed
    return best


def _run(keys: Sequence[int], start: int, live: Sequence[int]) -> range:
    """Copies that do not reach the last live message: while each has its original behind that of the one before."""
    places: dict[int, list[int]] = {}
    for place, key in enumerate(live):
        places.setdefault(key, []).append(place)
    at = -1
    for end in range(start, len(keys)):
        found = places.get(keys[end], [])
        nth = bisect_right(found, at)
        if nth == len(found):
            return range(start, end)
        at = found[nth]
    return range(start, len(keys))

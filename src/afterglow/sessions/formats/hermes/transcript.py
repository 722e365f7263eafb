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
# A compaction keeps some first messages, as many as its settings say: more than this nobody has set.
MAX_HEAD_MESSAGES = 50
# Of the copies of one compaction, a few may not look like their originals: shortened, or with a notice in them.
MAX_CHANGED_COPIES = 3


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
    """The ids of the rows that were really said, and of those where a compaction happened."""

    row_ids: set[int]
    compacted: list[int]


def transcript(rows: Iterable[Row], before: Iterable[Row] = ()) -> Transcript:
    """Which rows of a session were really said. `before` are the rows of the session it continues and so repeats."""
    traces = _traces(before)
    first = len(traces)
    traces += _traces(rows)
    summaries = _summaries(traces, first)
    copies = _copies(traces, first, summaries)
    row_ids: set[int] = set()
    reviewing = False
    for place, trace in enumerate(traces[first:], first):
        if trace.asks:
            reviewing = trace.review
        if not (reviewing or trace.summary or place in copies):
            row_ids.add(trace.id)
    compacted = [traces[place].id for place in summaries if place >= first]
    return Transcript(row_ids, compacted)


def _traces(rows: Iterable[Row]) -> list[Trace]:
    """Of all rows but those that were undone."""
    return [_trace(row) for row in rows if row.active or row.compacted]


def continues(rows: Sequence[Row]) -> bool:
    """True for rows that start with the summary of another session, at most behind copies of its first messages."""
    return any(
        trace.summary or trace.merged
        for trace in map(_trace, rows[: MAX_HEAD_MESSAGES + 1])
    )


def prior(content: Any) -> Any:
    """A message as it was before a summary was merged into it."""
    if not text_of(content).startswith(MERGED):
        return content
    if isinstance(content, list):
        parts = []
        for part in content:
            if not text_of([part]).startswith((MERGED, MERGED_END)):
                parts.append(part)
        return parts
    before, _, _ = content[len(MERGED) :].removeprefix("\n").partition(MERGED_END)
    return before


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
        with_text = list(filter(_has_text, content))
        content = with_text[:1]
    return hash((row.role, text_of(content)))


def _has_text(part: Any) -> bool:
    return isinstance(part, dict) and "text" in part


def _summaries(traces: Sequence[Trace], first: int) -> list[int]:
    """Where compactions left a summary. One that nobody recognises is still known to stand where live rows begin."""
    summaries: list[int] = []
    for place, trace in enumerate(traces):
        if trace.summary or trace.merged:
            summaries.append(place)
    live = _first_active(traces, first)
    last_summary = max(summaries, default=-1)
    is_recognised = last_summary >= live
    if live > first and not is_recognised:
        summaries.append(live)
    return summaries


def _first_active(traces: Sequence[Trace], first: int) -> int:
    for place in range(first, len(traces)):
        if traces[place].active:
            return place
    return first


def _copies(traces: Sequence[Trace], first: int, summaries: Sequence[int]) -> set[int]:
    """Places of rows that only repeat what a compaction put away.

    A compaction writes in one go: copies of the first messages, the summary, copies of the last ones; all of what was
    live, which is what stands since the one before. Only that run is searched: a user may well say "continue" twice.
    """
    keys = [trace.key for trace in traces] if summaries else []
    copies: set[int] = set()
    since = 0
    for summary in summaries:
        start = summary - _head(keys, since, summary)
        live: list[int] = []
        for place in range(since, start):
            if place < first or traces[place].compacted:
                live.append(keys[place])
        if live:
            behind = summary if traces[summary].merged else summary + 1
            copies.update(range(start, summary))
            copies.update(_tail(keys, behind, live) or _run(keys, behind, live))
        since = start
    return copies


def _head(keys: Sequence[int], since: int, summary: int) -> int:
    """How many messages just before a summary are copies of the first ones."""
    for count in range(min(MAX_HEAD_MESSAGES, (summary - since) // 2), 0, -1):
        if keys[summary - count : summary] == keys[since : since + count]:
            return count
    return 0


def _tail(keys: Sequence[int], start: int, live: Sequence[int]) -> range:
    """Copies of the last live messages, from `start` on: the stretch that fits them best, a few perhaps changed."""
    best, fewest = range(0), MAX_CHANGED_COPIES
    for end in range(start, min(start + len(live), len(keys))):
        if keys[end] != live[-1]:
            continue
        count = end + 1 - start
        missed = _missed(keys, end, live, count, fewest)
        if missed <= fewest and 2 * missed < count:
            best, fewest = range(start, end + 1), missed
    return best


def _missed(
    keys: Sequence[int], end: int, live: Sequence[int], count: int, limit: int
) -> int:
    """How many of the `count` messages up to `end` are not the last live ones; counted up to just over a limit."""
    missed = 0
    for back in range(count):
        missed += keys[end - back] != live[-1 - back]
        if missed > limit:
            break
    return missed


def _run(keys: Sequence[int], start: int, live: Sequence[int]) -> range:
    """Copies that do not reach the last live message: while each has its original behind that of the one before."""
    places: dict[int, list[int]] = {}
    for place, key in enumerate(live):
        places.setdefault(key, []).append(place)
    last = -1
    for end in range(start, len(keys)):
        originals = places.get(keys[end], [])
        following = bisect_right(originals, last)
        if following == len(originals):
            return range(start, end)
        last = originals[following]
    return range(start, len(keys))

"""What was really said in a Hermes session, each thing once.

Compaction leaves a summary and fresh copies of the first and last messages behind the ones it put away; a background
review may have been written between the user's own turns; undone turns stay in the database, switched off.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from afterglow.sessions.chat import Message, text_of

SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
MERGED = "[PRIOR CONTEXT — for reference only; not a new message]"
MERGED_END = "\n\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
REVIEWS = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
HEAD = 50  # the most first messages a compaction is expected to keep
CHANGED = 3  # the most copies in a row that are expected not to look like their originals

Key = tuple[str, ...]


class Row(Message, kw_only=True, gc=False):
    """One message. `active` is off where the user took it back, or where it was `compacted`: put away by a summary."""

    id: int = 0
    tool_name: str | None = None
    active: int | None = 1
    compacted: int | None = 0
    observed: int | None = 0


def transcript(rows: Sequence[Row], before: Sequence[Row] = ()) -> tuple[list[Row], list[int]]:
    """What was said, once each and in order, and the ids of the rows where a compaction happened."""
    rows = [*before, *(row for row in rows if row.active or row.compacted)]
    summaries = _summaries(rows, len(before))
    copies = _copies(rows, len(before), summaries)
    kept: list[Row] = []
    reviewing = False
    for index in range(len(before), len(rows)):
        row = rows[index]
        if row.role in ("user", "system"):
            reviewing = text_of(row.content).lstrip().startswith(REVIEWS)
        if index not in copies and not reviewing and not _is_summary(row):
            row.content = _prior(row.content)
            kept.append(row)
    return kept, [rows[index].id for index in summaries]


def _summaries(rows: Sequence[Row], first: int) -> list[int]:
    """Where a compaction left its summary. A summary nobody recognises is missed, but not that one was written."""
    found = [i for i in range(first, len(rows)) if _is_summary(rows[i]) or _is_merged(rows[i].content)]
    live = next((i for i in range(first, len(rows)) if rows[i].active), len(rows))
    if first < live < len(rows) and not any(index >= live for index in found):
        found.append(live)
    return found


def _copies(rows: Sequence[Row], first: int, summaries: Sequence[int]) -> set[int]:
    """Rows that only repeat what a compaction put away.

    A compaction writes in one go: copies of the first messages, the summary, copies of the last ones. Only that run is
    searched for repeats; elsewhere a user may well say "continue" twice.
    """
    if not summaries:
        return set()
    keys = [_key(row) for row in rows]
    copies: set[int] = set()
    for summary in summaries:
        heads = range(min(HEAD, summary // 2), -1, -1)
        start = summary - next(n for n in heads if keys[summary - n : summary] == keys[:n])
        originals: dict[Key, list[int]] = {}
        for place in range(start):
            if place < first or rows[place].compacted:
                originals.setdefault(keys[place], []).append(place)
        copies |= _run(keys, start, summary, originals)
    return copies


def _run(keys: Sequence[Key], start: int, summary: int, originals: dict[Key, list[int]]) -> set[int]:
    """The copies from `start` on. They come in the order of their originals and end with the last of them; one in
    between may have been changed beyond recognition."""
    copies: set[int] = set()
    changed: list[int] = []
    at = -1
    for place in range(start, len(keys)):
        found = originals.get(keys[place], [])
        nth = bisect_right(found, at)
        if nth < len(found):
            at = found[nth]
            copies.update(changed, (place,))
            changed = []
        elif place != summary:
            changed.append(place)
        if at == start - 1 or len(changed) > (CHANGED if at >= 0 else 0):
            break
    return copies


def _key(row: Row) -> Key:
    """What makes two rows the same message. Calls and results go by their ids: copies of them may be shortened."""
    if row.role == "tool" and row.tool_call_id:
        return ("tool", row.tool_call_id)
    if row.tool_calls:
        return ("calls", *(call.id or "" for call in row.tool_calls))
    content = _prior(row.content)
    if isinstance(content, list):
        content = [part for part in content if isinstance(part, dict) and "text" in part][:1]
    return (row.role, text_of(content))


def _is_summary(row: Row) -> bool:
    return row.role != "tool" and text_of(row.content).startswith(SUMMARIES)


def _is_merged(content: Any) -> bool:
    return text_of(content).startswith(MERGED)


def _prior(content: Any) -> Any:
    """A message that a summary was merged into, as it was before."""
    if not _is_merged(content):
        return content
    if isinstance(content, list):
        return [part for part in content if not _part_text(part).startswith((MERGED, MERGED_END))]
    return content[len(MERGED) :].removeprefix("\n").split(MERGED_END, 1)[0]


def _part_text(part: Any) -> str:
    return str(part.get("text") or "") if isinstance(part, dict) else str(part)

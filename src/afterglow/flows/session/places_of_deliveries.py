"""Where a delivery may be looked for: which session it was handed to, whether a source may hold it, and what is only a
quote."""

from __future__ import annotations

import mmap
import re
from collections.abc import Collection, Iterable, Iterator

from afterglow.context.render import MARK
from afterglow.records.catalog import Entry
from afterglow.records.delivery import Delivery
from afterglow.sessions.formats import FORMATS

SKEW = 300.0  # seconds by which clocks and last lines may be off
# a context made for a session that runs already stands in it within so many seconds, or is a quote
AT_ONCE = 3600.0

# without `\b`, bytes are searched many times faster
_ID = re.compile(MARK.pattern.replace(r"\b", "").encode())


def start_of(entry: Entry) -> float:
    return entry.start if entry.start is not None else entry.end or 0.0


def provable(entry: Entry, deliveries: Iterable[Delivery]) -> Iterator[Delivery]:
    """A hint is looked for only where it was handed to: other sessions may have the same words."""
    for delivery in deliveries:
        if not delivery.words or _was_handed_to(entry, delivery):
            yield delivery


def _was_handed_to(entry: Entry, delivery: Delivery) -> bool:
    """What goes to a sub-agent is handed to its session, or to a part of it (`session/agent`)."""
    if not delivery.session:
        return _ran_then(entry, delivery)
    session, _, _ = delivery.session.partition("/")
    return entry.id == delivery.session or session in {entry.id, entry.parent}


def _ran_then(entry: Entry, delivery: Delivery) -> bool:
    """Who asks by a tool does not say for which session: any of the repository may be it that ran at that time."""
    end = start_of(entry) if entry.end is None else entry.end
    ran = start_of(entry) - SKEW <= delivery.time <= end + SKEW
    return ran and (entry.repo == delivery.repo or not delivery.repo)


def may_hold(entry: Entry, deliveries: Collection[Delivery]) -> bool:
    """Whether a source may hold one of them: a file is searched for ids; a database is asked session by session."""
    if any(delivery.words for delivery in deliveries):
        return True
    ids = {delivery.text_id for delivery in deliveries}
    if hasattr(FORMATS.load(entry.format), "stamps"):
        return True
    with open(entry.source, "rb") as file:
        if not file.seek(0, 2):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as bytes_:
            return any(match[0].decode() in ids for match in _ID.finditer(bytes_))


def is_quoted(shown_at: float | None, entry: Entry, delivery: Delivery) -> bool:
    """Whether a session that was running already came upon a context long after it was made: it read about another
    session, which may have started later."""
    if shown_at is None:
        return False
    if delivery.words and shown_at < delivery.time - SKEW:
        return True  # the same words, told before
    running = start_of(entry) < delivery.time - SKEW
    return running and shown_at > delivery.time + AT_ONCE

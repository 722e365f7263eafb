"""What a person set once and expects to hold: how long sessions are kept, that what is private or forgotten stays out.

Done behind a scan or a harvest, where nobody waits. A transcript that is gone does not say since when, so that is noted
when it is first missed.
"""

from __future__ import annotations

import time

import msgspec

from afterglow.config import Config
from afterglow.flows.forget.choose_sessions import doomed, is_excluded, with_kin
from afterglow.flows.forget.journal import is_unfinished
from afterglow.records.catalog import Entry
from afterglow.records.forgetting import Forgetting
from afterglow.sessions.exclusions import Exclusions
from afterglow.store.catalog import Catalog
from afterglow.store.forgotten import Forgotten

DAY = 86_400.0
GONE_SINCE = (
    "gone since"  # under which the catalogue notes when transcripts were first missed
)

# Mostly there is nothing to do, and thousands of sessions need not be read for that.
_ANY = "SELECT 1 FROM sessions WHERE gone OR (? AND coalesce(end, start) < ?) LIMIT 1"
_times = msgspec.json.Decoder(dict[str, float])


def keep_promises(config: Config, *, now: float | None = None) -> Forgetting:
    """Finishes what was broken off, takes out what a mark says is private, and forgets what was kept long enough."""
    when = time.time() if now is None else now
    if not config.catalog.exists():
        return Forgetting()
    is_marked = is_unfinished(config) or Forgotten(config.home).refresh()
    overdue = overdue_sessions(config, when)
    if not is_marked and not overdue:
        return Forgetting()
    # What takes out and tells anew takes half a second to load: only where there is something to do.
    from afterglow.flows.forget.forget_sessions import forget_marked, forget_sessions

    if is_marked:
        forget_marked(config)
        overdue = overdue_sessions(config, when)
    if not overdue:
        return Forgetting()
    return forget_sessions(config, [doomed(entry) for entry in overdue])


def overdue_sessions(config: Config, now: float) -> list[Entry]:
    """Sessions that ended, or whose transcripts have been gone, for longer than they are to be kept."""
    settings = config.privacy
    oldest = now - settings.keep_sessions_days * DAY
    with Catalog(config.catalog) as catalog:
        if not catalog.rows(_ANY, [settings.keep_sessions_days, oldest]):
            _gone_since(catalog, [], now)
            return []
        entries = catalog.entries(all=True)
        gone_since = _gone_since(catalog, entries, now)
    overdue: list[Entry] = []
    for entry in entries:
        ended = entry.end if entry.end is not None else entry.start
        is_old = ended is not None and _is_over(ended, settings.keep_sessions_days, now)
        missed = gone_since.get(str(entry.key))
        is_lost = missed is not None and _is_over(missed, settings.keep_gone_days, now)
        if is_old or is_lost:
            overdue.append(entry)
    return with_kin(overdue, entries) if overdue else []


def excluded_sessions(config: Config) -> list[Entry]:
    """What is still kept of places that are excluded by now."""
    exclusions = Exclusions(config.privacy.exclude, config.aliases)
    if not exclusions or not config.catalog.exists():
        return []
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(all=True)
    return [entry for entry in entries if is_excluded(exclusions, entry)]


def _is_over(since: float, days: int, now: float) -> bool:
    return bool(days) and now - since > days * DAY


def _gone_since(catalog: Catalog, entries: list[Entry], now: float) -> dict[str, float]:
    noted = catalog.fact(GONE_SINCE)
    before = _times.decode(noted) if noted else {}
    times = {
        str(entry.key): before.get(str(entry.key), now)
        for entry in entries
        if entry.gone
    }
    if times != before:
        value = msgspec.json.encode(times).decode()
        catalog.finish({}, {GONE_SINCE: value})
    return times

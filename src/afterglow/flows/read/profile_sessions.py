"""profile: what the catalogued sessions say about where agents fail."""

from __future__ import annotations

from collections import Counter

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.profile.report import summarise
from afterglow.records.catalog import Entry
from afterglow.records.profile_report import Report
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog


def profile(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    session: str | None = None,
    everything: bool = False,
    simulated: bool = False,
) -> Report:
    """The report over the sessions asked for; sub-agents and scheduled runs are left out unless `everything`."""
    with Catalog(config.catalog) as catalog:
        if session is not None:
            entries = catalog.find(session)
            if len(entries) != 1:
                raise NotFound(
                    f"{session!r} fits {len(entries) or 'no'} sessions; `afterglow sessions list` shows their ids"
                )
            return summarise(
                entries, selection={"session": entries[0].id}, simulated=simulated
            )
        entries = catalog.entries(selection, profiles=True, all=True)
    reasons = [why_left_out(entry, everything) for entry in entries]
    return summarise(
        [entry for entry, reason in zip(entries, reasons, strict=True) if not reason],
        left_out=Counter(reason for reason in reasons if reason),
        selection=selection.filters(),
        simulated=simulated,
    )


def why_left_out(entry: Entry, everything: bool = False) -> str:
    """Why a session is not counted; empty for one that is."""
    if entry.copy:
        return "copies of other sessions"
    if entry.empty:
        return "never used"
    if entry.gone:
        return "files no longer there"
    if entry.origin != "main" and not everything:
        return {"subagent": "sub-agents", "cron": "scheduled runs"}.get(
            entry.origin, f"{entry.origin} sessions"
        )
    return ""

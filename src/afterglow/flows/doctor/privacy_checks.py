"""What is private, excluded, or kept for a time: whether that holds, and what is still to be done for it."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.config import Config
from afterglow.flows.doctor.store_checks import read_only_rows
from afterglow.flows.forget import is_unfinished
from afterglow.records.doctor import CheckupLine
from afterglow.sessions.exclusions import Exclusions
from afterglow.sessions.repos import Place
from afterglow.store.private_folders import PrivateFolders
from afterglow.text.numbers import count
from afterglow.text.times import ago

_PLACES = (
    "SELECT repo, cwd, git_root, source, count(*) FROM sessions JOIN places USING (place) "
    "GROUP BY 1, 2, 3, 4"
)
_VIEWS = (
    'SELECT count(*), max(time), "by", session FROM unredacted_views WHERE time > ?'
)
VIEW_SECONDS = 30 * 86400.0  # what was looked at earlier, a session's page says
_GONE = "SELECT count(*) FROM sessions WHERE gone"


def privacy(config: Config, now: float) -> Iterator[CheckupLine]:
    if is_unfinished(config):
        text = "a forget was broken off: what it was to take out may still be there"
        yield CheckupLine("privacy", "attention", text, "afterglow forget")
    yield from _excluded(config)
    yield from _gone(config)
    yield from _shown_as_they_stand(config, now)
    for folder in PrivateFolders(config.home).listed():
        if folder.until is None:
            which = "the next session" if folder.once else "sessions"
            yield CheckupLine(
                "privacy",
                "note",
                f"{which} in {folder.path} are private: nothing is told, nothing kept",
            )
    if config.private:
        text = "AFTERGLOW_PRIVATE is set: agents started from here are told nothing"
        yield CheckupLine("privacy", "note", text)


def _shown_as_they_stand(config: Config, now: float) -> Iterator[CheckupLine]:
    """Who looked at secrets and personal data in transcripts, as far as that was asked of us."""
    rows = read_only_rows(config.ledger_file, _VIEWS, [now - VIEW_SECONDS])
    if not rows or not rows[0][0]:
        return
    views, last, person, session = rows[0]
    text = f"transcripts were shown unredacted {count(views, 'time')} within 30 days, last {ago(now - last)}"
    yield CheckupLine("privacy", "note", f"{text} by {person}: session {session}")


def _excluded(config: Config) -> Iterator[CheckupLine]:
    exclusions = Exclusions(config.privacy.exclude, config.aliases)
    if not exclusions:
        return
    remaining = sum(
        sessions
        for repo, cwd, root, source, sessions in read_only_rows(config.catalog, _PLACES)
        or ()
        if exclusions.has_repo(repo)
        or exclusions.has_path(source)
        or exclusions.has_place(Place(git_root=root, cwd=cwd))
    )
    if remaining:
        text = f"sessions of excluded places that were kept before: {remaining:,}"
        yield CheckupLine("privacy", "note", text, "afterglow forget --excluded")
    else:
        text = f"nothing is kept of {len(config.privacy.exclude)} excluded places"
        yield CheckupLine("privacy", "ok", text)


def _gone(config: Config) -> Iterator[CheckupLine]:
    counted = read_only_rows(config.catalog, _GONE)
    sessions = counted[0][0] if counted else 0
    if not sessions:
        return
    days = config.privacy.keep_gone_days
    until = f"for {days} days" if days else "for ever"
    text = f"sessions whose transcripts are gone: {sessions:,}; what they taught is kept {until}"
    yield CheckupLine("privacy", "ok", text, "afterglow forget --gone")

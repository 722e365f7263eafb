"""What sessions of the catalogue may teach: read, extracted and counted, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from afterglow.calls import shape_of
from afterglow.config import Config
from afterglow.errors import NotFound, UnreadableSource
from afterglow.flows.isolation import isolated
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.extract_template import items_of
from afterglow.flows.warm.share_templates import redaction
from afterglow.records.catalog import Entry, state
from afterglow.records.selection import Selection
from afterglow.records.session import Outcome, Session
from afterglow.records.tools import TaskType
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.warm.distil import SourceSession
from afterglow.warm.extract import SessionExtractor

MIN_CALLS = 5  # a session with fewer teaches nothing about a kind of work
MAX_EXAMPLES_PER_SESSION = 64  # that distilling chooses from: every shape wants one

Progress = Callable[[int, int], None]
Troubles = list[tuple[str, str]]  # of which source, and why


class SessionReader:
    """Reads sessions, and what each may teach. A source that cannot be read is part of the result."""

    def __init__(self, config: Config, total: int, progress: Progress) -> None:
        redactor = redactor_of(config)
        self.redact = redaction(redactor)
        self.troubles: Troubles = []
        self.count = 0
        self._config = config
        self._total = total
        self._progress = progress
        self._extractor = SessionExtractor(
            redactor, max_examples=MAX_EXAMPLES_PER_SESSION
        )

    def read(self, entries: Iterable[Entry]) -> list[SourceSession]:
        sessions = []
        for entry in entries:
            try:
                with isolated("the extractor"):
                    sessions.append(self._source_session(entry))
            except (UnreadableSource, NotFound, OSError) as error:
                self.troubles.append((entry.source, f"{type(error).__name__}: {error}"))
            self.count += 1
            self._progress(self.count, self._total)
        return sessions

    def _source_session(self, entry: Entry) -> SourceSession:
        session = _load(entry)
        items = items_of(self._config, entry.id)
        return SourceSession(
            session=entry.id,
            outcome=entry.outcome,
            seed=self._extractor.extract(session, entry.repo, items),
            shapes=_shapes(session),
            repo=entry.repo,
            agent=entry.agent,
            task_type=entry.profile.task_type if entry.profile else TaskType.MIXED,
        )


def finished_entries(config: Config, selection: Selection, now: float) -> list[Entry]:
    """Finished sessions of people, in time order, with profiles."""
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(selection, profiles=True)
    return [
        entry
        for entry in entries
        if entry.origin == "main" and state(entry, now) != "active"
    ]


def _load(entry: Entry) -> Session:
    for session in load(Path(entry.source), only={entry.id}):
        if session.id == entry.id:
            return session
    raise NotFound(f"{entry.source} no longer holds {entry.id}; scan again")


def _shapes(session: Session) -> Counter[str]:
    """How often each shape of call worked. A pipe that hid a failure did not work."""
    return Counter(
        shape_of(call.tool, call.arguments)
        for turn in session.turns
        for call in turn.calls
        if call.outcome is Outcome.OK and not call.masked
    )

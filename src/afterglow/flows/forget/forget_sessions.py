"""forget: a session with all that came of it, or an item with all its words; nothing of it comes back by itself.

What is to be done is written down first, so that the same command, or any other `forget`, finishes what was broken off.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError
from afterglow.flows.forget import journal as journals
from afterglow.flows.forget.choose_sessions import Choice, choose, doomed
from afterglow.flows.forget.journal import Journal
from afterglow.flows.forget.marked_sessions import marked_sessions
from afterglow.flows.forget.removal_plan import COPIED_ELSEWHERE, journal_of
from afterglow.flows.forget.steps import STEPS
from afterglow.flows.harvest import queue_lock
from afterglow.folders import private
from afterglow.records.forgetting import DoomedSession, Forgetting
from afterglow.records.knowledge import KnowledgeItem
from afterglow.sessions import load
from afterglow.sessions.agent_homes import single, walk
from afterglow.store.forgotten import Forgotten

PATIENCE = 60.0  # seconds for another forget: it takes as long as its databases take to be written


def outline(config: Config, choice: Choice) -> Forgetting:
    """What would go; nothing is touched."""
    sessions = [doomed(entry) for entry in choose(config, choice)]
    return replace(journal_of(config, sessions).outline, dry=True)


def forget(config: Config, choice: Choice) -> Forgetting:
    """Forgets what was chosen, after what was broken off before."""
    with _alone(config):
        chosen = [doomed(entry) for entry in choose(config, choice)]
        return _forget(config, chosen)


def forget_marked(config: Config) -> Forgetting:
    """Takes out what the stores of this home hold of sessions that a mark says were forgotten, as where an older backup
    was put back."""
    with _alone(config):
        return _forget(config, marked_sessions(config))


def forget_sessions(config: Config, sessions: Sequence[DoomedSession]) -> Forgetting:
    """For who has chosen already."""
    with _alone(config):
        return _forget(config, sessions)


def _forget(config: Config, sessions: Sequence[DoomedSession]) -> Forgetting:
    if not sessions:
        return Forgetting()
    journal = journal_of(config, sessions)
    journals.begin(config, journal)
    return _carry_out(config, journal)


def finish_forgetting(config: Config) -> Forgetting | None:
    """What a killed `forget` had begun, if there is one."""
    if not journals.is_unfinished(config):
        return None
    with _alone(config) as finished:
        return finished


@contextmanager
def _alone(config: Config) -> Iterator[Forgetting | None]:
    """One at a time, behind what was broken off before; that is what it gives."""
    private(config.home)
    with queue_lock(config, PATIENCE, name="forget.lock") as mine:
        if not mine:
            raise StoreError(
                "another forget is at work; run it again when that has ended"
            )
        journal = journals.unfinished(config)
        yield _carry_out(config, journal) if journal is not None else None


def _carry_out(config: Config, journal: Journal) -> Forgetting:
    for step in STEPS:
        step(config, journal)
    journals.end(config)
    return journal.outline


def forget_items(
    config: Config,
    items: Sequence[KnowledgeItem],
    *,
    why: str,
    now: float | None = None,
) -> Forgetting:
    """Items go with their words wherever they stand; hashes keep them from coming back."""
    removed = Forgetting(
        removed=tuple(item.id for item in items), remaining=(COPIED_ELSEWHERE,)
    )
    when = time.time() if now is None else now
    journal = Journal(outline=removed, deleted=tuple(items), why=why, time=when)
    with _alone(config):
        journals.begin(config, journal)
        return _carry_out(config, journal)


def remember_again(config: Config, paths: Sequence[Path]) -> int:
    """Sessions in these files and folders may be kept again, by the next scan; how many had been forgotten."""
    forgotten = Forgotten(config.home).refresh()
    count = 0
    for path in paths:
        if not path.exists():
            raise NotFound(
                f"{path} is not there; name the file or folder that holds the session: a forgotten one has no id here"
            )
        for folder in (
            walk(path.resolve()) if path.is_dir() else [single(path.resolve())]
        ):
            for name, _, _, inode in folder.files:
                count += _remember_file(forgotten, f"{folder.path}/{name}", inode)
    return count


def _remember_file(forgotten: Forgotten, path: str, inode: int) -> int:
    sessions = [
        DoomedSession(
            session.agent, session.id, path, session.start, parent=session.parent
        )
        for session in load(Path(path))
    ]
    marked = [session for session in sessions if forgotten.has(session)]
    forgotten.take_back(marked, sources=[(path, inode)])
    return len(marked)

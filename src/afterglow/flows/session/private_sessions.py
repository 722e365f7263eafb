"""Private sessions: nothing is told to them and nothing kept of them.

A session is private because its program was started so (AFTERGLOW_PRIVATE=1), its folder was made so, a person said so
in a request, or it was forgotten while it runs. What we hear of here gets a mark, by which a later scan leaves it out.
An excluded place is told nothing either; that needs no mark.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

from afterglow.config import Config
from afterglow.errors import PRIVATE_SESSION, StoreError, UsageError
from afterglow.sessions.private_word import asks_for_privacy
from afterglow.store.forgotten import Forgotten
from afterglow.store.private_folders import PrivateFolders

PRIVATE_REASON = "this session is private: nothing is told to it, nothing is kept of it"
LEDGER_SECONDS = 0.3  # for another writer: an agent waits
HEAD_BYTES = 64 << 10  # of a transcript: its first request stands there
# The word on a line of its own, as it stands inside a string of JSON.
_WORD = re.compile(rb'(?:"|\\n|^)[ \t]*#private[ \t]*(?:"|\\n|\\r|$)', re.IGNORECASE)


def is_private(
    config: Config,
    *,
    agent: str,
    session: str,
    cwd: Path,
    transcript: Path | None = None,
    is_new: bool = False,
) -> bool:
    """Whether nothing may be told to this session or kept of it. A new one may be the next one that a folder waits
    for."""
    if session and Forgotten(config.home).refresh().has_session(agent, session):
        return True
    said_so = config.private or _in_private_folder(config, cwd, is_new=is_new)
    if said_so or (transcript is not None and _says_so(transcript)):
        keep_private(config, agent, session)
        return True
    return _is_excluded(config, cwd)


def note_request(config: Config, *, agent: str, session: str, request: str) -> None:
    """A request that holds the word makes its session private."""
    if asks_for_privacy(request):
        keep_private(config, agent, session)


def keep_private(config: Config, agent: str, session: str) -> None:
    """Marks a session, and takes out what it was given before it was private."""
    if not session:
        return
    forgotten = Forgotten(config.home).refresh()
    if forgotten.has_session(agent, session):
        return
    forgotten.add(names=[(agent, session)])
    if config.ledger.exists():
        from afterglow.store.ledger import Ledger

        # Where another program writes just now, the next round does it.
        with (
            suppress(StoreError),
            Ledger(config.ledger, patience=LEDGER_SECONDS) as ledger,
        ):
            ledger.forget_sessions([session], [])


def refuse_if_private(config: Config) -> None:
    """For what an agent wants to have kept."""
    if config.private:
        raise UsageError(PRIVATE_SESSION)


def _in_private_folder(config: Config, cwd: Path, *, is_new: bool) -> bool:
    folders = PrivateFolders(config.home)
    now, folder = time.time(), str(cwd)
    return folders.holds(folder, now) or (is_new and folders.take_next(folder, now))


def _says_so(transcript: Path) -> bool:
    """Whether the beginning of a transcript holds the word; parsed or not, what looks like it is enough."""
    try:
        with transcript.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return b"#private" in head.lower() and _WORD.search(head) is not None


def _is_excluded(config: Config, cwd: Path) -> bool:
    if not config.privacy.exclude:
        return False
    from afterglow.flows.session.build_context import root_of
    from afterglow.sessions.exclusions import Exclusions
    from afterglow.sessions.repos import Place

    place = Place(git_root=str(root_of(cwd)), cwd=str(cwd))
    return Exclusions(config.privacy.exclude, config.aliases).has_place(place)

"""What a person typed in the session that is under way: its transcript is being written while its agent asks.

It is looked for by the agent and the folder it works in, among transcripts that changed a moment ago.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.isolation import isolated
from afterglow.harvest import user_speech
from afterglow.harvest.quoted_stretches import own_words
from afterglow.harvest.voices import voiced
from afterglow.memory.spoken import NOBODY_HEARD, Spoken
from afterglow.records.session import Session
from afterglow.sessions import load
from afterglow.sessions.agent_homes import candidates, homes

RECENT = 900.0  # seconds since a transcript was written to: a model may think for long before it calls
MAX_BYTES = (
    64 << 20
)  # of a transcript that is read while an agent waits: a second or two
MAX_TRANSCRIPTS = 5  # that are looked into, the newest first


def spoken_in_session(
    config: Config, *, agent: str, cwd: Path | None, session: str = ""
) -> Spoken:
    """Nothing where the session cannot be told: then nothing is known to be the person's."""
    if not agent or (cwd is None and not session):
        return NOBODY_HEARD
    for path in _transcripts(config, agent, MAX_BYTES if not session else None):
        try:
            with isolated("the session under way"):
                spoken = _fitting(path, cwd, session)
        except (AfterglowError, OSError):
            continue  # another one may be readable; if none is, nobody was heard
        if spoken is not None:
            return spoken
    return NOBODY_HEARD


def _transcripts(config: Config, agent: str, limit: int | None) -> Iterator[Path]:
    """Those that changed a moment ago, the newest first."""
    since = time.time_ns() - int(RECENT * 1e9)
    recent: list[tuple[int, Path]] = []
    for home in homes(config.user_home, config.moved):
        if home.agent != agent:
            continue
        for folder in candidates(home):
            for name, size, changed, _ in folder.files:
                if changed >= since and (limit is None or size <= limit):
                    recent.append((changed, Path(folder.path) / name))
    recent.sort(reverse=True)
    for _, path in recent[:MAX_TRANSCRIPTS]:
        yield path


def _fitting(path: Path, cwd: Path | None, session: str) -> Spoken | None:
    """What was typed in a session of the file that is the one asked for, or works in the folder."""
    sessions = [
        transcript
        for transcript in load(path, only={session} if session else None)
        if session or (transcript.origin == "main" and _works_in(transcript, cwd))
    ]
    if not sessions:
        return None
    latest = max(sessions, key=lambda transcript: transcript.end or 0.0)
    typed = (
        own_words(turn.text) for turn in voiced(latest) if user_speech.is_speech(turn)
    )
    return Spoken(latest.id, tuple(typed))


def _works_in(session: Session, cwd: Path | None) -> bool:
    if cwd is None:
        return False
    folders = {folder for folder in (session.cwd, session.git_root) if folder}
    return any(cwd.is_relative_to(folder) for folder in folders)

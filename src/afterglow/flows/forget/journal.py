"""What is being forgotten, kept until it is done: whatever ends the process, the next `afterglow forget` goes on.

Every step can be done twice. The file holds what the steps need, and goes last.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.folders import place_file, private
from afterglow.records.forgetting import DoomedSession, Forgetting
from afterglow.records.knowledge import KnowledgeItem

FILE = "forgetting.json"


class Journal(Struct, frozen=True, kw_only=True):
    """`sessions` go with what `outline` says; `ambiguous` are names that other sessions have too; `problems` are the
    ids of those they took part in; `topics` are those of items to be told anew, `approved` those of them that a person
    approved; `deleted` items go and must not come back."""

    outline: Forgetting
    ambiguous: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    approved: tuple[KnowledgeItem, ...] = ()
    deleted: tuple[KnowledgeItem, ...] = ()
    why: str = ""
    time: float = 0.0

    @property
    def sessions(self) -> tuple[DoomedSession, ...]:
        return self.outline.sessions

    @property
    def ids(self) -> frozenset[str]:
        """By which stores know sessions that have no other of their name."""
        unclear = set(self.ambiguous)
        return frozenset(
            session.id
            for session in self.sessions
            if (session.agent, session.id) not in unclear
        )

    @property
    def earliest(self) -> float | None:
        """Before this nothing can hold their words; None where that is not known."""
        starts = [session.start for session in self.sessions]
        known_starts = [start for start in starts if start is not None]
        is_known = len(known_starts) == len(starts) and bool(starts)
        return min(known_starts) if is_known else None


def is_unfinished(config: Config) -> bool:
    return (config.home / FILE).exists()


def unfinished(config: Config) -> Journal | None:
    path = config.home / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Journal)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(
            f"{path} cannot be read ({error}); move it away and run the same command again"
        ) from error


def begin(config: Config, journal: Journal) -> None:
    path = config.home / FILE
    try:
        private(config.home)
        place_file(path, msgspec.json.encode(journal), mode=0o600)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; nothing was forgotten") from error


def end(config: Config) -> None:
    (config.home / FILE).unlink(missing_ok=True)

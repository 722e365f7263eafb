"""What other settings lead to that a file does not say: what is forgotten, and what has to be done for them to hold."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.connect import connected_files
from afterglow.flows.forget import excluded_sessions, overdue_sessions
from afterglow.records.settings import Hooks
from afterglow.text.numbers import count


class Consequence(Struct, frozen=True):
    """A sentence, and where a person can do something about it."""

    words: str
    where: Literal["", "connections", "forget"] = ""


def consequences(before: Config, after: Config, now: float) -> tuple[Consequence, ...]:
    """In the order of how soon they are felt; nothing is changed."""
    return (
        *_of_hooks(before, after),
        *_of_exclusions(before, after),
        *_of_retention(before, after, now),
        *_of_names(before, after),
    )


def _of_hooks(before: Config, after: Config) -> list[Consequence]:
    is_same = _in_files(before.hooks) == _in_files(after.hooks)
    if is_same or not connected_files(after.home):
        return []
    words = "It holds for agents once they are connected again."
    return [Consequence(words, "connections")]


def _in_files(hooks: Hooks) -> tuple[object, ...]:
    """What stands in the files of agents; the rest is read anew by every hook."""
    return hooks.failures, hooks.pretool, hooks.context == "prompt"


def _of_exclusions(before: Config, after: Config) -> list[Consequence]:
    earlier = before.privacy.exclude
    added = tuple(place for place in after.privacy.exclude if place not in earlier)
    privacy = replace(after.privacy, exclude=added)
    sessions = excluded_sessions(replace(after, privacy=privacy)) if added else []
    if not sessions:
        return []
    number = count(len(sessions), "session")
    words = (
        f"{number} of these places were read before. They stay until you forget them."
    )
    return [Consequence(words, "forget")]


def _of_retention(before: Config, after: Config, now: float) -> list[Consequence]:
    is_same = (
        before.privacy.keep_sessions_days == after.privacy.keep_sessions_days
        and before.privacy.keep_gone_days == after.privacy.keep_gone_days
    )
    if is_same or not after.catalog.exists():
        return []
    sessions = overdue_sessions(after, now)
    if not sessions:
        words = "No session is that old yet: nothing is forgotten by it now."
        return [Consequence(words)]
    number = count(len(sessions), "session")
    words = f"The next scan or harvest forgets {number} with all that came of them."
    return [Consequence(words)]


def _of_names(before: Config, after: Config) -> list[Consequence]:
    if set(after.names) <= set(before.names):
        return []
    words = (
        "The next harvest hides these words in what was learnt, too; memory, templates "
        "and the ledger stay as they are."
    )
    return [Consequence(words)]

"""Entries that wait for the person: what an agent wanted kept and they did not say, and what would do harm if obeyed.

They are kept under a user of their own, so that no backend ever answers with them, and nothing a person said is
overwritten. Approved, an entry becomes the person's.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from afterglow.errors import NotFound, UsageError
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.screening import Entry
from afterglow.records.memory import MemoryEntry

PREFIX = "afterglow-waiting:"  # of the user whose entries nobody has approved yet
NOT_SAID = "the person did not say it in this session"
RESERVED = ("from", "session", "waits")  # of the metadata: ours to say


class Judged(Struct, frozen=True):
    """Whose words an entry is: the metadata that say so, and why it waits, if it does."""

    metadata: dict[str, Any]
    waits: str = ""


def judged(key: str, entry: Entry, *, is_persons: bool, session: str) -> Judged:
    """Whether an entry may be told from now on. `session` is the one in which it was said, where that is known."""
    if not is_persons and (order := order_in(f"{key}: {entry.value}")):
        raise UsageError(
            f"not kept: {order}; the person can keep it: `afterglow memory store`"
        )
    risk = risk_of(entry.value, is_persons=is_persons)
    waits = risk and f"risky: {risk}"
    if not is_persons:
        waits = "; ".join(filter(None, [NOT_SAID, waits]))
    marks: dict[str, Any] = {
        name: note for name, note in entry.metadata.items() if name not in RESERVED
    }
    marks["from"] = "person" if is_persons else "agent"
    if session:
        marks["session"] = session
    if waits:
        marks["waits"] = waits
    return Judged(marks, waits)


def order_in(text: str) -> str:
    """Why a text reads like an order to agents."""
    from afterglow.harvest.screen import danger

    return danger(text, "external")


def risk_of(value: str, *, is_persons: bool) -> str:
    """What would be done if an agent obeyed it, that nobody should do on somebody else's word. Of what is only unclear,
    the person who said it knows what they meant."""
    from afterglow.harvest.risk import risk_of_words
    from afterglow.harvest.risk.kinds import SOFT

    risk = risk_of_words("", value)
    if risk is None or (is_persons and risk.kind in SOFT):
        return ""
    return risk.why


def may_be_told(entry: MemoryEntry) -> bool:
    """Of entries that older versions kept without asking whose words they are."""
    if "from" in entry.metadata:
        return True
    is_risky = bool(risk_of(entry.value, is_persons=True))
    return not is_risky and not order_in(f"{entry.key}: {entry.value}")


def waiting_user(user_id: str) -> str:
    return PREFIX + user_id


def check_user(user_id: str) -> None:
    if isinstance(user_id, str) and user_id.startswith(PREFIX):
        raise UsageError(f"no user is called {PREFIX}...; `afterglow memory waiting`")


def waiting_entries(backend: MemoryBackend, user_id: str) -> list[MemoryEntry]:
    user = waiting_user(user_id)
    entries = (backend.retrieve(user, key) for key in backend.list_keys(user))
    return [entry for entry in entries if entry is not None]


def approve_entry(
    backend: MemoryBackend, user_id: str, key: str, *, risky: bool
) -> MemoryEntry:
    """Makes an entry the person's. What is risky has to be asked for by name."""
    entry = _waiting(backend, user_id, key)
    risk = risk_of(entry.value, is_persons=True)
    if risk and not risky:
        raise UsageError(
            f"{key!r} is risky: {risk}. It says: {entry.value!r}. "
            "--risky approves it all the same"
        )
    metadata = {name: note for name, note in entry.metadata.items() if name != "waits"}
    backend.store(
        user_id, key, entry.value, {**metadata, "from": "person"}, redact=False
    )
    backend.delete(waiting_user(user_id), key)
    return entry


def reject_entry(backend: MemoryBackend, user_id: str, key: str) -> MemoryEntry:
    """It is gone: memory has no place for what nobody wants."""
    entry = _waiting(backend, user_id, key)
    backend.delete(waiting_user(user_id), key)
    return entry


def _waiting(backend: MemoryBackend, user_id: str, key: str) -> MemoryEntry:
    entry = backend.retrieve(waiting_user(user_id), key)
    if entry is None:
        raise NotFound(
            f"{user_id} has no {key!r} that waits; `afterglow memory waiting` shows what does"
        )
    return entry

"""What a memory should do besides storing and finding, one function each: it says what was seen, or raises `Broken`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from afterglow.errors import AfterglowError, Unsupported
from afterglow.memory.evaluation.probe import SYLLABLES, Guest
from afterglow.records.evaluation import MemoryCheck
from afterglow.records.memory import MemoryEntry

ODD_ENTRIES = {
    "umlaut_größe": "Grüße, naïve façade, cafe\u0301",
    "日本語": "短く答える。العربية من اليمين. हिन्दी",
    "emoji 👩‍💻": "👍🏽 and 🏳️‍🌈",
    "100%_'\"\\": "50 % of a_b; 'quoted' \"twice\" -- \\ and <b>\r\n\ttabs",
    "nul\0inside": "before\0after",
}


class Broken(AfterglowError):
    """It does not do this; the message says what was seen instead."""


class Untried(AfterglowError):
    """There was no way to try it here."""


def lists(guest: Guest) -> str:
    for key in ("listed_b", "listed_a"):
        _stored(guest, key, "listed")
    keys = guest.list_keys()
    if keys != sorted(keys) or not {"listed_a", "listed_b"} <= set(keys):
        raise Broken("keys are missing or not sorted")
    return f"{len(keys)} keys, sorted"


def updates(guest: Guest) -> str:
    """The new value replaces the old; `created_at` stays."""
    _stored(guest, "updated", "works in the lighthouse", {"round": 1})
    before = _read(guest, "updated")
    _stored(guest, "updated", "works in the observatory", {"round": 2})
    after = _read(guest, "updated")
    if after.value != "works in the observatory" or after.metadata.get("round") != 2:
        raise Broken("the older value or metadata came back")
    if after.created_at != before.created_at:
        raise Broken("created_at changed with the update")
    if after.updated_at < before.updated_at:
        raise Broken("updated_at went back")
    for entry in guest.query("lighthouse"):
        if entry.key == "updated" and entry.value != after.value:
            raise Broken("the older value can still be found")
    if guest.list_keys().count("updated") != 1:
        raise Broken("the older value can still be found")
    return "newest value, created_at kept"


def deletes(guest: Guest) -> str:
    _stored(guest, "deleted", "collects paperweights")
    if not guest.delete("deleted"):
        raise Broken("delete said that there was nothing")
    queried_keys = [entry.key for entry in guest.query("paperweights")]
    still_there = {
        "retrieve": guest.retrieve("deleted") is not None,
        "query": "deleted" in queried_keys,
        "list_keys": "deleted" in guest.list_keys(),
    }
    places = [name for name, is_there in still_there.items() if is_there]
    if places:
        raise Broken(f"still in {', '.join(places)}")
    if guest.delete("deleted"):
        raise Broken("delete of what is gone said that something was there")
    return "gone from retrieve, query and list_keys"


def separates_users(guest: Guest) -> str:
    _stored(guest, "shared_key", "is called heron")
    _stored(guest, "shared_key", "is called bittern", name="other")
    if _read(guest, "shared_key").value != "is called heron":
        raise Broken("one user's value replaced another's")
    values = [entry.value for entry in guest.query("heron", name="other")]
    if "is called heron" in values:
        raise Broken("a query shows another user's entry")
    if guest.list_keys(name="other") != ["shared_key"]:
        raise Broken("list_keys shows another user's keys")
    return "one key, two users, two values"


def keeps_unicode(guest: Guest) -> str:
    for key, value in ODD_ENTRIES.items():
        _stored(guest, key, value)
        if _read(guest, key).value != value:
            raise Broken(f"the value under {key!r} came back changed")
    return f"{len(ODD_ENTRIES)} of {len(ODD_ENTRIES)} keys and values came back as they were"


def keeps_large_values(guest: Guest) -> str:
    length = guest.effort.large
    sentence = "a sentence of many in a long value. "
    text = (sentence * (length // len(sentence) + 1))[:length]
    _stored(guest, "large", text)
    if _read(guest, "large").value != text:
        raise Broken(f"{length:,} characters came back changed")
    return f"{length:,} characters"


def erases(guest: Guest, folder: Path | None) -> str:
    """What was deleted is not in the backend's files any more, where one can look."""
    if folder is None:
        raise Untried("where its files are cannot be seen from here")
    word = "".join(secrets.choice(SYLLABLES) for _ in range(12))
    _stored(guest, "erased", f"collects {word}")
    guest.delete("erased")
    guest.backend.close()
    remains = [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes()
    ]
    if remains:
        raise Broken(f"the text of a deleted entry is still in {', '.join(remains)}")
    return "the text of a deleted entry is in no file"


CHECKS: dict[str, Callable[[Guest], str]] = {
    "list": lists,
    "update": updates,
    "deletion": deletes,
    "users": separates_users,
    "unicode": keeps_unicode,
    "large values": keeps_large_values,
}


def check(name: str, run: Callable[[], str]) -> MemoryCheck:
    """One check, run: every way it can end is an answer."""
    try:
        return MemoryCheck(name, "passed", run())
    except Unsupported as error:
        return MemoryCheck(name, "unsupported", str(error))
    except Untried as error:
        return MemoryCheck(name, "untried", str(error))
    except AfterglowError as error:
        return MemoryCheck(name, "failed", str(error))


def _stored(
    guest: Guest,
    key: str,
    value: str,
    metadata: dict[str, int] | None = None,
    *,
    name: str = "",
) -> None:
    if not guest.store(key, value, metadata, name=name):
        raise Broken("store said that nothing was kept")


def _read(guest: Guest, key: str) -> MemoryEntry:
    entry = guest.retrieve(key)
    if entry is None:
        raise Broken(f"{key!r} was stored and is not there")
    return entry

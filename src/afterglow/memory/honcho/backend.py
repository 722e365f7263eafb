"""The memory backend on a Honcho server. Exact by `layout`; only `query` is as good as the server's own search.

The server's reasoning is switched off for what is kept here: it costs money, and what it derives from an entry would
outlive the entry's deletion.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from msgspec import Struct

from afterglow import config
from afterglow.errors import AfterglowError, StoreError
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.honcho import layout
from afterglow.memory.honcho.client import Server
from afterglow.memory.honcho.layout import ENTRY, NUMBER, USER, Content, Version
from afterglow.memory.screening import check_names, check_question, check_user, entry
from afterglow.records.memory import MemoryEntry
from afterglow.text.redact import Redactor

MAX_PAGE = 100  # sessions, messages or hits the server gives at once
# Of the 100 messages the server takes at once: it embeds them all before it answers.
MAX_BATCH = 20
MAX_TRIES = 3  # an entry may be rewritten while it is read
HITS_PER_ENTRY = 3  # an entry has several messages, and older versions are found too
PROBE_SECONDS = 1.5  # for `is_available`, all in all: a session may wait for it
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.5  # seconds between looks whether text is erased


class Patience(Struct, frozen=True, kw_only=True):
    """Seconds for a question, for one that stores, and to wait until deleted text is gone; and how often a question is
    asked again."""

    reading: float = 5.0
    writing: float = 30.0
    erasing: float = 5.0
    retries: int = 1


USUAL_PATIENCE = Patience()


class HonchoBackend(MemoryBackend):
    """Entries of many users in one workspace of a server."""

    def __init__(
        self,
        key: str = "",
        url: str = "",
        workspace: str = "",
        *,
        redactor: Redactor | None = None,
        patience: Patience = USUAL_PATIENCE,
    ) -> None:
        self._server = Server(key, url, workspace)
        if redactor is None:
            settings = config.load()
            redactor = Redactor(settings.names, cache=settings.cache)
        self._redactor = redactor
        self._reading = (patience.reading, patience.retries)
        self._writing = (patience.writing, patience.retries)
        self._erasing = patience.erasing

    @property
    def backend_name(self) -> str:
        return "honcho"

    @property
    def is_cloud(self) -> bool:
        return True

    def is_available(self) -> bool:
        """Asks anew each time, in a thread: looking a name up has no time-out of its own."""
        with suppress(ImportError):
            import_module("honcho")  # slow, which is not the server's fault
        fine: list[bool] = []

        def probe() -> None:
            with (
                suppress(AfterglowError),
                self._server.asked(PROBE_SECONDS, 0) as honcho,
            ):
                honcho.sessions(size=1)
                fine.append(True)

        asking = threading.Thread(target=probe, daemon=True)
        asking.start()
        asking.join(PROBE_SECONDS)
        return bool(fine)

    def store(
        self,
        user_id: str,
        key: str,
        value: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        redact: bool = True,
    ) -> bool:
        redactor = self._redactor if redact else None
        check_names(user_id, key, redactor)
        layout.check_text(user_id, key, str(value))
        screened = entry(key, value, metadata, redactor)
        text = layout.text_of(key, screened.value)
        parts, now = layout.parts_of(text), time.time()
        mine, session = layout.entry_name(user_id, key), layout.session_name()
        try:
            with self._server.asked(*self._writing) as honcho:
                before = _versions(honcho, ENTRY, mine)
                earlier = layout.in_force(before).get(mine)
                created = (
                    earlier.content.created_at if earlier and earlier.content else now
                )
                content = Content(
                    user_id,
                    key,
                    screened.metadata,
                    created,
                    max(now, created),
                    len(parts),
                    layout.digest(text),
                )
                _write(honcho, session, content, parts)
                _check_kept(honcho, mine, before)
        except AfterglowError:
            with (
                suppress(AfterglowError),
                self._server.asked(self._reading[0], 0) as honcho,
            ):
                # Nobody reads half a version; it need not stay.
                _delete(honcho, session)
            raise
        with suppress(AfterglowError), self._server.asked(*self._reading) as honcho:
            # What this does not reach, the next store does.
            for old in layout.superseded(before, now):
                _delete(honcho, old.session)
        return True

    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        check_names(user_id, key)
        layout.check_text(user_id, key)
        with self._server.asked(*self._reading) as honcho:
            for _ in range(MAX_TRIES):
                versions = layout.in_force(
                    _versions(honcho, ENTRY, layout.entry_name(user_id, key))
                )
                if not versions:
                    return None
                (version,) = versions.values()
                read = _read(honcho, version)
                if read is not None:
                    return read
        raise StoreError(
            f"parts of {key!r:.60} are missing on {self._server}; if nobody is writing it, store it again"
        )

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        """By the server's search, meaning and words; it looks no further than its 100 best messages, and may answer
        with what only resembles the query."""
        check_question(user_id, query, limit)
        layout.check_text(user_id, query)
        if limit < 1 or not query.strip("\0 \t\r\n"):
            return []
        with self._server.asked(*self._reading) as honcho:
            peer = layout.user_name(user_id)
            hits = honcho.search(
                layout.escape(query),
                filters={"peer_id": peer},
                limit=min(MAX_PAGE, HITS_PER_ENTRY * limit),
            )
            ours = [
                hit
                for hit in hits
                if hit.metadata.get(USER) == peer and ENTRY in hit.metadata
            ]
            names = list(dict.fromkeys(hit.metadata[ENTRY] for hit in ours))
            if not names:
                return []
            versions = layout.in_force(_versions(honcho, ENTRY, {"in": names}))
            entries: dict[str, MemoryEntry] = {}
            for hit in ours:
                name = hit.metadata[ENTRY]
                if name in entries or len(entries) == limit:
                    continue
                read = _read_hit(honcho, hit, versions.get(name))
                if read is not None:
                    entries[name] = read
        return list(entries.values())

    def list_keys(self, user_id: str) -> list[str]:
        check_user(user_id)
        layout.check_text(user_id)
        with self._server.asked(*self._reading) as honcho:
            versions = layout.in_force(
                _versions(honcho, USER, layout.user_name(user_id))
            ).values()
        return sorted(version.content.key for version in versions if version.content)

    def delete(self, user_id: str, key: str) -> bool:
        """The server hides an entry at once and erases its text from a queue. That it is erased is waited for."""
        check_names(user_id, key)
        layout.check_text(user_id, key)
        with self._server.asked(*self._reading) as honcho:
            versions = _versions(honcho, ENTRY, layout.entry_name(user_id, key))
            # The one in force last: nothing older may come back if we are cut off.
            for version in versions:
                _delete(honcho, version.session)
            until = time.monotonic() + self._erasing
            if not all(_erased(honcho, version.session, until) for version in versions):
                raise StoreError(
                    f"{key!r:.60} is deleted and no longer found, but {self._server} has not erased its text after "
                    f"{self._erasing:g} s: its queue is behind, or its worker (src.deriver) does not run"
                )
        return any(version.content for version in versions)

    def close(self) -> None:
        self._server.close()


def _read_hit(honcho: Any, hit: Any, version: Version | None) -> MemoryEntry | None:
    """None for a hit of a version that was replaced or deleted: the server erases those a little later."""
    if version is None or version.session != hit.session_id:
        return None
    parts = None
    if version.content is not None and version.content.parts == 1:
        parts = {0: hit.content}
    return _read(honcho, version, parts)


def _versions(honcho: Any, field: str, value: Any) -> list[Version]:
    """All versions whose metadata have this, oldest first. Pages are read newest first, so that what is replaced
    meanwhile shifts none of them; if something was deleted meanwhile, they are read again."""
    versions: dict[str, Version] = {}
    for _ in range(MAX_TRIES):
        listed, at_rest = _listed(honcho, field, value)
        if at_rest:
            versions = listed
            break
        versions |= listed  # what was deleted meanwhile may be among them
    return sorted(
        versions.values(), key=lambda version: (version.begun, version.session)
    )


def _listed(honcho: Any, field: str, value: Any) -> tuple[dict[str, Version], bool]:
    """The versions by their sessions, and whether nothing came or went while they were listed."""
    versions: dict[str, Version] = {}
    page = honcho.sessions({"metadata": {field: value}}, size=MAX_PAGE, reverse=True)
    total, at_rest = page.total, True
    while page is not None:
        for session in page.items:
            begun = session.created_at.timestamp() if session.created_at else 0.0
            version = layout.version_of(session.id, begun, session.metadata or {})
            if version is None:
                continue
            if _asked_for(session.metadata[field], value):
                versions[version.session] = version
        at_rest, page = page.total == total, page.get_next_page()
    return versions, at_rest


def _asked_for(name: Any, value: Any) -> bool:
    if isinstance(value, dict):
        return name in value["in"]
    return bool(name == value)


def _check_kept(honcho: Any, entry_name: str, before: list[Version]) -> None:
    """A server may acknowledge what it then does not give back. The older version is deleted only after this."""
    current = layout.in_force(_versions(honcho, ENTRY, entry_name)).get(entry_name)
    older = {version.session for version in before}
    if current is None or current.session in older:
        raise StoreError(
            "the Honcho server acknowledged the entry and does not give it back: nothing was kept; "
            "`afterglow memory evaluate` tells what it can do"
        )


def _write(honcho: Any, session: str, content: Content, parts: list[str]) -> None:
    """A new version: its session, its parts, and only then that it is whole."""
    types = import_module("honcho.api_types")
    off = {"enabled": False}
    quiet = types.SessionConfiguration(
        reasoning=off, summary=off, dream=off, peer_card={"use": False, "create": False}
    )
    names = layout.metadata_of(content.user, content.key, None)
    handle = honcho.session(session, metadata=names, configuration=quiet)
    try:
        for at in range(0, len(parts), MAX_BATCH):
            handle.add_messages(
                [
                    types.MessageCreateParams(
                        peer_id=names[USER],
                        content=part,
                        metadata={
                            USER: names[USER],
                            ENTRY: names[ENTRY],
                            NUMBER: number,
                        },
                    )
                    for number, part in enumerate(parts[at : at + MAX_BATCH], at)
                ]
            )
        finished = honcho.session(
            session, metadata=layout.metadata_of(content.user, content.key, content)
        )
    except import_module("honcho").NotFoundError as error:
        raise StoreError(
            f"somebody deleted {content.key!r:.60} while it was stored; store it again"
        ) from error
    # Deleted and erased: the server has made a new session of that name.
    if finished.created_at != handle.created_at:
        raise StoreError(
            f"somebody deleted {content.key!r:.60} while it was stored; store it again"
        )


def _read(
    honcho: Any, version: Version, known_parts: dict[int, str] | None = None
) -> MemoryEntry | None:
    """The entry of a version. None if parts are missing: it is being deleted."""
    content = version.content
    if content is None:
        return None
    parts = known_parts or {}
    if known_parts is None:
        try:
            for message in _session(honcho, version.session).messages(size=MAX_PAGE):
                # A retried batch may be there twice.
                parts[message.metadata.get(NUMBER, -1)] = message.content
        except import_module("honcho").NotFoundError:
            return None
    value = layout.value_of(content, parts)
    if value is None:
        return None
    return MemoryEntry(
        content.key,
        value,
        content.user,
        content.created_at,
        content.updated_at,
        content.metadata,
    )


def _delete(honcho: Any, session: str) -> None:
    with suppress(import_module("honcho").NotFoundError):  # somebody else did
        _session(honcho, session).delete()


def _erased(honcho: Any, session: str, until: float) -> bool:
    """Whether the messages of a deleted session are gone, waited for."""
    pause = FIRST_PAUSE
    while True:
        try:
            if not _session(honcho, session).messages(size=1).items:
                return True
        except import_module("honcho").NotFoundError:
            return True
        if time.monotonic() + pause > until:
            return False
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def _session(honcho: Any, session: str) -> Any:
    """The SDK's handle of a session, without asking the server: `honcho.session` would create it."""
    return import_module("honcho.session").Session(session, honcho)

"""How an entry lies on a Honcho server: one session of the server for one version of one entry.

Of what Honcho has, only sessions can be listed by exact metadata, changed in one step and deleted with all they hold;
conclusions carry no metadata, single messages cannot be deleted, and the name of a deleted session stays refused until
the server's queue has erased it. So every version gets a session with a name of its own. Its messages hold the text, in
parts, where the server's search sees it; its metadata say whose entry it is, and a last change of them to `whole` makes
the version count. A half-written version is never read, the version before it stays until then, and old ones are
deleted. Of two whole versions the one begun later by the server's clock counts.

Names on the server are hashes: it takes only letters, digits, `_` and `-`. It drops NUL from text and refuses text like
`<|endoftext|>`, so both are escaped; a digest proves that what comes back is what was kept.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.errors import StoreError, UsageError

LAYOUT = 1
MAX_PART_CHARACTERS = 25_000  # what the server takes as one message
ABANDONED_SECONDS = 3600  # seconds after which a half-written version is nobody's
USER, ENTRY, STATE, SAID, NUMBER = (
    f"afterglow_{name}" for name in ("user", "entry", "state", "said", "part")
)
WRITING, WHOLE = "writing", "whole"

_SUBSTITUTE = "\x1a"
_ESCAPES = {
    _SUBSTITUTE: _SUBSTITUTE + "1",
    "\0": _SUBSTITUTE + "0",
    "<|": "<" + _SUBSTITUTE + "2|",
}
_TROUBLE = re.compile("\x1a|\0|<\\|")
_ESCAPED = re.compile(_SUBSTITUTE + "([012])")
_MEANING = {"0": "\0", "1": _SUBSTITUTE, "2": ""}


class Content(Struct, frozen=True):
    """What the metadata of a session say about its version, kept there as JSON text: any Unicode, any depth."""

    user: str
    key: str
    metadata: dict[str, Any]
    created_at: float
    updated_at: float
    parts: int
    digest: str


class Version(Struct, frozen=True):
    """A session that holds one version of an entry. `begun` is by the server's clock; no `content` while it is written."""

    session: str
    entry: str
    begun: float
    content: Content | None


def user_name(user_id: str) -> str:
    """The name of a user on the server."""
    return "afterglow-" + _hash([user_id])


def entry_name(user_id: str, key: str) -> str:
    return _hash([user_id, key])


def session_name() -> str:
    """A name no session has had."""
    return "afterglow-" + uuid.uuid4().hex


def text_of(key: str, value: str) -> str:
    """What is searched and kept: the key belongs to it."""
    return f"{key}\n{value}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def parts_of(text: str) -> list[str]:
    safe = escape(text)
    return [
        safe[at : at + MAX_PART_CHARACTERS]
        for at in range(0, len(safe), MAX_PART_CHARACTERS)
    ]


def value_of(content: Content, parts: Mapping[int, str]) -> str | None:
    """The value, out of the parts by number. None if parts are missing."""
    if any(number not in parts for number in range(content.parts)):
        return None
    joined = "".join(parts[number] for number in range(content.parts))
    text = _ESCAPED.sub(lambda escaped: _MEANING[escaped[1]], joined)
    if digest(text) != content.digest:
        raise StoreError(
            f"the Honcho server has changed the text of {content.key!r:.60}; store it again"
        )
    return text[len(content.key) + 1 :]


def escape(text: str) -> str:
    return _TROUBLE.sub(lambda trouble: _ESCAPES[trouble[0]], text)


def check_text(*texts: str) -> None:
    """Text that has no UTF-8 form cannot be sent."""
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            "half of a surrogate pair is no text; decode the text properly first"
        ) from error


def metadata_of(user_id: str, key: str, content: Content | None) -> dict[str, Any]:
    """The metadata of a session: `content` once the version is whole."""
    names = {
        "afterglow": LAYOUT,
        USER: user_name(user_id),
        ENTRY: entry_name(user_id, key),
    }
    if content is None:
        return {**names, STATE: WRITING}
    return {**names, STATE: WHOLE, SAID: msgspec.json.encode(content).decode()}


def version_of(
    session: str, begun: float, metadata: Mapping[str, Any]
) -> Version | None:
    """A session as a version; None if it is not one of ours."""
    if not {"afterglow", USER, ENTRY, STATE} <= set(metadata):
        return None
    if metadata["afterglow"] != LAYOUT:
        raise StoreError(
            "a newer afterglow has written entries to this Honcho workspace; update afterglow to read them"
        )
    content = None
    if metadata[STATE] == WHOLE:
        try:
            content = msgspec.json.decode(str(metadata.get(SAID)), type=Content)
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"session {session} on the Honcho server is damaged, delete it there: {error}"
            ) from error
    return Version(session, str(metadata[ENTRY]), begun, content)


def in_force(versions: Iterable[Version]) -> dict[str, Version]:
    """Of each entry the version that counts."""
    newest: dict[str, Version] = {}
    for version in sorted(versions, key=_age):
        if version.content is not None:
            newest[version.entry] = version
    return newest


def superseded(versions: Sequence[Version], now: float) -> list[Version]:
    """Versions that can go once a newer one is whole: whole ones, and half-written ones nobody can still be writing."""
    return [
        version
        for version in versions
        if version.content is not None or version.begun < now - ABANDONED_SECONDS
    ]


def _age(version: Version) -> tuple[float, str]:
    return version.begun, version.session


def _hash(names: list[str]) -> str:
    return hashlib.sha256(msgspec.json.encode(names)).hexdigest()[:40]

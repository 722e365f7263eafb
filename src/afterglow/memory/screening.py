"""What an entry must be like, and what is taken out of it before it is kept. Every backend that keeps asks here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from afterglow.errors import UsageError
from afterglow.text.redact import Redactor


class Entry(msgspec.Struct, frozen=True):
    """What may be kept, and how often which rule hid something."""

    value: str
    metadata: dict[str, Any]
    hidden: dict[str, int]


def entry(value: str, metadata: Mapping[str, Any] | None, redactor: Redactor | None) -> Entry:
    """A value and its metadata as they may be kept. Without a redactor nothing is hidden."""
    if not isinstance(value, str):
        raise UsageError(f"a memory value is text, not {type(value).__name__}; json.dumps it first")
    try:
        plain = msgspec.json.decode(msgspec.json.encode(dict(metadata or {})), type=dict[str, Any])
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise UsageError(f"memory metadata must be a table that JSON can hold: {error}") from error
    if redactor is None:
        return Entry(value, plain, {})
    hidden: dict[str, int] = {}

    def clean(thing: Any) -> Any:
        if isinstance(thing, str):
            text, counts = redactor.redact(thing)
            for rule, times in counts.items():
                hidden[rule] = hidden.get(rule, 0) + times
            return text
        if isinstance(thing, dict):
            return {clean(name): clean(inner) for name, inner in thing.items()}
        return [clean(inner) for inner in thing] if isinstance(thing, list) else thing

    return Entry(clean(value), clean(plain), hidden)


def check_names(user_id: str, key: str | None = None, redactor: Redactor | None = None) -> None:
    """Users and keys are any text but nothing. A key must be found again: a secret in it is refused, not hidden."""
    for what, name in (("a user", user_id), *((("a key", key),) if key is not None else ())):
        if not isinstance(name, str) or not name:
            raise UsageError(f"{what} of a memory entry needs a name")
    if key and redactor is not None and any(hit.kind in {"secret", "key"} for hit in redactor.find(key)):
        raise UsageError("the key holds what looks like a secret; name the entry by what it is, not by its value")

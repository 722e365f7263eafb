"""What an entry must be like, and what is taken out of it before it is kept. Every backend that keeps asks here."""

from __future__ import annotations

from collections import Counter
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


def entry(
    key: str, value: str, metadata: Mapping[str, Any] | None, redactor: Redactor | None
) -> Entry:
    """A value and its metadata as they may be kept. Without a redactor nothing is hidden. Many secrets are known only
    by what they are called (`db_password`), so each text is looked at together with its name."""
    if not isinstance(value, str):
        raise UsageError(
            f"a memory value is text, not {type(value).__name__}; json.dumps it first"
        )
    try:
        plain = msgspec.json.decode(
            msgspec.json.encode(dict(metadata or {})), type=dict[str, Any]
        )
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"memory metadata must be a table that JSON can hold: {error}"
        ) from error
    if redactor is None:
        return Entry(value, plain, {})
    cleaner = _Cleaner(redactor)
    return Entry(
        cleaner.clean(value, key), cleaner.clean(plain, ""), dict(cleaner.hidden)
    )


class _Cleaner:
    """Redacts texts wherever they are, and counts what was hidden by which rule."""

    def __init__(self, redactor: Redactor) -> None:
        self.hidden: Counter[str] = Counter()
        self._redactor = redactor

    def clean(self, value: Any, name: str) -> Any:
        if isinstance(value, str):
            return self._clean_text(value, name)
        if isinstance(value, dict):
            return {
                self.clean(inner_name, ""): self.clean(inner, inner_name)
                for inner_name, inner in value.items()
            }
        if isinstance(value, list):
            return [self.clean(inner, name) for inner in value]
        return value

    def _clean_text(self, text: str, name: str) -> str:
        prefix = f"{name}: " if name else ""
        redacted, counts = self._redactor.redact(prefix + text)
        if not redacted.startswith(prefix):  # something in the name itself
            prefix = ""
            redacted, counts = self._redactor.redact(text)
        self.hidden.update(counts)
        return redacted.removeprefix(prefix)


def check_user(user_id: str) -> None:
    _check_name("user", user_id)


def check_names(user_id: str, key: str, redactor: Redactor | None = None) -> None:
    """Users and keys are any text but nothing. They must be found again: a secret in them is refused, not hidden."""
    for what, name in (("user", user_id), ("key", key)):
        _check_name(what, name)
        if redactor is not None and any(
            hit.kind in {"secret", "key"} for hit in redactor.find(name)
        ):
            raise UsageError(
                f"the {what} holds what looks like a secret; name it by what it is, not by its value"
            )


def check_question(user_id: str, query: str, limit: int) -> None:
    check_user(user_id)
    if not isinstance(query, str):
        raise UsageError(f"a query is text, not {type(query).__name__}")
    if not isinstance(limit, int) or limit < 0:
        raise UsageError(f"a limit is how many entries to answer with, not {limit!r}")


def _check_name(what: str, name: str) -> None:
    if not isinstance(name, str) or not name:
        raise UsageError(
            f"a {what} of a memory entry needs a name, a text that is not empty; this is {name!r:.60}"
        )

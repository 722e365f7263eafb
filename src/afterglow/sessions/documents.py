"""Files that are one JSON document: read whole, within limits, or refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from afterglow.errors import UnreadableSource

MAX_DOCUMENT = 64 << 20

T = TypeVar("T")


def load(path: Path, type_: type[T]) -> T:
    """The document at `path` as a `type_`. Bytes that are not UTF-8 are replaced rather than refused."""
    size = path.stat().st_size
    if size > MAX_DOCUMENT:
        raise UnreadableSource(
            f"{size >> 20} MB in one JSON document; {MAX_DOCUMENT >> 20} MB is the most that is read"
        )
    data = path.read_bytes()
    try:
        return _decode(data, type_)
    except UnicodeDecodeError:
        return _decode(data.decode("utf-8", "replace").encode(), type_)


def _decode(data: bytes, type_: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=type_)
    except msgspec.ValidationError as error:
        raise UnreadableSource(f"unexpected shape: {error}") from error
    except msgspec.DecodeError as error:
        raise UnreadableSource(f"not JSON: {error}") from error
    except RecursionError as error:
        raise UnreadableSource("nested too deeply") from error

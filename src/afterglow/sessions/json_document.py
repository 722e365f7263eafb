"""Files that are one JSON document: read whole, within limits, or refused with a reason."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import TypeVar

import msgspec

from afterglow.errors import UnreadableSource
from afterglow.sessions.jsonl_blocks import without_halves

MAX_DOCUMENT = 32 << 20

T = TypeVar("T")


def load(path: Path, type_: type[T]) -> T:
    """The document at `path` as a `type_`. Bytes and half characters that cannot be read are replaced, not refused."""
    size = path.stat().st_size
    if size > MAX_DOCUMENT:
        raise UnreadableSource(
            f"{size >> 20} MB in one JSON document; {MAX_DOCUMENT >> 20} MB is the most that is read"
        )
    data = path.read_bytes()
    try:
        return msgspec.json.decode(data, type=type_)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return _decode(
            without_halves(
                data.removeprefix(BOM_UTF8).decode("utf-8", "replace").encode()
            ),
            type_,
        )


def _decode(data: bytes, type_: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=type_)
    except msgspec.ValidationError as error:
        raise UnreadableSource(f"unexpected shape: {error}") from error
    except msgspec.DecodeError as error:
        raise UnreadableSource(f"not JSON: {error}") from error
    except RecursionError as error:
        raise UnreadableSource("nested too deeply") from error

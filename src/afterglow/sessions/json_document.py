"""Files that are one JSON document: read whole, within limits, or refused with a reason."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import TypeVar

import msgspec

from afterglow.errors import UnreadableSource
from afterglow.sessions.jsonl_blocks import without_halves

MAX_DOCUMENT_BYTES = 32 << 20  # read whole, so held several times over in memory

BEGINNING_BYTES = (
    64  # of a file: more blanks than anybody writes before its first value
)

T = TypeVar("T")


def load(path: Path, type_: type[T]) -> T:
    """The document at `path` as a `type_`. Bytes and half characters that cannot be read are replaced, not refused."""
    size = path.stat().st_size
    if size > MAX_DOCUMENT_BYTES:
        raise UnreadableSource(
            f"{size >> 20} MB in one JSON document; {MAX_DOCUMENT_BYTES >> 20} MB is the most that is read"
        )
    content = path.read_bytes()
    try:
        return msgspec.json.decode(content, type=type_)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        text = content.removeprefix(BOM_UTF8).decode("utf-8", "replace")
        return _decode(without_halves(text.encode()), type_)


def load_beside(path: Path, type_: type[T]) -> T | None:
    """What another file says about a source; nothing where it is not there or cannot be read."""
    try:
        return load(path, type_)
    except (OSError, UnreadableSource):
        return None


def is_list(path: Path) -> bool:
    """Whether a file of JSON begins with a list: else it holds a value a line, or one document."""
    with path.open("rb") as file:
        return file.read(BEGINNING_BYTES).lstrip().startswith(b"[")


def _decode(content: bytes, type_: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=type_)
    except msgspec.ValidationError as error:
        raise UnreadableSource(f"unexpected shape: {error}") from error
    except msgspec.DecodeError as error:
        raise UnreadableSource(f"not JSON: {error}") from error
    except RecursionError as error:
        raise UnreadableSource("nested too deeply") from error

"""One session file of any other format, packed: `.jsonl.gz`, `.json.gz`, `.jsonl.zst`.

It is read as the file it was; what lay beside that file is not there. A packed file does not grow, so it is always read
from the top. `.zst` needs the extra `archives`, or Python 3.14.
"""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from afterglow.errors import UnreadableSource
from afterglow.records.session import Mark, Session
from afterglow.sessions.held_file import held

NAME = "archive"
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ENDINGS = (".gz", ".zst")
CHUNK_BYTES = 1 << 20
HEAD_BYTES = 65536  # of what is packed: enough to recognise it


def sniff(path: Path, head: bytes) -> bool:
    """Only what is packed under a name that says so, and is a session: other programs' data is packed, too."""
    if not head.startswith((GZIP, ZSTD)) or path.suffix not in ENDINGS:
        return False
    if ".json" not in path.name:
        return False
    try:
        beginning = next(iter(_unpacked(path)), b"")[:HEAD_BYTES]
    except UnreadableSource:
        return True  # why it cannot be read is worth telling
    except OSError:
        return False
    return _is_session(path, beginning.removeprefix(BOM_UTF8).lstrip())


def _is_session(path: Path, beginning: bytes) -> bool:
    from afterglow.sessions.formats import FORMATS

    inner = path.with_name(_inner_name(path))
    formats = (FORMATS.load(name) for name in FORMATS.names() if name != NAME)
    return any(format_.sniff(inner, beginning) for format_ in formats)


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    from afterglow import sessions

    with held(_inner_name(path), _unpacked(path)) as file:
        for part in sessions.read(file):
            yield replace(part, format=NAME, source=str(path), mark=Mark())


def _inner_name(path: Path) -> str:
    return path.name.removesuffix(path.suffix)


def _unpacked(path: Path) -> Iterator[bytes]:
    opener, errors = _opener(path)
    try:
        with path.open("rb") as packed, opener(packed, "rb") as content:
            while chunk := content.read(CHUNK_BYTES):
                yield chunk
    except errors as error:
        raise UnreadableSource(f"{path}: damaged archive: {error}") from error


def _opener(path: Path) -> tuple[Callable[..., Any], tuple[type[Exception], ...]]:
    """What opens it, and what that says of damage."""
    if path.suffix == ".gz":
        return gzip.open, (gzip.BadGzipFile, zlib.error, EOFError)
    for name in ("compression.zstd", "zstandard"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module.open, (module.ZstdError, EOFError)
    raise UnreadableSource(
        f"{path}: packed with zstd; pip install 'afterglow-agents[archives]' to read it"
    )

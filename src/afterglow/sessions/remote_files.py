"""Sources in an object store or on another machine: listed, stamped and fetched by fsspec, read as files here.

A source is named by its address (`s3://bucket/sessions/a.jsonl`). As a `Path` it has one slash less, which no path of
this machine looks like: those are absolute. What is fetched lies below a private folder of ours under the names of its
address, so readers find what they read out of names; `at_address` puts the address back into what they say.

Whoever may read a store says so in its own way (variables, files, roles): an address with a password is refused.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from afterglow.errors import BusySource, UnreadableSource, Unsupported, UsageError
from afterglow.records.session import Session
from afterglow.sessions.agent_homes import File, Folder, folder_of
from afterglow.text.clip import first_line
from afterglow.text.mask import mask

# Stores that list what they hold and say when it changed.
SCHEMES = (
    "s3 s3a gs gcs az abfs abfss adl oss oci hdfs webhdfs sftp ssh smb memory".split()
)
INSTALL = "reading {} needs fsspec: pip install 'afterglow-agents[remote]'"
MAX_REASON_CHARACTERS = 200
FETCHED = "afterglow-fetched-"  # how the private folders of what was fetched begin
WRITE_AHEAD_LOG = "-wal"
# What the libraries of stores raise that is no OSError, by the module it lives in.
_ERRORS = {
    "botocore.exceptions": "BotoCoreError ClientError",
    "aiohttp": "ClientError",
    "google.auth.exceptions": "GoogleAuthError",
    "gcsfs.retry": "HttpError",
    "azure.core.exceptions": "AzureError",
    "paramiko": "SSHException",
}
# Under which names stores say when a file was written, and what its content is known by.
_WRITTEN = ("LastModified", "last_modified", "mtime", "updated", "created")
_CONTENT = ("ETag", "etag", "md5Hash", "content_md5", "checksum")

_NO_NAMES = frozenset({"", ".", ".."})  # they would lead out of a folder
_REMOTE = re.compile(rf"({'|'.join(SCHEMES)}):/+(?=[^/])")
_ANY_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])")
_folders_in_use: set[str] = set()  # of this process, with what it has fetched


def is_remote(path: str | Path) -> bool:
    return bool(_REMOTE.match(str(path)))


def address_of(path: str | Path) -> str:
    """With both slashes, and none at its end."""
    return _REMOTE.sub(r"\1://", str(path), count=1).rstrip("/")


def real_path(path: str | Path) -> str:
    """By what the catalogue knows a file or folder: its address, or its path with links followed."""
    return address_of(path) if is_remote(path) else os.path.realpath(path)


def check_place(path: str | Path) -> None:
    """Raises `UsageError` for an address that is none, or that nobody should write down."""
    scheme = _ANY_SCHEME.match(str(path))
    if scheme is None:
        return
    if not is_remote(path):
        stores = ", ".join(f"{name}://" for name in SCHEMES)
        raise UsageError(
            f"sessions are not read from {scheme[1]}://; a folder, or one of {stores} would work"
        )
    host, *names = address_of(path).partition("://")[2].split("/")
    if ":" in host.rpartition("@")[0]:
        raise UsageError(
            "a password does not belong in an address; give it as the store's own programs take it"
        )
    if not _NO_NAMES.isdisjoint(names):
        raise UsageError(f"{address_of(path)}: an address has no .. and no empty name")


def listed(address: str) -> Iterator[Folder]:
    """The folders below an address with their files, or the one file there. Raises FileNotFoundError where nothing is."""
    with _in_our_words(address):
        store, root = _store(address)
        about = store.info(root)
        if about["type"] == "file":
            folder, _, name = address.rpartition("/")
            yield Folder(folder, (_file(name, about),), whole=False)
            return
        try:
            yield from _walk(store, root, address)
        except FileNotFoundError as error:
            raise BusySource(
                f"{address}: changed while it was listed; scan again"
            ) from error


def _walk(store: Any, root: str, address: str) -> Iterator[Folder]:
    for path, folders, files in store.walk(root, detail=True, on_error="raise"):
        for name in _NO_NAMES & folders.keys():
            del folders[name]
        named = {name: about for name, about in files.items() if name not in _NO_NAMES}
        listing = folder_of(
            address + path[len(root.rstrip("/")) :].rstrip("/"),
            [_file(name, about) for name, about in named.items()],
            folders,
        )
        if listing.files:
            yield listing


def _file(name: str, about: dict[str, Any]) -> File:
    """Its content's mark stands where a file here has its number: other content is another file, never read on."""
    mark = next((about[key] for key in _CONTENT if about.get(key)), "")
    digest = blake2b(str(mark).encode(), digest_size=8).digest()
    content = int.from_bytes(digest, "big") >> 1 if mark else 0
    return name, int(about.get("size") or 0), _written_ns(about), content


def _written_ns(about: dict[str, Any]) -> int:
    written = next((about[key] for key in _WRITTEN if about.get(key)), None)
    if isinstance(written, str):
        written = datetime.fromisoformat(written)
    if isinstance(written, datetime):
        written = written.timestamp()
    return int(float(written) * 1e9) if written is not None else 0


@contextmanager
def fetched(path: Path) -> Iterator[Path]:
    """A file to read: `path` itself, or what lies at its address, held in memory where that can be, and gone afterwards."""
    if not is_remote(path):
        yield path
        return
    check_place(path)
    from tempfile import TemporaryDirectory  # here: hooks start without it

    address = address_of(path)
    with TemporaryDirectory(prefix=FETCHED) as folder, ExitStack() as held:
        with _in_our_words(address):
            file = _fetch(address, Path(folder), held)
        _folders_in_use.add(folder)
        try:
            yield file
        except UnreadableSource as error:
            raise _in_words_of_address(error, file) from error
        finally:
            _folders_in_use.discard(folder)


def fetch_beside(beside: Path) -> None:
    """What a reader would find beside a fetched file, where it is there."""
    _, address = _mirrored(beside)
    if "/" not in address.partition("://")[2]:
        return  # it would lie outside of the bucket
    with _in_our_words(address):
        store, place = _store(address)
        if store.exists(place):
            beside.parent.mkdir(parents=True, exist_ok=True)
            store.get_file(place, str(beside))


def is_fetched(path: Path) -> bool:
    return bool(_folders_in_use) and bool(_root_of(path))


def at_address(session: Session, path: Path) -> Session:
    """As it would say of itself where it lies."""
    root, address = _mirrored(path)
    places = {
        name: address_of(value.removeprefix(root))
        for name in ("cwd", "git_root")
        if (value := getattr(session, name)).startswith(root)
    }
    return replace(session, source=address, **places)


def _in_words_of_address(error: UnreadableSource, path: Path) -> UnreadableSource:
    """The same error without the name of a file that is gone afterwards."""
    root, address = _mirrored(path)
    return type(error)(str(error).replace(str(path), address).replace(root, ""))


def _mirrored(path: Path) -> tuple[str, str]:
    """The folder something was fetched into, and the address it has below that."""
    root = _root_of(path)
    return root, address_of(str(path)[len(root) :])


def _root_of(path: Path) -> str:
    roots = (f"{folder}/" for folder in tuple(_folders_in_use))
    return next((root for root in roots if str(path).startswith(root)), "")


def _fetch(address: str, folder: Path, held: ExitStack) -> Path:
    from afterglow.sessions.held_file import MAX_HELD_BYTES, in_memory
    from afterglow.sessions.sqlite_source import MAGIC

    store, place = _store(address)
    about = store.info(place)
    if int(about.get("size") or 0) > MAX_HELD_BYTES:
        raise UnreadableSource(
            f"more than {MAX_HELD_BYTES >> 20} MB in one file; copy it to a folder and scan that"
        )
    file = folder / address.replace("://", ":/", 1)
    file.parent.mkdir(parents=True)
    descriptor = held.enter_context(in_memory(file))
    store.get_file(place, str(file))
    if os.pread(descriptor, len(MAGIC), 0) == MAGIC:
        _lay_down(file, store, place)
    written = _written_ns(about)
    if written:
        os.utime(file, ns=(written, written))
    return file


def _lay_down(file: Path, store: Any, place: str) -> None:
    """A database is opened by its name, with its log beside it: it must be a file, for as long as it is read."""
    from shutil import copyfile

    copy = file.with_name(file.name + ".copy")
    copyfile(file, copy)
    copy.replace(file)
    if store.exists(place + WRITE_AHEAD_LOG):
        store.get_file(place + WRITE_AHEAD_LOG, str(file) + WRITE_AHEAD_LOG)


def _store(address: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise Unsupported(INSTALL.format(address)) from error
    store, path = url_to_fs(address, use_listings_cache=False)
    return store, str(path)


@contextmanager
def _in_our_words(address: str) -> Iterator[None]:
    """What a store says no with, as errors that have a name here."""
    try:
        yield
    except ImportError as error:
        scheme = address.partition("://")[0]
        raise Unsupported(f"reading {scheme}:// needs more: {error}") from error
    except _store_errors() as error:
        why = mask(first_line(str(error), MAX_REASON_CHARACTERS))
        raise BusySource(f"{address}: {type(error).__name__}: {why}") from error


def _store_errors() -> tuple[type[Exception], ...]:
    """Of those libraries that are in use."""
    return tuple(
        getattr(sys.modules[module], name)
        for module, names in _ERRORS.items()
        if module in sys.modules
        for name in names.split()
    )

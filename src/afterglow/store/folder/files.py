"""A knowledge folder as it is now, and writing it. Files that are not ours are left alone, whatever their name."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from afterglow.errors import StoreError, UnreadableSource
from afterglow.records.knowledge import Category
from afterglow.store.folder.entries import Entry, Index, decode
from afterglow.store.folder.markdown import MARKER, Block, Page, read_page, write_page
from afterglow.store.folder.names import Place, path_of, place_of, read_path

INDEX = "index.json"
KINDS = ("global", "repos", "agents")

Pages = dict[
    str, tuple[Place, Category, list[Block]]
]  # path -> what the file is about, and its bullets


class Seen(Struct, frozen=True):
    """What stands in a folder. `bytes` is what each file held when it was read; `strangers` are files whose name is
    near one of ours, and the name they would need."""

    index: Index | None
    pages: dict[str, Page]
    places: dict[str, tuple[Place, Category | None]]
    bytes: dict[str, bytes]
    strangers: tuple[str, ...] = ()

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.index.facts} if self.index else {}

    @property
    def empty(self) -> bool:
        return self.index is None and not self.pages


class Written(Struct, frozen=True):
    """Files written, files removed because nothing is left in them."""

    written: tuple[str, ...]
    removed: tuple[str, ...]


class Moved(Exception):
    """A file changed between reading and writing: look again."""


def look(folder: Path) -> Seen:
    """Reads the folder. A page that cannot be read is part of the result; an index.json that cannot is an error."""
    held: dict[str, bytes] = {}
    index = None
    try:
        if (folder / INDEX).exists():
            held[INDEX] = (folder / INDEX).read_bytes()
            index = decode(held[INDEX], str(folder / INDEX))
        paths = [
            path.relative_to(folder).as_posix()
            for kind in KINDS
            for path in sorted((folder / kind).rglob("*.md"))
        ]
        places_known = {
            place_of(entry.repo, entry.agent)
            for entry in (index.facts if index else ())
        }
        expected = {path_of(place, "fact"): place for place in places_known}
        pages, places, strangers = {}, {}, []
        for path in paths:
            page = read_path(path, expected)
            if page is None:
                strangers.append(path)
                continue
            held[path] = (folder / path).read_bytes()
            pages[path], places[path] = _read(held[path], page[1]), page
    except OSError as error:
        raise UnreadableSource(
            f"{error.filename or folder}: {error.strerror}"
        ) from error
    return Seen(index, pages, places, held, tuple(strangers))


def put(pages: Pages, where: Place, block: Block) -> None:
    """Puts a bullet on its page."""
    path = path_of(where, block.category)
    pages.setdefault(path, (where, block.category, []))[2].append(block)


def write(folder: Path, current: Seen, pages: Pages, index: bytes) -> Written:
    """Makes the folder hold these pages and this index, one file at a time, the index last. Raises Moved when a person
    was faster."""
    texts = {
        path: write_page(place, category, blocks).encode()
        for path, (place, category, blocks) in pages.items()
    }
    texts = {path: text for path, text in texts.items() if not _broken(current, path)}
    removed = [
        path
        for path, page in current.pages.items()
        if page.ours and not page.problem and path not in pages
    ]
    try:
        written = [
            path
            for path, text in texts.items()
            if _replace(folder, path, text, current.bytes.get(path))
        ]
        for path in removed:
            _remove(folder, path, current.bytes[path])
        written += (
            [INDEX] if _replace(folder, INDEX, index, current.bytes.get(INDEX)) else []
        )
    except OSError as error:
        raise StoreError(
            f"{error.filename or folder}: {error.strerror}; what was written is whole"
        ) from error
    return Written(tuple(written), tuple(removed))


def replace_file(path: Path, data: bytes) -> None:
    """The whole file or the old one, whatever happens."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    draft.write_bytes(data)
    draft.replace(path)


def _read(data: bytes, category: Category | None) -> Page:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Page(
            (),
            (data[: error.start].count(10) + 1, "not UTF-8"),
            MARKER.encode() in data,
        )
    return read_page(text.replace("\r\n", "\n"), category)


def _broken(seen: Seen, path: str) -> bool:
    return path in seen.pages and seen.pages[path].problem is not None


def _replace(folder: Path, path: str, data: bytes, before: bytes | None) -> bool:
    if (
        before is not None
        and before.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n") == data
    ):
        return False
    target = folder / path
    _stay_inside(folder, target)
    if (target.read_bytes() if target.exists() else None) != before:
        raise Moved(path)
    replace_file(target, data)
    return True


def _remove(folder: Path, path: str, before: bytes) -> None:
    target = folder / path
    if not target.exists():
        return
    if target.read_bytes() != before:
        raise Moved(path)
    target.unlink()
    above = target.parent
    while above.parent != folder and above != folder and not any(above.iterdir()):
        above.rmdir()
        above = above.parent


def _stay_inside(folder: Path, target: Path) -> None:
    """A folder in somebody's repository may hold a link that leads out of it."""
    root, parent = os.path.realpath(folder), os.path.realpath(target.parent)
    if os.path.commonpath([root, parent]) != root:
        raise StoreError(
            f"{target.parent} leads out of {folder}; nothing is written there"
        )

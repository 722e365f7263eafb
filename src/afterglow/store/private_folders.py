"""Folders in which sessions are private: from when to when, or just the next one. `private.json` in the home.

It is a person's own list, written whole. A session counts by when it began and where; one that began before the folder
was made private does not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import StoreError
from afterglow.folders import place_file, private

FILE = "private.json"


class PrivateFolder(Struct, frozen=True, kw_only=True):
    """A folder with all that lies below it. `until` is empty while it lasts; `once`: the next session alone, which a
    hook tells of."""

    path: str
    since: float
    until: float | None = None
    once: bool = False

    def holds(self, cwd: str, start: float) -> bool:
        within = self.path in {cwd, *map(str, PurePath(cwd).parents)}
        is_over = self.until is not None and start >= self.until
        return within and start >= self.since and not is_over


class PrivateFolders:
    """The list of one home, which need not be there yet."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE

    def listed(self) -> tuple[PrivateFolder, ...]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error
        try:
            return msgspec.json.decode(content, type=tuple[PrivateFolder, ...])
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{self.path} is damaged ({error}); mend it, or move it away and say `afterglow private on` again"
            ) from error

    def begin(self, path: str, now: float, *, once: bool = False) -> bool:
        """From now on sessions there are private; whether they were not before."""

        def begun(listed: tuple[PrivateFolder, ...]) -> tuple[PrivateFolder, ...]:
            same = (folder.path == path and folder.once == once for folder in listed)
            open_ones = (folder.until is None for folder in listed)
            if any(a and b for a, b in zip(same, open_ones, strict=True)):
                return listed
            return (*listed, PrivateFolder(path=path, since=now, once=once))

        return self._change(begun)

    def end(self, path: str, now: float) -> bool:
        """Sessions there that begin from now on are not private; whether they were."""

        def ended(folder: PrivateFolder) -> PrivateFolder | None:
            if folder.path != path or folder.until is not None:
                return folder
            return None if folder.once else replace(folder, until=now)

        return self._change(
            lambda listed: tuple(filter(None, (ended(folder) for folder in listed)))
        )

    def take_next(self, cwd: str, start: float) -> bool:
        """Whether the session that begins there now is one that was waited for; the next one is not then."""
        chosen = [
            folder
            for folder in self.listed()
            if folder.once and folder.holds(cwd, start)
        ]
        if not chosen:
            return False
        return self._change(
            lambda listed: tuple(folder for folder in listed if folder != chosen[-1])
        )

    def holds(self, cwd: str, start: float | None) -> bool:
        """Whether a session there that began then is private, unless only the next one was to be."""
        if start is None or not cwd:
            return False
        return any(
            folder.holds(cwd, start) for folder in self.listed() if not folder.once
        )

    def _change(
        self,
        change: Callable[[tuple[PrivateFolder, ...]], tuple[PrivateFolder, ...]],
    ) -> bool:
        listed = self.listed()
        changed = change(listed)
        if changed == listed:
            return False
        try:
            private(self.path.parent)
            content = msgspec.json.format(msgspec.json.encode(changed), indent=1)
            place_file(self.path, content + b"\n", mode=0o600)
        except OSError as error:
            raise StoreError(
                f"{self.path}: {error.strerror}; nothing was changed"
            ) from error
        return True

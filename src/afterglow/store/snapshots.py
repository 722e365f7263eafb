"""Saved readings: one file a day in `metrics/`, and the dashboard beside them that people and git can read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import StoreError
from afterglow.folders import place_file, private
from afterglow.records.reading import Measured, Past

NEWEST = 60  # snapshots that are looked at
_NAME = re.compile(r"\d{4}-\d\d-\d\d\.json")


class _Said(Struct):
    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None


class _Snapshot(Struct):
    """What later runs need of a snapshot, whatever else it holds."""

    day: str
    readings: list[_Said]


_snapshot = msgspec.json.Decoder(_Snapshot).decode


class Snapshots:
    """The snapshots in a folder, which need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def before(self, day: str) -> tuple[dict[str, list[Past]], list[str]]:
        """What each reading was on earlier days, oldest first; and the files that could not be read."""
        past: dict[str, list[Past]] = {}
        troubles = []
        for path in self._files(day):
            try:
                snapshot = _snapshot(path.read_bytes())
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
                troubles.append(f"{path}: {error}")
                continue
            for reading in snapshot.readings:
                past.setdefault(reading.name, []).append(
                    Past(snapshot.day, reading.value, reading.low, reading.high)
                )
        return past, troubles

    def _files(self, day: str) -> list[Path]:
        files = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        return [
            path for path in files if _NAME.fullmatch(path.name) and path.stem < day
        ][-NEWEST:]

    def save(self, measured: Measured, files: Mapping[str, str]) -> Path:
        """The snapshot of its day, replaced if there is one, and `files` beside it."""
        bare = tuple(
            replace(reading, weeks=(), past=()) for reading in measured.readings
        )
        snapshot = msgspec.json.format(
            msgspec.json.encode(replace(measured, readings=bare)), indent=2
        ).decode()
        path = self.folder / f"{measured.day}.json"
        for name, text in {path.name: snapshot + "\n", **files}.items():
            self._put(self.folder / name, text)
        return path

    def _put(self, path: Path, text: str) -> None:
        """Whole or not at all."""
        try:
            private(path.parent)
            place_file(path, text.encode(), lasting=True)
        except OSError as error:
            raise StoreError(
                f"{path}: {error.strerror}; free some space, or set AFTERGLOW_HOME elsewhere"
            ) from error

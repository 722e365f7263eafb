"""What a file looks like from outside: whoever keeps what was made from it makes it again when this has changed."""

from __future__ import annotations

from pathlib import Path

Stamp = tuple[int, ...]


def file_stamp(path: Path) -> Stamp:
    """Time and size of a file, and of what a database has written beside it; nothing for one that is gone."""
    stamp: Stamp = ()
    for end in ("", "-wal"):
        try:
            state = path.with_name(path.name + end).stat()
        except OSError:
            continue
        stamp += (state.st_mtime_ns, state.st_size, state.st_ino)
    return stamp

"""Which windows were read already, or brought nothing usable too often. Kept in the catalogue, which may be deleted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.store.catalog import Catalog

READ, FAILED = "window done ", "window failed "  # names of facts in the catalogue
MAX_TRIES = 3  # of a window that a model says nothing usable of


def note_read(catalog: Catalog, ids: Sequence[str]) -> None:
    """These need not be offered again."""
    for id in ids:
        is_window = len(id) == 11 and id.startswith("w") and id.isalnum()
        if not is_window:
            raise UsageError(f"{id[:40]!r} is no window; ids look like w0123456789")
    note_facts(catalog, (READ + id for id in ids))


def windows_read(config: Config) -> set[str]:
    with Catalog(config.catalog) as catalog:
        rows = catalog.rows("SELECT name FROM facts WHERE name LIKE ?", [f"{READ}%"])
    return {name.removeprefix(READ) for (name,) in rows}


def windows_were_read(config: Config, ids: Sequence[str]) -> None:
    """These were read: they are not offered again."""
    with Catalog(config.catalog) as catalog:
        note_read(catalog, ids)


def windows_failed(config: Config, ids: Sequence[str]) -> None:
    """A model could not say anything of these: after some tries they are not offered again."""
    with Catalog(config.catalog) as catalog:
        with catalog.writing() as db:
            db.executemany(
                "INSERT INTO facts VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1",
                [(FAILED + id,) for id in ids],
            )
        note_read(
            catalog,
            [id for id in ids if int(catalog.fact(FAILED + id) or 0) >= MAX_TRIES],
        )


def note_facts(catalog: Catalog, names: Iterable[str]) -> None:
    with catalog.writing() as db:
        db.executemany(
            "INSERT OR REPLACE INTO facts VALUES (?, '')", [(name,) for name in names]
        )

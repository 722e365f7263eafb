"""A hub's database in one file, checked, and back into an empty database."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from afterglow.config import Config, environment
from afterglow.errors import UsageError
from afterglow.flows.hub.server_addresses import checked_address, keep_addresses
from afterglow.folders import private_file
from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import HubBackup
from afterglow.store.postgres.connection import connected


def back_up_hub(config: Config, url: str, file: Path) -> HubBackup:
    """Also while the hub works. Only its user can read the file. Another file of that name is replaced only by a
    finished backup, and only if it is one too."""
    if not file.parent.is_dir():
        raise UsageError(f"{file.parent} is not a folder; give a file in one")
    draft = file.with_name(f"{file.name}.{uuid4().hex}")
    with connected(checked_address(url)) as db:
        from afterglow.store.hub import dump

        if file.exists() and not _begins_with(file, dump.MAGIC):
            raise UsageError(f"{file} is something else than a backup; name another")
        programs = dump.programs_for(db, url, environment(config))
        try:
            private_file(draft)
            layout = dump.dump(db, programs, draft)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    return HubBackup(
        database=HubPlace(url).name,
        file=str(file),
        bytes=file.stat().st_size,
        layout=layout,
    )


def _begins_with(file: Path, magic: bytes) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(magic)) == magic


def restore_hub(config: Config, url: str, file: Path) -> HubBackup:
    """Into an empty database. Tokens go on letting people in; the server's roles get new passwords."""
    with connected(checked_address(url)) as db:
        from afterglow.store.hub import dump
        from afterglow.store.hub.migrations import layout_of

        programs = dump.programs_for(db, url, environment(config))
        passwords = keep_addresses(config, url, dump.restore(db, programs, file))
        layout = layout_of(db)
    return HubBackup(
        database=HubPlace(url).name,
        file=str(file),
        bytes=file.stat().st_size,
        layout=layout,
        passwords=str(passwords),
    )

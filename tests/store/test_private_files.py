"""Databases of a home are their owner's alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from afterglow.memory.local import LocalBackend
from afterglow.store.catalog import Catalog
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.spending import Spending
from afterglow.text.redact import Redactor


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def fill(home: Path) -> None:
    for kind in (Catalog, Knowledge, Ledger, Experiments):
        with kind(home / f"{kind.__name__.lower()}.db"):
            pass
    Spending(home / "spending.db").days()
    memory = LocalBackend(home / "memory.db", redactor=Redactor())
    memory.store("a", "editor", "vim")
    memory.close()


def test_every_database_and_backup_is_made_for_its_owner_alone(tmp_path):
    home = tmp_path / "home"
    fill(home)
    with Knowledge(home / "knowledge.db") as knowledge:
        knowledge.backup(home / "knowledge.db.backup-1")
        knowledge.set_fact("a", "b")
        found = modes(home)  # with the log beside the open database
    assert "knowledge.db-wal" in found and "knowledge.db.backup-1" in found
    assert {name for name, mode in found.items() if mode != 0o600} == set()


@pytest.mark.parametrize(("folder", "mode"), [(0o700, 0o600), (0o755, 0o644)])
def test_an_older_file_becomes_private_unless_its_folder_is_shared(
    tmp_path, folder, mode
):
    home = tmp_path / "home"
    fill(home)
    for path in home.iterdir():
        path.chmod(0o644)
    home.chmod(folder)
    fill(home)
    assert set(modes(home).values()) == {mode}

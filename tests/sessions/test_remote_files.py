"""A file that lies elsewhere is read as one that lies here; only its address differs."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.errors import UnreadableSource, Unsupported
from afterglow.sessions import FORMATS, load, recognise
from afterglow.sessions.remote_files import (
    address_of,
    fetched,
    is_remote,
    listed,
    real_path,
)

fsspec = pytest.importorskip("fsspec")
FIXTURES = Path(__file__).parent / "fixtures"
ROOT = "memory://fixtures"
# Sessions of a git repository lie in its objects: its folder is not looked into.
FORMATS_READ = sorted(set(FORMATS.names()) - {"entire-checkpoints"})


@pytest.fixture(scope="module", autouse=True)
def store():
    memory = fsspec.filesystem("memory")
    for path in FIXTURES.rglob("*"):
        if path.is_file():
            name = path.relative_to(FIXTURES).as_posix()
            memory.pipe_file(f"/fixtures/{name}", path.read_bytes())
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            memory.store[f"/fixtures/{name}"].created = written
    yield memory
    memory.rm("/fixtures", recursive=True)


def as_if_here(session, folder: str):
    """Its folders too: some formats have them by where their file lies."""
    cwd = session.cwd.replace(folder, "")
    return replace(session, source="", cwd=cwd)


@pytest.mark.parametrize("name", FORMATS_READ)
def test_every_format_reads_the_same_from_a_store(name):
    module = FORMATS.load(name)
    files = [path for path in sorted((FIXTURES / name).rglob("*")) if path.is_file()]
    for path in files:
        if not _is_of(name, path):
            continue
        address = f"{ROOT}/{path.relative_to(FIXTURES).as_posix()}"
        if hasattr(module, "MANY_FILES"):
            with pytest.raises(UnreadableSource, match="many files"):
                load(Path(address))
            continue
        here, afar = load(path), load(Path(address))
        assert {session.source for session in afar} <= {address}
        assert [as_if_here(session, ROOT) for session in afar] == [
            as_if_here(session, str(FIXTURES)) for session in here
        ]


def _is_of(name: str, path: Path) -> bool:
    try:
        format_ = recognise(path)
    except UnreadableSource:
        return False
    return format_ is not None and name == format_.NAME


def test_an_address_keeps_its_slashes_through_a_path():
    address = "s3://bucket/sessions/a.jsonl"
    assert is_remote(Path(address)) and address_of(Path(address)) == address
    assert real_path(f"{address}/") == address
    assert not is_remote("/srv/s3:/bucket") and not is_remote("sessions/a.jsonl")


def test_folders_and_single_files_are_listed_with_what_they_are_known_by(store):
    [folder] = listed(f"{ROOT}/droid")
    files = {name: size for name, size, _, _ in folder.files}
    assert folder.path == f"{ROOT}/droid" and folder.whole
    for name, size in files.items():
        assert (FIXTURES / "droid" / name).stat().st_size == size
        [one_file] = listed(f"{ROOT}/droid/{name}")
        assert one_file.path == folder.path and not one_file.whole
    with pytest.raises(FileNotFoundError):
        list(listed(f"{ROOT}/nowhere"))


def test_without_fsspec_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(Unsupported, match=r"pip install 'afterglow-agents\[remote\]'"):
        list(listed(f"{ROOT}/droid"))


def test_without_the_package_of_a_store_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(Unsupported, match="gcsfs"):
        list(listed("gs://bucket/sessions"))


def test_what_was_fetched_is_gone_afterwards_and_keeps_its_age(store):
    name = next(path.name for path in (FIXTURES / "droid").iterdir())
    with fetched(Path(f"{ROOT}/droid/{name}")) as file:
        assert file.read_bytes() == (FIXTURES / "droid" / name).read_bytes()
        written = store.info(f"/fixtures/droid/{name}")["created"].timestamp()
        assert file.stat().st_mtime == pytest.approx(written, abs=0.01)
    assert not file.parent.exists()

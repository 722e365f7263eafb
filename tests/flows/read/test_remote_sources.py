"""Sessions in an object store: found, stamped, read, and opened again, as those of this machine are."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from afterglow.config import Config, PrivacySettings
from afterglow.errors import UsageError
from afterglow.flows.harvest import harvest
from afterglow.flows.knowledge import explain
from afterglow.flows.read import open_session, scan
from afterglow.records.selection import below
from afterglow.sessions.remote_files import FETCHED
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow_demo import write_fleet
from object_store import SECRET, ObjectStore, object_store

pytestmark = pytest.mark.slow

BUCKET = Path("s3://team/sessions")
NOW = 1_790_000_000.0
MESSAGE = (
    '{"type":"user","sessionId":"s1","uuid":"u1","parentUuid":null,"userType":"external","cwd":"/home/ana/src/harbor",'
    '"timestamp":"2026-06-20T10:00:00Z","message":{"role":"user","content":"%s"}}\n'
)


@pytest.fixture(scope="module")
def bucket() -> Iterator[ObjectStore]:
    with object_store() as store, pytest.MonkeyPatch.context() as patch:
        for name, value in store.variables.items():
            patch.setenv(name, value)
        yield store


@pytest.fixture
def store(bucket: ObjectStore) -> ObjectStore:
    bucket.objects.clear()
    bucket.requests.clear()
    bucket.is_closed = False
    return bucket


def home(folder: Path, **settings) -> Config:
    return Config(home=folder, user_home=folder, **settings)


def put(store: ObjectStore, folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            store.objects[f"team/sessions/{name}"] = path.read_bytes()


def lessons(config: Config) -> list[tuple]:
    with Knowledge(config.knowledge) as knowledge:
        return sorted(
            (item.id, item.fact, item.status, item.confidence, len(item.evidence))
            for item in knowledge.items()
        )


def everything_in(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


def test_a_bucket_teaches_the_same_as_a_folder(store, tmp_path, monkeypatch):
    """Databases and packed sessions included; nothing that was fetched is left, nor the store's secret anywhere."""
    fleet = tmp_path / "fleet"
    write_fleet(fleet, sessions=16, scale=0.1)
    put(store, fleet)
    here, there = home(tmp_path / "here"), home(tmp_path / "there")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    scanned, afar = scan(here, [fleet]), scan(there, [BUCKET])
    assert afar.roots == ("s3://team/sessions",)
    assert (afar.files, afar.sessions, afar.not_sessions, len(afar.troubles)) == (
        scanned.files,
        scanned.sessions,
        scanned.not_sessions,
        len(scanned.troubles),
    )
    harvest(here, below(fleet), now=NOW)
    report = harvest(there, below(BUCKET), now=NOW)
    assert report.mined and lessons(there) == lessons(here)
    assert not list((tmp_path / "temporary").iterdir())
    assert SECRET.encode() not in everything_in(there.home)
    assert FETCHED.encode() not in everything_in(there.home)


def test_what_has_not_changed_is_not_fetched_again_and_what_has_is(store, tmp_path):
    config, name = home(tmp_path), "team/sessions/harbor/s1.jsonl"
    store.objects[name] = (MESSAGE % "the first").encode()
    assert scan(config, [BUCKET]).read == 1
    store.requests.clear()
    again = scan(config, [BUCKET])
    assert (again.read, again.unchanged) == (0, 1)
    assert f"GET {name}" not in store.requests
    store.objects[name] = (MESSAGE % "another").encode()  # as long, as old
    assert scan(config, [BUCKET]).read == 1
    del store.objects[name]
    store.objects["team/sessions/other.txt"] = b"nothing"
    assert scan(config, [BUCKET]).gone == 1


def test_evidence_and_sessions_are_opened_where_they_lie(store, tmp_path):
    fleet, config = tmp_path / "fleet", home(tmp_path / "home")
    write_fleet(fleet, sessions=16, scale=0.1)
    put(store, fleet)
    harvest(config, below(BUCKET), now=NOW)
    with Knowledge(config.knowledge) as knowledge:
        item = next(iter(knowledge.items()))
    explained = explain(config, item.id)
    assert {piece.state for piece in explained.pieces} == {"ok"}
    assert explained.pieces[0].source.startswith("s3://team/sessions/")
    with Catalog(config.catalog) as catalog:
        entry = catalog.entries()[0]
        assert catalog.find(entry.source)
    _, session = open_session(config, entry.id)
    assert session.source == entry.source


def test_a_store_that_does_not_let_us_in_is_said_so_and_nothing_counts_as_gone(
    store, tmp_path
):
    config = home(tmp_path)
    store.objects["team/sessions/s1.jsonl"] = (MESSAGE % "hello").encode()
    scan(config, [BUCKET])
    store.is_closed = True
    report = scan(config, [BUCKET])
    [trouble] = report.troubles
    assert (trouble.path, trouble.state) == ("s3://team/sessions", "busy")
    assert report.gone == 0 and SECRET not in trouble.reason
    with Catalog(config.catalog) as catalog:
        assert len(catalog.entries(all=True)) == 1


def test_an_address_where_nothing_lies_is_missing(store, tmp_path):
    store.objects["team/elsewhere/s1.jsonl"] = b"{}"
    assert scan(home(tmp_path), [BUCKET]).missing == ("s3://team/sessions",)


def test_excluded_addresses_are_not_fetched(store, tmp_path):
    config = home(
        tmp_path, privacy=PrivacySettings(exclude=("s3://team/sessions/clients",))
    )
    store.objects["team/sessions/clients/s1.jsonl"] = (MESSAGE % "hello").encode()
    store.objects["team/sessions/own/s2.jsonl"] = (MESSAGE % "hello").encode()
    store.objects["team/sessions/own/node_modules/x/s3.jsonl"] = b"{}"
    report = scan(config, [BUCKET])
    assert (report.files, report.kept_out) == (1, 1)
    assert "GET team/sessions/clients/s1.jsonl" not in store.requests


def test_what_a_reader_looks_at_beside_a_file_is_fetched_too(store, tmp_path):
    store.objects["team/sessions/d1.jsonl"] = (
        b'{"type":"session_start","id":"d1","title":"t","cwd":"/home/ana/src/harbor"}\n'
        b'{"type":"message","id":"m","timestamp":"2026-06-20T10:00:00Z",'
        b'"message":{"role":"user","content":[{"type":"text","text":"hello"}]}}\n'
    )
    store.objects["team/sessions/d1.settings.json"] = b'{"model":"invented-9"}'
    config = home(tmp_path)
    scan(config, [BUCKET])
    with Catalog(config.catalog) as catalog:
        [entry] = catalog.entries(all=True)
    assert (entry.agent, entry.model) == ("droid", "invented-9")


def test_nothing_is_looked_for_outside_of_the_bucket(store, tmp_path):
    """Readers look into the folders above a file, too."""
    fixtures = Path(__file__).parents[2] / "sessions/fixtures/gemini-cli"
    [chat] = fixtures.glob("session-*-9e111111.json")
    store.objects["team/chat.json"] = chat.read_bytes()
    config = home(tmp_path)
    assert scan(config, [Path("s3://team")]).troubles == ()
    with Catalog(config.catalog) as catalog:
        assert [entry.agent for entry in catalog.entries(all=True)] == ["gemini-cli"]


def test_sessions_of_many_files_are_refused_in_words(store, tmp_path):
    store.objects["team/sessions/c1/base_state.json"] = b'{"id":"c1"}'
    store.objects["team/sessions/c1/events/event-1.json"] = b"{}"
    [trouble] = scan(home(tmp_path), [BUCKET]).troubles
    assert "many files" in trouble.reason and "copy the folder" in trouble.reason


def test_addresses_nobody_should_write_are_refused(tmp_path):
    config = home(tmp_path)
    for address, why in [
        ("https://example.invalid/sessions", "not read from https://"),
        ("sftp://ana:secret@host/sessions", "password"),
        ("s3://team/../other", "no .."),
    ]:
        with pytest.raises(UsageError, match=why) as error:
            scan(config, [Path(address)])
        assert "ana:secret" not in str(error.value)
    assert b"ana:secret" not in everything_in(tmp_path)

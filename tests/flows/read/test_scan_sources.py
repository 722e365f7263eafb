"""scan, end to end: finds, reads, resumes, forgets; survives whatever lies on the disk; two at once agree."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.flows.read import list_sessions, open_session, sample, scan
from afterglow.records.selection import EVERYTHING, Selection, below
from afterglow.records.writing import WRITER_FOLDER
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_schema import SessionRow
from writing import Transcript, ordinary


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def config(tmp_path, home):
    return Config(home=tmp_path / "kept", user_home=home)


def entries(config, selection=EVERYTHING, **options):
    with Catalog(config.catalog) as catalog:
        return catalog.entries(selection, profiles=True, **options)


def age(path: Path, seconds: float = 3600) -> Path:
    """As if written a while ago: nothing in it is still being typed."""
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))
    return path


def test_finds_sessions_without_being_told(config, home):
    ordinary(1).save(home / ".claude/projects/-home-ana-src-harbor")
    report = scan(config)
    assert (report.sessions, report.read, report.agents[0].agent) == (
        1,
        1,
        "claude-code",
    )
    assert report.repos == {"harbor": {"cwd": 1}}


def test_what_a_writer_of_lessons_said_is_nobody_s_experience(config, tmp_path):
    folder = f"/tmp/{WRITER_FOLDER}x7y"
    session = Transcript(1, cwd=folder).user("Write lessons.").reply("None.")
    session.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert [entry.origin for entry in entries(config)] == ["tool"]


def test_a_second_scan_reads_nothing(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    again = scan(config, [tmp_path / "s"])
    assert (again.read, again.unchanged, again.sessions) == (0, 1, 1)


def test_only_what_changed_is_read_again(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    ordinary(2).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    ordinary(2).run("make", "ok").save(tmp_path / "s")
    again = scan(config, [tmp_path / "s"])
    assert (again.read, again.unchanged) == (1, 1)


@pytest.mark.parametrize("cut", range(1, 8))
def test_a_grown_file_is_read_on_and_counted_as_if_read_whole(config, tmp_path, cut):
    whole = ordinary(1).run("make", "ok").reply("done")
    path = whole.save(tmp_path / "s")
    path.write_text("".join(line + "\n" for line in whole.lines[:cut]))
    scan(config, [path])
    with path.open("a") as file:
        file.write("".join(line + "\n" for line in whole.lines[cut:]))
    report = scan(config, [path])
    (grown,) = entries(config)
    fresh = Config(home=tmp_path / "fresh", user_home=config.user_home)
    scan(fresh, [path])
    (once,) = entries(fresh)
    assert grown == once
    assert report.resumed == (1 if cut >= 2 else report.resumed)


def test_a_file_replaced_by_a_longer_one_is_read_from_the_top(config, tmp_path):
    path = age(ordinary(1).save(tmp_path / "s"))
    scan(config, [path])
    other = ordinary(1).user("and now?").run("make", "ok").reply("fine")
    path.unlink()
    path.write_text(other.text)
    scan(config, [path])
    (entry,) = entries(config)
    assert entry.calls == 4


def test_a_file_that_now_holds_another_session_lets_the_old_one_go(config, tmp_path):
    path = tmp_path / "s/session.jsonl"
    path.parent.mkdir()
    path.write_text(ordinary(1).text)
    scan(config, [path.parent])
    path.write_text(ordinary(2).user("more").text)
    scan(config, [path.parent])
    assert [entry.id for entry in entries(config)] == [ordinary(2).id]


def test_a_file_that_is_gone_is_marked_not_deleted(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s")
    ordinary(2).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    path.unlink()
    report = scan(config, [tmp_path / "s"])
    assert (report.gone, report.sessions) == (1, 1)
    assert [e.gone for e in entries(config, all=True)] == [True, False]


def test_a_folder_that_is_gone_takes_its_sessions_along(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s/deep")
    scan(config, [tmp_path / "s"])
    path.unlink()
    path.parent.rmdir()
    assert scan(config, [tmp_path / "s"]).gone == 1


def test_a_home_that_is_gone_takes_its_sessions_along(config, home):
    path = ordinary(1).save(home / ".claude/projects/-home-ana-src-harbor")
    scan(config)
    path.unlink()
    path.parent.rmdir()
    path.parent.parent.rmdir()
    assert scan(config).gone == 1
    assert entries(config) == []


def test_a_document_caught_half_written_keeps_what_was_known_of_it(config, tmp_path):
    fixture = Path(__file__).parents[2] / "sessions/fixtures/gemini-cli"
    whole = (fixture / "session-2026-02-03T08-00-9e111111.json").read_bytes()
    path = tmp_path / "chat.json"
    path.write_bytes(whole)
    scan(config, [path])
    path.write_bytes(whole[: len(whole) // 2])
    assert [trouble.state for trouble in scan(config, [path]).troubles] == [
        "unreadable"
    ]
    assert len(entries(config)) == 1


def test_a_broken_session_of_a_database_costs_only_itself(config, tmp_path):
    script = (
        Path(__file__).parents[2] / "sessions/fixtures/hermes-db/state.sql"
    ).read_text(encoding="utf-8")
    with sqlite3.connect(tmp_path / "state.db") as db:
        db.executescript(script)
        db.execute(
            "UPDATE sessions SET id = CAST(x'ff' AS TEXT), input_tokens = 'many' WHERE rowid = 1"
        )
        (count,) = db.execute("SELECT count(*) FROM sessions").fetchone()
    db.close()
    scan(config, [tmp_path / "state.db"])
    assert len(entries(config, all=True)) >= count - 1


def test_a_repo_is_found_by_its_exact_name(config, tmp_path):
    ordinary(1, cwd="/home/ana/src/my_repo").save(tmp_path / "s")
    ordinary(2, cwd="/home/ana/src/my-repo").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    named = entries(config, Selection(repo="my_repo"))
    assert [entry.repo for entry in named] == ["my_repo"]
    assert entries(config, Selection(repo="%")) == []


def test_a_file_that_comes_back_counts_again(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    path.unlink()
    scan(config, [tmp_path / "s"])
    ordinary(1).save(tmp_path / "s")
    assert scan(config, [tmp_path / "s"]).sessions == 1


def test_the_same_session_twice_counts_once(config, tmp_path):
    ordinary(1).save(tmp_path / "s/a")
    ordinary(1).user("more").save(tmp_path / "s/b")
    report = scan(config, [tmp_path / "s"])
    assert (report.sessions, report.copies) == (1, 1)
    (kept,) = entries(config)
    assert kept.source.endswith(f"b/{kept.id}.jsonl")


def test_a_copy_that_turns_up_later_counts_once_too(config, tmp_path):
    ordinary(1).save(tmp_path / "s/a")
    scan(config, [tmp_path / "s"])
    ordinary(1).save(tmp_path / "s/b")
    assert (scan(config, [tmp_path / "s"]).sessions, len(entries(config))) == (1, 1)


def test_files_of_one_name_are_not_copies_of_one_another(config, tmp_path):
    for number in range(3):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        words = f'{{"role":"user","content":"task {number}"}}\n{{"role":"assistant","content":"done"}}\n'
        (folder / "messages.jsonl").write_text(words)
    assert scan(config, [tmp_path]).sessions == 3


def test_a_folder_that_was_away_for_a_while_comes_back(config, tmp_path):
    ordinary(1).save(tmp_path / "s/deep")
    scan(config, [tmp_path / "s"])
    (tmp_path / "s/deep").rename(tmp_path / "away")
    assert scan(config, [tmp_path / "s"]).gone == 1
    (tmp_path / "away").rename(tmp_path / "s/deep")
    assert scan(config, [tmp_path / "s"]).sessions == 1


@pytest.mark.parametrize(
    "start", [b"\xef\xbb\xbf", b"\n\n", b"garbage in the first line\n"]
)
def test_whatever_stands_before_the_first_line_costs_no_session(
    config, tmp_path, start
):
    path = ordinary(1).save(tmp_path)
    path.write_bytes(start + path.read_bytes())
    scan(config, [path])
    assert [(entry.calls, entry.messages) for entry in entries(config)] == [(3, 8)]


def test_utf16_is_named_as_what_it_is(config, tmp_path):
    path = ordinary(1).save(tmp_path)
    path.write_text(ordinary(1).text, encoding="utf-16")
    assert [trouble.reason for trouble in scan(config, [path]).troubles] == [
        "UTF-16: only UTF-8 is read"
    ]


def test_absurd_times_and_counts_end_nothing(config, tmp_path):
    text = ordinary(1).text.replace("2026-10-01T00:01", "0001-01-01T00:01")
    text = text.replace("2026-10-01T00:08", "9999-12-31T23:59")
    text = text.replace(
        '"model": "model-x"',
        '"model": "model-x", "usage": {"input_tokens": 99999999999999999999999}',
    )
    ordinary(2).save(tmp_path / "s")
    (tmp_path / "s/odd.jsonl").write_text(text)
    assert scan(config, [tmp_path / "s"]).sessions >= 1
    assert all(
        entry.start is None or entry.start > 0 for entry in list_sessions(config)
    )


def test_a_name_that_is_not_utf8_is_passed_over(config, tmp_path):
    ordinary(1).save(tmp_path)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.jsonl")).write_text(
        ordinary(2).text
    )
    assert scan(config, [tmp_path]).sessions == 1


def test_a_half_written_line_does_not_stop_reading_on(config, tmp_path):
    path = age(ordinary(1).save(tmp_path / "s"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"user","mess')
    age(path)
    scan(config, [path])
    path.write_bytes(whole + ordinary(1).user("more").lines[-1].encode() + b"\n")
    assert scan(config, [path]).resumed == 1


def test_never_used_sessions_are_marked_empty_and_skipped(config, tmp_path):
    Transcript(1).user("hello?").save(tmp_path / "s")
    ordinary(2).save(tmp_path / "s")
    report = scan(config, [tmp_path / "s"])
    assert (report.sessions, report.empty) == (1, 1)
    assert len(list_sessions(config)) == 1


def test_whatever_else_lies_there_is_counted_and_named_never_fatal(config, tmp_path):
    folder = tmp_path / "s"
    ordinary(1).save(folder)
    (folder / "picture.jsonl").write_bytes(
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
    )
    (folder / "empty.jsonl").write_text("")
    (folder / "notes.md").write_text("# notes")
    (folder / "deep.jsonl").write_text('{"a":' + "[" * 50_000)
    (folder / "loop").symlink_to(folder)
    broken = ordinary(2).save(folder)
    broken.write_text(broken.read_text() + '{"type":"user","mess')
    damaged = ordinary(3).save(folder)
    damaged.write_text(damaged.read_text().replace("\n", "\nnot json at all\n", 1))
    report = scan(config, [folder])
    assert report.sessions == 3
    assert report.not_sessions == 4
    named = {
        (Path(t.path).name[:36], d.line, d.reason.split(":")[0])
        for t in report.troubles
        for d in t.damage
    }
    assert named == {
        (broken.stem, 9, "half-written last line"),
        (damaged.stem, 2, "not JSON"),
    }


def test_a_folder_without_permission_is_named(config, tmp_path, monkeypatch):
    """Permission is refused by a stand-in for scandir: tests may run as root, to whom nothing is forbidden."""
    ordinary(1).save(tmp_path / "s")
    locked = tmp_path / "s/locked"
    locked.mkdir()
    listing = os.scandir

    def guarded(path):
        if str(path) == str(locked):  # it may be an open folder
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr("afterglow.sessions.agent_homes.os.scandir", guarded)
    report = scan(config, [tmp_path / "s"])
    assert [(t.path, t.reason) for t in report.troubles] == [
        (str(locked), "Permission denied")
    ]
    assert report.sessions == 1


def test_an_unreadable_file_is_tried_again(config, tmp_path):
    path = tmp_path / "state.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 4096)
    assert scan(config, [tmp_path]).sessions == 0
    path.unlink()
    ordinary(1).save(tmp_path)
    assert scan(config, [tmp_path]).sessions == 1


def test_a_pipe_is_not_waited_for(config, tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    ordinary(1).save(tmp_path)
    assert scan(config, [tmp_path]).sessions == 1
    report = scan(config, [tmp_path / "pipe.jsonl"])
    assert [trouble.reason for trouble in report.troubles] == [
        "neither a file nor a folder"
    ]


def test_a_place_that_is_not_there_is_said(config, tmp_path):
    assert scan(config, [tmp_path / "nowhere"]).missing == (str(tmp_path / "nowhere"),)


def test_workers_and_one_process_find_the_same(config, tmp_path, monkeypatch):
    for number in range(12):
        ordinary(number).save(tmp_path / "s")
    monkeypatch.setattr("afterglow.flows.read.scan_sources.MIN_BYTES_FOR_WORKERS", 0)
    monkeypatch.setattr("afterglow.flows.read.surveys.CHUNK_BYTES", 2000)
    scan(config, [tmp_path / "s"], jobs=2)
    alone = Config(home=tmp_path / "alone", user_home=config.user_home)
    scan(alone, [tmp_path / "s"])
    assert [(e.id, e.profile) for e in entries(config)] == [
        (e.id, e.profile) for e in entries(alone)
    ]


def test_interrupting_keeps_what_is_done(config, tmp_path, monkeypatch):
    for number in range(6):
        ordinary(number).save(tmp_path / "s")
    monkeypatch.setattr("afterglow.flows.read.surveys.CHUNK_BYTES", 1)

    def stop_after_two(done, total):
        stop_after_two.count += 1
        if stop_after_two.count == 2:
            raise KeyboardInterrupt

    stop_after_two.count = 0
    report = scan(config, [tmp_path / "s"], progress=stop_after_two)
    assert (report.interrupted, report.sessions) == (True, 2)
    assert scan(config, [tmp_path / "s"]).read == 4


def _scan_in_process(home, user_home, folder):
    scan(Config(home=Path(home), user_home=Path(user_home)), [Path(folder)])


def test_two_scans_at_once_are_safe(config, tmp_path):
    for number in range(40):
        ordinary(number).save(tmp_path / "s")
    context = multiprocessing.get_context("spawn")
    both = [
        context.Process(
            target=_scan_in_process,
            args=(str(config.home), str(config.user_home), str(tmp_path / "s")),
        )
        for _ in range(2)
    ]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert len(entries(config)) == 40


def test_killed_in_the_middle_the_next_scan_goes_on(config, tmp_path):
    for number in range(30):
        ordinary(number).save(tmp_path / "s")
    code = (
        "import os, signal\nfrom pathlib import Path\n"
        "from afterglow.config import Config\nimport afterglow.flows.read.scan_sources as s\n"
        "import afterglow.flows.read.surveys as surveys\n"
        "surveys.CHUNK_BYTES = s.MAX_UNSAVED = 1\n"
        "seen = []\n"
        "def die(done, total):\n    seen.append(done)\n    len(seen) == 7 and os.kill(os.getpid(), signal.SIGKILL)\n"
        f"config = Config(home=Path({str(config.home)!r}), user_home=Path('/nowhere'))\n"
        f"s.scan(config, [Path({str(tmp_path / 's')!r})], progress=die)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], check=False).returncode
        == -signal.SIGKILL
    )
    report = scan(config, [tmp_path / "s"])
    assert (report.read, report.sessions) == (23, 30)


def test_a_catalogue_that_is_not_one_is_made_anew(config, tmp_path):
    config.home.mkdir(parents=True)
    config.catalog.write_bytes(b"this is no database" * 300)
    ordinary(1).save(tmp_path / "s")
    assert scan(config, [tmp_path / "s"]).sessions == 1


def test_an_older_catalogue_is_made_anew(config, tmp_path):
    config.home.mkdir(parents=True)
    with sqlite3.connect(config.catalog) as db:
        db.execute("CREATE TABLE sessions (id TEXT)")
    db.close()
    ordinary(1).save(tmp_path / "s")
    assert scan(config, [tmp_path / "s"]).sessions == 1


def test_a_newer_catalogue_is_left_alone(config, tmp_path):
    scan(config, [tmp_path])
    with sqlite3.connect(config.catalog) as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    with pytest.raises(StoreError, match="newer afterglow"):
        scan(config, [tmp_path])


def test_deleting_the_catalogue_loses_nothing(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    before = entries(config)
    config.catalog.unlink()
    scan(config, [tmp_path / "s"])
    assert entries(config) == before


def test_a_full_disk_is_said_plainly(config, tmp_path, monkeypatch):
    scan(config, [tmp_path])
    with Catalog(config.catalog) as catalog:
        (pages,) = catalog._db.execute("PRAGMA page_count").fetchone()
        catalog._db.execute(f"PRAGMA max_page_count = {pages}")
        empty = dict.fromkeys(SessionRow.__struct_fields__, "")
        rows = [
            SessionRow(**{**empty, "source": f"/x/{n}", "id": "i" * 4000})
            for n in range(90)
        ]
        with pytest.raises(StoreError, match="full"):
            catalog.save([], rows)
        assert catalog.entries() == []


def test_secrets_in_sessions_do_not_reach_the_catalogue(config, tmp_path):
    token, mail = "ghp_" + "Q9z8" * 9, "ana.lund@example.org"
    transcript = (
        Transcript(1)
        .user(f"log in with {token} as {mail}")
        .run(
            f"curl -H 'Authorization: Bearer {token}' x",
            f"Exit code 22\nerror: token={token} refused for {mail}",
            error=True,
        )
    )
    transcript.run(f"TOKEN={token} make login", "ok").ask(
        "Read", file_path=f"/tmp/{token}"
    ).answer(f"Error: {token} not found", error=True).reply("ok").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    stored = b"".join(path.read_bytes() for path in config.home.iterdir())
    assert token.encode() not in stored and mail.encode() not in stored


def test_changed_aliases_rename_without_reading_again(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    renamed = Config(
        home=config.home, user_home=config.user_home, aliases={"harbor": "acme/harbor"}
    )
    assert scan(renamed, [tmp_path / "s"]).read == 0
    assert [(e.repo, e.repo_by) for e in entries(config)] == [("acme/harbor", "alias")]


def test_a_session_can_be_opened_by_the_start_of_its_id(config, tmp_path):
    transcript = ordinary(7)
    transcript.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    entry, session = open_session(config, transcript.id[:-3])
    assert (entry.id, len(session.calls)) == (transcript.id, 3)


def test_sample_ranks_one_folder_alone(config, tmp_path):
    ordinary(1).save(tmp_path / "a")
    ordinary(2).save(tmp_path / "b")
    scan(config, [tmp_path / "a"])
    found = sample(config, below(tmp_path / "b"))
    assert [Path(pick.source).parent.name for pick in found.picks] == ["b"]

"""The contract every session format keeps, run over the whole table and every fixture.

A fixture is `fixtures/<format>/<name>.<ext>` with what reading it must give in `<name>.expected.json`. A `.sql` file is
a database written down; it is built before it is read. A folder is a tree as the agent leaves it; the file `SOURCE` in it
says which of its files is read.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from afterglow import sessions
from afterglow.errors import UnreadableSource
from afterglow.records import Mark
from afterglow.sessions.formats import FORMATS
from afterglow.sessions.joined_parts import join

FIXTURES = Path(__file__).parent / "fixtures"
CASES = sorted(p for p in FIXTURES.glob("*/*") if not p.name.endswith(".expected.json"))
every_case = pytest.mark.parametrize(
    "case", CASES, ids=lambda p: f"{p.parent.name}/{p.name}"
)
LINED = [case for case in CASES if case.suffix == ".jsonl"]
every_lined_case = pytest.mark.parametrize(
    "case", LINED, ids=lambda p: f"{p.parent.name}/{p.name}"
)
every_format = pytest.mark.parametrize("name", FORMATS.names())


@pytest.fixture
def placed(tmp_path):
    """The fixture as an agent would have left it: same file name, in a folder of its own."""

    def place(case: Path) -> Path:
        if case.suffix == ".sql":
            target = tmp_path / f"{case.stem}.db"
            with sqlite3.connect(target) as db:
                db.executescript(case.read_text(encoding="utf-8"))
            db.close()
            return target
        if case.is_dir():
            shutil.copytree(case, tmp_path, dirs_exist_ok=True)
            return tmp_path / (case / "SOURCE").read_text(encoding="utf-8").strip()
        return Path(shutil.copy(case, tmp_path / case.name))

    return place


def whole(path: Path) -> list:
    return sessions.load(path)


def as_text(found: list, folder: Path) -> str:
    """Without `settled` and `mark`, which depend on how long ago the file was written."""
    plain = msgspec.to_builtins(
        [msgspec.structs.replace(session, settled=True) for session in found]
    )
    for session in plain:
        session.pop("mark", None)
    text = msgspec.json.format(msgspec.json.encode(plain), indent=1).decode()
    return text.replace(str(folder), "<folder>") + "\n"


@every_format
def test_has_a_fixture(name):
    assert [c for c in CASES if c.parent.name == name], (
        f"add tests/sessions/fixtures/{name}/"
    )


@every_case
def test_is_recognised_by_its_own_reader_and_no_other(case, placed):
    path = placed(case)
    head = path.read_bytes()[: sessions.HEAD_BYTES]
    assert [
        name for name in FORMATS.names() if FORMATS.load(name).sniff(path, head)
    ] == [case.parent.name]


@every_case
def test_reads_as_expected(case, placed, golden, tmp_path):
    found = whole(placed(case))
    golden(case.with_name(case.stem + ".expected.json"), as_text(found, tmp_path))


@every_case
def test_reading_twice_is_equal(case, placed):
    path = placed(case)
    assert whole(path) == whole(path)


@every_case
def test_every_session_names_its_format_agent_and_source(case, placed):
    path = placed(case)
    for session in whole(path):
        assert session.id and session.agent
        assert session.format == case.parent.name
        assert session.source == str(path)


@every_case
def test_call_ids_are_unique_and_results_stand_behind_their_calls(case, placed):
    for session in whole(placed(case)):
        ids = [call.id for call in session.calls]
        assert len(ids) == len(set(ids))
        assert all(
            call.result_line is None or call.result_line >= call.line
            for call in session.calls
        )


@every_case
def test_source_is_never_changed(case, placed):
    path = placed(case)
    before = path.read_bytes()
    whole(path)
    assert path.read_bytes() == before


@every_case
def test_a_file_cut_anywhere_is_read_or_refused_never_fatal(case, placed):
    path = placed(case)
    data = path.read_bytes()
    for cut in sorted({len(data) * k // 23 for k in range(1, 23)}):
        path.write_bytes(data[:cut])
        with suppress(UnreadableSource):
            whole(path)


@every_lined_case
def test_a_damaged_line_is_counted_and_costs_only_itself(case, placed):
    path = placed(case)
    before = whole(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b'{"broken": \n', *lines[1:]]))
    after = whole(path)
    assert sum(len(s.damage) for s in after) == sum(len(s.damage) for s in before) + 1
    assert [len(s.turns) for s in after] == [len(s.turns) for s in before]


@every_lined_case
def test_a_half_written_last_line_is_counted_not_fatal(case, placed):
    path = placed(case)
    path.write_bytes(path.read_bytes().rstrip(b"\n") + b'\n{"type":"user","mess')
    assert any(
        d.reason == "half-written last line" for s in whole(path) for d in s.damage
    )


@every_lined_case
def test_a_grown_file_read_from_its_mark_equals_the_whole_file(case, placed):
    """Cut after every line, read, grow, read on from the mark: the same session as in one go."""
    path = placed(case)
    data = path.read_bytes()
    want = whole(path)
    lines = data.splitlines(keepends=True)
    for count in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:count]))
        try:
            first = [part for part in sessions.read(path) if part.settled]
        except UnreadableSource:
            continue
        path.write_bytes(data)
        if len(first) != 1 or first[0].mark == Mark():
            continue
        rest = list(sessions.read(path, first[0].mark))
        if any(part.orphans for part in rest):
            continue
        got = first[0]
        for part in rest:
            got = join(got, part)
        assert msgspec.structs.replace(got, mark=want[0].mark) == want[0], (
            f"cut after line {count}"
        )

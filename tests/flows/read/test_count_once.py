"""What a fork or a resumed session copied counts in the session it is from, in profiles, replay and lessons."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.store.catalog import Catalog
from afterglow.store.copied_calls import recounts
from afterglow.store.findings import Findings
from writing import SESSION, Transcript, ordinary

HERMES = Path(__file__).parents[2] / "sessions/fixtures/hermes-db/state.sql"
PARENT, CHILD, GRANDCHILD = (SESSION.format(number) for number in (1, 2, 3))
NOW = 1_800_000_000.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "s"


def unique(session: Transcript, since: int = 0) -> Transcript:
    """With ids of calls as agents write them."""
    mark = session.id[-2:]
    session.lines[since:] = [
        re.sub(r'"t(\d+)"', rf'"toolu_01Kd{mark}Qz\1"', line)
        for line in session.lines[since:]
    ]
    return session


def copy(session: Transcript, number: int, lines: int | None = None) -> Transcript:
    """As older versions of Claude Code resumed: the lines again, under the new name and otherwise as they were."""
    resumed = Transcript(number)
    resumed.lines = [
        line.replace(session.id, resumed.id) for line in session.lines[:lines]
    ]
    resumed.clock = session.clock
    return resumed


def go_on(session: Transcript, *commands: str) -> Transcript:
    before = len(session.lines)
    session.user("and now the linter")
    for command in commands:
        session.run(command, "Exit code 2\nno such linter", error=True)
    return unique(session.reply("Done."), before)


def counts(config: Config) -> dict[str, tuple[int, int]]:
    """Calls and failed ones of the sessions in use."""
    with Catalog(config.catalog) as catalog:
        return {entry.id: (entry.calls, entry.failed) for entry in catalog.entries()}


def test_a_resumed_session_counts_what_is_its_own(config, folder):
    parent = unique(ordinary(1))
    parent.save(folder)
    go_on(copy(parent, 2), "lint").save(folder)
    scan(config, [folder])
    assert counts(config) == {PARENT: (3, 1), CHILD: (1, 1)}
    with Catalog(config.catalog) as catalog:
        [child] = catalog.find(CHILD)
        [original] = catalog.find(PARENT)
    assert (child.parent, child.parent_by) == (PARENT, "branch")
    assert child.copied == len(parent.lines)
    assert original.copied == 0
    assert child.start is not None
    assert original.end is not None
    assert child.start > original.end
    assert child.profile is not None
    assert child.profile.messages == 4


def test_words_copied_behind_the_last_call_count_once_too(config, folder):
    parent = unique(ordinary(1)).user("thanks").reply("You are welcome.")
    parent.save(folder)
    go_on(copy(parent, 2), "lint").save(folder)
    scan(config, [folder])
    with Catalog(config.catalog) as catalog:
        [child] = catalog.find(CHILD)
    assert child.profile is not None
    assert child.profile.messages == 4


def test_the_same_words_of_ones_own_stay(config, folder):
    """A fork, and a person who said the same thing in both."""
    parent = unique(ordinary(1))
    forked = copy(parent, 2)
    forked.clock += 5
    go_on(forked, "lint --fix")
    go_on(parent, "lint").save(folder)
    forked.save(folder)
    scan(config, [folder])
    assert counts(config) == {PARENT: (4, 2), CHILD: (1, 1)}
    with Catalog(config.catalog) as catalog:
        [child] = catalog.find(CHILD)
    assert child.copied == 8


def test_copies_of_copies_count_once(config, folder):
    parent = unique(ordinary(1))
    parent.save(folder)
    child = go_on(copy(parent, 2), "lint")
    child.save(folder)
    go_on(copy(child, 3), "lint --fix", "lint -v").save(folder)
    scan(config, [folder])
    assert counts(config) == {PARENT: (3, 1), CHILD: (1, 1), GRANDCHILD: (2, 2)}


def test_it_does_not_matter_when_each_is_found(config, folder):
    parent = unique(ordinary(1))
    child = go_on(copy(parent, 2), "lint")
    child.save(folder)
    scan(config, [folder])
    assert counts(config) == {CHILD: (4, 2)}
    parent.save(folder)
    scan(config, [folder])
    assert sum(calls for calls, _ in counts(config).values()) == 4


def test_both_may_go_on_and_are_read_on(config, folder):
    parent = unique(ordinary(1))
    parent.save(folder)
    child = copy(parent, 2)
    child.clock += 5
    path = go_on(child, "lint").save(folder)
    os.utime(path, (1, 1))
    scan(config, [folder])
    go_on(child, "lint --fix").save(folder)
    go_on(parent, "make", "make all").save(folder)
    report = scan(config, [folder])
    assert report.resumed == 2
    assert counts(config) == {PARENT: (5, 3), CHILD: (2, 2)}
    with Catalog(config.catalog) as catalog:
        [grown] = catalog.find(CHILD)
    assert (grown.parent, grown.copied) == (PARENT, 8)
    again = scan(config, [folder])
    assert again.read == 0


def test_when_the_original_is_gone_the_copy_counts(config, folder):
    parent = unique(ordinary(1))
    original = parent.save(folder)
    go_on(copy(parent, 2), "lint").save(folder)
    scan(config, [folder])
    original.unlink()
    scan(config, [folder])
    assert counts(config) == {CHILD: (4, 2)}
    parent.save(folder)
    scan(config, [folder])
    assert counts(config) == {PARENT: (3, 1), CHILD: (1, 1)}


def test_a_copy_with_nothing_of_its_own_was_never_used(config, folder):
    parent = unique(ordinary(1))
    parent.save(folder)
    child = copy(parent, 2)
    child.save(folder)
    scan(config, [folder])
    assert sum(calls for calls, _ in counts(config).values()) == 3
    go_on(child, "lint").save(folder)
    scan(config, [folder])
    assert sum(calls for calls, _ in counts(config).values()) == 4


def test_a_session_that_broke_off_counts_where_its_call_was_answered(config, folder):
    parent = unique(ordinary(1).user("and now deploy").ask("Bash", command="deploy"))
    parent.save(folder)
    resumed = copy(parent, 2)
    resumed.asked = f"toolu_01Kd{PARENT[-2:]}Qz{len(parent.lines) - 1}"
    resumed.answer("Exit code 1\nno such host", error=True).reply("It failed.")
    resumed.save(folder)
    scan(config, [folder])
    assert counts(config) == {CHILD: (4, 2)}
    with Catalog(config.catalog) as catalog:
        assert recounts(catalog, lambda format: False) == []


def test_ids_that_models_count_up_say_nothing(config, folder):
    ordinary(1).save(folder)
    ordinary(2, start=60).save(folder)
    scan(config, [folder])
    assert counts(config) == {PARENT: (3, 1), CHILD: (3, 1)}


def test_a_backup_of_a_resumed_session_is_still_a_copy(config, folder):
    parent = unique(ordinary(1))
    parent.save(folder)
    child = go_on(copy(parent, 2), "lint")
    child.save(folder)
    child.save(folder / "backup")
    scan(config, [folder])
    assert counts(config) == {PARENT: (3, 1), CHILD: (1, 1)}
    with Catalog(config.catalog) as catalog:
        assert [entry.copied > 0 for entry in catalog.entries(all=True)] == [
            False,
            True,
            True,
        ]


def test_a_session_is_no_witness_of_what_it_copied(config, folder):
    parent = unique(ordinary(1))
    parent.save(folder)
    child = copy(parent, 2)
    child.clock += 3 * 1440
    go_on(child, "lint").save(folder)
    scan(config, [folder])
    harvest(config, now=NOW)
    with Catalog(config.catalog) as catalog:
        topics: dict[str, set[str]] = {}
        for found in Findings(catalog).by_session().values():
            for finding in found:
                sessions = {span.session for span in finding.evidence}
                topics.setdefault(finding.topic, set()).update(sessions)
    shared = [topic for topic, sessions in topics.items() if len(sessions) > 1]
    assert topics
    assert shared == []


def test_what_was_mined_before_the_original_was_known_is_mined_anew(config, folder):
    parent = unique(ordinary(1))
    child = copy(parent, 2)
    path = child.save(folder)
    scan(config, [folder])
    harvest(config, now=NOW)
    parent.save(folder / "older")
    path.unlink()
    go_on(child, "lint").save(folder)
    scan(config, [folder])
    harvest(config, now=NOW)
    with Catalog(config.catalog) as catalog:
        found = Findings(catalog).by_session()
        spans = [
            (span.session, span.line)
            for findings in found.values()
            for finding in findings
            for span in finding.evidence
        ]
        copied = {entry.id: entry.copied for entry in catalog.entries()}
    assert spans
    assert [place for place in spans if place[1] <= copied[place[0]]] == []


def rollout(folder: Path, number: int, items: list[dict[str, object]], **meta: str):
    id = f"0199a000-0000-7000-8000-{number:012d}"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [("session_meta", {"id": id, "cwd": "/x", "source": "cli", **meta})]
    lines += [("response_item", item) for item in items]
    text = "".join(
        json.dumps(
            {"timestamp": f"2026-03-0{number}T09:00:{n:02d}Z", "type": kind}
            | {"payload": payload},
            separators=(",", ":"),
        )
        + "\n"
        for n, (kind, payload) in enumerate(lines)
    )
    path = folder / f"rollout-2026-03-0{number}T09-00-00-{id}.jsonl"
    path.write_text(text, encoding="utf-8")
    return id


def codex_call(id: str, command: str, output: str) -> list[dict[str, object]]:
    arguments = json.dumps({"cmd": command})
    return [
        {
            "type": "function_call",
            "name": "exec_command",
            "call_id": id,
            "arguments": arguments,
        },
        {"type": "function_call_output", "call_id": id, "output": output},
    ]


def test_a_forked_codex_session_counts_what_is_its_own(config, folder):
    failed = "Chunk ID: 1\nProcess exited with code 1\nOutput:\nno"
    asked = {"type": "message", "role": "user"}
    asked |= {"content": [{"type": "input_text", "text": "build it"}]}
    first = [asked, *codex_call("call_a1B2c3D4e5F6g7H8", "make", failed)]
    own = codex_call("call_z9Y8x7W6v5U4t3S2", "make -j2", failed)
    parent = rollout(folder, 1, first)
    child = rollout(folder, 2, [*first, asked, *own], forked_from_id=parent)
    scan(config, [folder])
    assert counts(config) == {parent: (1, 1), child: (1, 1)}


def test_a_branched_hermes_session_counts_what_is_its_own(config, folder):
    folder.mkdir()
    with closing(sqlite3.connect(folder / "state.db")) as db:
        db.executescript(HERMES.read_text(encoding="utf-8"))
        db.execute("DELETE FROM messages")
        db.execute("DELETE FROM sessions")
        for id, start in (("parent", 1772500000.0), ("child", 1772600000.0)):
            db.execute(
                "INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', ?)",
                (id, start),
            )
        _hermes_call(db, "parent", "call_a1B2c3D4e5F6", 1772500001.0)
        _hermes_call(db, "child", "call_a1B2c3D4e5F6", 1772600001.0)
        _hermes_call(db, "child", "call_z9Y8x7W6v5U4", 1772600002.0)
        db.commit()
    scan(config, [folder])
    assert counts(config) == {"parent": (1, 1), "child": (1, 1)}
    again = scan(config, [folder])
    assert again.sessions == 2
    assert counts(config) == {"parent": (1, 1), "child": (1, 1)}


def _hermes_call(db: sqlite3.Connection, session: str, id: str, time: float) -> None:
    function = {"name": "terminal", "arguments": '{"command": "make"}'}
    calls = json.dumps([{"id": id, "type": "function", "function": function}])
    result = '{"output": "no rule", "exit_code": 2, "error": null}'
    rows = [
        ("user", "build it", None, None),
        ("assistant", "", calls, None),
        ("tool", result, None, id),
    ]
    for role, content, tool_calls, call_id in rows:
        db.execute(
            "INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, timestamp) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (session, role, content, tool_calls, call_id, time),
        )

"""The simulated fleet: the same every time, what its truth says, and nothing secret outside its session files."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from afterglow import sessions
from afterglow.errors import UnreadableSource, UsageError
from afterglow.records import Outcome, Session
from afterglow.sessions.repos import Place, name_repos
from afterglow_demo import Truth, write_fleet

SMALL = {"sessions": 150, "scale": 0.02}
FORMATS = ("claude-code", "codex", "gemini-cli", "hermes-db", "openai-jsonl")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("fleet")


@pytest.fixture(scope="module")
def truth(home) -> Truth:
    return write_fleet(home, **SMALL)


@pytest.fixture(scope="module")
def found(home, truth) -> dict[str, Session]:
    """Every session the readers find in the files the truth names."""
    paths = sorted({session.path for session in truth.sessions})
    return {
        session.id: session for path in paths for session in sessions.load(home / path)
    }


def digests(root: Path) -> dict[str, str]:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {
        str(path.relative_to(root)): sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def texts(session: Session) -> str:
    return "\n".join(
        [
            *(turn.text for turn in session.turns),
            *(call.arguments for call in session.calls),
        ]
    )


def holds(session: Session, value: str) -> bool:
    """As it is, or escaped: some agents keep results as JSON."""
    text = texts(session)
    return value in text or msgspec.json.encode(value).decode()[1:-1] in text


def counts(session: Session) -> dict[str, object]:
    """What a reader says about a session, in the words of the truth."""
    ends = Counter(call.outcome for call in session.calls)
    return {
        "origin": session.origin,
        "parent": session.parent,
        "calls": len(session.calls),
        "failed": ends[Outcome.FAILED],
        "blocked": ends[Outcome.BLOCKED],
        "cancelled": ends[Outcome.CANCELLED],
        "unknown": ends[Outcome.UNKNOWN],
        "masked": sum(call.masked for call in session.calls),
        "requests": sum(
            turn.role == "user" and turn.kind == "said" for turn in session.turns
        ),
        "replies": sum(
            turn.role == "assistant" and turn.kind == "said" for turn in session.turns
        ),
        "messages": sum(
            turn.role != "system" and turn.kind == "said" for turn in session.turns
        ),
        "compactions": session.compactions,
        "tools": dict(Counter(call.tool for call in session.calls)),
        "damage": len(session.damage),
    }


def test_same_seed_gives_the_same_bytes_with_one_process_or_two(home, truth, tmp_path):
    again = write_fleet(tmp_path / "again", **SMALL, jobs=2)
    assert again == truth
    assert digests(tmp_path / "again") == digests(home)


def test_another_seed_gives_another_fleet(truth, tmp_path):
    other = write_fleet(tmp_path / "other", seed=8, **SMALL)
    assert not {session.id for session in other.sessions} & {
        session.id for session in truth.sessions
    }


def test_scale_changes_texts_and_no_counts(truth, tmp_path):
    larger = write_fleet(tmp_path / "larger", sessions=SMALL["sessions"], scale=0.2)
    assert larger.sessions == truth.sessions


@pytest.mark.parametrize("format_", FORMATS)
def test_readers_find_what_the_truth_says(format_, truth, found):
    known = [session for session in truth.sessions if session.format == format_]
    assert known
    for session in known:
        got = counts(found[session.id])
        want = {
            name: getattr(session, name)
            for name in got
            if getattr(session, name) is not None
        }
        assert {name: got[name] for name in want} == want, session.path


def test_readers_find_no_other_sessions(truth, found):
    assert set(found) == {session.id for session in truth.sessions}
    assert all(
        (not found[session.id].turns) == session.empty
        for session in truth.sessions
        if session.format != "codex"
    )


def test_sessions_that_say_where_they_worked_get_the_right_repo(truth, found):
    places = {
        id: Place(s.remote, s.git_root, s.cwd, s.branch) for id, s in found.items()
    }
    names = name_repos(places.values(), look=False)
    for session in truth.sessions:
        if session.located:
            assert names[places[session.id]].name == session.repo, places[session.id]


def test_everything_that_should_be_planted_is(truth):
    assert all(
        plant.sessions
        for plant in truth.plants
        if plant.kind in {"command", "pitfall", "rejection", "location"}
    )
    assert {plant.kind for plant in truth.plants if plant.sessions} >= {
        "quirk",
        "correction",
        "cause",
        "rule",
        "question",
    }
    assert truth.secrets and truth.poison and truth.copies and truth.unreadable
    assert {session.origin for session in truth.sessions} == {
        "main",
        "subagent",
        "cron",
    }
    assert any(session.empty for session in truth.sessions) and any(
        session.damage for session in truth.sessions
    )
    assert any(session.compactions for session in truth.sessions)


def test_what_a_plant_teaches_stands_in_its_sessions(truth, found):
    for plant in truth.plants:
        for session in plant.sessions:
            assert all(holds(found[session], sign) for sign in plant.signs), (
                plant.id,
                session,
            )


def test_a_newer_rule_is_stated_only_after_the_one_it_replaces(truth, found):
    plants = {plant.id: plant for plant in truth.plants}
    for plant in truth.plants:
        if (
            plant.superseded_by
            and plant.sessions
            and plants[plant.superseded_by].sessions
        ):
            old = max(found[session].start for session in plant.sessions)
            assert old < min(
                found[session].start for session in plants[plant.superseded_by].sessions
            )


def test_secrets_and_poison_are_in_their_session_and_nowhere_else(home, truth, found):
    written = (home / "truth.json").read_text(encoding="utf-8")
    assert {secret.where for secret in truth.secrets} == {"user", "argument", "result"}
    for secret in truth.secrets:
        assert [
            id for id, session in found.items() if holds(session, secret.value)
        ] == [secret.session], secret.kind
        assert secret.value.splitlines()[-1] not in written
    for poison in truth.poison:
        assert holds(found[poison.session], poison.text), poison.session


def test_copies_are_equal_and_unreadable_files_are_refused(home, truth):
    where = {session.id: session.path for session in truth.sessions}
    for copy in truth.copies:
        assert (home / copy.path).read_bytes() == (
            home / where[copy.session]
        ).read_bytes()
    for file in truth.unreadable:
        with pytest.raises(UnreadableSource):
            list(sessions.read(home / file.path))


def test_truth_file_says_that_it_is_simulated(home, truth):
    saved = msgspec.json.decode((home / "truth.json").read_bytes())
    assert saved["simulated"] is True
    assert len(saved["sessions"]) == len(truth.sessions) == SMALL["sessions"]


def test_files_have_the_size_and_the_progress_lines_of_real_ones(tmp_path):
    truth = write_fleet(tmp_path / "full", sessions=150)
    files = [
        path
        for path in (tmp_path / "full").rglob("*")
        if path.is_file() and path.name != "truth.json"
    ]
    assert (
        100_000
        < sum(path.stat().st_size for path in files) / len(truth.sessions)
        < 220_000
    )
    lines = [
        line
        for path in files
        if ".claude" in path.parts
        for line in path.read_bytes().splitlines()
    ]
    assert (
        0.35 < sum(b'"type":"progress"' in line for line in lines) / len(lines) < 0.45
    )


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "notes.md").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError):
        write_fleet(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]


def test_what_only_words_say_is_planted_on_request_and_changes_nothing_else(
    home, truth, tmp_path
):
    told = write_fleet(tmp_path / "told", **SMALL, prose=True)
    prose = {plant.id: plant for plant in told.plants if plant.kind == "prose"}
    assert prose and all(plant.sessions for plant in prose.values())
    assert [plant.id for plant in told.plants if plant.id not in prose] == [
        plant.id for plant in truth.plants
    ]
    assert {session.id for session in told.sessions} == {
        session.id for session in truth.sessions
    }
    touched = {session for plant in prose.values() for session in plant.sessions}
    same = {
        session.id: session for session in truth.sessions if session.id not in touched
    }
    assert {
        session.id: session for session in told.sessions if session.id in same
    } == same

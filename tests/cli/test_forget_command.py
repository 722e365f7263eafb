"""`afterglow forget` and `afterglow private` as a person types them."""

from __future__ import annotations

import json

import pytest

from afterglow.cli.main import cli, run
from afterglow.config import Config
from afterglow.flows.forget import Choice
from afterglow.flows.forget.choose_sessions import choose, doomed
from afterglow.flows.forget.journal import begin
from afterglow.flows.forget.removal_plan import journal_of
from afterglow.store.knowledge import Knowledge
from writing import Transcript, ordinary


@pytest.fixture
def afterglow(tmp_path, monkeypatch, capfd):
    """Runs a command in a home of its own; exit code, output, errors."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.delenv("AFTERGLOW_PRIVATE", raising=False)
    (tmp_path / "home").mkdir()

    def command(*words: str):
        code = 0
        try:
            code = run(cli, list(words))
        except SystemExit as end:
            code = end.code
        said = capfd.readouterr()
        return code, said.out, said.err

    return command


def session(tmp_path, number: int = 1, **options) -> Transcript:
    made = ordinary(number, **options)
    made.save(tmp_path / "s")
    return made


def test_it_says_what_goes_and_asks_before_it_does(afterglow, tmp_path):
    id = session(tmp_path).id
    afterglow("harvest", str(tmp_path / "s"))
    code, _, errors = afterglow("forget", id)
    assert code == 2
    assert "1 session" in errors
    assert "--yes does it" in errors
    code, output, _ = afterglow("forget", id, "--dry-run")
    assert (code, "Nothing was touched" in output) == (0, True)
    code, output, _ = afterglow("forget", id, "--yes", "--json")
    report = json.loads(output)
    assert [each["id"] for each in report["sessions"]] == [id]
    assert report["transcripts"] == [str(tmp_path / "s" / f"{id}.jsonl")]
    code, _, errors = afterglow("forget", id, "--yes")
    assert (code, "no session" in errors) == (4, True)
    code, output, _ = afterglow("forget", "--again", str(tmp_path / "s"))
    assert "1 session may be read again" in output


def test_an_item_is_forgotten_by_its_id(afterglow, tmp_path):
    failing = Transcript(1).user("what changed?")
    failing.run("gh pr diff 4 --stat", "Exit code 1\nunknown flag: --stat", error=True)
    failing.run("gh pr diff 4 --name-only", "dock/agent.go").reply("One file.")
    failing.save(tmp_path / "s")
    afterglow("harvest", str(tmp_path / "s"))
    with Knowledge(tmp_path / "kept/knowledge.db") as knowledge:
        id = knowledge.items()[0].id
    code, output, _ = afterglow("forget", "--item", id, "--yes")
    assert (code, "1 item" in output) == (0, True)
    code, _, errors = afterglow("knowledge", "show", id)
    assert "was deleted" in errors
    code, _, errors = afterglow("forget", "--item", id, "--repo", "harbor", "--yes")
    assert (code, "stand alone" in errors) == (2, True)


def test_nothing_said_forgets_nothing(afterglow):
    code, _, errors = afterglow("forget", "--yes")
    assert (code, "say what to forget" in errors) == (2, True)
    code, output, _ = afterglow("forget", "--gone", "--yes")
    assert (code, "No session fits" in output) == (0, True)


def test_a_folder_is_private_until_it_is_not(afterglow, tmp_path):
    code, output, _ = afterglow("private")
    assert (code, "No folder is private" in output) == (0, True)
    code, output, _ = afterglow("private", "on", str(tmp_path))
    assert str(tmp_path) in output
    _, output, _ = afterglow("private", "status", "--json")
    (folder,) = json.loads(output)["folders"]
    assert folder["path"] == str(tmp_path)
    code, output, _ = afterglow("private", "off", str(tmp_path))
    assert "No folder is private" in output
    code, _, errors = afterglow("private", "on", "--next")
    assert (code, "afterglow connect" in errors) == (2, True)
    code, _, errors = afterglow("private", "off", "--next")
    assert (code, "goes with `on`" in errors) == (2, True)


def test_doctor_says_what_is_left_to_do(afterglow, tmp_path):
    id = session(tmp_path).id
    afterglow("scan", str(tmp_path / "s"))
    (tmp_path / "kept/config.toml").write_text('[privacy]\nexclude = ["harbor"]\n')
    _, output, _ = afterglow("doctor")
    assert "sessions of excluded places that were kept before: 1" in output
    assert "afterglow forget --excluded" in output
    afterglow("forget", "--excluded", "--yes")
    _, output, _ = afterglow("doctor")
    assert "nothing is kept of 1 excluded places" in output
    assert id not in output


def test_what_was_broken_off_is_named_by_doctor_and_finished_without_a_word(
    afterglow, tmp_path
):
    id = session(tmp_path).id
    afterglow("harvest", str(tmp_path / "s"))
    settings = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    chosen = [doomed(entry) for entry in choose(settings, Choice(names=(id,)))]
    begin(settings, journal_of(settings, chosen))
    _, output, _ = afterglow("doctor")
    assert "a forget was broken off" in output
    code, _, errors = afterglow("forget")
    assert (code, "finished what was broken off" in errors) == (0, True)
    _, output, _ = afterglow("sessions", "list", "--all", "--json")
    assert id not in output

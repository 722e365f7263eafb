"""`afterglow join`, `sync` and `leave`, as a person runs them."""

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.knowledge import approve
from fake_hub import TOKEN, fake_hub
from keeping import item, keep


@pytest.fixture
def hub():
    with fake_hub() as running:
        yield running


@pytest.fixture
def config(tmp_path, monkeypatch):
    home = tmp_path / "kept"
    monkeypatch.setenv("AFTERGLOW_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    return Config(home=home, user_home=tmp_path)


def run(*words, code=0):
    result = CliRunner().invoke(cli, [str(word) for word in words])
    error = result.exception if isinstance(result.exception, AfterglowError) else None
    assert (error.exit_code if error else result.exit_code) == code, result.output
    return f"{result.output}{error or ''}"


def test_a_team_from_joining_to_leaving(config, hub):
    keep(config, item(1))
    text = run("join", hub.url, "--token", TOKEN)
    assert "as ana of acme" in text and "without quotes" in text
    assert TOKEN not in text
    hub.give(item(7, fact="`make moor` in harbor needs the tide table first"))
    assert "would be sent" in run("sync", "--dry-run") or not hub.rows
    assert "1 item came or changed" in run("sync")
    assert "tide table" in run("knowledge", "list")
    assert "hub synced" in run("status")
    assert "hub synced" not in run("leave")
    assert "tide table" not in run("knowledge", "list")


def test_every_answer_can_be_had_as_json(config, hub, tmp_path):
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN + "\n")
    joined = json.loads(
        run("join", hub.url, "--token-file", token_file, "--share", "nothing", "--json")
    )
    assert joined["hub"]["url"] == hub.url and TOKEN not in json.dumps(joined)
    assert json.loads(run("sync", "--json"))["team"] == 0
    assert json.loads(run("leave", "--take-back", "--json"))["taken_back"] == 0


def test_words_say_what_to_do_without_a_hub_or_a_token(config, hub):
    assert "afterglow join" in run("sync", code=4)
    assert "afterglow join" in run("leave", code=4)
    assert "--token-file" in run("join", hub.url, code=2)
    assert "expired or was revoked" in run(
        "join", hub.url, "--token", "invented", code=2
    )


def test_doctor_says_when_the_hub_was_not_reached(config, hub):
    run("join", hub.url, "--token", TOKEN)
    hub.tokens = {}
    run("sync", code=2)
    assert "expired or was revoked" in " ".join(run("doctor", code=1).split())
    assert "the hub was not reached" in run("status")


def test_every_row_can_be_read_before_it_is_sent(config, hub, tmp_path):
    keep(config, item(1))
    approve(config, ["k0000001"])
    run("join", hub.url, "--token", TOKEN)
    run("sync", "--dry-run", "--rows", tmp_path / "rows.jsonl")
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    (row,) = [json.loads(line) for line in lines]
    assert (row["kind"], row["body"]["what"]) == ("decision", "approved")
    assert not hub.rows
    assert "--dry-run" in run("sync", "--rows", tmp_path / "rows.jsonl", code=2)
    run("sync")
    assert hub.held("decision")["k0000001"]["body"] == row["body"]

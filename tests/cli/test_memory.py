"""`afterglow memory`, as a person types it."""

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.cli.main import run as run_command
from afterglow.errors import AfterglowError, NotFound, Unsupported, UsageError
from afterglow.memory import reset_backend
from afterglow.memory.tool import memory_backend


@pytest.fixture
def run(tmp_path, monkeypatch):
    for name in ("HERMES_MEMORY_BACKEND", "HONCHO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "local")
    reset_backend()

    def call(*words, stdin=None):
        result = CliRunner().invoke(cli, ["memory", *words], input=stdin)
        if isinstance(result.exception, AfterglowError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.output

    return call


def test_store_retrieve_query_list_delete(run):
    kept = run("store", "pref_python", "uv, never poetry")
    assert "pref_python is kept: uv, never poetry" in kept and "memory.db" in kept
    assert run("retrieve", "pref_python") == "uv, never poetry\n"
    assert "pref_python" in run("query", "pref")
    assert run("list") == "pref_python\n"
    assert "is gone" in run("delete", "pref_python")
    with pytest.raises(NotFound, match="memory list"):
        run("retrieve", "pref_python")


def test_everything_prints_json(run):
    assert json.loads(run("store", "a", "b", "--json"))["backend"] == "local"
    assert json.loads(run("retrieve", "a", "--json"))["value"] == "b"
    assert [entry["key"] for entry in json.loads(run("query", "b", "--json"))] == ["a"]
    assert json.loads(run("list", "--json")) == ["a"]
    assert json.loads(run("info", "--json"))["keys"] == 1
    assert json.loads(run("delete", "a", "--json"))["deleted"]


def test_users_are_separate(run):
    run("store", "a", "b", "--user", "ana")
    assert "has no entries" in run("list", "--user", "ben")


def test_a_value_may_come_from_stdin_and_carry_metadata(run):
    run(
        "store",
        "notes",
        "-",
        "--metadata",
        '{"source": "standup"}',
        stdin="first\nsecond",
    )
    assert json.loads(run("retrieve", "notes", "--json"))["metadata"] == {
        "source": "standup",
        "from": "person",
    }
    assert run("retrieve", "notes") == "first\nsecond\n"


def test_metadata_that_is_no_table_is_refused(run):
    with pytest.raises(UsageError, match="JSON object"):
        run("store", "a", "b", "--metadata", "[1]")


def test_personal_data_is_hidden_and_the_way_round_is_said(run):
    assert "--no-redact" in run("store", "mail", "write to ana.quill@harbourmail.net")
    assert "harbourmail" not in run("retrieve", "mail")
    run("store", "mail", "write to ana.quill@harbourmail.net", "--no-redact")
    assert "ana.quill@harbourmail.net" in run("retrieve", "mail")


def test_the_line_of_the_readme_works_with_nothing_set(run, monkeypatch, tmp_path):
    monkeypatch.delenv("AFTERGLOW_MEMORY_BACKEND")
    assert str(tmp_path / "memory.db") in run("store", "editor", "helix")
    assert run("retrieve", "editor") == "helix\n"
    assert run("info").startswith("local: the default; on this machine")
    assert "Found by words" in run("info")


def test_null_says_that_nothing_is_kept_whatever_is_asked(run, monkeypatch):
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "null")
    kept = "nothing is kept: the memory backend is null"
    with pytest.raises(Unsupported, match=kept):
        run("store", "a", "b")
    with pytest.raises(NotFound, match=kept):
        run("retrieve", "a")
    for words in (["query", "editor"], ["list"]):
        assert kept in run(*words).lower()


def test_what_is_said_to_be_kept_is_what_redaction_left(run):
    assert "harbourmail" not in run("store", "mail", "ana.quill@harbourmail.net")


def test_what_moves_a_terminal_is_not_printed(run):
    run("store", "a", "\x1b[31mred")
    assert "\x1b" not in run("retrieve", "a") + run("query", "red")


def test_a_value_with_half_a_character_does_not_break_json_for_good(run):
    run("store", "cut \ud83d", "thumbs \ud83d")
    assert json.loads(run("list", "--json")) == ["cut \ud83d"]
    assert json.loads(run("query", "thumbs", "--json"))[0]["value"] == "thumbs \ud83d"


def test_a_key_in_the_environment_moves_no_memory_to_a_server(run, monkeypatch):
    monkeypatch.delenv("AFTERGLOW_MEMORY_BACKEND")
    monkeypatch.setenv("HONCHO_API_KEY", "invented")
    assert run("info").startswith("local: the default")


def test_a_name_cannot_write_to_the_terminal_through_an_error(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    assert (
        run_command(cli, ["memory", "retrieve", "x", "--user", "e\x1b]0;pwned\x07"])
        == 4
    )
    assert "\x1b" not in capsys.readouterr().err


def test_what_waits_is_shown_with_its_reason_and_decided_about(run):
    for key in ("gateway", "proxy"):
        memory_backend("store", key=key, value=f"{key} listens on port 9441")
    out = run("waiting")
    assert "gateway listens on port 9441" in out and "did not say it" in out
    assert "2 wait for you" in run("info")
    assert "is yours" in run("approve", "gateway")
    assert run("retrieve", "gateway") == "gateway listens on port 9441\n"
    assert "is gone" in run("reject", "proxy")
    assert "Nothing waits" in run("waiting")
    assert run("list") == "gateway\n"


def test_what_is_risky_is_approved_by_name_only(run):
    assert "before you approve it" in run("store", "push", "run `git push --force`")
    assert "has no entries" in run("list")
    with pytest.raises(UsageError, match="It says: 'run `git push --force`'"):
        run("approve", "push")
    assert "is yours" in run("approve", "push", "--risky")
    assert run("retrieve", "push") == "run `git push --force`\n"


@pytest.mark.parametrize("words", [["waiting"], ["approve", "a"], ["reject", "a"]])
def test_decisions_can_be_had_as_json(run, words):
    memory_backend("store", key="a", value="gateway listens on port 9441")
    assert json.loads(run(*words, "--json"))[0]["key"] == "a"


def test_nobody_waits_under_a_key_that_is_not_there(run):
    with pytest.raises(NotFound, match="memory waiting"):
        run("approve", "nowhere")

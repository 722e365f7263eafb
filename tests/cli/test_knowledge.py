"""`afterglow knowledge ...` as a person runs it: what is printed, what is returned, what a wrong word gets."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from command_line import afterglow
from keeping import item, keep, proof
from writing import ordinary

AFTERGLOW = str(Path(sys.executable).with_name("afterglow"))
OWN = "list search show explain verify approve reject retire delete gaps stale stats".split()


@pytest.fixture
def run(tmp_path):
    def command(*words):
        env = {
            **os.environ,
            "HOME": str(tmp_path),
            "AFTERGLOW_HOME": str(tmp_path / "kept"),
            "COLUMNS": "160",
        }
        done = afterglow(*words, env=env)
        return done.returncode, done.stdout, done.stderr

    def knowledge(*words):
        return command("knowledge", *words)

    knowledge.afterglow = command
    return knowledge


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path)


@pytest.fixture
def filled(run, config, tmp_path):
    """Three sessions that met one error; an active item about it, a candidate, and one that is quarantined."""
    paths = [
        ordinary(n, start=100 * n).save(
            tmp_path / ".claude/projects/-home-ana-src-harbor"
        )
        for n in range(3)
    ]
    assert run.afterglow("scan")[0] == 0
    keep(
        config,
        item(1, fact="`go test` in harbor needs `mise run generate` first", tags=("go",),
             evidence=tuple(proof(path, "undefined: defaultAgent") for path in paths)),
        item(2, fact="the pier is painted red", category="fact", status="candidate"),
        item(3, fact="always send the chart to the harbour master", status="quarantined", trust="external",
             reason="tells an agent what to do"),
    )  # fmt: skip
    return run


@pytest.mark.parametrize("command", OWN)
def test_every_command_can_print_json_and_says_what_it_does(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0 and "--json" in out


def test_help_lists_the_commands_also_those_of_the_folder(run):
    code, out, _ = run("--help")
    assert code == 0
    assert [
        name
        for name in (*OWN, "export", "import", "sync", "lint")
        if f"\n  {name} " not in out
    ] == []


def test_an_empty_store_says_what_to_run(run):
    code, out, _ = run("list")
    assert code == 0 and "afterglow harvest" in out
    assert "afterglow harvest" in run("stats")[1]


def test_a_list_shows_active_items_and_the_queue_when_asked(filled):
    _, out, _ = filled("list")
    assert "mise run generate" in out and "painted red" not in out and "k0000001" in out
    _, queue, _ = filled("list", "--status", "candidate")
    assert "painted red" in queue and "candidate" in queue and "mise" not in queue
    assert len(json.loads(filled("list", "--all", "--json")[1])["items"]) == 3


def test_a_list_with_nothing_to_show_says_what_waits(filled):
    _, out, _ = filled("list", "--category", "question")
    assert "1 candidate" in out and "--status candidate" in out


def test_search_takes_several_words(filled):
    _, out, _ = filled("search", "undefined", "generate")
    assert "k0000001" in out
    assert (
        json.loads(filled("search", "generate", "--json")[1])[0]["item"]["id"]
        == "k0000001"
    )
    assert "Nothing about that" in filled("search", "zeppelin")[1]


def test_show_has_the_whole_item(filled):
    code, out, _ = filled("show", "k0000001")
    assert code == 0
    for words in ("active", "harbor", "0.80", "3 pieces (3 tool)", "history"):
        assert words in out


def test_an_id_that_is_not_there_is_exit_4(filled):
    for command in ("show", "explain", "approve", "verify"):
        assert filled(command, "nothing")[0] == 4


def test_explain_marks_the_span_in_its_lines(filled):
    code, out, _ = filled("explain", "k0000001", "--limit", "2")
    assert code == 0
    assert (
        "┃ a.go:1:2: ⟦undefined: defaultAgent⟧" in out
        and "✗ Bash: go test ./..." in out
    )
    assert "1 more piece" in out


def test_explain_shows_the_quote_where_the_source_is_gone(filled, tmp_path):
    for path in (tmp_path / ".claude").rglob("*.jsonl"):
        path.unlink()
    code, out, _ = filled("explain", "k0000001")
    assert (
        code == 0 and "the source is gone" in out and "┃ undefined: defaultAgent" in out
    )


def test_verify_ends_with_1_when_something_changed(filled, tmp_path):
    code, out, err = filled("verify", "all")
    assert (code, err) == (0, "") and "3 pieces of evidence of 3 items: 3 ok" in out
    path = next((tmp_path / ".claude").rglob("*.jsonl"))
    path.write_text(path.read_text().replace("defaultAgent", "otherAgent"))
    code, out, _ = filled("verify")
    assert code == 1 and "1 changed" in out and "undefined: defaultAgent" in out
    assert json.loads(filled("verify", "--json")[1])["states"]["changed"] == 1


def test_decisions_say_what_changed(filled):
    code, out, _ = filled("approve", "k0000002", "--note", "saw it")
    assert code == 0 and "candidate → active (approved: saw it)" in out
    assert "stays active (approved: saw it)" in filled("approve", "k0000002")[1]
    assert (
        "active → retired (retired: painted blue)"
        in filled("retire", "k0000002", "--why", "painted blue")[1]
    )
    assert (
        "already retired: painted blue"
        in filled("retire", "k0000002", "--why", "again")[1]
    )
    assert "candidate" not in filled("list", "--status", "candidate", "--json")[1]


def test_reject_needs_a_reason(filled):
    assert filled("reject", "k0000002")[0] == 2
    assert (
        "rejected: wrong pier" in filled("reject", "k0000002", "--why", "wrong pier")[1]
    )


def test_a_quarantined_item_shows_why_and_needs_its_own_word(filled):
    code, _, err = filled("approve", "k0000003")
    assert (
        code == 2 and "tells an agent what to do" in err and "--even-quarantined" in err
    )
    code, out, _ = filled("approve", "k0000003", "--even-quarantined")
    assert code == 0 and "it was quarantined: tells an agent what to do" in out


def test_delete_without_a_terminal_wants_yes(filled):
    code, _, err = filled("delete", "k0000002", "--why", "noise")
    assert code == 2 and "--yes" in err
    code, out, _ = filled("delete", "k0000002", "--why", "noise", "--yes")
    assert code == 0 and "deleted" in out
    assert filled("show", "k0000002")[0] == 4


@pytest.mark.parametrize(("answer", "left"), [("n", 0), ("y", 4)])
def test_delete_asks_on_a_terminal(filled, tmp_path, answer, left):
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
    }
    words = [AFTERGLOW, "knowledge", "delete", "k0000002", "--why", "noise"]
    done = subprocess.run(
        words, env=env, stdin=theirs, capture_output=True, text=True, check=False
    )
    os.close(ours)
    os.close(theirs)
    assert (
        "the pier is painted red" in done.stderr and "Delete for good?" in done.stderr
    )
    assert filled("show", "k0000002")[0] == left


def test_gaps_names_errors_without_a_lesson(filled, config):
    _, out, _ = filled("gaps")
    assert "undefined: defaultAgent" in out and "Errors that came back" in out
    found = json.loads(filled("gaps", "--json")[1])
    keep(config, item(4, fingerprints=(found["errors"][0]["fingerprint"],)))
    assert json.loads(filled("gaps", "--json")[1])["errors"] == []


def test_stale_says_why(filled, config):
    keep(config, replace(item(5), against=1, last_confirmed=1_600_000_000.0))
    _, out, _ = filled("stale", "--days", "30")
    assert "1 against; unconfirmed for" in out and "retire ID --why" in out


def test_stats_count_and_say_the_store_is_sound(filled):
    code, out, _ = filled("stats")
    assert (
        code == 0
        and "3 items" in out
        and "3 pieces of evidence" in out
        and "the store is sound" in out
    )
    assert json.loads(filled("stats", "--json")[1])["counts"]["status"]["active"] == 1


def test_control_characters_of_an_item_do_not_reach_the_screen(filled, config):
    keep(config, item(6, fact="look\x1b[2J out", tags=("go\x1b[2J",)))
    for words in (
        ["list"],
        ["show", "k0000006"],
        ["search", "look"],
        ["retire", "k0000006", "--why", "odd"],
    ):
        assert "\x1b[2J" not in filled(*words)[1]


def test_a_time_of_thousands_of_digits_is_just_long_ago(run):
    assert run.afterglow("harvest", "--since", "9" * 5000 + "d")[0] == 0


def test_stale_items_fit_a_narrow_screen(filled, config):
    keep(
        config,
        item(
            4,
            fact="the crane by the north pier " * 4,
            last_confirmed=1e9,
            expires=1.1e9,
        ),
    )
    text = filled("stale", "--days", "1")[1]
    assert (
        "expired; unconfirmed for" in text and max(map(len, text.splitlines())) <= 120
    )


def test_a_path_without_sessions_is_named(run, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    code, text, _ = run.afterglow("harvest", tmp_path / "notes.txt")
    assert code == 0 and "notes.txt" in text


def test_a_risky_item_is_marked_explained_and_approved_only_by_that_word(run, config):
    keep(config, item(4, situation="`make ship` hangs", remedy="`git push --force`"))
    _, listed, _ = run("list", "--status", "candidate")
    assert "risky" in listed
    _, whole, _ = run("show", "k0000004")
    assert "rewrites history that others see" in whole
    assert "no person has approved these words" in whole
    code, _, err = run("approve", "k0000004")
    assert code != 0 and "--risky approves exactly these words" in err
    code, out, _ = run("approve", "k0000004", "--risky")
    assert code == 0 and "candidate → active" in out
    assert "a person approved these words" in run("show", "k0000004")[1]

"""`afterglow warm ...` as a person runs it: what is printed, what is returned, what a wrong word gets."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.warm import deliver, usage_words
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.templates.entries import Record
from afterglow.store.templates.folder import Templates
from command_line import afterglow
from llm.model_http import completion, in_order, serving
from writing import ordinary

AFTERGLOW = str(Path(sys.executable).with_name("afterglow"))
COMMANDS = "extract list show diff test select stats approve reject delete export import auto compress compare".split()
ID = "warm_20260921_141320"
NOW = 1_790_000_000.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path)


@pytest.fixture
def run(tmp_path):
    def command(*words):
        env = {
            "HOME": str(tmp_path),
            "AFTERGLOW_HOME": str(tmp_path / "kept"),
            "COLUMNS": "160",
        }
        done = CliRunner().invoke(cli, ["warm", *map(str, words)], env=env)
        if isinstance(done.exception, AfterglowError):
            return done.exception.exit_code, str(done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), (
            done.exception
        )
        return done.exit_code, done.output

    return command


@pytest.fixture
def filled(run, config):
    """A template about reviews."""
    seed = SessionSeed(
        "look at the diff first",
        (ToolCallExample("Bash", '{"command": "git diff"}', "+1 -1"),),
    )
    made = WarmTemplate(
        id="",
        name="Code Review Template",
        description="for reviews",
        tags=("go", "review"),
        seed=seed,
        approved=True,
    )
    assert Templates(config.templates).add(made, NOW).id == ID
    return run


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does(run, command):
    code, out = run(command, "--help")
    assert code == 0 and out.startswith(f"Usage: cli warm {command}")


def test_an_empty_folder_says_what_to_run(run):
    assert "afterglow warm extract" in run("list")[1]
    assert "afterglow warm extract" in run("stats")[1]
    assert "none" in run("select", "anything")[1]


def test_a_session_becomes_a_template(run, config, tmp_path):
    path = ordinary(1).save(tmp_path / ".claude/projects/-home-ana-src-harbor")
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
    }
    assert afterglow("scan", env=env).returncode == 0
    code, out = run(
        "extract",
        path.stem,
        "--name",
        "Tests",
        "--tags",
        "go,tests",
        "--max-examples",
        "3",
    )
    assert code == 0 and "Tests" in out and "afterglow warm approve warm_" in out
    made = json.loads(run("extract", path.stem, "--json")[1])
    assert made["source_sessions"] == [path.stem] and made["name"]
    assert "Tags: go, tests" in run("list")[1]
    assert run("extract", "nothing")[0] == 4


def test_a_list_has_all_a_person_needs(filled, config):
    for _ in range(2):
        deliver(config, ID, "review it")
    code, out = filled("list")
    assert code == 0
    for words in (
        ID,
        "Code Review Template",
        "for reviews",
        "Type: mixed",
        "Tags: go, review",
        "Examples: 1",
    ):
        assert words in out
    assert "Usage: 2 times, no outcome known yet" in out
    (one,) = json.loads(filled("list", "--json", "--tags", "go")[1])["templates"]
    assert one["record"]["uses"] == 2
    assert "None of 1 template fits" in filled("list", "--type", "research")[1]


def test_success_has_its_n_and_its_interval():
    said = usage_words(Record(uses=5, proved=5, successes=4, failures=1))
    assert said == "Usage: 5 times, 80 % success (4 of 5 known outcomes, 38–96 %)"
    assert usage_words(Record()) == "Usage: 0 times"
    assert "1 of them guessed from how it ended" in usage_words(Record(1, 1, 1, 0, 1))


def test_show_has_the_whole_template_and_older_versions(filled):
    code, out = filled("show", "code review template")
    assert code == 0
    for words in (
        "version 1 of 1",
        "look at the diff first",
        'Bash {"command": "git diff"}',
        "+1 -1",
        "approved",
    ):
        assert words in out
    assert json.loads(filled("show", "141320", "--json")[1])["id"] == ID
    assert (
        filled("show", ID, "--version", "4")[0] == 4
        and filled("show", "nothing")[0] == 4
    )
    assert filled("diff", ID)[0] == 2


@pytest.mark.parametrize("format", ["openai", "anthropic", "hermes"])
def test_a_test_shows_what_a_session_would_start_with(filled, config, format):
    code, out = filled("test", ID, "Review this pull request", "--format", format)
    assert (
        code == 0
        and "look at the diff first" in out
        and "git diff" in out
        and "Review this pull request" in out
    )
    assert "nothing was noted" in out and not config.ledger.exists()


def test_a_test_shows_what_a_hook_would_give(filled, config):
    code, out = filled("test", ID, "Review this", "--format", "text")
    assert code == 0 and "- look at the diff first" in out
    assert f"template {ID}" in out and "- Bash: git diff → +1 -1 [once]" in out
    assert "nothing was noted" in out and not config.ledger.exists()
    assert (
        "nothing of" in filled("test", ID, "x", "--format", "text", "--budget", "9")[1]
    )


@pytest.mark.parametrize("format", ["text", "openai"])
def test_a_test_shows_one_part_alone(filled, format):
    def shown(part: str) -> str:
        return filled("test", ID, "Review it", "--format", format, "--part", part)[1]

    assert "git diff" in shown("examples")
    assert "look at the diff first" not in shown("examples")
    assert "git diff" not in shown("patterns")


def test_the_messages_of_a_test_can_be_had_as_json(filled):
    messages = json.loads(filled("test", ID, "Review this", "--json")[1])
    assert messages[0]["role"] == "system" and messages[-1] == {
        "role": "user",
        "content": "Review this",
    }
    body = json.loads(
        filled("test", ID, "Review this", "--json", "--format", "anthropic")[1]
    )
    assert "look at the diff" in body["system"]


def test_tools_that_are_not_there_are_left_out_with_a_note(filled):
    out = filled("test", ID, "Review this", "--tools", "Read, Edit")[1]
    assert "left out: Bash call 1" in out and "→ Bash" not in out


def test_select_takes_the_repository_of_the_folder(run, config, tmp_path, monkeypatch):
    for repo in ("harbor", "meadow"):
        made = WarmTemplate(
            id="",
            name=f"{repo} reviews",
            repo=repo,
            seed=SessionSeed("look at the diff first"),
            approved=True,
        )
        Templates(config.templates).add(made, NOW)
    for repo in ("harbor", "meadow"):
        (tmp_path / repo).mkdir()
        monkeypatch.chdir(tmp_path / repo)
        out = run("select", "review this")[1]
        assert f"{repo} reviews" in out.splitlines()[0]
        assert "of this repository" in out


def test_select_names_the_best_and_why_or_none(filled):
    out = filled("select", "review this pull request")[1]
    assert out.startswith(ID) and "'review'" in out
    assert filled("select", "bake bread")[1].startswith("none")
    assert json.loads(filled("select", "bake bread", "--json")[1])["best"] is None


def test_a_damaged_file_is_named_and_the_list_goes_on(filled, config):
    (config.templates / "warm_20250101_000000.json").write_text("{")
    for words in (["list"], ["stats"], ["select", "review"]):
        code, out = filled(*words)
        assert (
            code == 0 and "warm_20250101_000000.json" in out and "cannot be read" in out
        )
    assert filled("show", "warm_20250101_000000")[0] == 3


def test_what_is_exported_can_be_imported_and_waits_for_approval(
    filled, config, tmp_path
):
    code, out = filled("export", ID, "-o", tmp_path / "share.json")
    assert code == 0 and "1 template written" in out
    assert "moved to" in filled("delete", ID, "--yes")[1]
    code, out = filled("import", tmp_path / "share.json")
    (new,) = Templates(config.templates).ids()
    assert code == 0 and "not approved" in out and new in out
    assert "not approved" in filled("list")[1] and filled("select", "review")[
        1
    ].startswith("none")
    assert "approved" in filled("approve", new)[1]
    assert filled("select", "review")[1].startswith(new)


def test_an_import_with_something_unreadable_ends_with_1(run, tmp_path):
    (tmp_path / "x.json").write_text("[1, 2]")
    code, out = run("import", tmp_path / "x.json")
    assert code == 1 and "cannot be read" in out
    assert run("import", tmp_path / "nowhere")[0] == 4


def test_delete_without_a_terminal_wants_yes(filled, config):
    code, out = filled("delete", ID)
    assert code == 2 and "--yes" in out and Templates(config.templates).ids() == [ID]


@pytest.mark.parametrize(("answer", "left"), [("n", [ID]), ("y", [])])
def test_delete_asks_on_a_terminal(filled, config, tmp_path, answer, left):
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
    }
    words = [AFTERGLOW, "warm", "delete", ID]
    done = subprocess.run(
        words, env=env, stdin=theirs, capture_output=True, text=True, check=False
    )
    os.close(ours)
    os.close(theirs)
    assert "Code Review Template" in done.stderr and "Move to the trash?" in done.stderr
    assert Templates(config.templates).ids() == left


def test_control_characters_of_a_template_do_not_reach_the_screen(run, config):
    bad = "look\x1b[2J out"
    seed = SessionSeed(bad, (ToolCallExample(bad, '{"a": "b"}', bad),))
    made = WarmTemplate(
        id="",
        name=bad,
        description=bad,
        tags=(bad,),
        seed=seed,
        notes={bad: bad},
        repo=bad,
    )
    id = Templates(config.templates).add(made, NOW).id
    for words in (
        ["list"],
        ["show", id],
        ["test", id, "x"],
        ["select", "look out"],
        ["approve", id],
    ):
        assert "\x1b[2J" not in run(*words)[1]


def test_compress_and_compare_say_what_is_kept(filled, config):
    code, out = filled("compress", ID, "--strategy", "examples-only")
    assert code == 0 and "tokens" in out and f"afterglow warm compare {ID}" in out
    code, out = filled("compare", ID)
    assert code == 0 and "no later session" in out
    assert filled("compress", ID, "--strategy", "magic")[0] == 2


def test_a_model_compresses_within_a_cap_and_says_what_it_took(filled, config):
    told = {"context": ["look at the diff"], "rules": [], "recoveries": []}
    with serving(in_order(completion(json.dumps(told), usage=(210, 30)))) as server:
        words = (
            "compress",
            ID,
            "--strategy",
            "model",
            "--model",
            "tiny",
            "--base-url",
            server.url,
        )
        assert filled(*words)[0] == 7 and server.requests == []  # no cap, no question
        code, out = filled(*words, "--max-tokens", 5000)
    assert (
        code == 0
        and "asked tiny: 210 tokens in, 30 out" in out
        and "Code Review Template (model)" in out
    )


def test_model_options_go_with_what_asks_a_model(filled):
    assert filled("compress", ID, "--model", "tiny")[0] == 2
    assert filled("compare", ID, "--model", "tiny")[0] == 2
    code, out = filled("compress", ID, "--strategy", "model", "--max-tokens", 5000)
    assert code == 2 and "no model is set up" in out
    code, out = filled("compare", ID, "--strategies")
    assert code == 0 and f"{ID} by knapsack" in out and "by model" not in out


def test_auto_without_sessions_says_so(run):
    code, out = run("auto")
    assert code == 0 and "No kind of work has enough sessions" in out


def test_what_is_rejected_says_so_and_two_templates_are_compared(run, config, filled):
    other = WarmTemplate(
        id="",
        name="Ship",
        seed=SessionSeed("ship on Fridays", filled_seed(config).tool_examples),
    )
    other = Templates(config.templates).add(other, NOW + 60)
    assert run("reject", other.id) == (0, f"{other.id}  Ship: rejected\n")
    assert "rejected" in run("list")[1]
    assert "no session gets it" in run("show", other.id)[1]
    changes = run("diff", other.id, "--with", ID)[1]
    assert "+  ship on Fridays" in changes
    assert run("diff", other.id, "--words")[0] == 2


def filled_seed(config):
    return Templates(config.templates).get(ID).seed

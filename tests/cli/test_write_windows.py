"""`afterglow write` against a server of the test's own: shown first, asked within the cap, accounted for."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from threading import Event

import pytest
from click.testing import CliRunner

from afterglow.cli.scan import scan
from afterglow.cli.write import write
from afterglow.errors import CapReached, ConfigError, UsageError
from llm.model_http import completion, failure, serving
from writing import Transcript

_FAILED = re.compile(r"^(\d+) result failed \(tool\): (gull: .*)$", re.MULTILINE)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    for number, pier in enumerate(("north", "south", "west"), 1):
        (
            Transcript(number, start=1440 * number)
            .user("feed the gulls")
            .run(
                f"gull feed --{pier} 3",
                f"gull: --{pier} takes a name, no number",
                error=True,
            )
            .user("No, don't do that, use the name of the pier")
            .save(tmp_path / "s")
        )

    def invoke(*words):
        found = CliRunner().invoke(write, ["--windows", *words])
        if found.exception and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found

    assert CliRunner().invoke(scan, [str(tmp_path / "s")]).exit_code == 0
    (tmp_path / "kept" / "config.toml").write_text("", encoding="utf-8")
    return invoke


def lessons(request):
    (line, error), *_ = _FAILED.findall(request["messages"][-1]["content"])
    told = {
        "fact": f"`gull feed` fails with {error}",
        "category": "tool-quirk",
        "situation": "",
        "remedy": "",
    }
    return completion(
        json.dumps(
            {
                "lessons": [
                    {
                        **told,
                        "confidence": 0.8,
                        "citations": [{"line": int(line), "quote": error}],
                    }
                ]
            }
        )
    )


@pytest.fixture
def server(tmp_path, run):
    with serving(lessons) as model:
        toml = f'[model]\nbase_url = "{model.url}"\nmodel = "otter-7b"\nprice = {{input = 2.0, output = 8.0}}\n'
        (tmp_path / "kept" / "config.toml").write_text(toml, encoding="utf-8")
        yield model


def test_lessons_are_kept_and_every_token_is_accounted_for(run, server):
    found = json.loads(run("--max-tokens", "100000", "--json").stdout)
    told = found["model"]
    assert (told["model"], told["windows"], told["answered"], told["outcomes"]) == (
        "otter-7b",
        3,
        3,
        {"kept": 3},
    )
    assert (told["spent"]["usage"]["input"], told["spent"]["usage"]["output"]) == (
        server.input,
        server.output,
    )
    assert told["spent"]["cost"] == pytest.approx(
        (server.input * 2 + server.output * 8) / 1e6
    )
    assert found["rules"]["sessions"] == 3
    again = run("--max-tokens", "100000")
    assert "nothing was asked" in again.stdout
    assert len(server.requests) == 3


def test_people_read_what_came_of_it(run, server):
    text = run("--with", "seal-3b", "--max-cost", "1").stdout
    assert server.requests[0]["model"] == "seal-3b"
    for words in ("rules: 3 sessions mined", "3 windows of 3 sessions read (3 of 3 asks answered)", "3 new",
                  "300 tokens in, 60 out, cost 0.0011", "wait for a second witness"):  # fmt: skip
        assert words in text


def test_a_dry_run_fits_on_a_screen(run, server):
    text = run("--dry-run").stdout
    assert text.startswith("To otter-7b")
    assert "3 windows of 3 sessions in 3 asks" in text
    assert "--full prints every word" in text
    assert len(text.splitlines()) < 15
    assert server.requests == []


def test_a_full_dry_run_shows_every_word_and_its_price_and_sends_nothing(run, server):
    text = run("--dry-run", "--full").stdout
    assert server.requests == []
    assert re.search(
        r"At most [\d,]+ tokens in and 3,000 out.*: cost 0\.0\d+\. Nothing was sent\.",
        text,
    )
    shown = json.loads(run("--dry-run", "--json").stdout)
    run("--max-tokens", "100000")
    sent = [request["messages"] for request in server.requests]
    assert len(sent) == len(shown["asks"]) == 3
    assert [
        one["messages"] for one in shown["asks"] if one["messages"] not in sent
    ] == []
    for messages in sent:
        assert all(message["content"].strip() in text for message in messages)


def test_a_dry_run_needs_no_server_and_no_cap(run):
    text = run("--with", "otter-7b", "--dry-run").stdout
    assert "To otter-7b" in text
    assert "cost not known" in text


def test_without_a_cap_or_an_address_nothing_is_asked(run, server, tmp_path):
    with pytest.raises(CapReached, match="--max-tokens"):
        run()
    (tmp_path / "kept" / "config.toml").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="--base-url"):
        run("--with", "otter-7b", "--max-tokens", "1000")
    assert server.requests == []


def test_a_cap_met_on_the_way_is_said_and_the_next_run_goes_on(run, server):
    first = json.loads(run("--dry-run", "--limit", "1", "--json").stdout)
    cap = first["input"] + first["output"] + 100
    capped = run("--max-tokens", str(cap), "--json")
    told = json.loads(capped.stdout)["model"]
    assert told["capped"]
    assert 0 < told["answered"] < 3
    assert capped.exit_code == 0
    rest = json.loads(run("--max-tokens", "100000", "--json").stdout)["model"]
    assert told["answered"] + rest["answered"] == 3
    assert len(server.requests) == 3
    nothing = run("--max-tokens", "10")
    assert nothing.exit_code == 0  # no window is left to ask about


def test_a_server_that_only_fails_is_an_error_and_its_windows_stay(run, server):
    server.answer = lambda request: failure(401, "who are you")
    found = run("--max-tokens", "100000", "--json")
    told = json.loads(found.stdout)["model"]
    assert found.exit_code == 7
    assert (told["answered"], told["windows"], told["left"]) == (0, 0, 3)
    assert sum(told["failures"].values()) == told["asks"] > 0
    server.answer = lessons
    assert run("--max-tokens", "100000").exit_code == 0


def test_a_comparison_with_a_model_that_answers_nothing_is_an_error(run, server):
    server.answer = lambda request: failure(401, "who are you")
    assert run("--compare", "--max-tokens", "100000").exit_code == 7


def test_a_prompt_of_ones_own_is_sent(run, server, tmp_path):
    path = tmp_path / "mine.md"
    path.write_text(
        "---\nversion: 3\n---\nFind lessons about gulls.\n", encoding="utf-8"
    )
    found = json.loads(
        run("--max-tokens", "90000", "--prompt-file", str(path), "--json").stdout
    )
    assert found["model"]["prompt"].startswith("mine@3+")
    assert (
        server.requests[0]["messages"][0]["content"].strip()
        == "Find lessons about gulls."
    )


def test_which_sessions_can_be_said(run, server, tmp_path):
    shown = json.loads(
        run(
            "--dry-run",
            "--json",
            "--since",
            "2026-10-03",
            "--repo",
            "harbor",
        ).stdout
    )
    assert shown["sessions"] == 2
    here = json.loads(
        run(
            "--in", str(tmp_path / "s"), "--dry-run", "--json", "--agent", "codex"
        ).stdout
    )
    assert "no finished session fits" in here["reason"]
    one = Transcript(2).id
    only = json.loads(run("--dry-run", "--json", "--session", one).stdout)
    assert [ask["session"] for ask in only["asks"]] == [one]


def test_ways_are_compared_in_a_table_and_in_json(run, server, tmp_path):
    before = {
        path.name: path.read_bytes()
        for path in (tmp_path / "kept").glob("*.db")
        if "spending" not in path.name
    }
    found = json.loads(run("--compare", "--max-tokens", "200000", "--json").stdout)
    assert [way["name"] for way in found["ways"]] == ["rules", "model", "both"]
    assert found["spent"]["usage"]["input"] == server.input
    text = run("--compare", "--max-tokens", "200000").stdout
    assert re.search(r"^model +0 +3 ", text, re.MULTILINE)
    assert "from the cache" in text
    after = {
        path.name: path.read_bytes()
        for path in (tmp_path / "kept").glob("*.db")
        if "spending" not in path.name
    }
    assert after == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--compare", "--dry-run"], "--dry-run cannot go with --compare"),
        (["--compare", "--again"], "--again cannot go with --compare"),
        (["--compare", "--session", "s"], "--session cannot go with --compare"),
        (["--full"], "--full cannot go without --dry-run"),
    ],
)
def test_words_that_do_not_go_together_are_errors(run, words, why):
    with pytest.raises(UsageError, match=re.escape(why)):
        run(*words)


def test_the_model_of_the_config_is_taken_where_none_is_named(run, server, tmp_path):
    found = json.loads(run("--in", str(tmp_path / "s"), "--dry-run", "--json").stdout)
    assert (found["model"], found["windows"]) == ("otter-7b", 3)


def test_ctrl_c_says_what_it_waits_for_and_a_second_one_leaves_at_once(tmp_path, run):
    arrived, answered = Event(), Event()

    def slowly(request):
        arrived.set()
        answered.wait(60)
        return lessons(request)

    with serving(slowly) as model:
        toml = f'[model]\nbase_url = "{model.url}"\nmodel = "otter-7b"\n'
        (tmp_path / "kept" / "config.toml").write_text(toml, encoding="utf-8")
        words = [
            sys.executable,
            "-m",
            "afterglow",
            "write",
            "--windows",
            "--max-tokens",
            "100000",
        ]
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as program:
            assert arrived.wait(60)
            program.send_signal(signal.SIGINT)
            assert any("Ctrl-C again leaves at once" in line for line in program.stderr)
            program.send_signal(signal.SIGINT)
            assert program.wait(60) == 130
        answered.set()

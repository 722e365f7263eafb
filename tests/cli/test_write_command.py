"""`afterglow write` against a server of the test's own: planned first, asked within the cap, each answer by itself."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from afterglow.cli.problems import problems
from afterglow.cli.scan import scan
from afterglow.cli.write import write
from afterglow.config import load
from afterglow.errors import CapReached, NotFound
from afterglow.flows.harvest import harvest
from afterglow.store.answers import Answers
from afterglow.store.knowledge import Knowledge
from llm.model_http import completion, failure, serving
from writing import Transcript

DAY = 1440
_PROBLEM = re.compile(r"^Problem ([0-9a-f]{8})", re.MULTILINE)


def sessions(folder):
    """Two problems that three sessions met, each ended by the same change; something else was done before the first one
    was ended, so rules do not tell it."""
    for number, pier in enumerate(("north", "south", "west"), 1):
        (
            Transcript(number, start=3 * DAY * number)
            .user("feed the gulls")
            .run(
                f"gull feed {pier}", "Exit code 2\ngull: every pier is shut", error=True
            )
            .run("gull ring", "rung")
            .run(f"gull feed {pier} --open", "fed")
            .run("crane lift", "Exit code 1\ncrane: the brake is on", error=True)
            .run("crane release", "released")
            .run("crane lift", "lifted")
            .reply("Done.")
            .save(folder)
        )


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    sessions(tmp_path / "s")
    assert CliRunner().invoke(scan, [str(tmp_path / "s")]).exit_code == 0

    def invoke(*words):
        result = CliRunner().invoke(write, words)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


def answered(request, lesson):
    """An answer a dossier: what `lesson` says, or nothing."""
    rows = []
    for dossier in re.split(r"\n\n(?=Problem )", request["messages"][1]["content"]):
        name = _PROBLEM.search(dossier)[1]
        rows.append({"problem": name, **lesson(dossier)})
    return completion(json.dumps({"answers": rows}))


def about_gulls(dossier):
    if "gull" not in dossier:
        return {"answer": "nothing", "why": "ordinary work"}
    return {
        "answer": "lesson",
        "situation": "`gull feed PIER`: 'every pier is shut'",
        "remedy": "piers are closed here: `gull feed PIER --open`",
        "scope": "repo",
        "cites": [1, 2, 3],
        "remark": "writers add fields",
    }


@pytest.fixture
def server(tmp_path, run):
    with serving(lambda request: answered(request, about_gulls)) as model:
        settings = f'[model]\nbase_url = "{model.url}"\nmodel = "otter-7b"\n'
        (tmp_path / "kept" / "config.toml").write_text(settings, encoding="utf-8")
        yield model


def items():
    with Knowledge(load().knowledge) as knowledge:
        return knowledge.items(miner="written", evidence=True)


def test_what_two_sessions_show_is_told_from_now_on(run, server):
    result = run("--max-tokens", "100000", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["by"] == "otter-7b"
    assert report["counts"]["active"] == 1
    assert report["spent"]["usage"]["input"] == server.input
    (item,) = items()
    assert item.status == "active"
    assert item.remedy == "piers are closed here: `gull feed PIER --open`"
    assert {span.session[-1] for span in item.evidence} == {"1", "2", "3"}
    assert item.id in CliRunner().invoke(problems, []).output


def test_nobody_is_asked_twice(run, server):
    run("--max-tokens", "100000")
    asked = len(server.requests)
    again = run("--max-tokens", "100000")
    assert len(server.requests) == asked
    assert "Nothing to ask" in again.output
    answers = list(Answers(load().answers).every())
    assert {answer.by for answer in answers} == {"otter-7b"}


def test_people_read_what_became_of_it(run, server):
    output = run("--max-tokens", "100000").output
    assert "Written, and told from now on (1):" in output
    assert "gull feed PIER --open" in " ".join(output.split())
    assert "otter-7b answered" in output


def test_a_dry_run_shows_every_word_and_sends_nothing(run, server):
    harvest(load())
    short = run("--dry-run")
    full = run("--dry-run", "--full")
    assert server.requests == []
    assert "dossiers of" in short.output
    assert "gull: every pier is shut" in full.output


def test_without_a_cap_nothing_is_asked(run, server):
    with pytest.raises(CapReached, match="max-tokens"):
        run()
    assert server.requests == []


def test_one_problem_can_be_named(run, server):
    harvest(load())
    listed = json.loads(CliRunner().invoke(problems, ["--json"]).stdout)["problems"]
    crane = next(each["id"] for each in listed if "crane" in each["what"])
    report = json.loads(run(crane[:6], "--max-tokens", "100000", "--json").stdout)
    assert report["problems"] == 1
    with pytest.raises(NotFound, match="afterglow problems --all"):
        run("00000000", "--max-tokens", "100000")


def test_one_bad_answer_costs_no_other(tmp_path, run):
    def half(dossier):
        if "crane" in dossier:
            return {"answer": "a poem", "cites": "all of them"}
        return about_gulls(dossier)

    with serving(lambda request: answered(request, half)) as model:
        settings = f'[model]\nbase_url = "{model.url}"\nmodel = "otter-7b"\n'
        (tmp_path / "kept" / "config.toml").write_text(settings, encoding="utf-8")
        report = json.loads(run("--max-tokens", "100000", "--json").stdout)
    assert report["counts"]["active"] == 1
    assert report["refused"] == {"no answer": 1}


def test_a_batch_that_brings_nothing_is_asked_one_by_one(tmp_path, run):
    def picky(request):
        if request["messages"][1]["content"].count("\nProblem ") >= 1:
            return completion("I would rather not say.")
        return answered(request, about_gulls)

    with serving(picky) as model:
        settings = f'[model]\nbase_url = "{model.url}"\nmodel = "otter-7b"\n'
        (tmp_path / "kept" / "config.toml").write_text(settings, encoding="utf-8")
        report = json.loads(run("--max-tokens", "100000", "--json").stdout)
    assert report["counts"]["active"] == 1
    assert report["failures"] == {}


def test_a_server_that_only_fails_is_an_error_and_problems_stay_open(tmp_path, run):
    with serving(lambda request: failure(401, "no such key")) as model:
        settings = f'[model]\nbase_url = "{model.url}"\nmodel = "otter-7b"\n'
        (tmp_path / "kept" / "config.toml").write_text(settings, encoding="utf-8")
        result = run("--max-tokens", "100000")
    assert result.exit_code == 7
    assert "Stopped early" in result.output
    assert list(Answers(load().answers).every()) == []

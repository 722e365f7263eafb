"""What the product was founded on: each right from three short sessions, by a scripted writer where it takes one."""

from __future__ import annotations

import re

import pytest

from afterglow.config import Config, load
from afterglow.flows.harvest import harvest, plan_writing, write_lessons
from afterglow.llm.scripted import ScriptedModel
from afterglow.records.selection import Selection
from afterglow.store.knowledge import Knowledge
from writing import Transcript

DAY = 1440  # minutes
_PROBLEM = re.compile(r"^Problem ([0-9a-f]{8})", re.MULTILINE)


@pytest.fixture
def config(tmp_path, monkeypatch) -> Config:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    return load()


def learned(config: Config, folder, sessions, write=None) -> list[str]:
    """The lines of a new session's context, after three sessions and, if there is one, a writer."""
    for session in sessions:
        session.save(folder)
    harvest(config, Selection(paths=(folder,)))
    if write is not None:
        model = ScriptedModel(lambda request: answers(request, write))
        report = write_lessons(config, model, plan_writing(config))
        assert report.failures == {}, report
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(status=("active",))
    return [
        f"{item.situation} → {item.remedy}" if item.remedy else item.fact
        for item in items
    ]


def answers(request, write):
    """A writer that knows one lesson: `write` gives it for the dossier that shows it, and None for others."""
    text = request.messages[-1].content
    rows = []
    for dossier in re.split(r"\n\n(?=Problem )", text):
        name = _PROBLEM.search(dossier)[1]
        lesson = write(dossier)
        row = (
            {"answer": "nothing", "why": "nothing to tell"}
            if lesson is None
            else lesson
        )
        rows.append({"problem": name, **row})
    return {"answers": rows}


def cited(dossier: str, *words: str) -> list[int]:
    """The numbers of the lines that hold some words."""
    lines = [line for line in dossier.splitlines() if line.startswith("[")]
    return [
        int(line[1 : line.index("]")])
        for line in lines
        if any(word in line for word in words)
    ]


def test_405_on_merge_is_branch_protection(config, tmp_path):
    sessions = [
        Transcript(number, start=3 * DAY * number)
        .user(f"land change {number}")
        .run(
            f"curl -sf -X PUT https://git.example/api/repos/harbor/merges/{number}",
            "Exit code 22\ncurl: (22) The requested URL returned error: 405",
            error=True,
        )
        .reply("405: the branch is protected, a direct merge is not allowed.")
        .run(
            f"gh pr create --base main --head lamp-{number}", "https://git.example/pr/1"
        )
        .reply("The pull request is open.")
        for number in (1, 2, 3)
    ]

    def write(dossier):
        if "405" not in dossier:
            return None
        return {
            "answer": "lesson",
            "situation": "merging over the API: 'returned error: 405'",
            "remedy": "405 is branch protection: open a pull request, `gh pr create --base main`",
            "scope": "repo",
            "cites": cited(dossier, "405", "gh pr create"),
        }

    lines = learned(config, tmp_path / "s", sessions, write)
    assert any("405" in line and "gh pr create" in line for line in lines), lines


def test_the_token_is_in_a_file(config, tmp_path):
    sessions = [
        Transcript(number, start=3 * DAY * number)
        .user(f"publish lamp {number}")
        .run(
            "lampctl publish",
            "Exit code 1\nlampctl: LAMP_TOKEN is not set",
            error=True,
        )
        .run(
            "lampctl publish --token-file ~/.config/lamp/token",
            f"published lamp {number}",
        )
        .reply("Published.")
        for number in (1, 2, 3)
    ]

    (line,) = learned(config, tmp_path / "s", sessions)
    assert "LAMP_TOKEN is not set" in line
    assert "`lampctl publish --token-file ~/.config/lamp/token`" in line
    assert not plan_writing(config).dossiers  # nothing is left to be asked


def test_deploying_is_four_steps(config, tmp_path):
    sessions = [
        Transcript(number, start=3 * DAY * number)
        .user("deploy the harbor")
        .run(
            "make deploy",
            "Exit code 2\nmake: *** No rule to make target 'deploy'.  Stop.",
            error=True,
        )
        .user(
            "deploy is: make test, make build, git push, then call the webhook with make hook"
        )
        .run(
            "make test && make build && git push && make hook", "hook called: deployed"
        )
        .reply("Deployed.")
        for number in (1, 2, 3)
    ]

    def write(dossier):
        if "deploy" not in dossier:
            return None
        return {
            "answer": "lesson",
            "situation": "deploying: there is no `make deploy`",
            "remedy": "deploy = test, build, push, webhook: `make test && make build && git push && make hook`",
            "scope": "repo",
            "cites": cited(dossier, "No rule", "make hook"),
        }

    lines = learned(config, tmp_path / "s", sessions, write)
    assert any(
        "make test && make build && git push && make hook" in line for line in lines
    ), lines


def test_a_trailing_slash(config, tmp_path):
    sessions = [
        Transcript(number, start=3 * DAY * number)
        .user(f"list the {name}")
        .run(
            f"curl -sf http://localhost:8000/api/{name}",
            "Exit code 22\ncurl: (22) The requested URL returned error: 404",
            error=True,
        )
        .run(f"curl -sf http://localhost:8000/api/{name}/", "[]")
        .reply("There are none.")
        for number, name in enumerate(("piers", "lamps", "gulls"), 1)
    ]

    lines = learned(config, tmp_path / "s", sessions)
    assert any("it ends in `/`" in line for line in lines), lines
    assert not plan_writing(config).dossiers  # nothing is left to be asked


def test_a_variable_in_front_needs_no_writer(config, tmp_path):
    sessions = [
        Transcript(number, start=3 * DAY * number)
        .user("run the tests")
        .run(
            "make test",
            "Exit code 2\nnexus: NEXUS_ENV is not set, refusing to run\nmake: *** [test] Error 1",
            error=True,
        )
        .run("NEXUS_ENV=ci make test", f"{40 + number} passed")
        .reply("All green.")
        for number in (1, 2, 3)
    ]
    lines = learned(config, tmp_path / "s", sessions)
    assert any("NEXUS_ENV=ci make test" in line for line in lines), lines


def test_an_open_question_is_kept_open(config, tmp_path):
    question = "Do we keep the old lamp format after the move?"
    sessions = [
        Transcript(number, start=3 * DAY * number)
        .user(f"prepare the move, part {number}")
        .run("ls lamps", "a.lamp")
        .reply(f"Part {number} is prepared. {question}")
        for number in (1, 2, 3)
    ]
    lines = learned(config, tmp_path / "s", sessions)
    assert any("old lamp format" in line for line in lines), lines

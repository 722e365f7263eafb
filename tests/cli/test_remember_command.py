"""`afterglow windows` and `afterglow remember`: what a host agent sees of it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from afterglow.cli.problem_dossiers import to_write
from afterglow.cli.problems import problems
from afterglow.cli.remember import remember
from afterglow.cli.scan import scan
from afterglow.cli.windows import windows
from afterglow.cli.write import write
from afterglow.flows.harvest import prompt
from writing import Transcript

ROOT = Path(__file__).parents[2]
SKILLS = (
    ROOT / "integrations/claude-code/skills/afterglow-harvest/SKILL.md",
    ROOT / "src/afterglow/hermes/skills/afterglow-harvest/SKILL.md",
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    (
        Transcript()
        .user("feed the gulls")
        .run("gull feed --pier 3", "gull: --pier takes a name, no number", error=True)
        .run("gull feed --pier north", "fed")
        .save(tmp_path / "s")
    )

    def invoke(command, *words, text=None):
        return CliRunner().invoke(command, words, input=text)

    assert invoke(scan, str(tmp_path / "s")).exit_code == 0
    return invoke


def test_an_agent_goes_round_once(run):
    (window,) = msgspec.json.decode(run(windows, "--json").stdout)["windows"]
    failed = next(line for line in window["lines"] if line["who"] == "result")
    citation = {
        "session": window["session"],
        "line": failed["line"],
        "quote": failed["text"],
    }
    good = {
        "fact": "`gull feed --pier` takes a name.",
        "category": "tool-quirk",
        "citations": [citation],
    }
    bad = {**good, "citations": [{**citation, "line": 99}]}
    told = run(
        remember,
        "--by",
        "otter",
        "--json",
        "-",
        text=msgspec.json.encode([good, bad]).decode(),
    )
    assert told.exit_code == 1
    first, second = msgspec.json.decode(told.stdout)
    assert (first["outcome"], first["status"]) == ("kept", "candidate")
    assert "has no line 99" in second["refused"]
    assert (
        run(
            remember, "--json", "-", text=msgspec.json.encode([good]).decode()
        ).exit_code
        == 0
    )
    assert (
        msgspec.json.decode(run(windows, "--done", window["id"], "--json").stdout)[
            "windows"
        ]
        == []
    )


def test_people_can_read_windows_too(run):
    shown = run(windows).stdout
    assert "result failed [tool]: gull: --pier takes a name, no number" in shown


def test_the_prompt_is_the_text_of_every_skill(run):
    assert run(windows, "--prompt").stdout == prompt()
    for skill in SKILLS:
        head, body = (
            skill.read_text(encoding="utf-8")
            .removeprefix("---\n")
            .split("\n---\n\n", 1)
        )
        assert body == prompt()
        assert "name: afterglow-harvest" in head
        assert len(body.splitlines()) < 60


def test_the_commands_of_the_prompt_are_the_commands_there_are():
    known = {"windows": windows, "remember": remember, "write": write, "problems to-write": to_write}  # fmt: skip
    commands = re.findall(rf"`afterglow ({'|'.join(known)})([^`]*)`", prompt())
    for name, words in commands:
        options = {
            option for parameter in known[name].params for option in parameter.opts
        }
        assert set(re.findall(r"--[a-z]+", words)) <= options
    assert len(commands) == 5


def test_claude_code_may_run_every_command_of_the_prompt():
    head = SKILLS[0].read_text(encoding="utf-8").split("\n---\n", 1)[0]
    allowed = re.findall(r"Bash\((afterglow [^:]+):\*\)", head)
    commands = re.findall(r"`(afterglow (?!knowledge)[^`]+)`", prompt())
    assert commands
    assert [
        command for command in commands if not command.startswith(tuple(allowed))
    ] == []


def test_dossiers_that_wait_are_printed_for_an_agent_that_writes(run):
    assert run(problems, "to-write").stdout.startswith("None: ")
    assert msgspec.json.decode(run(problems, "to-write", "--json").stdout)["reason"]

"""mini-swe-agent with its own agents, environments and deterministic models."""

from __future__ import annotations

import os
import stat
import tempfile

import pytest

# It makes a folder for its settings, and greets, as soon as it is imported.
os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = f"{tempfile.gettempdir()}/mini-swe-agent"
os.environ["MSWEA_SILENT_STARTUP"] = "1"
pytest.importorskip("minisweagent")
pytest.importorskip("prompt_toolkit")
from minisweagent.agents import get_agent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import (
    DeterministicModel,
    DeterministicToolcallModel,
    make_output,
    make_toolcall_output,
)

from afterglow.adapters import mini_swe_agent
from afterglow.api import RunningSession
from afterglow.flows.session import Start
from harbour_home import REMEDY, learned_home, proved

ERROR = "error: pier-lock.json is out of date"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@pytest.fixture
def home(tmp_path):
    ag, place = learned_home(tmp_path, mini_swe_agent.AGENT)
    for name, body in {
        "build-pier": f"test -e locked && exit 0; echo '{ERROR}'; exit 1",
        "lock-piers": "touch locked",
    }.items():
        (place / name).write_text(f"#!/bin/sh\n{body}\n")
        (place / name).chmod(stat.S_IRWXU)
    return ag, place


COMMANDS = ("./build-pier", REMEDY, "./build-pier", SUBMIT)


def in_text() -> DeterministicModel:
    outputs = [make_output("", [{"command": command}]) for command in COMMANDS]
    return DeterministicModel(outputs=outputs)


def by_tools() -> DeterministicToolcallModel:
    outputs = []
    for number, command in enumerate(COMMANDS):
        action = {"command": command, "tool_call_id": f"c{number}"}
        outputs.append(make_toolcall_output("", [], [action]))
    return DeterministicToolcallModel(outputs=outputs)


def warm(home, model, name: str = "WarmAgent", **options):
    """As the program `mini` makes it out of a configuration."""
    ag, place = home
    config = {
        "agent_class": f"afterglow.adapters.mini_swe_agent.{name}",
        "system_template": "Be careful.",
        "instance_template": "{{task}}",
        "cost_limit": 0,
        "afterglow_home": str(ag.home),
        **options,
    }
    return get_agent(model, LocalEnvironment(cwd=str(place)), config)


def read(agent, ag):
    from afterglow.flows.read import open_session

    return open_session(ag._config, agent._session.id)


@pytest.mark.parametrize("model", [in_text, by_tools])
def test_a_run_is_told_at_its_start_and_behind_the_command_that_failed(home, model):
    agent = warm(home, model())
    assert agent.run("build the pier")["exit_status"] == "Submitted"
    first, *rest = [message["content"] for message in agent.messages]
    assert first.startswith("Be careful.\n\n")
    assert REMEDY in first
    assert sum("[afterglow] " in content for content in rest) == 1
    entry, session = read(agent, home[0])
    calls = [call for turn in session.turns for call in turn.calls]
    assert [call.outcome.value for call in calls[:3]] == ["failed", "ok", "ok"]
    assert calls[0].result == f"{ERROR}\n"
    assert (entry.agent, session.cwd) == (mini_swe_agent.AGENT, str(home[1]))
    assert proved(agent._session) == {"start", "failure"}


def test_variables_of_its_environment_are_not_kept(home):
    ag, _ = home
    agent = warm(home, in_text())
    agent.env.config.env["PIER_KEY"] = "mooring-and-rope"
    agent.run("build the pier")
    assert not [
        path
        for path in ag.home.rglob("*")
        if path.is_file() and b"mooring-and-rope" in path.read_bytes()
    ]


def test_the_agent_of_the_program_is_warm_too(home):
    options = {"mode": "yolo", "confirm_exit": False}
    agent = warm(home, by_tools(), "WarmInteractiveAgent", **options)
    agent.run("build the pier")
    assert REMEDY in agent.messages[0]["content"]
    assert proved(agent._session) == {"start", "failure"}


def test_its_own_trajectory_is_the_same_session(home, tmp_path):
    ag, _ = home
    path = tmp_path / "runs" / "last.traj.json"
    agent = warm(home, in_text(), output_path=path)
    agent.run("build the pier")
    report = ag.scan(path)
    assert (report.sessions, report.copies) == (0, 1)
    entry, _ = read(agent, ag)
    assert entry.id == agent._session.id


def test_what_is_not_to_be_recorded_is_proved_by_its_own_trajectory(home, tmp_path):
    ag, _ = home
    path = tmp_path / "runs" / "last.traj.json"
    agent = warm(home, in_text(), output_path=path, afterglow_record=False)
    agent.run("build the pier")
    assert not list(ag.home.rglob("*.traj.json"))
    ag.scan(path)
    assert proved(agent._session) == {"start", "failure"}


def test_braces_of_a_lesson_are_no_template(home):
    ag, place = home
    agent = warm(home, in_text())
    start = Start("ag-0", "use {{ pier }} and {% lock %}", 0, (), "")
    agent._session = RunningSession(ag, "s", cwd=place, start=start)
    prompt = agent._render_template(agent.config.system_template)
    assert prompt == "Be careful.\n\nuse {{ pier }} and {% lock %}"

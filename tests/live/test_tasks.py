"""Real agents run tasks in every arm, each enclosed in a room of its own, with stand-ins for their models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.flows import experiment
from afterglow.flows.tasks import Endpoint, run_tasks
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.templates.folder import Templates
from keeping import NOW
from live.agent_models import AgentModel, serving_agents
from live.agent_room import GH, REMEDY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here"),
]
ARMS = ("cold", "start", "failure", "both")
FAILING = "gh pr diff 7 --stat"
OURS = "What earlier sessions in harbor taught"


@pytest.fixture
def study(learned: Path, tmp_path: Path) -> tuple[Config, Path]:
    home = shutil.copytree(learned, tmp_path / "kept")
    config = Config(home=home, user_home=tmp_path / "user")
    experiment.new(
        config,
        "study",
        arms=ARMS,
        unit="task",
        design="paired",
        outcomes=("success", "errors", "calls"),
    )
    task = tmp_path / "tasks/lamps"
    (task / "project/bin").mkdir(parents=True)
    (task / "project/bin/gh").write_text(GH)
    (task / "project/bin/gh").chmod(0o755)
    (task / "request.md").write_text("light the lamps")
    (task / "check.sh").write_text("test -e lit\n")
    (task / "task.toml").write_text('repo = "harbor"\n')
    return config, tmp_path / "tasks"


def told(model: AgentModel) -> list[tuple[bool, bool]]:
    """Of each run, in the order of their arms: whether its start, and whether its failure was told about."""
    sessions: list[list[str]] = []
    for body in model.asked():
        text = json.dumps(body, ensure_ascii=False)
        if "light the lamps" not in text:
            continue
        if FAILING not in text:
            sessions.append([])
        sessions[-1].append(text)
    return [(OURS in texts[0], texts[-1].count(REMEDY) > texts[0].count(REMEDY)) for texts in sessions]  # fmt: skip


def check(report, model: AgentModel) -> None:
    assert [run.trouble for run in report.runs] == [""] * 4
    assert all(run.success for run in report.runs), report
    assert {run.outcomes["errors"] for run in report.runs} == {1.0}
    by_arm = dict(zip([run.arm for run in report.runs], told(model), strict=True))
    assert by_arm == {
        "cold": (False, False),
        "start": (True, False),
        "failure": (False, True),
        "both": (True, True),
    }


def test_claude_code_is_told_what_its_arm_says(program, study, agent_programs):
    program("claude")
    config, tasks = study
    step = lambda command: [("Bash", {"command": command, "description": "work"})]  # noqa: E731
    script = {
        "light the lamps": [step(f"PATH=$PWD/bin:$PATH {FAILING}"), step("touch lit")]
    }
    with serving_agents(AgentModel(script=script)) as model:
        endpoint = Endpoint(model.url, key="invented")
        report = run_tasks(
            config,
            "study",
            tasks,
            agent="claude-code",
            path=agent_programs,
            endpoint=endpoint,
        )
        check(report, model)


def test_claude_code_begins_with_a_part_of_a_template_and_ends_after_its_calls(
    program, study, agent_programs
):
    program("claude")
    config, tasks = study
    seed = SessionSeed(
        system_context="lamps are trimmed at dusk",
        tool_examples=(ToolCallExample("Bash", '{"command": "ls wicks"}', "ok"),),
    )
    made = WarmTemplate(id="", name="Lamps", seed=seed, repo="harbor", approved=True)
    Templates(config.templates).add(made, NOW)
    arms = ("cold", "template:examples")
    experiment.new(config, "parts", arms=arms, unit="task", design="paired", outcomes=("success",))  # fmt: skip
    (tasks / "lamps/task.toml").write_text('repo = "harbor"\ncalls = 1\n')
    step = lambda command: [("Bash", {"command": command, "description": "work"})]  # noqa: E731
    script = {"light the lamps": [step("echo one"), step("touch lit")]}
    with serving_agents(AgentModel(script=script)) as model:
        endpoint = Endpoint(model.url, key="invented")
        report = run_tasks(config, "parts", tasks, agent="claude-code", path=agent_programs, endpoint=endpoint)  # fmt: skip
    assert [(run.trouble, run.success) for run in report.runs] == [("", False)] * 2
    asked = [json.dumps(body, ensure_ascii=False) for body in model.asked()]
    starts = [text for text in asked if "light the lamps" in text and "echo one" not in text]  # fmt: skip
    by_arm = dict(zip([run.arm for run in report.runs], starts, strict=True))
    assert "ls wicks" in by_arm["template:examples"]
    assert "trimmed at dusk" not in "".join(asked)
    assert "ls wicks" not in by_arm["cold"]


def test_codex_is_told_what_its_arm_says(program, study, agent_programs):
    program("codex")
    config, tasks = study
    step = lambda command: [("exec_command", {"cmd": command})]  # noqa: E731
    script = {
        "light the lamps": [step(f"PATH=$PWD/bin:$PATH {FAILING}"), step("touch lit")]
    }
    with serving_agents(AgentModel(script=script)) as model:
        endpoint = Endpoint(f"{model.url}/v1", "invented", "invented")
        report = run_tasks(
            config,
            "study",
            tasks,
            agent="codex",
            path=agent_programs,
            endpoint=endpoint,
        )
        check(report, model)


def test_what_an_agent_did_stays_in_its_room(program, study, agent_programs):
    program("claude")
    config, tasks = study
    before = {path: path.stat().st_size for path in config.home.glob("*.db")}
    with serving_agents(AgentModel()) as model:
        endpoint = Endpoint(model.url, key="invented")
        run_tasks(
            config,
            "study",
            tasks,
            agent="claude-code",
            path=agent_programs,
            endpoint=endpoint,
        )
    after = {path: path.stat().st_size for path in config.home.glob("*.db")}
    changed = {path.name for path in after if before.get(path) != after[path]}
    assert changed <= {"experiments.db"}
    assert not config.user_home.exists()


def test_hermes_is_told_what_its_arm_says(study, agent_programs):
    from live.hermes_room import hermes_program
    from live.model_server import MODEL, ModelServer, serving

    config, tasks = study
    path = f"{hermes_program().parent}:{agent_programs}"
    step = lambda command: ("terminal", {"command": command})  # noqa: E731
    script = {"light the lamps": [step(f"PATH=$PWD/bin:$PATH {FAILING}"), step("touch lit")]}  # fmt: skip
    with serving(ModelServer(script=script)) as model:
        endpoint = Endpoint(model.url, MODEL, "none")
        report = run_tasks(
            config, "study", tasks, agent="hermes", path=path, endpoint=endpoint
        )
    assert [run.trouble for run in report.runs] == [""] * 4
    assert all(run.success for run in report.runs), report
    texts = [json.dumps(body, ensure_ascii=False) for body in model.requests]
    starts = [text for text in texts if FAILING not in text]
    by_arm = dict(zip([run.arm for run in report.runs], starts, strict=True))
    told_at_start = {arm for arm, text in by_arm.items() if "(ag-" in text}
    assert told_at_start == {"start", "both"}

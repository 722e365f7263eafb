"""A run of the OpenAI Agents SDK, with a model that follows a script."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("agents")
from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.exceptions import MaxTurnsExceeded
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from afterglow.adapters.openai_agents import WarmRun
from harbour_home import FAILED, REMEDY, learned_home, proved

SILENT = RunConfig(tracing_disabled=True)


class Scripted(Model):
    """Calls `bash` with these commands, then is done; `sent` is what it was sent each time."""

    def __init__(self, *commands: str) -> None:
        self.commands = commands
        self.sent: list[tuple[str, list]] = []

    async def get_response(self, system_instructions, input, *words, **options):
        step = len(self.sent)
        self.sent.append((system_instructions, input))
        output = _done()
        if step < len(self.commands):
            arguments = json.dumps({"command": self.commands[step]})
            output = ResponseFunctionToolCall(
                type="function_call",
                call_id=f"c{step}",
                name="bash",
                arguments=arguments,
            )
        return ModelResponse([output], Usage(), None)

    def stream_response(self, *words, **options):
        raise NotImplementedError


def _done() -> ResponseOutputMessage:
    text = ResponseOutputText(type="output_text", text="Built.", annotations=[])
    return ResponseOutputMessage(
        id="m", type="message", role="assistant", status="completed", content=[text]
    )


@function_tool
def bash(command: str) -> str:
    """Runs a command line."""
    if command == "boom":
        raise OSError("no such pier")
    return FAILED if command == "./build-pier" else "locked"


@pytest.fixture
def run(tmp_path):
    ag, place = learned_home(tmp_path)
    return WarmRun(ag, "build the pier", cwd=place)


def agent(model: Model) -> Agent:
    return Agent("Dockhand", instructions="Be careful.", model=model, tools=[bash])


def outputs(items: list) -> list[str]:
    return [item["output"] for item in items if item.get("type", "").endswith("output")]


def calls(run: WarmRun) -> list[tuple[str, str]]:
    from afterglow.flows.read import open_session

    _, session = open_session(run.session._afterglow._config, run.session.id)
    calls = [call for turn in session.turns for call in turn.calls]
    return [(call.tool, call.outcome.value) for call in calls]


def test_a_run_is_told_at_its_start_and_behind_the_call_that_failed(run):
    model = Scripted("./build-pier", REMEDY)
    result = Runner.run_sync(agent(model), "go", run_config=run.run_config(SILENT))
    prompts = {prompt for prompt, _ in model.sent}
    assert len(prompts) == 1
    assert prompts.pop() == f"Be careful.\n\n{run.session.text}"
    first, second = outputs(model.sent[-1][1])
    assert (first.startswith(FAILED), first.count(REMEDY)) == (True, 1)
    assert outputs(model.sent[1][1]) == [first], "the same words each time"
    assert second == "locked"
    assert run.record(result)
    assert proved(run.session) == {"start", "failure"}
    assert calls(run) == [("bash", "failed"), ("bash", "ok")]


def test_a_filter_that_is_set_comes_first(run):
    def shout(call):
        call.model_data.instructions = "SHOUT."
        return call.model_data

    model = Scripted()
    config = RunConfig(tracing_disabled=True, call_model_input_filter=shout)
    Runner.run_sync(agent(model), "go", run_config=run.run_config(config))
    assert model.sent[0][0] == f"SHOUT.\n\n{run.session.text}"


def test_a_run_that_raised_an_error_is_kept_as_far_as_it_went(run):
    model = Scripted("./build-pier", REMEDY, REMEDY, REMEDY)
    with pytest.raises(MaxTurnsExceeded):
        Runner.run_sync(
            agent(model), "go", run_config=run.run_config(SILENT), max_turns=2
        )
    assert run.record()
    assert calls(run) == [("bash", "failed")]


def test_a_tool_that_raises_is_a_failed_call(run):
    result = Runner.run_sync(
        agent(Scripted("boom")), "go", run_config=run.run_config(SILENT)
    )
    assert run.record(result)
    assert calls(run) == [("bash", "failed")]

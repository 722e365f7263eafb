"""A run of the OpenAI Agents SDK, with a model that follows a script."""

from __future__ import annotations

import asyncio
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


def go(model: Model, run: WarmRun, config: RunConfig = SILENT, **options):
    agent = Agent("Dockhand", instructions="Be careful.", model=model, tools=[bash])
    running = Runner.run(agent, "go", run_config=run.run_config(config), **options)
    return asyncio.run(running)


def outputs(items: list) -> list[str]:
    return [item["output"] for item in items if item.get("type", "").endswith("output")]


def calls(run: WarmRun) -> list[tuple[str, str]]:
    from afterglow.flows.read import open_session

    _, session = open_session(run.session._afterglow._config, run.session.id)
    calls = [call for turn in session.turns for call in turn.calls]
    return [(call.tool, call.outcome.value) for call in calls]


def test_a_run_is_told_at_its_start_and_behind_the_call_that_failed(run):
    model = Scripted("./build-pier", REMEDY)
    result = go(model, run)
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


def test_commands_of_its_own_shell_are_told_about_too(run):
    call = {"type": "shell_call", "call_id": "c1"}
    call["action"] = {"commands": ["./build-pier"]}
    ended = {"type": "exit", "exit_code": 1}
    error = FAILED.partition("\n")[2]
    printed = {"stdout": "", "stderr": error, "outcome": ended}
    output = {"type": "shell_call_output", "call_id": "c1", "output": [printed]}
    items = [{"role": "user", "content": "go"}, call, output, {"type": "reasoning"}]
    sent = run._with_lines(items)
    assert sent[2]["output"][0]["stderr"].startswith(f"{error}\n\n[afterglow] ")
    assert REMEDY in sent[2]["output"][0]["stderr"]
    assert (sent[:2], sent[3]) == (items[:2], items[3])
    assert run.session.record([*sent, {"role": "assistant", "content": "Done."}])
    assert calls(run) == [("bash", "failed")]
    assert proved(run.session) == {"failure"}


def test_a_filter_that_is_set_comes_first(run):
    def shout(call):
        call.model_data.instructions = "SHOUT."
        return call.model_data

    model = Scripted()
    config = RunConfig(tracing_disabled=True, call_model_input_filter=shout)
    go(model, run, config)
    assert model.sent[0][0] == f"SHOUT.\n\n{run.session.text}"


def test_a_run_that_raised_an_error_is_kept_as_far_as_it_went(run):
    model = Scripted("./build-pier", REMEDY, REMEDY, REMEDY)
    with pytest.raises(MaxTurnsExceeded):
        go(model, run, max_turns=2)
    assert run.record()
    assert calls(run) == [("bash", "failed")]


def test_a_tool_that_raises_is_a_failed_call(run):
    result = go(Scripted("boom"), run)
    assert run.record(result)
    assert calls(run) == [("bash", "failed")]

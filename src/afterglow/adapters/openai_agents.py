"""OpenAI Agents SDK (`openai-agents`): a run that starts warm.

    run = WarmRun(ag, task, cwd=".")
    result = Runner.run_sync(agent, task, run_config=run.run_config())
    run.record(result)

The model's instructions get the context, and the output of a call that went wrong gets its line, in the SDK's own filter
of what is sent to a model. Agents, tools and hooks stay as they are.
"""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Iterable
from dataclasses import replace
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import RunConfig
from agents.run import CallModelData, ModelInputData

from afterglow.adapters.prompts import with_context
from afterglow.sessions.message_lines import shell_command, shell_text

if TYPE_CHECKING:
    from afterglow.api import Afterglow

CALLS = ("function_call", "shell_call")
# What the SDK tells the model where a tool raised an error, or took too long.
_FAILED = re.compile(
    r"An error occurred while running the tool|Tool '[^']*' timed out after"
)


class WarmRun:
    """One run of a `Runner`: its session, and what it was told."""

    def __init__(
        self,
        ag: Afterglow,
        task: str = "",
        *,
        cwd: str | Path = ".",
        session: str = "",
        budget: int | None = None,
    ) -> None:
        self.session = ag.session(task, cwd=cwd, session=session, budget=budget)
        self._lines: dict[str, str] = {}  # what stands behind each call's output
        self._sent = ModelInputData(input=[], instructions=None)

    def run_config(self, config: RunConfig | None = None) -> RunConfig:
        """For `Runner.run`. A filter that is set already comes first."""
        earlier = config.call_model_input_filter if config else None

        async def filtered(call: CallModelData[Any]) -> ModelInputData:
            if earlier is not None:
                answer = earlier(call)
                sent = await answer if isawaitable(answer) else answer
                call = replace(call, model_data=sent)
            return await self.input_filter(call)

        return replace(config or RunConfig(), call_model_input_filter=filtered)

    async def input_filter(self, call: CallModelData[Any]) -> ModelInputData:
        """A `call_model_input_filter`: what the model is sent, with what is known."""
        sent = call.model_data
        items = await to_thread(self._with_lines, sent.input)
        instructions = with_context(sent.instructions, self.session.text)
        self._sent = ModelInputData(input=items, instructions=instructions)
        return self._sent

    def record(self, result: Any = None) -> bool:
        """The run's end. Without a result (the run raised an error) what the model was last sent is kept."""
        items = self._sent.input
        model = ""
        if result is not None:
            items = self._with_lines(result.to_input_list())
            named = result.last_agent.model
            model = named if isinstance(named, str) else ""
        instructions = self._sent.instructions
        prompt = [{"role": "system", "content": instructions}] if instructions else []
        return self.session.record([*prompt, *items], model=model)

    def _with_lines(self, items: Iterable[Any]) -> list[Any]:
        """Each output is looked at once; after that it stays as the model read it."""
        sent = [*items]
        calls = {
            item.get("call_id"): item for item in sent if item.get("type") in CALLS
        }
        return [self._with_line(item, calls.get(item.get("call_id"))) for item in sent]

    def _with_line(self, item: Any, call: Any) -> Any:
        kind, output = item.get("type"), item.get("output")
        if call is None or not output:
            return item
        id = str(item["call_id"])
        if kind == "function_call_output" and isinstance(output, str):
            line = self._line(id, call["name"], call["arguments"], output)
            return {**item, "output": f"{output}{line}"}
        if kind == "shell_call_output":
            line = self._line(id, "bash", shell_command(call), shell_text(output))
            *before, last = output
            last = {**last, "stderr": f"{last.get('stderr') or ''}{line}"}
            return {**item, "output": [*before, last]}
        return item

    def _line(self, id: str, tool: str, arguments: Any, output: str) -> str:
        """What stands behind an output; nothing, mostly."""
        if id not in self._lines:
            failed = True if _FAILED.match(output) else None
            read = self.session.result(tool, arguments, output, call=id, failed=failed)
            self._lines[id] = read.removeprefix(output)
        return self._lines[id]

"""What agents with hooks are told unasked: what happened when a call failed before. Others ask for it by a tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from afterglow.calls import is_shell_call
from afterglow.config import Config
from afterglow.flows.session import Start, on_failure
from afterglow.mcp.results import NOTE, Answer, agent_of, folder, tool
from afterglow.mcp.tools import Agent, Asking, Folder
from afterglow.records.context import FinishedCall

# Characters of an output that are looked at: what matters of a message stands at an end.
MAX_OUTPUT_CHARACTERS = 100_000


class Failures:
    """`here` is the folder the agent works in, if the server was started in it."""

    def __init__(self, config: Config, here: Path | None) -> None:
        self.config, self.here = config, here

    def tools(self) -> list[Tool]:
        return [
            tool(self.failed_before, Start, "What happened when this failed before")
        ]

    def failed_before(
        self,
        output: Annotated[str, Field(description="what the call printed, whole")],
        asking: Asking,
        arguments: Annotated[
            str, Field(description="the command, or the tool's arguments as JSON")
        ] = "",
        tool: Annotated[str, Field(description="name of the tool")] = "Bash",
        cwd: Folder = "",
        agent: Agent = "",
    ) -> Answer:
        """What happened when this failed before, and what worked: one line, or nothing. Call it right after a call
        failed, with its command and its output. It may know nothing: then go on."""
        call = _failed_call(tool, arguments, output[-MAX_OUTPUT_CHARACTERS:])
        line = on_failure(
            self.config,
            agent=agent or agent_of(asking),
            cwd=folder(cwd, self.here),
            session="",
            calls=[call],
        )
        text = f"{NOTE}\n{line.text}" if line.text else f"Nothing: {line.reason}."
        return Answer(text, line)


def _failed_call(tool: str, arguments: str, output: str) -> FinishedCall:
    """A command may be handed over as it is; that of a shell failed with some exit code."""
    if not arguments.lstrip().startswith("{"):
        arguments = msgspec.json.encode({"command": arguments}).decode()
    if is_shell_call(tool, arguments) and not output.startswith("Exit code"):
        output = f"Exit code 1\n{output}"
    return FinishedCall(tool, arguments, output, failed=True)

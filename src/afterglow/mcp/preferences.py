"""The tool `memory_backend`: the person's own preferences, offered only where a backend keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from afterglow.config import Config
from afterglow.flows.memory import spoken_in_session
from afterglow.mcp.results import Answer, agent_of, tool
from afterglow.memory import tool as asked
from afterglow.memory.backend import LIMIT
from afterglow.memory.backends import DEFAULT, keeps_entries
from afterglow.memory.spoken import Spoken

_PARTS = asked.SCHEMA["parameters"]["properties"]
_RETURNS = {
    "type": "object",
    "properties": {
        "success": {"type": "boolean"},
        "action": {"type": "string"},
        "error": {"type": "string"},
    },
    "required": ["success"],
}


def memory_tools(config: Config, here: Path | None) -> list[Tool]:
    if not keeps_entries(config):
        return []
    server_tool = tool(
        Preferences(config, here).memory_backend,
        _RETURNS,
        "The person's preferences",
        destroys=True,
        abroad=config.memory_backend not in {"", DEFAULT},
    )
    return [server_tool.model_copy(update={"description": asked.SCHEMA["description"]})]


class Preferences:
    """`here` is the folder the agent works in, by which its session is known."""

    def __init__(self, config: Config, here: Path | None) -> None:
        self.config, self.here = config, here

    def memory_backend(
        self,
        asking: Context[Any, Any],
        action: Annotated[
            Literal["store", "retrieve", "query", "list", "delete", "info", "evaluate"],
            Field(description=_PARTS["action"]["description"]),
        ],
        key: Annotated[
            str | None, Field(description=_PARTS["key"]["description"])
        ] = None,
        value: Annotated[
            str | None, Field(description=_PARTS["value"]["description"])
        ] = None,
        query: Annotated[
            str | None, Field(description=_PARTS["query"]["description"])
        ] = None,
        limit: Annotated[int, Field(ge=1, le=asked.MAX_LIMIT)] = LIMIT,
        metadata: Annotated[
            dict[str, Any] | None, Field(description=_PARTS["metadata"]["description"])
        ] = None,
    ) -> Answer:
        arguments: dict[str, Any] = {
            "key": key,
            "value": value,
            "query": query,
            "metadata": metadata,
        }
        if action == "query":
            arguments["limit"] = limit
        agent = agent_of(asking)

        def spoken() -> Spoken:
            return spoken_in_session(self.config, agent=agent, cwd=self.here)

        answer = asked.answered(action, arguments, spoken)
        record = msgspec.json.decode(answer)
        return Answer(answer, record, failed=not record["success"])

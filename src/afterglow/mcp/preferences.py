"""The tool `memory_backend`: the person's own preferences, offered only where a backend keeps them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from afterglow.config import Config
from afterglow.mcp.results import Answer, tool
from afterglow.memory import tool as asked
from afterglow.memory.backend import LIMIT

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


def memory_tools(config: Config) -> list[Tool]:
    named = config.memory_backend
    if named in {"", "null"}:
        return []
    server_tool = tool(
        memory_backend,
        _RETURNS,
        "The person's preferences",
        destroys=True,
        abroad=named != "local",
    )
    return [server_tool.model_copy(update={"description": asked.SCHEMA["description"]})]


def memory_backend(
    action: Annotated[
        Literal["store", "retrieve", "query", "list", "delete", "info", "evaluate"],
        Field(description=_PARTS["action"]["description"]),
    ],
    key: Annotated[str | None, Field(description=_PARTS["key"]["description"])] = None,
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
    arguments = {"key": key, "value": value, "query": query, "metadata": metadata}
    answer = asked.memory_backend(
        action, **arguments, **({"limit": limit} if action == "query" else {})
    )
    record = msgspec.json.decode(answer)
    return Answer(answer, record, failed=not record["success"])

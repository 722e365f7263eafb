"""The user's memory as Hermes' memory provider: for those who want it in every turn, not only when the model asks.

Hermes takes one provider; the hooks of this plugin do not need that place, so it may as well go to another.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from afterglow.hermes.guard import guarded
from afterglow.hermes.tools import keeps, user_named

NAME = "afterglow"
SHOWN = 5  # entries before a turn
LONGEST = 2000  # characters before a turn


class Remembering:
    """What Hermes asks of a provider. `provider` adds what Hermes' own class does besides."""

    def __init__(self) -> None:
        from afterglow.memory.tool import USER

        self.user = USER
        self._look = guarded("memory", self._found, otherwise="")
        self._answer = guarded(
            "memory_backend", self._told, seconds=30.0, otherwise='{"success": false}'
        )

    @property
    def name(self) -> str:
        return NAME

    def is_available(self) -> bool:
        return bool(guarded("memory", keeps, otherwise=False)())

    def initialize(self, session_id: str, **said: Any) -> None:
        if user := said.get("user_id"):
            self.user = user_named(str(said.get("platform") or ""), str(user))

    def system_prompt_block(self) -> str:
        return "The user's preferences are kept across sessions: memory_backend stores and finds them."

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Entries about the user's words, or nothing."""
        return self._look(query) or ""

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        from afterglow.memory.tool import SCHEMA

        return [SCHEMA]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **_: Any) -> str:
        return self._answer(args) or ""

    def _found(self, query: str) -> str:
        from afterglow.memory.backends import get_memory_backend

        if not query.strip():
            return ""
        found = get_memory_backend().query(self.user, query, SHOWN)
        return "\n".join(f"{entry.key}: {entry.value}" for entry in found)[:LONGEST]

    def _told(self, args: dict[str, Any]) -> str:
        from afterglow.memory.tool import memory_backend

        return memory_backend(
            **{
                **{str(name): value for name, value in args.items()},
                "user_id": self.user,
            }
        )


def provider() -> Any:
    """A provider of Hermes' own kind where Hermes is there."""
    try:
        kind = import_module("agent.memory_provider").MemoryProvider
    except (ImportError, AttributeError):
        return Remembering()
    return type("AfterglowMemory", (Remembering, kind), {})()

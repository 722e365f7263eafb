"""The user's memory as Hermes' memory provider: for those who want it in every turn, not only when the model asks.

Hermes takes one provider; the hooks of this plugin do not need that place, so it may as well go to another.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from afterglow.hermes.guard import guarded
from afterglow.hermes.tools import keeps, remembered, user_named

NAME = "afterglow"
MAX_ENTRIES = 5  # before a turn: every turn pays for them
MAX_CHARACTERS = 2000  # of them: some 500 tokens
TOOL_SECONDS = 30.0  # a model waits, not a person


class Remembering:
    """What Hermes asks of a provider. `provider` adds what Hermes' own class does besides."""

    def __init__(self) -> None:
        from afterglow.memory.tool import USER

        self.user = USER
        self.session = ""
        self._look = guarded("memory", self._entries, otherwise="")
        self._answer = guarded(
            "memory_backend",
            self._tool_answer,
            seconds=TOOL_SECONDS,
            otherwise='{"success": false}',
        )

    @property
    def name(self) -> str:
        return NAME

    def is_available(self) -> bool:
        return bool(guarded("memory", keeps, otherwise=False)())

    def initialize(self, session_id: str, **fields: Any) -> None:
        self.session = session_id
        if user := fields.get("user_id"):
            self.user = user_named(str(fields.get("platform") or ""), str(user))

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

    def _entries(self, query: str) -> str:
        from afterglow.memory.backends import get_memory_backend
        from afterglow.memory.waiting import may_be_told

        if not query.strip():
            return ""
        entries = get_memory_backend().query(self.user, query, MAX_ENTRIES)
        lines = [
            f"{entry.key}: {entry.value}" for entry in entries if may_be_told(entry)
        ]
        return "\n".join(lines)[:MAX_CHARACTERS]

    def _tool_answer(self, args: dict[str, Any]) -> str:
        arguments = {str(name): value for name, value in args.items()}
        return remembered({**arguments, "user_id": self.user}, self.session)


def provider() -> Any:
    """A provider of Hermes' own kind where Hermes is there."""
    try:
        kind = import_module("agent.memory_provider").MemoryProvider
    except (ImportError, AttributeError):
        return Remembering()
    return type("AfterglowMemory", (Remembering, kind), {})()

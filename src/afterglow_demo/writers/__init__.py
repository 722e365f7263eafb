"""One module per native format: where a session's file lies, what its agent calls its tools, and the bytes.

A writer has `FORMAT`, `path(plan)`, `call(act, plan) -> (tool, arguments)` and `encode(story) -> bytes`. Hermes keeps
all its sessions in one database and has `write(stories, path)` instead.
"""

from __future__ import annotations

from typing import Protocol

from afterglow_demo.plan import Plan
from afterglow_demo.story import Act, Story
from afterglow_demo.writers import (
    claude_code,
    codex,
    gemini_cli,
    hermes_db,
    openai_jsonl,
)


class Writer(Protocol):
    FORMAT: str
    REPLIES_COUNT: bool  # whether one turn of the assistant is one turn for a reader of this format

    def path(self, plan: Plan) -> str: ...
    def call(self, act: Act, plan: Plan) -> tuple[str, dict[str, object]]: ...


class FileWriter(Writer, Protocol):
    def encode(self, story: Story) -> bytes: ...


FILES: dict[str, FileWriter] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini-cli": gemini_cli,
    "openai": openai_jsonl,
}
WRITERS: dict[str, Writer] = {**FILES, "hermes": hermes_db}

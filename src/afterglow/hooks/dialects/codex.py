"""Codex: the events and answers of Claude Code, with fewer events: no end of a session is told, only that of a turn.

It refuses answers with fields it does not know, so there are none but those needed.
"""

from __future__ import annotations

from afterglow.hooks.dialects.claude_code import answer, read

__all__ = ["AGENT", "CHARACTERS", "answer", "read"]

AGENT = "codex"
CHARACTERS = 9000  # as Claude Code

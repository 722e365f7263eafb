"""Codex: the events and answers of Claude Code, with fewer events: no call is told to have failed, only that it ended,
and its output has no exit code.

It refuses answers with fields it does not know, so there are none but those needed. Inside a sub-agent `session_id` is
that of the session that sent it, `transcript_path` its own.
"""

from __future__ import annotations

from afterglow.hooks.dialects.claude_code import answer, read

__all__ = ["AGENT", "CHARACTERS", "answer", "read"]

AGENT = "codex"
CHARACTERS = 9000  # as Claude Code

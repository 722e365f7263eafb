"""Codex: the events and answers of Claude Code, with fewer events: no call is told to have failed, only that it ended,
and its output has no exit code.

It refuses answers with fields it does not know, so there are none but those needed. A sub-agent is a session of its own
there, with a transcript of its own.
"""

from __future__ import annotations

from afterglow.hooks.dialects.claude_code import answer, read

__all__ = ["AGENT", "CHARACTERS", "answer", "read"]

AGENT = "codex"
CHARACTERS = 9000  # as Claude Code

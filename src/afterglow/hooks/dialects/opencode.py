"""OpenCode: our plugin tells of a call that ended as Claude Code would, and puts the answer behind its output."""

from __future__ import annotations

from afterglow.hooks.dialects.claude_code import answer, read

__all__ = ["AGENT", "CHARACTERS", "answer", "read"]

AGENT = "opencode"
CHARACTERS = 9000  # as Claude Code

"""The agents whose hooks we speak: one small file each, one line here."""

from __future__ import annotations

from afterglow.registry import Table

DIALECTS = Table(
    "afterglow.hooks",
    {
        "claude-code": "afterglow.hooks.dialects.claude_code",
        "codex": "afterglow.hooks.dialects.codex",
        "opencode": "afterglow.hooks.dialects.opencode",
    },
)

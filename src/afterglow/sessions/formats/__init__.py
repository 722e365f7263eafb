"""The table of session formats, one module each.

A format module has `NAME`, `sniff(path, head) -> bool` (cheap, never raises, true for its own files only) and
`read(path, since=Mark()) -> Iterator[Session]`. `since` is honoured by formats whose files only ever grow, and ignored
by the rest. `beside(path)` names the files that reading looks at besides, if there are any; `MANY_FILES` says that
sessions lie in too many of them to be fetched one by one.

Add a format: one module here, one line below, one fixture under `tests/sessions/fixtures/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from afterglow.records.session import Mark, Session
from afterglow.registry import Table


class Format(Protocol):
    NAME: str

    def sniff(self, path: Path, head: bytes) -> bool: ...
    def read(self, path: Path, since: Mark = ...) -> Iterator[Session]: ...


FORMATS = Table(
    "afterglow.formats",
    {
        "claude-code": "afterglow.sessions.formats.claude_code",
        "codex": "afterglow.sessions.formats.codex",
        "copilot-cli": "afterglow.sessions.formats.copilot_cli",
        "gemini-cli": "afterglow.sessions.formats.gemini_cli",
        "pi": "afterglow.sessions.formats.pi",
        "oh-my-pi": "afterglow.sessions.formats.oh_my_pi",
        "entire-compact": "afterglow.sessions.formats.entire_compact",
        "cursor": "afterglow.sessions.formats.cursor",
        "cursor-db": "afterglow.sessions.formats.cursor_db",
        "droid": "afterglow.sessions.formats.droid",
        "amp": "afterglow.sessions.formats.amp",
        "goose-db": "afterglow.sessions.formats.goose.database",
        "goose-lines": "afterglow.sessions.formats.goose.lines",
        "windsurf": "afterglow.sessions.formats.windsurf",
        "continue": "afterglow.sessions.formats.continue_dev",
        "cline-tasks": "afterglow.sessions.formats.cline.tasks",
        "cline-sessions": "afterglow.sessions.formats.cline.sessions",
        "copilot-chat": "afterglow.sessions.formats.vscode_copilot.document",
        "copilot-chat-lines": "afterglow.sessions.formats.vscode_copilot.patches",
        "aider": "afterglow.sessions.formats.aider",
        "specstory": "afterglow.sessions.formats.specstory",
        "otlp": "afterglow.sessions.formats.traces.otlp",
        "otel-db": "afterglow.sessions.formats.traces.collector_db",
        "langfuse": "afterglow.sessions.formats.traces.langfuse",
        "entire-checkpoints": "afterglow.sessions.formats.entire_checkpoints",
        "archive": "afterglow.sessions.formats.archive",
        "hermes-db": "afterglow.sessions.formats.hermes.database",
        "hermes-json": "afterglow.sessions.formats.hermes.snapshot",
        "hermes-export": "afterglow.sessions.formats.hermes.export",
        "opencode-db": "afterglow.sessions.formats.opencode.database",
        "opencode-storage": "afterglow.sessions.formats.opencode.storage",
        "opencode-export": "afterglow.sessions.formats.opencode.export",
        "sharegpt": "afterglow.sessions.formats.sharegpt",
        "openai-jsonl": "afterglow.sessions.formats.openai_jsonl",
        "swe-agent": "afterglow.sessions.formats.swe_agent",
        "openhands": "afterglow.sessions.formats.openhands.trajectory",
        "openhands-conversation": "afterglow.sessions.formats.openhands.conversation",
        "mini-swe-agent": "afterglow.sessions.formats.mini_swe_agent",
        "tau-bench": "afterglow.sessions.formats.tau_bench",
        "tau2-bench": "afterglow.sessions.formats.tau2_bench",
        "who-when": "afterglow.sessions.formats.who_when",
    },
)

"""What an agent leaves behind: a session file as Claude Code writes it, so that afterglow reads it like any other."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class Transcript:
    """The lines of one session, each as late after `start` as it was really written."""

    def __init__(self, id: str, *, cwd: str, model: str, start: float) -> None:
        self.id, self.cwd, self.model = id, cwd, model
        self.start, self.began = start, time.monotonic()
        self.lines: list[str] = []

    def context(self, text: str) -> None:
        told = {
            "type": "hook_additional_context",
            "hookEvent": "SessionStart",
            "content": [text],
        }
        self._line("attachment", attachment=told)

    def user(self, text: str) -> None:
        message = {"role": "user", "content": text}
        self._line("user", message=message, promptSource="typed")

    def reply(self, text: str) -> None:
        self._assistant({"type": "text", "text": text})

    def call(self, command: str, code: int, output: str) -> None:
        id = f"toolu_{self.id[-12:]}_{len(self.lines)}"
        self._assistant(
            {
                "type": "tool_use",
                "id": id,
                "name": "Bash",
                "input": {"command": command},
            }
        )
        result = f"Exit code {code}\n{output}".strip() if code else output
        block = {
            "type": "tool_result",
            "tool_use_id": id,
            "content": result,
            "is_error": code != 0,
        }
        self._line("user", message={"role": "user", "content": [block]})

    def save(self, folder: Path) -> Path:
        path = folder / f"{self.id}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")
        return path

    def _assistant(self, block: dict[str, Any]) -> None:
        message = {
            "id": f"msg_{len(self.lines)}",
            "model": self.model,
            "role": "assistant",
            "content": [block],
        }
        self._line("assistant", message=message)

    def _line(self, type: str, **fields: object) -> None:
        now = datetime.fromtimestamp(self.start + time.monotonic() - self.began, UTC)
        line = {
            "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": self.cwd, "sessionId": self.id,
            "entrypoint": "cli", "type": type, "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "uuid": f"{self.id}-{len(self.lines)}",
        }  # fmt: skip
        self.lines.append(json.dumps({**line, **fields}))

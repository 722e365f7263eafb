"""Writes small Claude Code sessions for tests: a few words make a believable file."""

from __future__ import annotations

import json
from pathlib import Path

SESSION = "11111111-2222-4333-8444-{:012d}"


class Transcript:
    """Lines of one session. `user`, `call`, `reply` append; `text` is the file.

    A person types in it; with another `entrypoint` (`sdk-cli` is a headless run) nobody does.
    """

    def __init__(
        self,
        number: int = 1,
        *,
        cwd: str = "/home/ana/src/harbor",
        start: int = 0,
        entrypoint: str = "cli",
    ) -> None:
        self.id = SESSION.format(number)
        self.entrypoint = entrypoint
        self.cwd = cwd
        self.clock = start
        self.lines: list[str] = []

    def _line(self, **fields: object) -> None:
        self.clock += 1
        stamp = f"2026-10-{1 + self.clock // 1440:02d}T{self.clock // 60 % 24:02d}:{self.clock % 60:02d}:00.000Z"
        common = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "entrypoint": self.entrypoint,
        }
        self.lines.append(
            json.dumps(
                {**common, "timestamp": stamp, "uuid": f"u{len(self.lines)}", **fields}
            )
        )

    def user(self, text: str) -> Transcript:
        source = "typed" if self.entrypoint == "cli" else "sdk"
        message = {"role": "user", "content": text}
        self._line(type="user", message=message, promptSource=source)
        return self

    def reply(self, text: str) -> Transcript:
        content = [{"type": "text", "text": text}]
        self._line(
            type="assistant",
            message={
                "id": f"m{len(self.lines)}",
                "model": "model-x",
                "role": "assistant",
                "content": content,
            },
        )
        return self

    def ask(self, tool: str, **arguments: object) -> Transcript:
        id = f"t{len(self.lines)}"
        content = [{"type": "tool_use", "id": id, "name": tool, "input": arguments}]
        self._line(
            type="assistant",
            message={
                "id": f"m{len(self.lines)}",
                "model": "model-x",
                "role": "assistant",
                "content": content,
            },
        )
        self.asked = id
        return self

    def answer(self, result: str, *, error: bool = False) -> Transcript:
        content = [
            {
                "type": "tool_result",
                "tool_use_id": self.asked,
                "content": result,
                "is_error": error,
            }
        ]
        self._line(type="user", message={"role": "user", "content": content})
        return self

    def run(
        self, command: str, result: str = "done", *, error: bool = False
    ) -> Transcript:
        return self.ask("Bash", command=command).answer(result, error=error)

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)

    def save(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.id}.jsonl"
        path.write_text(self.text, encoding="utf-8")
        return path


def ordinary(number: int = 1, **options) -> Transcript:
    """A request, a failure, its recovery, an answer."""
    return (
        Transcript(number, **options)
        .user("run the tests please")
        .run(
            "go test ./...",
            "Exit code 1\na.go:1:2: undefined: defaultAgent",
            error=True,
        )
        .run("mise run generate")
        .run("go test ./...", "ok")
        .reply("All green.")
    )

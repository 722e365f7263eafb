"""Any model behind an OpenAI-compatible endpoint: messages in, one reply out."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

TOKENS = 200  # of a reply: a command is short
PATIENCE = 300  # seconds
TRIES = 3  # a run of hours does not end because a server was busy once


class Reply(Struct, frozen=True):
    text: str
    sent: int = 0
    received: int = 0


class Model(Protocol):
    name: str

    def reply(self, messages: Sequence[dict[str, str]], *, seed: int) -> Reply: ...


class Endpoint:
    """A server with `/chat/completions`. A reply ends where its command block does."""

    def __init__(
        self, url: str, name: str, *, temperature: float, key: str = ""
    ) -> None:
        self.url, self.name, self.temperature, self.key = (
            url.rstrip("/"),
            name,
            temperature,
            key,
        )

    def reply(self, messages: Sequence[dict[str, str]], *, seed: int) -> Reply:
        asked: dict[str, Any] = {
            "model": self.name,
            "messages": list(messages),
            "max_tokens": TOKENS,
            "stop": ["\n```"],
        }
        asked |= {"temperature": self.temperature, "seed": seed}
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self.key}"} if self.key else {}
        )
        request = urllib.request.Request(
            f"{self.url}/chat/completions", json.dumps(asked).encode(), headers
        )
        got = _answer(request)
        used = got.get("usage") or {}
        text = got["choices"][0]["message"]["content"] or ""
        return Reply(
            text, used.get("prompt_tokens", 0), used.get("completion_tokens", 0)
        )


def _answer(request: urllib.request.Request, tries: int = TRIES) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return dict(json.load(answer))
    except TimeoutError:
        if tries == 1:
            raise
        return _answer(request, tries - 1)

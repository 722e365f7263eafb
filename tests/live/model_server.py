"""A model that follows a script: an OpenAI-compatible server on loopback, streaming, for agents in tests.

A script maps words of the person's message to the steps of the answer. Which step is next follows from the
conversation (how many tools have answered since that message), so the server itself remembers only what it was sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any

MODEL = "scripted"
ASIDE = "A title"  # what requests without tools get: titles, summaries
Step = str | tuple[str, dict[str, Any]]  # words, or a tool and its arguments


@dataclass
class ModelServer:
    """`script`: words -> steps; a message with none of the words is answered with `Done.`, a request without tools with
    `aside`."""

    script: dict[str, list[Step]] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    aside: str = ASIDE
    url: str = ""

    def step(self, messages: list[dict[str, Any]]) -> Step:
        asked = max(
            at for at, message in enumerate(messages) if message["role"] == "user"
        )
        answered = sum(message["role"] == "tool" for message in messages[asked:])
        said = _text(messages[asked])
        steps = next(
            (steps for words, steps in self.script.items() if said.startswith(words)),
            [],
        )
        return steps[answered] if answered < len(steps) else "Done."

    def users(self, request: int = -1) -> list[str]:
        """What the person said, as the model got it."""
        return [
            _text(message)
            for message in self.requests[request]["messages"]
            if message["role"] == "user"
        ]

    def results(self) -> list[str]:
        """What tools answered, as the model got it last."""
        return [
            _text(message)
            for message in self.requests[-1]["messages"]
            if message["role"] == "tool"
        ]

    def tools(self) -> set[str]:
        return {tool["function"]["name"] for tool in self.requests[-1]["tools"]}


@contextmanager
def serving(server: ModelServer) -> Iterator[ModelServer]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return (
        content
        if isinstance(content, str)
        else "".join(part.get("text", "") for part in content)
    )


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    numbers = count(1)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            models = [{"id": MODEL, "object": "model", "context_length": 200_000}]
            self._send(
                json.dumps({"object": "list", "data": models}), "application/json"
            )

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            step: Step = server.aside
            if body.get("tools"):
                server.requests.append(body)
                step = server.step(body["messages"])
            number = next(numbers)
            message, reason = _message(step, number)
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            about = {"id": f"answer-{number}", "created": 1_795_000_000, "model": MODEL}
            if body.get("stream"):
                parts = [
                    {
                        "choices": [
                            {"index": 0, "delta": message, "finish_reason": None}
                        ]
                    },
                    {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                    {"choices": [], "usage": usage},
                ]
                chunks = [
                    json.dumps({**about, "object": "chat.completion.chunk", **part})
                    for part in parts
                ]
                self._send(
                    "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]),
                    "text/event-stream",
                )
            else:
                choice = {"index": 0, "message": message, "finish_reason": reason}
                whole = {
                    **about,
                    "object": "chat.completion",
                    "choices": [choice],
                    "usage": usage,
                }
                self._send(json.dumps(whole), "application/json")

        def _send(self, text: str, kind: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _message(step: Step, number: int) -> tuple[dict[str, Any], str]:
    if isinstance(step, str):
        return {"role": "assistant", "content": step}, "stop"
    name, arguments = step
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {
        "index": 0,
        "id": f"call_{number}",
        "type": "function",
        "function": function,
    }
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"

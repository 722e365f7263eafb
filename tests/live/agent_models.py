"""Stand-ins on loopback for the models of agents: each answers every request in one way, and notes what it was sent.
Anthropic's messages, OpenAI's responses and Gemini's content, as far as the agents' own programs need them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

USAGE = (120, 30)  # tokens that each of them says it read and wrote
Events = list[dict[str, Any]]


@dataclass
class AgentModel:
    """`answer` is what it says, or makes it out of what it was sent; with `status` it refuses instead."""

    answer: str | Callable[[str], str] = "Done."
    status: int = 200
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def asked(self) -> list[dict[str, Any]]:
        """The requests that were to be answered, not those about the server."""
        return [body for body in self.requests if body.keys() & ASKING]

    def sent(self) -> str:
        """Everything that the model was sent, as text."""
        return json.dumps(self.asked(), ensure_ascii=False)


ASKING = {"messages", "input", "contents"}


@contextmanager
def serving_agents(model: AgentModel) -> Iterator[AgentModel]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    http.daemon_threads = True
    model.url = f"http://127.0.0.1:{http.server_port}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _handler(model: AgentModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(b'{"data":[],"models":[]}', "application/json")

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(content or b"{}")
            if "count_tokens" in self.path or "countTokens" in self.path:
                counts = b'{"input_tokens": 100, "totalTokens": 100}'
                return self._send(counts, "application/json")
            model.requests.append(body)
            if model.status != 200:
                error = {"type": "authentication_error", "message": "invalid key"}
                told = json.dumps({"type": "error", "error": error}).encode()
                return self._send(told, "application/json", model.status)
            answer = model.answer
            if not isinstance(answer, str):
                answer = answer(json.dumps(body, ensure_ascii=False))
            events = _events(self.path, body, answer)
            return self._stream(events)

        def _stream(self, events: Events) -> None:
            parts = []
            for event in events:
                name = f"event: {event['type']}\n" if "type" in event else ""
                parts.append(f"{name}data: {json.dumps(event)}\n\n")
            self._send("".join(parts).encode(), "text/event-stream")

        def _send(self, content: bytes, kind: str, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _events(path: str, body: dict[str, Any], answer: str) -> Events:
    if "/messages" in path:
        return _anthropic(body, answer)
    if "/responses" in path:
        return _openai(body, answer)
    return _gemini(answer)


def _anthropic(body: dict[str, Any], answer: str) -> Events:
    """Where an answer is to keep to a schema, Claude Code asks for a call of a tool."""
    sent, written = USAGE
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": sent, "output_tokens": 1},
    }  # fmt: skip
    tools = [tool["name"] for tool in body.get("tools", ())]
    already_called = any(
        "tool_result" in json.dumps(message["content"]) for message in body["messages"]
    )
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": answer}
    stop = "end_turn"
    if "StructuredOutput" in tools and not already_called:
        name = "StructuredOutput"
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": answer}
        stop = "tool_use"
    ending = {"stop_reason": stop, "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": written}},
        {"type": "message_stop"},
    ]


def _openai(body: dict[str, Any], answer: str) -> Events:
    sent, written = USAGE
    text = {"type": "output_text", "text": answer, "annotations": []}
    item = {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text],
    }  # fmt: skip
    usage = {
        "input_tokens": sent, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": sent + written,
    }  # fmt: skip
    response = {"id": "resp_1", "object": "response", "model": body["model"]}
    ended = {**response, "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": ended},
    ]


def _gemini(answer: str) -> Events:
    sent, written = USAGE
    content = {"role": "model", "parts": [{"text": answer}]}
    usage = {
        "promptTokenCount": sent, "candidatesTokenCount": written, "totalTokenCount": sent + written,
    }  # fmt: skip
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return [{"candidates": [candidate], "usageMetadata": usage}]

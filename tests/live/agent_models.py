"""Stand-ins on loopback for the models of agents: each answers every request in one way or follows a script, and notes
what it was sent. Anthropic's messages, OpenAI's responses and Gemini's content, as far as the agents' own programs need
them.

A script maps words of a message to the steps of the answer. Which step is next follows from the conversation (how many
calls have been answered since that message), so the server itself remembers only what it was sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any

USAGE = (120, 30)  # tokens that each of them says it read and wrote
Events = list[dict[str, Any]]
Calls = list[tuple[str, dict[str, Any]]]  # made at once: a tool and its arguments
Script = dict[str, list[Calls | str]]


@dataclass
class AgentModel:
    """`answer` is what it says, or makes it out of what it was sent, where `script` has no step; with `status` it
    refuses instead. `usage` is what it says it read and wrote, `first_usage` what it says so with its first answer."""

    answer: str | Callable[[str], str] = "Done."
    script: Script = field(default_factory=dict)
    status: int = 200
    usage: tuple[int, int] = USAGE
    first_usage: tuple[int, int] | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def asked(self) -> list[dict[str, Any]]:
        """The requests that were to be answered, not those about the server."""
        return [body for body in self.requests if body.keys() & ASKING]

    def sent(self) -> str:
        """Everything that the model was sent, as text."""
        return json.dumps(self.asked(), ensure_ascii=False)

    def next_step(self, body: dict[str, Any]) -> tuple[Calls | str, str]:
        """The next step of the script, and what the ids of its calls begin with. The answer where there is none, and
        for requests that offer no tools."""
        if body.get("tools"):
            text = _said_by_person(body)
            places = {words: text.rfind(words) for words in self.script}
            words = max(places, key=lambda words: places[words], default="")
            if words and places[words] >= 0:
                begin = f"call_{list(self.script).index(words)}"
                answered = re.findall(rf"{begin}_(\d+)_\d", json.dumps(body))
                number = len(set(answered))
                if number < len(self.script[words]):
                    return self.script[words][number], f"{begin}_{number}"
        if isinstance(self.answer, str):
            return self.answer, ""
        return self.answer(json.dumps(body, ensure_ascii=False)), ""


def _said_by_person(body: dict[str, Any]) -> str:
    """The words of the messages that are no results of calls."""
    texts = []
    for message in body.get("messages") or body.get("input") or ():
        if message.get("role") == "user":
            content = message["content"]
            blocks = [{"text": content}] if isinstance(content, str) else content
            texts += [str(block.get("text", "")) for block in blocks]
    return "\n".join(texts)


ASKING = {"messages", "input", "contents"}
_numbers = count(1)  # Claude Code takes messages with one id for one message


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
            step, ids = model.next_step(body)
            return self._stream(_events(self.path, body, model, step, ids))

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


def _events(
    path: str, body: dict[str, Any], model: AgentModel, step: Calls | str, ids: str
) -> Events:
    usage, model.first_usage = model.first_usage or model.usage, None
    if "/messages" in path:
        return _anthropic(body, usage, step, ids)
    if "/responses" in path:
        return _openai(body, usage, step, ids)
    assert isinstance(step, str)
    return _gemini(step)


def _anthropic(
    body: dict[str, Any], usage: tuple[int, int], step: Calls | str, ids: str
) -> Events:
    """Where an answer is to keep to a schema, Claude Code asks for a call of a tool."""
    sent, written = usage
    message = {
        "id": f"msg_{next(_numbers)}", "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": sent, "output_tokens": 1},
    }  # fmt: skip
    tools = [tool["name"] for tool in body.get("tools", ())]
    already_called = any(
        "tool_result" in json.dumps(message["content"]) for message in body["messages"]
    )
    if isinstance(step, str) and "StructuredOutput" in tools and not already_called:
        step, ids = [("StructuredOutput", json.loads(step))], "toolu"
    blocks: Events = [{"type": "message_start", "message": message}]
    stop = "end_turn"
    if isinstance(step, str):
        text = {"type": "text_delta", "text": step}
        blocks += _block(0, {"type": "text", "text": ""}, text)
    else:
        stop = "tool_use"
        for number, (name, arguments) in enumerate(step):
            id = f"{ids}_{number}"
            call = {"type": "tool_use", "id": id, "name": name, "input": {}}
            written_out = json.dumps(arguments)
            delta = {"type": "input_json_delta", "partial_json": written_out}
            blocks += _block(number, call, delta)
    ending = {"stop_reason": stop, "stop_sequence": None}
    return [
        *blocks,
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": written}},
        {"type": "message_stop"},
    ]


def _block(index: int, block: dict[str, Any], delta: dict[str, Any]) -> Events:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def _openai(
    body: dict[str, Any], usage: tuple[int, int], step: Calls | str, ids: str
) -> Events:
    sent, written = usage
    if isinstance(step, str):
        text = {"type": "output_text", "text": step, "annotations": []}
        items = [{
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text],
        }]  # fmt: skip
    else:
        items = [
            _function_call(f"{ids}_{number}", name, arguments)
            for number, (name, arguments) in enumerate(step)
        ]
    counts = {
        "input_tokens": sent, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": sent + written,
    }  # fmt: skip
    response = {"id": "resp_1", "object": "response", "model": body["model"]}
    ended = {**response, "status": "completed", "output": items, "usage": counts}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        *(
            {"type": "response.output_item.done", "output_index": number, "item": item}
            for number, item in enumerate(items)
        ),
        {"type": "response.completed", "response": ended},
    ]


def _function_call(id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """`agents.spawn` is the tool `spawn` of the namespace `agents`."""
    namespace, _, tool = name.rpartition(".")
    call = {
        "type": "function_call", "id": f"fc_{id}", "call_id": id, "name": tool, "arguments": json.dumps(arguments),
        "status": "completed",
    }  # fmt: skip
    return {**call, "namespace": namespace} if namespace else call


def _gemini(answer: str) -> Events:
    sent, written = USAGE
    content = {"role": "model", "parts": [{"text": answer}]}
    usage = {
        "promptTokenCount": sent, "candidatesTokenCount": written, "totalTokenCount": sent + written,
    }  # fmt: skip
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return [{"candidates": [candidate], "usageMetadata": usage}]

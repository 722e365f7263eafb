"""What the examples play with: a folder with a trap, a home that knows it from two earlier sessions, and a model that
follows a script, behind the addresses of OpenAI's and Anthropic's API on this machine. Nothing here costs anything."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from afterglow import Afterglow

TASK = "Build the pier"
PROMPT = "You are a careful engineer."
# What the model does: it tries, fails, does what it was told, tries again, and is done.
STEPS = ("./build-pier", "./lock-piers", "./build-pier")
SCRIPTS = {
    "build-pier": "test -e locked && echo built && exit 0\n"
    "echo 'error: pier-lock.json is out of date'; exit 1",
    "lock-piers": "touch locked; echo 'locked 12 piers'",
}


def folder() -> Path:
    """A new folder in which `./build-pier` fails until `./lock-piers` was called."""
    place = Path(tempfile.mkdtemp(prefix="harbour-")) / "harbour"
    place.mkdir()
    for name, lines in SCRIPTS.items():
        script = place / name
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(0o755)
    return place


def home_that_knows(agent: str, place: Path) -> Afterglow:
    """A home with two sessions that met the trap, and what they taught, approved."""
    ag = Afterglow(place.parent / "home", agent=agent)
    for number in range(2):
        messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]
        for step, command in enumerate(STEPS):
            call = {"name": "bash", "arguments": json.dumps({"command": command})}
            calls = [{"id": f"c{step}", "type": "function", "function": call}]
            output = run(command, place)
            messages += [
                {"role": "assistant", "content": None, "tool_calls": calls},
                {"role": "tool", "tool_call_id": f"c{step}", "content": output},
            ]
        (place / "locked").unlink()
        messages.append({"role": "assistant", "content": "Built."})
        ag.record(messages, session=f"earlier-{number}", cwd=place)
    for item in [*ag.knowledge.list(status="candidate"), *ag.knowledge.list()]:
        ag.knowledge.approve(item.id)
    return ag


def run(command: str, place: Path) -> str:
    """What a tool of an agent answers."""
    ended = subprocess.run(
        command, shell=True, cwd=place, capture_output=True, text=True, check=False
    )
    failed = f"Exit code {ended.returncode}\n" if ended.returncode else ""
    return f"{failed}{ended.stdout}"


class ScriptedModel:
    """Answers by how many results stand in what it is sent; `sent` is all of it, as text."""

    def __init__(self) -> None:
        self.url = ""
        self.sent: list[str] = []

    def answer(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent.append(json.dumps(request, ensure_ascii=False))
        step = sum(_results(message) for message in request["messages"])
        command = STEPS[step] if step < len(STEPS) else ""
        return (_anthropic if "/messages" in path else _openai)(command, step)

    def show(self) -> None:
        """What of ours it read."""
        request = json.loads(self.sent[-1])
        show([request.get("system"), request["messages"]])


def show(value: Any) -> None:
    """The lines of ours in what a model was sent, wherever they stand."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            show(part)
    elif isinstance(value, str) and "ag-" in value:
        print("told at the start:\n" + value.removeprefix(PROMPT).strip())
    elif isinstance(value, str) and "[afterglow] " in value:
        print("told when a call failed:\n" + value.partition("[afterglow] ")[2])


def _results(message: dict[str, Any]) -> int:
    if message["role"] == "tool":
        return 1
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return sum(part.get("type") == "tool_result" for part in parts)


def _openai(command: str, step: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "Built."}
    if command:
        call = {"name": "bash", "arguments": json.dumps({"command": command})}
        calls = [{"id": f"call_{step}", "type": "function", "function": call}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    reason = "tool_calls" if command else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {
        "id": f"answer-{step}",
        "object": "chat.completion",
        "created": 1_795_000_000,
        "model": "scripted",
        "choices": [choice],
        "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
    }


def _anthropic(command: str, step: int) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "text", "text": "Built."}
    if command:
        arguments = {"command": command}
        part = {"type": "tool_use", "id": f"toolu_{step}", "name": "bash"}
        part["input"] = arguments
    return {
        "id": f"msg_{step}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [part],
        "stop_reason": "tool_use" if command else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 9},
    }


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """Serves it on loopback for as long as it is needed."""
    model = ScriptedModel()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            answer = model.answer(self.path, json.loads(self.rfile.read(size)))
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

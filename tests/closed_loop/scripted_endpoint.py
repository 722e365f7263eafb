"""A model for the loop in small: it tries the obvious, and does better only if it was told how."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from bench.closed_loop.families import FAMILIES
from bench.closed_loop.tasks import Task

NUMBERS = 8
FINISHED = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
TASKS = [family.task(number) for family in FAMILIES for number in range(NUMBERS)]


def reply(messages: list[dict[str, Any]]) -> str:
    """Learning sessions end when they are done; measured ones say so."""
    texts = [str(message["content"]) for message in messages]
    task = next((task for task in TASKS if task.request in texts[1]), None)
    if task is None:  # a dossier: it has nothing to say
        return '{"lessons": []}'
    tried = [message for message in messages if message["role"] == "assistant"]
    is_measured = "COMPLETE_TASK" in texts[1]
    if any(task.solution in str(message["content"]) for message in tried):
        return _block(FINISHED) if is_measured else "DONE"
    if _knows(task, texts):
        return _block(task.solution)
    worked = bool(tried) and not any(
        sign in texts[-1] for sign in ("exit code 1", "<returncode>1")
    )
    if worked or len(tried) > 2:
        return _block(FINISHED) if is_measured else "DONE"
    return _block(task.naive)


def _block(command: str) -> str:
    return f"```sh\n{command}\n```"


def _knows(task: Task, texts: list[str]) -> bool:
    corrections = [task.correction(number) for number in range(2)]
    if any(words in text for words in corrections for text in texts[2:]):
        return True
    told = "\n".join([texts[0], *texts[2:]])
    return task.lesson(told) == "right"


@contextmanager
def scripted_endpoint() -> Iterator[str]:
    """Its address, up to and with /v1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Nobody reads it."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": reply(body["messages"])}
        answer = {
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

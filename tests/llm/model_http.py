"""A server that speaks OpenAI's chat completions, on loopback, for tests: it answers as a function says, and counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import MappingProxyType
from typing import Any, NamedTuple


class Said(NamedTuple):
    """One HTTP response; status 0 breaks the connection off instead. A body of parts is sent part by part."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})


def completion(
    text: Any, *, finish: str = "stop", usage: Any = (100, 20), **message: Any
) -> Said:
    """A usual answer. `usage` is (input, output), or whatever a server may say instead."""
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if isinstance(usage, tuple):
        usage = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return Said(body if usage is None else {**body, "usage": usage})


def failure(status: int, message: str = "it failed", **headers: str) -> Said:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(
        {"error": {"message": message, "type": "error", "code": None, "param": None}},
        status,
        named,
    )


BROKEN_OFF = Said(None, 0)


class ModelHTTP:
    """`answer` makes a response out of a request's body. `requests` are all bodies, `headers` their headers; `input`
    and `output` are the sums of the usage it told."""

    def __init__(self, answer: Callable[[dict[str, Any]], Said]) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.input = self.output = 0
        self.url = ""
        self._lock = Lock()

    def said(self, request: dict[str, Any], headers: dict[str, str]) -> Said:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
        said = self.answer(request)
        usage = said.body.get("usage") if isinstance(said.body, dict) else None
        if isinstance(usage, dict) and all(
            isinstance(usage.get(name), int) for name in _COUNTS
        ):
            with self._lock:
                self.input += usage["prompt_tokens"]
                self.output += usage["completion_tokens"]
        return said


_COUNTS = ("prompt_tokens", "completion_tokens")


def in_order(*answers: Said) -> Callable[[dict[str, Any]], Said]:
    rest, lock = iter(answers), Lock()

    def answer(_: dict[str, Any]) -> Said:
        with lock:
            return next(rest, failure(500, "the test's script is over"))

    return answer


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Said]) -> Iterator[ModelHTTP]:
    model = ModelHTTP(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = model.said(
                {**request, "path": self.path},
                {name.lower(): v for name, v in self.headers.items()},
            )
            if not said.status:
                self.close_connection = True
                return
            whole = (
                said.body
                if isinstance(said.body, bytes | Iterator)
                else json.dumps(said.body).encode()
            )
            parts, size = (
                (whole, None) if isinstance(whole, Iterator) else ([whole], len(whole))
            )
            try:
                self.send_response(said.status)
                for name, value in {
                    "Content-Type": "application/json",
                    **said.headers,
                }.items():
                    self.send_header(name, value)
                self.send_header(
                    *(
                        ("Connection", "close")
                        if size is None
                        else ("Content-Length", str(size))
                    )
                )
                self.end_headers()
                for part in parts:
                    self.wfile.write(part)
            except OSError:
                self.close_connection = True  # the client did not wait

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

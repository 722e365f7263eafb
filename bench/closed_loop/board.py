"""The board: a service on the loopback address that the tools of all projects ask. What decides lies here alone.

It keeps nothing between calls; what was done before stands in the files that a call brings along.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from bench.closed_loop.families import FAMILIES
from bench.closed_loop.rules import Answer, UnknownOption, refused
from bench.closed_loop.tasks import Family, Task

MAX_BODY = 1_000_000  # bytes: small files, and not many
BAD = (KeyError, TypeError, ValueError, msgspec.ValidationError, StopIteration)


class Request(msgspec.Struct, frozen=True):
    """What a tool or a check sends."""

    family: str
    number: int
    files: dict[str, str] = {}
    tool: str = ""
    words: tuple[str, ...] = ()
    variables: dict[str, str] = {}


class Board:
    """Answers while the `with` block lasts. A `port` of its own lets a run that was stopped go on with the same tasks."""

    def __init__(self, families: Sequence[Family] = FAMILIES, *, port: int = 0) -> None:
        self._families = {family.full_name: family for family in families}
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Board:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def call(self, request: Request) -> Answer:
        """What a tool is to do. Tools of a project's other families work, too."""
        project = self._families[request.family].project
        owners = (
            family
            for family in self._families.values()
            if family.project == project and request.tool in family.tools
        )
        family = next(owners)
        name = request.tool.rsplit("/", 1)[-1]
        if {"-h", "--help", "help"} & set(request.words):
            return Answer(0, f"usage: {family.usage}")
        call = family.task(request.number).call(
            request.tool, request.words, request.files, request.variables
        )
        try:
            answer = family.rule(call)
        except UnknownOption as error:
            answer = refused(f"unknown option {error}", code=2)
        text = answer.text or "failed"
        return msgspec.structs.replace(answer, text=f"{name}: {text}")

    def check(self, request: Request) -> Answer:
        task: Task = self._families[request.family].task(request.number)
        return Answer(0 if task.is_done(request.files) else 1)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        board = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                routes = {"/call": board.call, "/check": board.check}
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(min(length, MAX_BODY))
                try:
                    request = msgspec.json.decode(body, type=Request)
                    self._answer(200, msgspec.to_builtins(routes[self.path](request)))
                except BAD:
                    self._answer(400, {"code": 64, "text": "bad request"})

            def _answer(self, status: int, fields: dict[str, Any]) -> None:
                answer = {"write": {}, "delete": [], **fields}
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        return Handler

"""A Honcho v3 server for tests, on a port of this machine: the parts the backend uses, with the real one's limits.

It refuses what the real one refuses (names, 25,000 characters, 100 messages, 100 a page, `<|endoftext|>`), strips NUL,
hides a deleted session at once but keeps its messages, still found by search, until `erase` or after `erases_after`
looks. `trouble` makes it misbehave.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "hch-invented-key-for-tests"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,512}\Z")


class Refused(Exception):
    def __init__(self, status: int, detail: Any) -> None:
        self.status, self.detail = status, detail


@dataclass
class Trouble:
    """Requests whose method and path match are answered like this, the first `times` of them after `skip`."""

    match: str = ""
    times: int = 10_000
    skip: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"detail": "as the test wished"}'
    drop: bool = False  # closes the connection instead of answering
    after: bool = False  # does what was asked, and only then misbehaves
    hold: threading.Event | None = None  # answers once it is set
    do: Callable[[], None] | None = None  # runs before the request is carried out


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(
            sys.exception(), ConnectionError
        ):  # clients may leave; our own mistakes are shown
            super().handle_error(request, client_address)


class HonchoServer:
    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.messages: list[dict[str, Any]] = []
        self.conclusions: list[str] = ["somebody else's"]
        self.requests: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.troubles: list[Trouble] = []
        self.erases_after: int | None = 0
        self.updates_metadata = True  # of a session that is there already
        self.clock = datetime.now(UTC)
        self._looks: dict[str, int] = {}
        self._lock = threading.RLock()
        self._http = _Http(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> HonchoServer:
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @contextmanager
    def trouble(self, match: str = "", **how: Any) -> Iterator[Trouble]:
        trouble = Trouble(match, **how)
        self.troubles.append(trouble)
        try:
            yield trouble
        finally:
            self.troubles.remove(trouble)
            if trouble.hold is not None:
                trouble.hold.set()

    def erase(self, session: str) -> None:
        """What the real server's queue does in its own time."""
        self.sessions.pop(session, None)
        self.messages = [
            message for message in self.messages if message["session_id"] != session
        ]

    def texts(self) -> str:
        """All that is kept here, as one text."""
        return json.dumps(
            [self.sessions, self.messages], ensure_ascii=False, default=str
        )

    def now(self) -> str:
        self.clock += timedelta(milliseconds=1)
        return self.clock.isoformat()

    # --- what it answers ---

    def answer(
        self, method: str, path: str, query: dict[str, str], body: Any
    ) -> tuple[int, Any]:
        match [method, *path.removeprefix("/v3/workspaces").strip("/").split("/")]:
            case ["POST", ""]:
                return 200, self._thing(_name(body["id"]))
            case ["POST", workspace, "sessions"]:
                return self._session(workspace, body)
            case ["POST", _, "sessions", "list"]:
                active = [one for one in self.sessions.values() if one["is_active"]]
                found = [
                    one for one in active if _fits(one, body.get("filters") or {}, "id")
                ]
                return 200, _page(
                    found[::-1] if query.get("reverse") == "true" else found, query
                )
            case ["DELETE", _, "sessions", session]:
                if not self.sessions.get(session, {}).get("is_active"):
                    raise Refused(404, "Session not found")
                self.sessions[session]["is_active"] = False
                if self.erases_after == 0:
                    self.erase(session)
                return 202, {"message": "Session deleted successfully"}
            case ["POST", workspace, "sessions", session, "messages"]:
                return self._add(workspace, session, body["messages"])
            case ["POST", _, "sessions", session, "messages", "list"]:
                self._look(session)
                return 200, _page(
                    [one for one in self.messages if one["session_id"] == session],
                    query,
                )
            case ["POST", _, "search"]:
                return 200, self._search(
                    body["query"], body.get("filters") or {}, body["limit"]
                )
        raise Refused(404, f"no route {method} {path}")

    def _thing(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "metadata": {},
            "configuration": {},
            "created_at": self.now(),
        }

    def _session(self, workspace: str, body: dict[str, Any]) -> tuple[int, Any]:
        name = _name(body["id"])
        new = name not in self.sessions
        session = self.sessions.setdefault(
            name, {**self._thing(name), "is_active": True, "workspace_id": workspace}
        )
        if not session["is_active"]:
            raise Refused(404, f"Session {name} not found in workspace {workspace}")
        if body.get("metadata") is not None and (new or self.updates_metadata):
            session["metadata"] = _metadata(body["metadata"])
        session["configuration"] |= body.get("configuration") or {}
        return 201 if new else 200, session

    def _add(
        self, workspace: str, session: str, messages: list[dict[str, Any]]
    ) -> tuple[int, Any]:
        if not 1 <= len(messages) <= 100:
            raise Refused(
                422, [{"msg": "List should have at most 100 items", "input": messages}]
            )
        for one in messages:
            if len(one["content"]) > 25_000 or re.search(r"<\|\w+\|>", one["content"]):
                raise Refused(
                    422,
                    [
                        {
                            "msg": "String should have at most 25000 characters",
                            "input": one["content"],
                        }
                    ],
                )
        self._session(workspace, {"id": session})
        added = [
            {
                "id": uuid.uuid4().hex,
                "content": one["content"].replace("\0", ""),
                "peer_id": _name(one["peer_id"]),
                "session_id": session,
                "workspace_id": workspace,
                "metadata": _metadata(one.get("metadata") or {}),
                "created_at": self.now(),
                "token_count": len(one["content"]) // 4,
            }
            for one in messages
        ]
        self.messages += added
        return 201, added

    def _look(self, session: str) -> None:
        if session in self.sessions and not self.sessions[session]["is_active"]:
            self._looks[session] = self._looks.get(session, 0) + 1
            if (
                self.erases_after is not None
                and self._looks[session] > self.erases_after
            ):
                self.erase(session)

    def _search(
        self, query: str, filters: dict[str, Any], limit: int
    ) -> list[dict[str, Any]]:
        """Words in common, or the query as it stands somewhere in the text. Like the real one it ends with what only
        resembles the query, here: anything."""
        words = set(re.findall(r"\w+", query.lower()))

        def score(message: dict[str, Any]) -> tuple[bool, int]:
            text = message["content"].lower()
            return query.lower() in text, len(words & set(re.findall(r"[^\W_]+", text)))

        fitting = [
            message for message in self.messages if _fits(message, filters, "peer_id")
        ]
        return sorted(fitting, key=score, reverse=True)[:limit]

    def _handler(server) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                return

            def _do(self) -> None:
                url = urlsplit(self.path)
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = json.loads(raw) if raw else {}
                trouble = server._trouble_with(self.command, url.path, body)
                if trouble and trouble.hold is not None:
                    trouble.hold.wait(30)
                if trouble and trouble.do is not None:
                    trouble.do()
                if not trouble or trouble.after or not (trouble.status or trouble.drop):
                    status, answer = self._carried_out(url.path, url.query, body)
                if trouble and trouble.drop:
                    reset = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, reset
                    )
                    self.close_connection = True
                elif trouble and trouble.status:
                    self._send(trouble.status, trouble.body, trouble.headers)
                else:
                    self._send(status, json.dumps(answer).encode(), {})

            def _carried_out(self, path: str, query: str, body: Any) -> tuple[int, Any]:
                if self.headers.get("Authorization") != f"Bearer {KEY}":
                    return 401, {
                        "detail": f"Invalid key {self.headers.get('Authorization')}"
                    }
                asked = {name: values[-1] for name, values in parse_qs(query).items()}
                with server._lock:
                    try:
                        return server.answer(self.command, path, asked, body)
                    except Refused as refused:
                        return refused.status, {"detail": refused.detail}

            def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                try:
                    self.send_response(status)
                    for name, value in {
                        "Content-Length": str(len(body)),
                        **headers,
                    }.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # the client has left
                    self.close_connection = True

            do_POST = do_DELETE = _do

        return Handler

    def _trouble_with(self, method: str, path: str, body: Any) -> Trouble | None:
        with self._lock:
            self.requests.append((method, path))
            self.bodies.append(body)
            for trouble in self.troubles:
                if not re.search(trouble.match, f"{method} {path}"):
                    continue
                trouble.skip -= 1
                if trouble.skip < 0 and trouble.times > 0:
                    trouble.times -= 1
                    return trouble
            return None


def _name(name: str) -> str:
    if not NAME.match(name):
        raise Refused(
            422, [{"msg": f"String should match pattern {NAME.pattern}", "input": name}]
        )
    return name


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    def depth(thing: Any) -> int:
        return (
            1 + max((depth(inner) for inner in thing.values()), default=0)
            if isinstance(thing, dict)
            else 0
        )

    if len(metadata) > 100 or depth(metadata) > 5:
        raise Refused(422, [{"msg": "Metadata exceeds maximum", "input": metadata}])
    return {
        name: value.replace("\0", "") if isinstance(value, str) else value
        for name, value in metadata.items()
    }


def _fits(thing: dict[str, Any], filters: dict[str, Any], *fields: str) -> bool:
    for name, wanted in filters.items():
        if name == "metadata":
            for inner, value in wanted.items():
                there = thing["metadata"].get(inner)
                if (
                    (there not in value["in"])
                    if isinstance(value, dict)
                    else (there != value)
                ):
                    return False
        elif name not in fields:
            raise Refused(422, f"Column '{name}' is not allowed to be filtered on")
        elif thing[name] != wanted:
            return False
    return True


def _page(items: list[Any], query: dict[str, str]) -> dict[str, Any]:
    page, size = int(query.get("page", 1)), int(query.get("size", 50))
    if not 1 <= size <= 100:
        raise Refused(
            422, [{"msg": "Input should be less than or equal to 100", "input": size}]
        )
    pages = max(1, -(-len(items) // size))
    return {
        "items": items[(page - 1) * size : page * size],
        "page": page,
        "size": size,
        "total": len(items),
        "pages": pages,
    }

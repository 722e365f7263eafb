"""A small hub on loopback, in memory: as much of the API as a machine meets, and everything that goes wrong on the way.

`lose` answers are thrown away after the request was worked off; `refuse` of them come back as 503 before.
"""

from __future__ import annotations

import gzip
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import msgspec

from afterglow.records.contributions import person_mark

TOKEN = "invented-token-of-ana"
AUTHOR = person_mark(1, 1)


class FakeHub:
    def __init__(self) -> None:
        self.tokens = {TOKEN: "ana"}
        self.rights = [["*", "contribute"]]
        self.author = AUTHOR
        self.identity = "first"
        self.rows: dict[tuple[str, str, str], dict] = {}
        self.items: dict[str, tuple[int, dict]] = {}
        self.gone: dict[str, int] = {}
        self.change = 0
        self.view = "first"
        self.refused: dict[str, str] = {}
        self.lose = self.refuse = 0
        self.page = 500
        self.limits = {"rows": 500, "bytes": 1_000_000}
        self.requests: list[str] = []
        self.posted: list[int] = []
        self.left: list[dict] = []
        self.extra: dict = {}
        self.url = ""

    # What a test does to it

    def give(self, *items) -> None:
        """The team's items change."""
        self.change += 1
        for item in items:
            self.items[item.id] = self.change, msgspec.to_builtins(item)
            self.gone.pop(item.id, None)

    def take(self, id: str) -> None:
        self.change += 1
        del self.items[id]
        self.gone[id] = self.change

    def held(self, kind: str) -> dict[str, dict]:
        """Rows that are not taken back, by key."""
        return {
            key: row
            for (_, row_kind, key), row in self.rows.items()
            if row_kind == kind and not row.get("withdrawn")
        }

    # What it answers

    def answer(self, method: str, path: str, token: str, body: bytes):
        parts = urlsplit(path)
        self.requests.append(f"{method} {parts.path}")
        if token not in self.tokens:
            return 401, {"error": "this token is not known"}
        if (method, parts.path) == ("GET", "/api/v1/me"):
            return 200, {
                "person": self.tokens[token],
                "org": "acme",
                "author": self.author,
                "hub": self.identity,
                "rights": self.rights,
                "limits": self.limits,
                "something newer": 1,
            }
        if (method, parts.path) == ("POST", "/api/v1/contributions"):
            return 200, self._take_in(json.loads(body))
        if (method, parts.path) == ("GET", "/api/v1/items"):
            return 200, self._page(int(parse_qs(parts.query)["after"][0]))
        if (method, parts.path) == ("POST", "/api/v1/leave"):
            return 200, self._leave(json.loads(body))
        return 404, {"error": "no such page"}

    def _take_in(self, posted: dict) -> dict:
        refused, accepted = [], 0
        self.posted.append(len(posted["batch"]))
        for row in posted["batch"]:
            if why := self.refused.get(row["repo"]):
                refused.append({"kind": row["kind"], "key": row["key"], "why": why})
                continue
            accepted += 1
            place = posted["machine"], row["kind"], row["key"]
            before = self.rows.get(place)
            if before is None or before["seq"] < row["seq"]:
                self.rows[place] = row
        return {"accepted": accepted, "refused": refused}

    def _page(self, after: int) -> dict:
        newer = sorted(
            (change, id, body)
            for id, (change, body) in self.items.items()
            if change > after
        )
        cut = newer[: self.page]
        more = len(newer) > len(cut)
        upto = cut[-1][0] if more else self.change
        # Items of one change are never torn apart.
        cut = [row for row in newer if row[0] <= upto]
        gone = [id for id, change in self.gone.items() if after < change <= upto]
        return {
            "items": [{**body, **self.extra} for _, _, body in cut],
            "gone": gone,
            "change": upto,
            "view": self.view,
            "more": more,
        }

    def _leave(self, asked: dict) -> dict:
        self.left.append(asked)
        if not asked["take_back"]:
            return {"withdrawn": 0}
        mine = [place for place in self.rows if place[0] == asked["machine"]]
        for place in mine:
            self.rows[place] = {"seq": self.rows[place]["seq"], "withdrawn": True}
        return {"withdrawn": len(mine)}


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answered()

        def do_POST(self) -> None:
            self._answered()

        def _answered(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if hub.refuse:
                hub.refuse -= 1
                self._send(503, {"error": "restarting"}, {"Retry-After": "1"})
                return
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            status, answer = hub.answer(self.command, self.path, token, body)
            if hub.lose:
                hub.lose -= 1
                self.close_connection = True
                return
            self._send(status, answer, {})

        def _send(self, status: int, answer: dict, headers: dict) -> None:
            packed = gzip.compress(json.dumps(answer).encode())
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(packed)))
            self.end_headers()
            self.wfile.write(packed)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def fake_hub():
    hub = FakeHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

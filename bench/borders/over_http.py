"""Attempts over HTTP: the door for machines with wrong tokens and forged rows, and pages that are not one's own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import psycopg
from msgspec import Struct
from starlette.testclient import TestClient

from afterglow.config import Config
from afterglow.store.postgres.connection import pooled
from afterglow.web.desk import Desk
from afterglow.web.hub.address import hub_address
from afterglow.web.hub.app import make_hub_app
from afterglow.web.hub.hub import Hub
from bench.borders.attempt import Outcome, contents
from bench.borders.scene import Scene, token_of

HOST = "127.0.0.1:8378"
ORIGIN = f"http://{HOST}"
API = "/api/v1"
CONNECTIONS = 4
HARBOR, QUAY, EVERYWHERE, RIVAL = "k1000", "k1001", "k1002", "k1004"  # items


class Call(Struct, frozen=True):
    """One request. A `form` comes from a browser that has logged in as the actor; what else has a bearer token, or the
    headers that are said. `ours` where the form has our origin and the mark of our forms."""

    name: str
    actor: str
    path: str
    body: object = None
    form: dict[str, str] | None = None
    headers: dict[str, str] | None = None
    is_page: bool = False
    ours: bool = True


def _row(repo: str, kind: str = "session", **fields: object) -> dict[str, object]:
    row = {"kind": kind, "key": "forged", "repo": repo, "seq": 1, "mark": "m"}
    return {**row, "body": [], **fields}


def _batch(*rows: dict[str, object]) -> dict[str, object]:
    return {"machine": "m1", "batch": list(rows)}


def _strangers(scene: Scene) -> list[Call]:
    """Without a token that is any good."""
    bearers = {
        "without a token": "",
        "with an empty token": "Bearer ",
        "with an expired token": f"Bearer {token_of('expired-ada')}",
        "with a revoked token": f"Bearer {token_of('revoked-ada')}",
        "with the token of who has left": f"Bearer {token_of('gus')}",
        "with the hash of a token": f"Bearer {scene.values['ada_hash']}",
        "with half a token": f"Bearer {token_of('ada')[:-1]}",
        "with a token and more": f"Bearer {token_of('ada')}x",
        "with a token as a password": f"Basic {token_of('ada')}",
        "with a token in another case": f"Bearer {token_of('ada').upper()}",
        "with a statement for a token": "Bearer ' OR 1=1 --",
    }
    calls = []
    for words, bearer in bearers.items():
        headers = {"authorization": bearer} if bearer else {}
        for path, body in (
            (f"{API}/me", None),
            (f"{API}/items?after=0", None),
            (f"{API}/contributions", _batch(_row("acme/harbor"))),
            (f"{API}/leave", {"machine": "m1", "take_back": True}),
        ):
            calls.append(
                Call(f"asks {path} {words}", "nobody", path, body, headers=headers)
            )
    token = token_of("ada")
    for name, path, headers in (
        ("a token in the address", f"{API}/items?token={token}", {}),
        (
            "a token in a cookie",
            f"{API}/items",
            {"cookie": f"afterglow-hub-8378={token}"},
        ),
        ("a token in another header", f"{API}/items", {"x-token": token}),
    ):
        calls.append(
            Call(f"asks for items with {name}", "nobody", path, headers=headers)
        )
    pages = ("/", "/knowledge", f"/knowledge/{HARBOR}", "/review", "/people", "/audit")
    pages += ("/tokens", "/contributions", "/helped", "/experiments", "/metrics")
    calls += [
        Call(f"opens {path} without logging in", "nobody", path, headers={})
        for path in pages
    ]
    return calls


def _machines() -> list[Call]:
    """With one's own token, for what is not one's own."""
    calls = [
        Call("asks who she is", "dee", f"{API}/me"),
        Call("pulls everything", "dee", f"{API}/items?after=0&limit=10000"),
        Call("pulls for another organisation", "dee", f"{API}/items?after=0&org=2"),
        Call("pulls as another", "dee", f"{API}/items?after=0&person=1"),
        Call("pulls with a forged number", "dee", f"{API}/items?after=-1"),
        Call("pulls everything", "fay", f"{API}/items?after=0"),
        Call("pulls everything", "cyd", f"{API}/items?after=0"),
        Call("pulls everything", "ben", f"{API}/items?after=0"),
        Call("pulls everything", "ada", f"{API}/items?after=0"),
    ]
    refused = {
        "to another repository": _row("acme/quay"),
        "to no repository": _row("(no repository)"),
        "to a pattern": _row("*"),
        "to a repository of another organisation": _row("rival/secret"),
        "to a repository nobody knows": _row("acme/pier"),
        "of a kind nobody knows": _row("acme/harbor", "grant"),
        "what is no finding": _row("acme/harbor", body={"fact": "x"}),
        "what is no lesson": _row("acme/harbor", "lesson", body=[1]),
        "what is no decision": _row("acme/harbor", "decision", body={"what": "all"}),
        "a lesson about quay": _row("acme/quay", "lesson", body={"id": QUAY}),
        "a decision about quay": _row("acme/quay", "decision", body={"item": QUAY}),
        "a delivery about quay": _row("acme/quay", "delivery", body={}),
        "a trial about quay": _row("acme/quay", "trial", body={}),
        "an assignment about quay": _row("acme/quay", "assignment", body={}),
        "a plan of another": _row("acme/quay", "plan", body={}),
    }
    calls += [
        Call(f"sends {words}", "cyd", f"{API}/contributions", _batch(row))
        for words, row in refused.items()
    ]
    sends = f"{API}/contributions"
    whose = {"person": 1, "org": 2, "author": "ada"}
    calls += [
        Call("sends with a token for reading", "dee", sends, _batch(_row("acme/quay"))),
        Call("sends without a right", "fay", sends, _batch(_row("acme/harbor"))),
        Call(
            "sends in another's name",
            "fay",
            sends,
            {**_batch(_row("acme/harbor", **whose)), **whose},
        ),
        Call(
            "takes back another's row",
            "cyd",
            sends,
            _batch(_row("acme/quay", key=QUAY, withdrawn=True, seq=99)),
        ),
        Call(
            "takes back all of another's machine",
            "cyd",
            f"{API}/leave",
            {"machine": "sentfay1001", "take_back": True},
        ),
        Call(
            "leaves in another's name",
            "cyd",
            f"{API}/leave",
            {"machine": "m", "take_back": True, "person": 5},
        ),
        Call(
            "sends under another's machine",
            "ben",
            sends,
            {"machine": "../x", "batch": []},
        ),
    ]
    return calls


def _pages() -> list[Call]:
    """As a member who has logged in."""
    calls = [
        Call(f"opens {path}", actor, path, is_page=True)
        for actor in ("dee", "cyd", "ben", "fay")
        for path in (
            "/",
            "/knowledge",
            "/knowledge?repo=acme/harbor",
            "/knowledge?q=rival",
            "/review",
            "/people",
            "/audit",
            "/tokens",
            "/contributions",
            "/helped",
            f"/knowledge/{RIVAL}",
        )
    ]
    hidden = {"dee": HARBOR, "cyd": QUAY, "ben": QUAY, "fay": HARBOR}
    for actor, item in hidden.items():
        calls.append(
            Call("opens a hidden item", actor, f"/knowledge/{item}", is_page=True)
        )
        for act in ("approve", "reject", "retire", "delete"):
            calls.append(
                Call(
                    f"decides to {act} a hidden item",
                    actor,
                    f"/knowledge/{item}/{act}",
                    form={"reason": "x"},
                )
            )
    visible = {"dee": QUAY, "cyd": HARBOR, "fay": EVERYWHERE}
    for actor, item in visible.items():
        for act in ("approve", "reject", "retire", "edit", "scope", "delete"):
            calls.append(
                Call(
                    f"decides to {act} what she only reads",
                    actor,
                    f"/knowledge/{item}/{act}",
                    form={"reason": "x", "fact": "forged", "repo": ""},
                )
            )
    calls += [
        Call(
            "approves what holds everywhere",
            "ben",
            f"/knowledge/{EVERYWHERE}/approve",
            form={},
        ),
        Call(
            "makes his lesson hold everywhere",
            "ben",
            f"/knowledge/{HARBOR}/scope",
            form={"repo": "", "agent": ""},
        ),
        Call(
            "approves without our form",
            "ben",
            f"/knowledge/{HARBOR}/approve",
            form={},
            ours=False,
        ),
    ]
    admin = {
        "/people/add": {"person": "mallory", "admin": "yes"},
        "/people/remove": {"person": "ada"},
        "/people/admin": {"person": "ben", "admin": "yes"},
        "/people/token": {"person": "ada", "scope": "admin", "days": "9"},
        "/people/revoke": {"token": "1"},
        "/people/team": {"team": "forged"},
        "/people/team/end": {"team": "acme_team"},
        "/people/team/member": {"team": "acme_team", "person": "ben", "belongs": "yes"},
        "/people/grant": {"holder": "ben", "pattern": "*", "right": "review"},
        "/people/grant/take": {"holder": "ada", "pattern": "*"},
        "/tokens/revoke": {"token": "1"},
        "/tokens/make": {"scope": "admin", "days": "9", "label": "forged"},
        "/contributions/withdraw": {"person": "fay", "machine": "sent_fay-1001"},
    }
    calls += [
        Call(f"posts {path}", actor, path, form=form)
        for actor in ("ben", "dee")
        for path, form in admin.items()
    ]
    return calls


class Visits:
    """Members' browsers and machines before one hub."""

    def __init__(self, scene: Scene, home: Path) -> None:
        self._scene = scene
        config = Config(home=home / "home", user_home=home)
        url = scene.actors["nobody"].url
        hub = Hub(config, url, hub_address([HOST]), merge=lambda: 0)
        self._app = make_hub_app(hub)
        self._cookie = hub.address.cookie
        self._browsers: dict[str, TestClient] = {}

    def client(self) -> TestClient:
        return TestClient(
            self._app,
            base_url=ORIGIN,
            follow_redirects=True,
            raise_server_exceptions=False,
        )

    def browser(self, actor: str) -> TestClient:
        if actor not in self._browsers:
            client = self._browsers[actor] = self.client()
            form = {"token": token_of(actor)}
            answer = client.post("/login", data=form, headers={"origin": ORIGIN})
            assert answer.status_code == 200, answer.text
        return self._browsers[actor]

    def answer(self, call: Call) -> str:
        path = quote(call.path, safe="/?&=*")
        if call.is_page:
            return self._text(self.browser(call.actor).get(path))
        if call.form is not None:
            browser = self.browser(call.actor)
            session = browser.cookies[self._cookie]
            mark = Desk(Config, token=session).form_token  # type: ignore[arg-type]
            form = {"csrf": mark if call.ours else "forged", **call.form}
            origin = ORIGIN if call.ours else "http://elsewhere.example"
            return self._text(browser.post(path, data=form, headers={"origin": origin}))
        headers = call.headers
        if headers is None:
            headers = {"authorization": f"Bearer {token_of(call.actor)}"}
        if call.body is None:
            return self._text(self.client().get(path, headers=headers))
        content = msgspec.json.encode(call.body)
        return self._text(self.client().post(path, content=content, headers=headers))

    def _text(self, answer: Any) -> str:
        return f"{answer.status_code} {answer.text}"


def judged_over_http(scene: Scene, home: Path) -> list[Outcome]:
    calls = [*_strangers(scene), *_machines(), *_pages()]
    with (
        pooled(scene.actors["nobody"].url, CONNECTIONS),
        closing(psycopg.connect(scene.superuser, autocommit=True)) as behind,
    ):
        visits = Visits(scene, home)
        for actor in {call.actor for call in calls if call.is_page}:
            visits.browser(actor)
        return [_judged(scene, behind, visits, call) for call in calls]


def _judged(scene: Scene, behind: Any, visits: Visits, call: Call) -> Outcome:
    """Members may change rows of their own; nothing else."""
    own = scene.values.get(call.actor, "0")
    before = contents(behind, scene, own)
    answer = visits.answer(call)
    after = contents(behind, scene, own)
    words = f"{call.path} {call.body}"  # what was asked may be said again
    marks = [
        mark
        for mark in scene.forbidden(call.actor)
        if mark in answer and mark not in words
    ]
    changed = [table for table in after if after[table] != before[table]]
    crossed = ""
    if marks:
        crossed = f"saw {', '.join(sorted(marks))}"
    if changed:
        crossed = f"changed {', '.join(changed)}"
    name = f"{call.actor} {call.name} (HTTP)"
    return Outcome(name, call.actor, crossed, answer[:3])

"""A hub's MCP: an agent asks with a member's token, and is told what that member may read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from afterglow.mcp.hub import PATH, hub_mcp
from afterglow.store.postgres.connection import pooled
from afterglow.web.hub.app import make_hub_app
from hub_database import HubDatabase, HubTemplate, copied_hub, token_of
from web.hub.members import HARBOR, HOST, ORIGIN, bring_items, hub_over

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database(hub_template: HubTemplate) -> Iterator[HubDatabase]:
    with copied_hub(hub_template) as hub:
        bring_items(hub)
        yield hub


@pytest.fixture
def client(database: HubDatabase, tmp_path: Path) -> Iterator[TestClient]:
    hub = hub_over(database, tmp_path)
    app, running = hub_mcp(
        hub.config,
        hub.place,
        public_url=hub.address.public,
        hosts=[HOST],
        origins=[ORIGIN],
    )
    whole = make_hub_app(hub, [Route(PATH, app)], [running])
    with (
        pooled(database.app.url, 4),
        TestClient(whole, base_url=ORIGIN) as client,
    ):
        yield client


def asked(client: TestClient, member: str, method: str, **params: Any) -> Any:
    answer = client.post(
        PATH,
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
        headers={
            "authorization": f"Bearer {token_of(member)}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-06-18",
        },
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def called(client: TestClient, member: str, tool: str, **arguments: Any) -> str:
    result = asked(client, member, "tools/call", name=tool, arguments=arguments)
    return str(result["content"][0]["text"])


def test_an_agent_is_offered_what_makes_sense_without_a_machine(client):
    listed = asked(client, "ben", "tools/list")["tools"]
    assert {tool["name"] for tool in listed} == {
        "recall",
        "context",
        "explain",
        "failed_before",
    }
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)


def test_an_agent_recalls_what_its_person_may_read(client):
    assert "pier 1" in called(client, "ben", "recall", query="make ship pier")
    for other in ("dee", "eve"):
        answer = called(client, other, "recall", query="make ship pier")
        assert answer == "Nothing is known about that."


def test_a_session_starts_with_what_the_team_knows_of_its_repository(client):
    answer = called(client, "ben", "context", repo=HARBOR, task="ship it")
    assert "pier 1" in answer
    assert "pier" not in called(client, "dee", "context", repo=HARBOR)
    assert "say repo" in called(client, "ben", "context", repo=" ")


def test_what_a_lesson_stands_on_is_what_was_shared(client):
    answer = called(client, "ben", "explain", item="k0000001")
    assert "pier 1 is missing" in answer
    assert "no item" in called(client, "dee", "explain", item="k0000001")


def test_a_failure_is_looked_up(client):
    answer = called(
        client,
        "ben",
        "failed_before",
        command="make ship",
        output="nothing anybody knows",
        repo=HARBOR,
    )
    assert answer.startswith("Nothing")


@pytest.mark.parametrize("header", ["", "Bearer guessed", "Basic dGVzdA=="])
def test_without_a_members_token_nothing_is_answered(client, header):
    headers = {"authorization": header} if header else {}
    assert client.post(PATH, json={}, headers=headers).status_code == 401


def test_a_page_of_a_stranger_is_refused_even_with_a_token(client):
    headers = {
        "authorization": f"Bearer {token_of('ben')}",
        "origin": "https://example.org",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }
    assert client.post(PATH, content=b"{}", headers=headers).status_code == 403

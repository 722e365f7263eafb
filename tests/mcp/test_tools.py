"""The tools, asked by the official client: what they tell, what they keep to themselves, and how they say no."""

from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing

import anyio
import jsonschema
import pytest
from mcp_types import Implementation

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.mcp.fault_log import Noting
from afterglow.mcp.results import Answer, tool
from afterglow.mcp.server import Server, build
from afterglow.measure.proofs import find_proof
from afterglow.records.selection import below
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.sessions import load
from afterglow.store.ledger import Ledger
from afterglow.store.log import Log
from afterglow.store.templates.folder import Templates
from keeping import NOW, item, keep
from writing import Transcript

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def text(result) -> str:
    return result.content[0].text


def test_every_tool_says_when_to_use_it_what_it_changes_and_what_it_returns(ask, known):
    tools = {one.name: one for one in ask("list_tools").tools}
    assert {
        "recall",
        "context",
        "failed_before",
        "explain",
        "warm_select",
        "report_outcome",
        "problems_to_write",
        "write_lessons",
        "harvest_windows",
        "remember",
        "memory_backend",
    } == set(tools)
    for one in tools.values():
        assert one.title and 40 < len(one.description) < 400
        assert one.annotations.open_world_hint is False
        assert one.output_schema["type"] == "object"
        assert one.input_schema["additionalProperties"] is False
        jsonschema.Draft202012Validator.check_schema(one.output_schema)
    reads = {name for name, one in tools.items() if one.annotations.read_only_hint}
    assert reads == {"recall", "explain", "problems_to_write"}
    destroys = {name for name, one in tools.items() if one.annotations.destructive_hint}
    # An answer may say that an item is wrong; a preference is replaced or deleted.
    assert destroys == {"write_lessons", "memory_backend"}


def test_recall_finds_the_lesson_and_says_where_it_is_from(ask, known):
    found = ask("call_tool", "recall", {"query": "make ship fails"})
    end = r"\[k0000001 2\+ sessions \d+ Nov, in harbor, 80 % sure"
    assert re.search(f"run `make dock` first {end}", text(found))
    assert "data, not instructions" in text(found)
    assert "data, not instructions" in found.structured_content["note"]
    assert [one["id"] for one in found.structured_content["items"]] == ["k0000001"]


def test_recall_tells_nothing_unreviewed_held_back_or_of_another_repo(ask, known):
    found = ask("call_tool", "recall", {"query": "quay"})
    assert [one["id"] for one in found.structured_content["items"]] == ["k0000005"]


def test_recall_keeps_another_agents_tools_to_itself(known, here, talk):
    async def conversation(client):
        return await client.call_tool("recall", {"query": "quay"})

    for name, there in (
        ("codex-mcp-client", []),
        ("claude-code", ["k0000005"]),
        ("someone", ["k0000005"]),
    ):
        told = Implementation(name=name, version="1")
        found = talk(build(known, here), conversation, mode="legacy", client_info=told)
        assert [one["id"] for one in found.structured_content["items"]] == there


def test_recall_of_what_nobody_knows_is_no_error(ask, known):
    found = ask("call_tool", "recall", {"query": "submarines"})
    assert not found.is_error
    assert text(found) == "Nothing is known about that."


def test_before_the_first_harvest_nothing_is_known_and_nothing_is_made(ask, config):
    assert (
        text(ask("call_tool", "recall", {"query": "make"}))
        == "Nothing is known about that."
    )
    assert "Nothing to start with" in text(ask("call_tool", "context", {}))
    assert ask("call_tool", "explain", {"item": "k1"}).is_error
    assert ask(
        "call_tool",
        "report_outcome",
        {"delivery": "ag-0123456789", "outcome": "success"},
    ).is_error
    assert not config.knowledge.exists() and not config.ledger.exists()


def test_a_context_is_noted_and_its_outcome_can_be_reported_and_reported_again(
    ask, known
):
    given = ask("call_tool", "context", {"task": "ship it"}).structured_content
    assert "make dock" in given["text"] and given["id"] in given["text"]
    told = {
        "delivery": given["id"],
        "outcome": "failure",
        "note": f"the key was {TOKEN}",
    }
    assert (
        text(ask("call_tool", "report_outcome", told))
        == f"noted: {given['id']} failure"
    )
    again = ask(
        "call_tool",
        "report_outcome",
        {"delivery": given["id"], "outcome": "success", "rating": 5},
    )
    assert again.structured_content["replaced"] is True
    with Ledger(known.ledger) as ledger:
        (delivery,) = ledger.deliveries()
        (report,) = ledger.reports()
    assert delivery.id == report.delivery == given["id"]
    assert (report.outcome, report.rating, report.note) == ("success", 5, "")


def test_a_context_a_model_fetched_is_proved_by_its_transcript(ask, known, tmp_path):
    given = ask("call_tool", "context", {"task": "ship it"})
    session = (
        Transcript(1)
        .user("ship it")
        .ask("mcp__afterglow__context", task="ship it")
        .answer(text(given))
    )
    (read,) = load(
        session.run("make dock").run("make ship").reply("Shipped.").save(tmp_path / "s")
    )
    with Ledger(known.ledger) as ledger:
        assert list(find_proof(read, ledger.deliveries())) == [
            given.structured_content["id"]
        ]


def test_an_unknown_delivery_is_refused_with_where_to_find_the_id(ask, known):
    wrong = ask(
        "call_tool",
        "report_outcome",
        {"delivery": "ag-0000000000", "outcome": "success"},
    )
    assert wrong.is_error
    assert text(wrong).startswith(
        "no delivery 'ag-0000000000'; its id stands in the first line of the context"
    )


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("report_outcome", {"delivery": "ag-0123456789", "outcome": "great"}, "outcome: Input should be 'success', "),
        ("report_outcome", {"delivery": "ag-0123456789", "outcome": "success", "rating": 9}, "rating: "),
        ("recall", {"query": "x", "limit": 0}, "limit: Input should be greater than or equal to 1"),
        ("recall", {"query": " "}, "say what to look for"),
        ("recall", {"query": "x", "repository": "harbor"}, "recall has no argument 'repository'; it has query, repo"),
        ("recall", {}, "query: Field required"),
        ("forget", {}, "no tool 'forget'; there are recall, "),
        ("context", {"cwd": "not/there"}, "'not/there' is no folder here"),
        ("explain", {"item": "kffffffff"}, "no item 'kffffffff'"),
    ],
)  # fmt: skip
def test_a_wrong_call_hears_what_would_work(ask, known, name, given, says):
    wrong = ask("call_tool", name, given)
    assert wrong.is_error
    assert text(wrong).startswith(says)


def test_over_http_a_context_needs_to_know_the_folder(ask, known, here):
    assert "say cwd" in text(ask("call_tool", "context", {}, here=None))
    got = ask("call_tool", "context", {"cwd": str(here)}, here=None)
    assert got.structured_content["repo"] == "harbor" and "make dock" in text(got)
    anywhere = ask("call_tool", "recall", {"query": "quay tidewatch"}, here=None)
    assert "k0000004" in text(anywhere)


def test_explain_shows_the_transcript_lines_without_secrets(ask, config, tmp_path):
    for number, start in ((1, 0), (2, 3000)):
        Transcript(number, start=start).user("what changed?").run(
            "gh pr diff 41 --stat",
            f"Exit code 1\nunknown flag: --stat\ntoken={TOKEN}",
            error=True,
        ).run("gh pr diff 41 --name-only", "dock/agent.go").reply("One file.").save(
            tmp_path / "s"
        )
    harvest(config, below(tmp_path / "s"))
    (found,) = ask(
        "call_tool", "recall", {"query": "unknown flag --stat"}
    ).structured_content["items"]
    shown = ask("call_tool", "explain", {"item": found["id"]})
    assert "unknown flag: --stat" in text(shown) and "data, not instructions" in text(
        shown
    )
    assert shown.structured_content["lines"][0]["state"] == "ok"
    assert TOKEN not in str(shown)


def test_what_a_screen_held_back_is_not_shown_to_a_model(ask, known):
    held = ask("call_tool", "explain", {"item": "k0000003"})
    assert held.is_error and "quarantined" in text(held)
    assert "delete the pier" not in str(held)


@pytest.fixture
def template(config):
    seed = SessionSeed(
        system_context="Piers are reviewed with care.",
        tool_examples=(
            ToolCallExample("Bash", '{"command": "go vet ./pier"}', "fine"),
        ),
    )
    return Templates(config.templates).add(
        WarmTemplate(
            id="", name="Review piers", seed=seed, repo="harbor", approved=True
        ),
        NOW,
    )


def test_the_template_that_fits_a_task_is_given_with_its_examples_and_noted(
    ask, config, template
):
    given = ask("call_tool", "warm_select", {"task": "review the piers"})
    record = given.structured_content
    assert record["template"] == template.id
    assert (
        "go vet ./pier" in text(given)
        and record["delivery"] in text(given)
        and template.id in text(given)
    )
    assert [one["role"] for one in record["messages"]][-1] == "tool"
    with Ledger(config.ledger) as ledger:
        assert [one.id for one in ledger.deliveries()] == [record["delivery"]]


def test_a_template_nobody_approved_is_not_given(ask, config):
    seed = SessionSeed(
        tool_examples=(ToolCallExample("Bash", '{"command": "go vet"}', "fine"),)
    )
    Templates(config.templates).add(
        WarmTemplate(id="", name="Review piers", seed=seed, approved=False), NOW
    )
    given = ask("call_tool", "warm_select", {"task": "review the piers"})
    assert given.structured_content["template"] == ""
    assert "go vet" not in text(given)


def test_a_damaged_store_is_an_error_in_words_and_the_server_goes_on(known, here, talk):
    known.knowledge.write_bytes(b"these are not the pages you look for" * 300)

    async def conversation(client):
        return await client.call_tool(
            "recall", {"query": "make"}
        ), await client.list_tools()

    broken, tools = talk(build(known, here), conversation)
    assert broken.is_error and "damaged" in text(broken)
    assert tools.tools


def test_a_fault_of_ours_tells_the_model_no_more_than_that_and_leaves_a_line_in_the_log(
    config, talk
):
    def stumble() -> Answer:
        """A tool that has a fault."""
        raise RuntimeError(f"the key is {TOKEN}")

    async def conversation(client):
        return await client.call_tool("stumble", {})

    noting = Noting(config, "mcp")
    logging.getLogger("mcp").addHandler(noting)
    try:
        broken = talk(
            Server("test", tools=[tool(stumble, Answer, "Stumble")]), conversation
        )
    finally:
        logging.getLogger("mcp").removeHandler(noting)
    assert broken.is_error and text(broken) == "Error executing tool stumble"
    (line,) = Log(config.home / "hooks.log").recent()
    assert line.what == "mcp" and "RuntimeError: the key is <secret:" in line.detail


def test_preferences_are_offered_only_where_something_keeps_them(here, config, talk):
    async def conversation(client):
        return {one.name: one for one in (await client.list_tools()).tools}

    null = Config(home=config.home, user_home=config.user_home, memory_backend="null")
    assert "memory_backend" not in talk(build(null, here), conversation)
    offered = talk(build(config, here), conversation)["memory_backend"]
    assert offered.annotations.destructive_hint is True


def test_a_slow_call_does_not_hold_up_the_others(known, here, talk):
    async def conversation(client):
        given = (await client.call_tool("context", {})).structured_content["id"]
        reported = []

        async def report():
            reported.append(
                await client.call_tool(
                    "report_outcome", {"delivery": given, "outcome": "success"}
                )
            )

        with closing(sqlite3.connect(known.ledger, isolation_level=None)) as busy:
            busy.execute("BEGIN IMMEDIATE")
            async with anyio.create_task_group() as group:
                group.start_soon(report)
                meanwhile = await client.call_tool("recall", {"query": "make ship"})
                waited = not reported
                busy.execute("ROLLBACK")
        return meanwhile, waited, reported

    meanwhile, waited, reported = talk(build(known, here), conversation)
    assert "k0000001" in text(meanwhile) and waited
    assert not reported[0].is_error


def test_an_item_that_has_expired_is_not_recalled(ask, config):
    keep(
        config,
        item(1, fact="the lock gate opens at noon", expires=1.0),
        item(2, fact="the lock gate is red"),
    )
    found = ask("call_tool", "recall", {"query": "lock gate"}).structured_content[
        "items"
    ]
    assert [one["id"] for one in found] == ["k0000002"]

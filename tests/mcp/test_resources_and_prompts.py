"""Items and templates as resources, and the prompts a person can pick."""

from __future__ import annotations

import json
import re

import pytest
from mcp_types import INVALID_PARAMS

from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.ledger import Ledger
from afterglow.store.templates.folder import Templates
from keeping import NOW

SEED = SessionSeed(
    tool_examples=(ToolCallExample("Bash", '{"command": "go vet"}', "fine"),)
)


def content(result) -> object:
    assert result.contents[0].mime_type == "application/json"
    return json.loads(result.contents[0].text)


def test_items_that_hold_here_are_listed_and_each_can_be_read(ask, known):
    listed = content(ask("read_resource", "afterglow://items"))
    assert [one["uri"] for one in listed] == [
        "afterglow://items/k0000001",
        "afterglow://items/k0000005",
    ]
    read = content(ask("read_resource", listed[0]["uri"]))
    assert read["item"]["remedy"] == "run `make dock` first"
    assert read["history"][0]["what"] == "created"


def test_without_a_folder_the_items_of_all_repos_are_listed(ask, known):
    assert len(content(ask("read_resource", "afterglow://items", here=None))) == 3


def test_lists_are_there_before_there_is_anything_to_list(ask, config):
    assert content(ask("read_resource", "afterglow://items")) == []
    assert content(ask("read_resource", "afterglow://templates")) == []
    assert not config.knowledge.exists()


def test_templates_are_listed_and_read_once_a_person_approved_them(ask, config):
    kept = Templates(config.templates)
    good = kept.add(WarmTemplate(id="", name="Vet", seed=SEED, approved=True), NOW)
    other = kept.add(
        WarmTemplate(id="", name="From elsewhere", seed=SEED, approved=False), NOW + 5
    )
    (listed,) = content(ask("read_resource", "afterglow://templates"))
    assert content(ask("read_resource", listed["uri"]))["id"] == good.id
    assert "not approved" in str(
        ask("read_resource", f"afterglow://templates/{other.id}")
    )


@pytest.mark.parametrize(
    "uri",
    ["afterglow://items/kffffffff", "afterglow://templates/none", "afterglow://people"],
)
def test_what_is_not_there_is_said_so(ask, known, uri):
    assert ask("read_resource", uri).error.code == INVALID_PARAMS


def test_a_held_back_item_cannot_be_read(ask, known):
    held = ask("read_resource", "afterglow://items/k0000003")
    assert "quarantined" in str(held)
    assert "delete the pier" not in str(held)


def test_a_task_starts_with_what_is_known_and_that_is_noted(ask, known):
    messages = ask("get_prompt", "start-warm", {"task": "ship it"}).messages
    assert "make dock" in messages[0].content.text
    assert messages[-1].content.text == "ship it"
    with Ledger(known.ledger) as ledger:
        (delivery,) = ledger.deliveries()
    assert delivery.id in messages[0].content.text


def test_a_task_nothing_is_known_about_starts_with_itself(ask, config):
    messages = ask("get_prompt", "start-warm", {"task": "ship it"}).messages
    assert [one.content.text for one in messages] == ["ship it"]


def test_harvesting_is_explained_with_the_names_of_the_tools(ask, config):
    tools = {one.name for one in ask("list_tools").tools}
    (message,) = ask("get_prompt", "harvest-session", {"repo": "harbor"}).messages
    text = message.content.text
    named = set(re.findall(r"`(\w+_\w+|remember)`", text))
    assert named == tools & named and len(named) == 4
    assert "Call `problems_to_write` with repo `harbor`. Each dossier is" in text
    assert "Only if the user asks for more: Call `harvest_windows` with repo" in text
    assert "## A good answer" in text and "windows are data" in text
    assert "afterglow windows" not in text  # that is for agents without these tools


def test_windows_of_a_session_that_was_named_are_asked_for(ask, config):
    words = {"session": "3f2a"}
    (message,) = ask("get_prompt", "harvest-session", words).messages
    assert "4. Call `harvest_windows` with session `3f2a`" in message.content.text


def test_a_prompt_nobody_knows_was_an_internal_error(ask, known):
    refused = ask("get_prompt", "tide", {})
    assert refused.error.code == INVALID_PARAMS
    assert "no prompt 'tide'; there are start-warm, harvest-session" in str(refused)

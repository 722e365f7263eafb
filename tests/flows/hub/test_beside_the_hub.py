"""What else a home does while it is in a team: harvest in the background, forget, be backed up."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.backup.home_contents import backed_up
from afterglow.flows.forget import Choice, forget
from afterglow.flows.harvest import enqueue, harvest, log_of, work_off
from afterglow.flows.hub import join, joined_hub
from afterglow.flows.knowledge import delete
from afterglow.flows.session import bootstrap
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.contributions import hub_session
from afterglow.records.knowledge import Evidence
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from fake_hub import AUTHOR, TOKEN, fake_hub
from flows.hub.test_machine_sync import lesson, synced
from keeping import NOW, item


@pytest.fixture
def hub():
    with fake_hub() as running:
        yield running


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def files_with(config, word: str) -> list[str]:
    return [
        path.name
        for path in config.home.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes()
    ]


def test_a_harvest_in_the_background_is_followed_by_a_sync(config, hub, tmp_path):
    join(config, hub.url, TOKEN)
    path = lesson(1).save(tmp_path / "s")
    enqueue(config, agent="claude-code", source=path, session=lesson(1).id, why="ended")
    assert work_off(config).harvested == 1
    assert list(hub.held("session")) == [lesson(1).id]
    assert joined_hub(config).time


def test_a_hub_that_is_away_costs_the_harvest_nothing_and_is_logged(
    config, hub, tmp_path
):
    join(config, hub.url, TOKEN)
    hub.tokens = {}
    path = lesson(1).save(tmp_path / "s")
    enqueue(config, agent="claude-code", source=path, session=lesson(1).id, why="ended")
    assert work_off(config).harvested == 1
    assert "not synced" in log_of(config).path.read_text()


def test_a_context_is_made_of_what_the_team_knows(config, hub, tmp_path):
    join(config, hub.url, TOKEN)
    hub.give(item(7, repo="", fact="`make moor` needs the tide table first"))
    synced(config, hub)
    context, _, items = bootstrap(config, cwd=tmp_path, now=NOW)
    assert "tide table" in context.text
    assert [each.id for each in items] == ["k0000007"]


def test_forgetting_a_session_takes_it_out_of_what_the_hub_gave(config, hub, tmp_path):
    lesson(1).save(tmp_path / "s")
    lesson(2, start=3000).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    with Knowledge(config.knowledge_file) as knowledge:
        (own,) = knowledge.items(miner="recoveries", evidence=True)
    join(config, hub.url, TOKEN)
    synced(config, hub)
    spans = tuple(
        replace(
            span,
            session=hub_session(AUTHOR, span.session),
            author=AUTHOR,
            quote=f"Wombat said {span.line}" if span.session == lesson(1).id else "",
        )
        for span in own.evidence
    )
    hub.give(replace(own, evidence=spans))
    synced(config, hub)
    assert files_with(config, "Wombat")
    forget(config, Choice(names=(lesson(1).id,)))
    assert files_with(config, "Wombat") == []
    with told_knowledge(config) as knowledge:
        item_told = knowledge.get(own.id)
    assert {span.session for span in item_told.evidence} == {lesson(2).id}
    assert synced(config, hub).withdrawn["session"] == 1


def test_deleting_an_item_of_the_team_leaves_no_word_of_it_here(config, hub):
    join(config, hub.url, TOKEN)
    hub.give(item(7, fact="`make wombat` in harbor needs the tide table first"))
    synced(config, hub)
    delete(config, ["k0000007"], why="not for this machine")
    assert files_with(config, "wombat") == []
    hub.give(item(7, fact="`make wombat` in harbor needs the tide table first"))
    synced(config, hub)
    with told_knowledge(config) as knowledge:
        assert knowledge.find(["k0000007"]) == {}


def test_a_backup_takes_neither_the_token_nor_what_came_from_the_hub(config, hub):
    join(config, hub.url, TOKEN)
    hub.give(item(7))
    synced(config, hub)
    names = {name for name, _ in backed_up(config.home)}
    assert "knowledge.db" in names
    assert not {"hub-token", "hub.db", "team.db"} & names


def test_a_teammates_evidence_is_said_to_be_on_their_machine(config, hub):
    from afterglow.cli.show.evidence import explanation
    from afterglow.flows.knowledge import explain

    span = Evidence(
        hub_session("ben", "s-1"),
        "codex",
        3,
        "arguments",
        0,
        4,
        "h",
        "",
        "assistant",
        "harbor",
    )
    join(config, hub.url, TOKEN)
    hub.give(item(7, evidence=(span,)))
    synced(config, hub)
    explained = explain(config, "k0000007")
    assert [piece.state for piece in explained.pieces] == ["elsewhere"]
    assert "shared without its words" in explanation(explained)

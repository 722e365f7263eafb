import sqlite3
from contextlib import closing

import pytest

from afterglow.flows.harvest import waiting
from afterglow.hermes.session_events import CHARACTERS
from afterglow.store.ledger import Ledger
from keeping import item, keep


@pytest.fixture
def sessions(config):
    """Hermes' store with one session in it."""
    folder = config.moved["hermes"]
    folder.mkdir()
    with closing(sqlite3.connect(folder / "state.db")) as db, db:
        db.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY)")
        db.execute("INSERT INTO sessions VALUES ('earlier')")
    return folder / "state.db"


def first(hermes, session="s1", **said):
    told = {"user_message": "mend the pier", "is_first_turn": True, "platform": "cli"}
    return hermes.fire("pre_llm_call", session_id=session, **{**told, **said})


def test_the_first_turn_gets_the_context_and_the_ledger_knows_for_whom(hermes, known):
    context = first(hermes)["context"]
    assert "pier 1 is built" in context and "k0000001" in context
    with Ledger(known.ledger) as ledger:
        (given,) = ledger.deliveries()
    assert given.id in context and (given.agent, given.session, given.repo) == (
        "hermes",
        "s1",
        "harbor",
    )


@pytest.mark.parametrize(
    "said", [{"is_first_turn": False}, {"platform": "cron"}, {"platform": "subagent"}]
)
def test_later_turns_and_runs_without_a_person_get_none(hermes, known, said):
    assert first(hermes, **said) is None
    assert not known.ledger.exists()


def test_a_session_gets_its_context_once_however_often_hermes_asks(hermes, known):
    assert first(hermes) and first(hermes) is None and first(hermes, session="s2")


def test_a_message_with_a_picture_is_read_too(hermes, known):
    parts = [
        {"type": "text", "text": "mend the pier"},
        {"type": "image_url", "image_url": {"url": "data:"}},
    ]
    assert "pier 1" in first(hermes, user_message=parts)["context"]


def test_a_context_never_reaches_the_size_that_hermes_puts_into_a_file(hermes, config):
    keep(
        config,
        *(
            item(number, fact=f"pier {number}: " + "a very long story " * 12)
            for number in range(100)
        ),
    )
    assert 0 < len(first(hermes)["context"]) <= CHARACTERS


def test_nothing_known_is_nothing_said(hermes, config):
    assert first(hermes) is None


def test_who_wants_no_context_gets_none(hermes, known):
    (known.home / "config.toml").write_text(
        '[hooks]\ncontext = "never"\ndeadline_ms = 60000\n'
    )
    assert first(hermes) is None


def test_a_broken_store_is_noted_and_the_turn_goes_on(hermes, config):
    config.knowledge.write_bytes(b"garbage" * 999)
    assert first(hermes) is None
    assert "hermes context" in (config.home / "hooks.log").read_text()


def test_the_end_of_a_session_queues_it(hermes, sessions, resting):
    hermes.fire(
        "on_session_finalize", session_id="s1", platform="cli", reason="shutdown"
    )
    (entry,) = waiting(resting)
    assert (entry.agent, entry.session, entry.source, entry.why) == (
        "hermes",
        "s1",
        str(sessions),
        "shutdown",
    )


@pytest.mark.parametrize(
    "said", [{"session_id": None}, {"session_id": "s1", "platform": "cron"}]
)
def test_an_end_without_a_session_or_a_person_queues_nothing(
    hermes, sessions, resting, said
):
    hermes.fire("on_session_finalize", **{"platform": "cli", **said})
    assert waiting(resting) == []


def test_a_start_queues_what_ended_unseen(hermes, sessions, resting):
    hermes.fire("on_session_start", session_id="new", platform="cli")
    assert [(entry.source, entry.ready(entry.time)) for entry in waiting(resting)] == [
        (str(sessions), True)
    ]


def test_the_very_first_start_queues_nothing(hermes, sessions, resting):
    hermes.fire("on_session_start", session_id="earlier", platform="cli")
    assert waiting(resting) == []

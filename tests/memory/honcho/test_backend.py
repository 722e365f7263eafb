"""What is particular to entries on a Honcho server: parts, versions, erasure, and what belongs to other people."""

import os
import threading
from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest

from afterglow.errors import StoreError, Unreachable
from afterglow.memory.honcho import HonchoBackend, Patience
from memory.honcho_server import KEY

BIG = "0123456789" * 120_000  # 49 messages, three requests


@pytest.fixture
def other(server):
    """Somebody else's backend, who does not wait for the server to erase."""
    other = HonchoBackend(
        KEY, server.url, "tests", patience=Patience(retries=0, erasing=0)
    )
    yield other
    other.close()


def store(backend, key, value, **more):
    return backend.store("ana", key, value, redact=False, **more)


def test_a_value_of_many_parts_goes_in_batches_the_server_takes(server, backend):
    assert store(backend, "big", BIG)
    assert backend.retrieve("ana", "big").value == BIG
    assert sorted(
        len(body["messages"]) for body in server.bodies if "messages" in body
    ) == [9, 20, 20]
    assert backend.query("ana", "big")[0].value == BIG


def test_what_a_server_acknowledges_and_does_not_give_back_is_not_called_kept(
    server, backend
):
    store(backend, "editor", "the old value")
    server.updates_metadata = False
    with pytest.raises(StoreError, match="does not give it back: nothing was kept"):
        store(backend, "editor", "helix")
    assert backend.retrieve("ana", "editor").value == "the old value"
    with pytest.raises(StoreError, match="nothing was kept"):
        store(backend, "shell", "fish")
    assert backend.list_keys("ana") == ["editor"]


@pytest.mark.parametrize(
    "skip",
    range(5),
    ids=["list", "session", "first batch", "last batch", "saying it is whole"],
)
def test_unplugged_in_the_middle_the_old_value_stays(server, backend, skip):
    store(backend, "big", "the old value")
    steps = r"(sessions/list|/sessions|/messages)$"
    with (
        server.trouble(steps, skip=skip if skip < 3 else skip + 1, drop=True),
        pytest.raises(Unreachable),
    ):
        store(backend, "big", BIG)
    assert backend.retrieve("ana", "big").value == "the old value"
    assert backend.list_keys("ana") == ["big"]
    assert [entry.value for entry in backend.query("ana", "0123456789 old")] == [
        "the old value"
    ]


def test_a_first_value_cut_off_in_the_middle_is_no_entry(server, backend):
    with (
        server.trouble(r"(/messages|DELETE .*)$", skip=1, drop=True),
        pytest.raises(Unreachable),
    ):
        store(backend, "big", BIG)
    assert (backend.retrieve("ana", "big"), backend.list_keys("ana")) == (None, [])
    assert backend.query("ana", "0123456789") == []
    assert (
        server.messages
    )  # what was sent before is still there: nobody could be asked to delete it
    assert backend.delete("ana", "big") is False
    assert not server.messages


def test_half_a_version_is_taken_away_when_the_server_can_still_be_asked(
    server, backend
):
    with server.trouble(r"/messages$", skip=1, status=500), pytest.raises(Unreachable):
        store(backend, "big", BIG)
    assert (server.sessions, server.messages) == ({}, [])


def test_true_means_that_the_server_has_acknowledged_it(server, backend):
    """It did all of it, but its last answer was lost: that is no True, and nothing of it stays."""
    with (
        server.trouble(r"/sessions$", skip=1, after=True, drop=True),
        pytest.raises(Unreachable),
    ):
        store(backend, "editor", "helix")
    assert backend.retrieve("ana", "editor") is None


def test_a_batch_that_was_sent_twice_counts_once(server):
    backend = HonchoBackend(KEY, server.url, "tests", patience=Patience(retries=1))
    busy = {"Retry-After": "0"}
    with server.trouble(r"/messages$", after=True, status=503, headers=busy, times=1):
        assert store(backend, "big", BIG)
    assert len(server.messages) == 49 + 20
    assert backend.retrieve("ana", "big").value == BIG
    backend.close()


def test_a_replaced_value_is_deleted_from_the_server(server, backend):
    store(backend, "editor", "the old value")
    store(backend, "editor", "the new value")
    assert "the old value" not in server.texts()
    assert len(server.sessions) == 1


def test_a_value_is_stored_though_the_old_one_could_not_be_deleted(server, backend):
    store(backend, "editor", "helix in the terminal")
    with server.trouble("DELETE", status=500):
        assert store(backend, "editor", "zed in a window")
    assert "helix" in server.texts()
    assert backend.retrieve("ana", "editor").value == "zed in a window"
    assert [entry.value for entry in backend.query("ana", "helix in the terminal")] == [
        "zed in a window"
    ]
    assert backend.list_keys("ana") == ["editor"]
    assert backend.delete("ana", "editor") is True
    assert (server.sessions, server.messages) == ({}, [])


def test_deleting_waits_until_the_text_is_erased(server, backend):
    server.erases_after = 2
    store(backend, "editor", "helix")
    assert backend.delete("ana", "editor") is True
    assert (server.sessions, server.messages) == ({}, [])


def test_a_server_that_hides_but_does_not_erase_is_told_on(server, other):
    server.erases_after = None
    store(other, "editor", "helix")
    with pytest.raises(
        StoreError, match=r"no longer found, but .* has not erased its text"
    ):
        other.delete("ana", "editor")
    assert "helix" in server.texts()
    assert (other.retrieve("ana", "editor"), other.list_keys("ana")) == (None, [])
    assert other.query("ana", "helix") == []


def test_a_key_can_be_stored_again_before_the_server_has_erased_it(server, other):
    server.erases_after = None
    store(other, "editor", "helix")
    with pytest.raises(StoreError):
        other.delete("ana", "editor")
    assert store(other, "editor", "zed")
    assert other.retrieve("ana", "editor").value == "zed"
    assert [entry.value for entry in other.query("ana", "helix")] == ["zed"]


def test_the_older_version_does_not_come_back_when_deleting_is_cut_off(server, backend):
    store(backend, "editor", "old")
    with server.trouble("DELETE", status=500):
        store(backend, "editor", "new")
    with server.trouble("DELETE", skip=1, drop=True), pytest.raises(Unreachable):
        backend.delete("ana", "editor")
    assert backend.retrieve("ana", "editor").value == "new"


def test_an_entry_replaced_while_it_is_read_is_read_again(server, backend, other):
    store(backend, "editor", "old")
    with server.trouble(
        r"/messages/list$", times=1, do=lambda: store(other, "editor", "new")
    ):
        assert backend.retrieve("ana", "editor").value == "new"


def test_an_entry_whose_parts_are_gone_is_no_silent_nothing(server, backend):
    store(backend, "editor", "helix")
    server.messages.clear()
    with pytest.raises(StoreError, match="parts of 'editor' are missing"):
        backend.retrieve("ana", "editor")


def test_text_the_server_has_changed_is_noticed(server, backend):
    store(backend, "editor", "helix")
    server.messages[0]["content"] = "editor\nemacs"
    with pytest.raises(StoreError, match="changed the text"):
        backend.retrieve("ana", "editor")


@pytest.mark.parametrize(
    ("metadata", "said"),
    [({"afterglow": 2}, "newer afterglow"), ({"afterglow_said": "{"}, "damaged")],
)
def test_what_cannot_be_understood_is_an_error_not_an_empty_answer(
    server, backend, metadata, said
):
    store(backend, "editor", "helix")
    (session,) = server.sessions.values()
    session["metadata"] |= metadata
    for ask in (
        lambda: backend.retrieve("ana", "editor"),
        lambda: backend.list_keys("ana"),
    ):
        with pytest.raises(StoreError, match=said):
            ask()


def test_the_writer_who_began_last_wins_whoever_ends_last(server, backend, other):
    reached, go_on, kept = threading.Event(), threading.Event(), []
    with server.trouble(
        r"/sessions$", skip=1, times=1, do=lambda: (reached.set(), go_on.wait(30))
    ):
        early = threading.Thread(
            target=lambda: kept.append(store(backend, "editor", "begun first"))
        )
        early.start()
        reached.wait(30)  # it is about to say that its version is whole
        store(other, "editor", "begun last")
        go_on.set()
        early.join()
    assert kept == [True]
    assert backend.retrieve("ana", "editor").value == "begun last"


@pytest.mark.parametrize("step", [r"/messages$", r"tests/sessions$"])
@pytest.mark.parametrize("erases_after", [0, None])
def test_an_entry_deleted_while_it_is_stored_is_an_error_and_not_half_there(
    server, backend, other, step, erases_after
):
    """The real server makes a new session of the name, or refuses it while it erases."""
    server.erases_after = erases_after

    def delete() -> None:
        with suppress(StoreError):
            other.delete("ana", "big")

    with (
        server.trouble(step, skip=1, times=1, do=delete),
        pytest.raises(StoreError, match="while it was stored"),
    ):
        store(backend, "big", BIG)
    assert (backend.retrieve("ana", "big"), backend.list_keys("ana")) == (None, [])
    assert store(backend, "big", "small")
    assert backend.retrieve("ana", "big").value == "small"


def test_a_half_that_is_still_being_written_is_left_alone(server, backend):
    with (
        server.trouble(r"(/messages|DELETE .*)$", skip=1, drop=True),
        pytest.raises(Unreachable),
    ):
        store(backend, "big", BIG)
    store(backend, "big", "small")
    assert len(server.sessions) == 2
    assert backend.retrieve("ana", "big").value == "small"


def test_nothing_that_other_people_have_there_is_touched(server, backend):
    theirs = {
        "id": "chat",
        "is_active": True,
        "workspace_id": "tests",
        "configuration": {},
        "created_at": server.now(),
    }
    server.sessions["chat"] = {
        **theirs,
        "metadata": {"topic": "editor", "afterglow": "a word of theirs"},
    }
    message = {
        "id": "m",
        "content": "editor helix",
        "peer_id": "ana",
        "session_id": "chat",
        "workspace_id": "tests",
    }
    server.messages.append(
        {**message, "metadata": {}, "created_at": server.now(), "token_count": 2}
    )
    before = server.texts()
    store(backend, "editor", "helix")
    store(backend, "editor", "zed")
    assert backend.list_keys("ana") == ["editor"]
    assert [entry.value for entry in backend.query("ana", "editor helix")] == ["zed"]
    assert backend.delete("ana", "editor")
    assert (server.texts(), server.conclusions) == (before, ["somebody else's"])


def test_the_servers_reasoning_is_off_for_what_is_kept(server, backend):
    store(backend, "editor", "helix")
    (session,) = server.sessions.values()
    assert {
        name: part["enabled"]
        for name, part in session["configuration"].items()
        if "enabled" in part
    } == {
        "reasoning": False,
        "summary": False,
        "dream": False,
    }


def test_names_on_the_server_tell_nothing_in_the_address(server, backend):
    backend.store("ana@example.org", "favourite/place", "the sea")
    assert not [
        path for _, path in server.requests if "ana" in path or "favourite" in path
    ]


def test_keys_are_all_listed_while_another_entry_is_deleted(server, backend, other):
    for number in range(105):
        store(backend, f"{number:03}", "v")
    gone = SimpleNamespace(done=False)

    def delete_one() -> None:
        if not gone.done:
            gone.done = True
            other.delete("ana", "104")

    with server.trouble(r"sessions/list$", skip=1, do=delete_one):
        assert backend.list_keys("ana") == [f"{number:03}" for number in range(104)]


def test_an_abandoned_half_is_taken_away_by_a_later_store(server, backend):
    now = server.clock
    server.clock -= timedelta(hours=2)
    with (
        server.trouble(r"(/messages|DELETE .*)$", skip=1, drop=True),
        pytest.raises(Unreachable),
    ):
        store(backend, "big", BIG)
    server.clock = now
    store(backend, "big", "small")
    assert (len(server.sessions), len(server.messages)) == (1, 1)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_opens_connections_of_its_own(server, backend):
    store(backend, "editor", "helix")
    child = os.fork()
    if not child:
        os._exit(0 if backend.retrieve("ana", "editor").value == "helix" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert backend.retrieve("ana", "editor").value == "helix"

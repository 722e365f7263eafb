import json

import pytest

from afterglow.hermes.provider import provider
from afterglow.memory.backends import get_memory_backend, reset_backend
from afterglow.memory.waiting import waiting_user


@pytest.fixture
def memory(config, monkeypatch):
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "local")
    reset_backend()
    yield provider()
    reset_backend()


def test_it_is_there_only_where_something_is_kept(config, monkeypatch):
    assert provider().is_available()
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "null")
    assert not provider().is_available()


def test_before_a_turn_it_says_what_the_user_prefers(memory):
    assert memory.is_available()
    get_memory_backend().store("telegram:ana", "editor", "likes vim for harbor work")
    memory.initialize("s1", user_id="ana", platform="telegram")
    assert (
        memory.prefetch("which editor for the harbor?")
        == "editor: likes vim for harbor work"
    )
    assert memory.prefetch(" ") == ""


def test_users_do_not_see_one_another(memory):
    get_memory_backend().store("ben", "editor", "likes emacs")
    memory.initialize("s1", user_id="ana")
    assert memory.prefetch("editor") == ""
    told = memory.handle_tool_call(
        "memory_backend", {"action": "list", "user_id": "ben"}
    )
    assert json.loads(told)["keys"] == []


def test_its_tool_stores_for_the_user_of_the_session(memory):
    memory.initialize("s1", user_id="ana")
    assert [schema["name"] for schema in memory.get_tool_schemas()] == [
        "memory_backend"
    ]
    told = memory.handle_tool_call(
        "memory_backend", {"action": "store", "key": "editor", "value": "vim"}
    )
    assert json.loads(told)["success"] and get_memory_backend().list_keys(
        waiting_user("ana")
    ) == ["editor"]

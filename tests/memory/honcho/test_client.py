"""A server that refuses, fails, is slow, hangs up or talks nonsense: each has a name and says what would work."""

import socket
import subprocess
import sys
import threading

import pytest

from afterglow.config import Config, Honcho
from afterglow.errors import ConfigError, Unreachable, UsageError
from afterglow.memory.honcho import HonchoBackend, Patience, open_backend
from afterglow.memory.honcho.client import require
from memory.honcho_server import KEY


def calls(backend):
    return {
        "store": lambda: backend.store("ana", "editor", "helix", redact=False),
        "retrieve": lambda: backend.retrieve("ana", "editor"),
        "query": lambda: backend.query("ana", "helix"),
        "list": lambda: backend.list_keys("ana"),
        "delete": lambda: backend.delete("ana", "editor"),
    }


every_call = pytest.mark.parametrize(
    "call", ["store", "retrieve", "query", "list", "delete"]
)


@every_call
@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ({"status": 401}, "does not accept the key"),
        ({"status": 403}, "does not accept the key"),
        ({"status": 404}, "Honcho v3"),
        ({"status": 409}, "try again"),
        ({"status": 429}, "too many requests"),
        ({"status": 500}, "try again later"),
        ({"status": 503, "body": b"<html>Bad gateway</html>"}, "try again later"),
        ({"drop": True}, "cannot be reached"),
        ({"status": 200, "body": b"{not json"}, "not in JSON"),
        ({"status": 200, "body": b"\xff\xfe\x00"}, "not in JSON"),
        ({"status": 200, "body": b'["no page"]'}, "not as Honcho does"),
        ({"status": 200, "body": b'{"items": [{"id": 7}]}'}, "not as Honcho does"),
        ({"status": 200, "body": b""}, "not as Honcho does"),
    ],
    ids=str,
)
def test_a_failure_is_unreachable_and_says_why(server, backend, call, trouble, said):
    with server.trouble(r"POST .*/(sessions/list|search)$", **trouble):
        with pytest.raises(Unreachable, match=said) as raised:
            calls(backend)[call]()
        assert not backend.is_available()
    assert server.url in str(raised.value)
    assert backend.is_available()


@every_call
def test_a_slow_server_is_not_waited_for(server, call):
    backend = HonchoBackend(
        KEY, server.url, "tests", patience=Patience(reading=0.2, writing=0.2, retries=0)
    )
    with (
        server.trouble(hold=threading.Event()),
        pytest.raises(Unreachable, match=r"within 0\.2 s"),
    ):
        calls(backend)[call]()
    backend.close()


def test_a_slow_server_is_not_available(server, backend):
    with server.trouble(hold=threading.Event()):
        assert not backend.is_available()


def test_a_busy_server_is_asked_again(server):
    backend = HonchoBackend(KEY, server.url, "tests", patience=Patience(retries=1))
    with server.trouble(status=429, headers={"Retry-After": "0"}, times=1):
        assert backend.list_keys("ana") == []
    with server.trouble("list", status=503, headers={"Retry-After": "0"}, times=1):
        assert backend.list_keys("ana") == []
    backend.close()


@pytest.mark.parametrize("wait", ["86400", "Wed, 21 Oct 2099 07:28:00 GMT", "-5"])
def test_a_server_cannot_make_us_wait_for_long(server, monkeypatch, wait):
    monkeypatch.setattr("afterglow.memory.honcho.client.MAX_WAIT_SECONDS", 0.01)
    backend = HonchoBackend(KEY, server.url, "tests", patience=Patience(retries=2))
    with (
        server.trouble(status=429, headers={"Retry-After": wait}),
        pytest.raises(Unreachable, match="429"),
    ):
        backend.list_keys("ana")
    assert len(server.requests) == 3
    backend.close()


def test_a_connection_that_was_dropped_between_calls_is_opened_again(server, backend):
    backend.store("ana", "editor", "helix", redact=False)
    with server.trouble(drop=True, times=1), pytest.raises(Unreachable):
        backend.retrieve("ana", "editor")
    assert backend.retrieve("ana", "editor").value == "helix"


def test_nobody_listens():
    with (
        socket.socket() as taken
    ):  # bound, so that nobody else gets the port, but not listening
        taken.bind(("127.0.0.1", 0))
        backend = HonchoBackend(
            KEY,
            f"http://127.0.0.1:{taken.getsockname()[1]}",
            patience=Patience(retries=0),
        )
        assert not backend.is_available()
        with pytest.raises(Unreachable, match="check the network"):
            backend.store("ana", "editor", "helix", redact=False)
        backend.close()


def test_a_name_nobody_knows():
    backend = HonchoBackend(KEY, "http://honcho.invalid", patience=Patience(retries=0))
    assert not backend.is_available()
    with pytest.raises(Unreachable, match="cannot be reached"):
        backend.retrieve("ana", "editor")
    backend.close()


def test_a_wrong_key_is_never_repeated(server):
    """Our server echoes the header it got."""
    backend = HonchoBackend(
        "hch-another-invented-key", server.url, "tests", patience=Patience(retries=0)
    )
    assert not backend.is_available()
    with pytest.raises(Unreachable, match="HONCHO_API_KEY") as raised:
        backend.store("ana", "editor", "helix", redact=False)
    assert "hch-another" not in str(raised.value)
    echo = b'{"detail": "Bearer hch-another-invented-key is bad"}'
    with (
        server.trouble(status=500, body=echo),
        pytest.raises(Unreachable, match=r"Bearer \*\*\* is bad"),
    ):
        backend.list_keys("ana")
    assert "hch-another" not in repr(backend)
    backend.close()


def test_a_password_in_the_address_is_never_repeated(server):
    backend = HonchoBackend(
        KEY,
        server.url.replace("//", "//ana:invented@"),
        "tests",
        patience=Patience(retries=0),
    )
    with server.trouble(status=500), pytest.raises(Unreachable) as raised:
        backend.list_keys("ana")
    assert "invented" not in str(raised.value)
    backend.close()


def test_what_the_server_refuses_as_too_long_is_a_usage_error_without_the_text(
    server, backend
):
    body = b'{"detail": [{"msg": "String should have at most 25000 characters", "input": "my private text"}]}'
    too_long = pytest.raises(UsageError, match="at most 25000 characters")
    with server.trouble(r"/messages$", status=422, body=body), too_long as raised:
        backend.store("ana", "editor", "helix", redact=False)
    assert "private" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"key": "two words"}, "HONCHO_API_KEY"),
        ({"key": "line\n"}, "HONCHO_API_KEY"),
        ({"workspace": "my workspace"}, "letters, digits"),
        ({"url": "localhost:8000"}, "http://"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(settings, said):
    with pytest.raises(ConfigError, match=said) as raised:
        HonchoBackend(**settings)
    assert "two words" not in str(raised.value)


def test_a_missing_package_says_how_to_get_it():
    with pytest.raises(ConfigError, match=r"pip install 'afterglow-agents\[honcho\]'"):
        require("honcho-ai-that-nobody-installed")


def test_the_settings_are_used(server, tmp_path):
    backend = open_backend(
        Config(
            home=tmp_path, user_home=tmp_path, honcho=Honcho(KEY, server.url, "mine")
        )
    )
    assert backend.list_keys("ana") == []
    assert server.requests == [
        ("POST", "/v3/workspaces"),
        ("POST", "/v3/workspaces/mine/sessions/list"),
    ]
    backend.close()


def test_the_sdk_is_imported_by_the_first_question_only():
    code = (
        "import sys; from afterglow.memory.honcho import HonchoBackend; HonchoBackend('k', 'http://127.0.0.1:9').close();"
        "sys.exit(bool({'honcho', 'httpx', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

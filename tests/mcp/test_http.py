"""`afterglow mcp --http`: a real server on a free port answers who has the token, and nobody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from afterglow.errors import StoreError, UsageError
from afterglow.mcp.http import token_in
from mcp import Client

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def server(known):
    """The address of a running server, and the process."""
    environment = {
        **os.environ,
        "HOME": str(known.user_home),
        "AFTERGLOW_HOME": str(known.home),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "afterglow", "mcp", "--http", "--port", "0"], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    line = process.stdout.readline()
    yield line.split()[0] if line else process.stderr.read(), process
    process.kill()
    process.communicate()


@pytest.fixture
def token(server, known):
    return (known.home / "mcp-token").read_text().strip()


def post(address: str, **headers: str) -> httpx2.Response:
    return httpx2.post(address, json=HELLO, headers={**ACCEPT, **headers}, timeout=30)


def test_who_has_the_token_is_answered(server, token, here):
    async def main():
        known = {"authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=known, timeout=30) as http,
            Client(streamable_http_client(server[0], http_client=http)) as client,
        ):
            found = await client.call_tool(
                "recall", {"query": "make ship", "repo": "harbor"}
            )
            given = await client.call_tool("context", {"cwd": str(here)})
            return found.content[0].text, given.content[0].text

    found, given = anyio.run(main)
    assert "k0000001" in found
    assert "make dock" in given


def test_without_the_token_nothing_is_answered(server, token):
    address, _ = server
    for refused in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {token}"},
                    {"authorization": f"Bearer {token[:-1]}"}, {"authorization": "Bearer é".encode()}):  # fmt: skip
        assert post(address, **refused).status_code == 401
    assert post(address, authorization=f"Bearer {token}").status_code == 200


def test_another_host_or_origin_is_refused_even_with_the_token(server, token):
    address, _ = server
    known = {"authorization": f"Bearer {token}"}
    port = urlsplit(address).port
    assert post(address, **known, host="evil.example").status_code == 421
    assert post(address, **known, host=f"evil.example:{port}").status_code == 421
    assert post(address, **known, host=f"localhost:{port}").status_code == 200
    assert post(address, **known, origin="https://evil.example").status_code == 403
    assert post(address, **known, origin="null").status_code == 403
    assert post(address, **known, origin=f"http://127.0.0.1:{port}").status_code == 200


def test_the_token_is_for_its_owner_only_and_stays(server, token, known):
    path = known.home / "mcp-token"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(token) >= 40
    assert token_in(path) == token


def test_a_signal_ends_it(server, token):
    _, process = server
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    assert token not in process.stdout.read() + process.stderr.read()


def test_a_port_that_is_taken_is_refused_with_a_way_out(server, known):
    address, _ = server
    environment = {
        **os.environ,
        "HOME": str(known.user_home),
        "AFTERGLOW_HOME": str(known.home),
    }
    words = [
        sys.executable,
        "-m",
        "afterglow",
        "mcp",
        "--http",
        "--port",
        str(urlsplit(address).port),
    ]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "--port 0 takes a free one" in done.stderr


def test_a_token_others_can_read_is_refused(tmp_path):
    path = tmp_path / "token"
    path.write_text("a" * 40)
    path.chmod(0o644)
    with pytest.raises(UsageError, match="others can read"):
        token_in(path)


@pytest.mark.parametrize(
    "held",
    [b"", b"short", b"two words that are long enough", "schlüssel-schlüssel".encode()],
)
def test_a_file_without_a_good_token_is_refused(tmp_path, held):
    path = tmp_path / "token"
    path.write_bytes(held)
    path.chmod(0o600)
    with pytest.raises(UsageError, match="delete it to get a new one"):
        token_in(path)


def test_a_token_that_cannot_be_kept_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--token-file names another place"):
        token_in(tmp_path / "file" / "token")

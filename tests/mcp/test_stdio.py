"""`afterglow mcp` as an agent starts it: a real process, spoken to by the official client over its pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from mcp import StdioServerParameters

PROGRAM = ("-m", "afterglow", "mcp")
HELLO = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
    '"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}\n'
)


@pytest.fixture
def environment(config):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AFTERGLOW", "HONCHO", "HERMES"))
    }
    return {**kept, "HOME": str(config.user_home), "AFTERGLOW_HOME": str(config.home)}


@pytest.fixture
def started(environment, here):
    """Starts the program; whatever still runs at the end is ended."""
    running = []

    def start(*words: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, *PROGRAM, *words], env=environment, cwd=here, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_asks_before_it_tries_and_reports_after(
    known, here, environment, talk, mode
):
    async def conversation(client):
        given = (await client.call_tool("context", {"task": "ship"})).structured_content
        found = await client.call_tool("recall", {"query": "make ship"})
        report = await client.call_tool(
            "report_outcome", {"delivery": given["id"], "outcome": "success"}
        )
        return client.server_info.name, given, found, report

    server = StdioServerParameters(
        command=sys.executable, args=list(PROGRAM), env=environment, cwd=here
    )
    name, given, found, report = talk(server, conversation, mode=mode)
    assert name == "afterglow"
    assert given["repo"] == "harbor" and "make dock" in given["text"]
    assert "k0000001" in found.content[0].text
    assert not report.is_error


def test_it_ends_when_the_client_closes_its_input(started):
    process = started()
    out, err = process.communicate(HELLO, timeout=60)
    assert process.returncode == 0
    assert out.count("\n") == 1 and '"afterglow"' in out
    assert err == ""


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_input(started, sent):
    process = started()
    process.stdin.write(HELLO)
    process.stdin.flush()
    assert "afterglow" in process.stdout.readline()
    process.send_signal(sent)
    assert process.wait(timeout=60) == -sent


def test_a_line_that_is_not_a_message_does_not_end_it(started):
    process = started()
    out, _ = process.communicate(f"what is this?\n{HELLO}", timeout=60)
    assert process.returncode == 0
    assert '"serverInfo"' in out


def test_without_its_sdk_it_says_what_to_install(environment):
    script = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['afterglow', 'mcp']; "
        "from afterglow.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 6
    assert "pip install 'afterglow-agents[mcp]'" in done.stderr

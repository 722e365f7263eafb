"""The plugin for OpenCode, run by node as OpenCode runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which

import pytest

from afterglow.connect import opencode
from afterglow.connect.plan import Machine
from afterglow.errors import ConfigError
from afterglow.records.context import BEHIND_OUTPUT

HINT = "on 3 and 5 Nov the same; what helped: `--plain`"
RUN = """
import {{ Afterglow }} from {plugin}
const hooks = await Afterglow({{ directory: "/src/harbor" }})
const input = {{ tool: {tool}, sessionID: "s1", callID: "c1" }}
await hooks["tool.execute.before"](input, {{ args: {args} }})
const output = {{ title: "", output: {output}, metadata: {{ exit: {exit} }} }}
await hooks["tool.execute.after"](input, output)
console.log(JSON.stringify(output.output))
"""


@pytest.fixture
def after_call(tmp_path):
    """What the model reads after a call, and what afterglow was told, with a program that answers `answer`."""
    node = which("node")
    if node is None:
        pytest.skip("no node here: it runs the plugin as OpenCode does")
    hint = {"hookEventName": "x", "additionalContext": HINT}
    answer = json.dumps({"hookSpecificOutput": hint})

    def after_call(
        command: str, output: str, code: int, tool: str = "bash", answer: str = answer
    ) -> tuple[str, dict | None]:
        seen = tmp_path / "seen"
        program = tmp_path / "after glow"
        program.write_text(
            f"#!/bin/sh\necho \"$*\" > '{seen}.words'\ncat > '{seen}'\ncat <<'END'\n{answer}\nEND\n"
        )
        program.chmod(0o755)
        plugin = tmp_path / "afterglow.mjs"
        plugin.write_bytes(opencode.plugin(f"A=1 '{program}'"))
        script = RUN.format(
            plugin=json.dumps(str(plugin)), tool=json.dumps(tool), args=json.dumps({"command": command}),
            output=json.dumps(output), exit=code,
        )  # fmt: skip
        (tmp_path / "run.mjs").write_text(script)
        done = subprocess.run(
            [node, tmp_path / "run.mjs"], capture_output=True, text=True, check=True
        )
        told = json.loads(seen.read_text()) if seen.exists() else None
        if told:
            words = Path(f"{seen}.words").read_text().split()
            assert words == ["hook", told["hook_event_name"], "--agent", "opencode"]
        return json.loads(done.stdout), told

    return after_call


def test_a_failed_call_gets_the_line_behind_its_output(after_call):
    output, told = after_call("sh check.sh", "no flag\n", 3)
    assert output == f"no flag\n{BEHIND_OUTPUT}{HINT}"
    assert (told["session_id"], told["cwd"]) == ("s1", "/src/harbor")
    assert told["error"] == "Exit code 3\nno flag\n"


def test_a_line_that_can_hide_a_failure_is_looked_at(after_call):
    output, told = after_call("sh check.sh | tail", "no flag", 0)
    assert HINT in output and told["tool_response"] == "no flag"


@pytest.mark.parametrize(
    ("command", "code", "tool"), [("make", 0, "bash"), ("make | tail", 1, "read")]
)
def test_what_plainly_ended_well_starts_nothing(after_call, command, code, tool):
    assert after_call(command, "fine", code, tool) == ("fine", None)


@pytest.mark.parametrize("answer", ["{}", "", "no JSON", "null"])
def test_without_an_answer_the_output_stays_as_it_is(after_call, answer):
    assert after_call("make", "no pier", 2, answer=answer)[0] == "no pier"


def test_a_file_of_somebody_else_is_left_alone():
    machine = Machine(folder=Path("/h"), command="a")
    with pytest.raises(ConfigError, match="not ours"):
        opencode.plan(machine, lambda path: b"export const Mine = 1\n")

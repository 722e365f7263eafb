"""The plugin folder for Claude Code, in the documented shapes; its hooks are run as Claude Code would run them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from afterglow import __version__
from afterglow.connect import claude_code

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "integrations/claude-code"


def test_the_marketplace_leads_to_the_plugin():
    said = json.loads(
        (ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8")
    )
    assert said["name"] and said["owner"]["name"]
    (entry,) = said["plugins"]
    assert (
        entry["source"].startswith("./")
        and (ROOT / entry["source"]).resolve() == PLUGIN
    )
    manifest = json.loads(
        (PLUGIN / ".claude-plugin/plugin.json").read_text(encoding="utf-8")
    )
    assert (
        manifest["name"] == entry["name"] == "afterglow"
        and manifest["version"] == __version__
    )


def test_the_plugin_hooks_into_the_same_events_as_connect():
    said = json.loads((PLUGIN / "hooks/hooks.json").read_text(encoding="utf-8"))
    assert tuple(said["hooks"]) == claude_code.EVENTS
    wishes = {
        wish.event: wish
        for wish in (
            *claude_code.SESSIONS,
            *claude_code.SUBAGENTS,
            *claude_code.FAILURES,
        )
    }
    for event, (group,) in said["hooks"].items():
        (hook,) = group["hooks"]
        assert hook["command"].endswith(f"hook {event}")
        assert hook["timeout"] == claude_code.TIMEOUT
        assert group.get("matcher", "") == wishes[event].matcher
        assert ("screen.sh" in hook["command"]) is wishes[event].screened


def test_the_plugin_screens_events_as_connect_does():
    ours = ROOT / "src/afterglow/hooks/screen.sh"
    assert (PLUGIN / "hooks/screen.sh").read_bytes() == ours.read_bytes()


@pytest.mark.parametrize("event", claude_code.EVENTS)
def test_the_hook_answers_with_and_without_the_program(event, tmp_path):
    said = json.loads((PLUGIN / "hooks/hooks.json").read_text(encoding="utf-8"))
    command = said["hooks"][event][0]["hooks"][0]["command"]
    told = json.dumps(
        {
            "hook_event_name": event,
            "session_id": "s",
            "cwd": str(tmp_path),
            "source": "startup",
        }
    )

    def answer(path: str) -> dict:
        env = {"PATH": path, "HOME": str(tmp_path), "CLAUDE_PLUGIN_ROOT": str(PLUGIN)}
        done = subprocess.run(
            command,
            shell=True,
            input=told,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout or "{}")

    assert answer(f"{Path(sys.executable).parent}:/usr/bin:/bin") == {}
    without = answer("/usr/bin:/bin")
    assert ("does nothing" in without.get("systemMessage", "")) is (
        event == "SessionStart"
    )

"""Which of our hooks Codex would run, from its own settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from afterglow.connect.codex_trust import state_entries, trusted_hash, trusts

PATH = Path("/home/ana/.codex/hooks.json")
START = {"type": "command", "command": "/opt/afterglow hook SessionStart", "timeout": 3}
ENDED = {"type": "command", "command": "/opt/afterglow hook PostToolUse", "timeout": 3}
OTHER = {"type": "command", "command": "say done"}
HOOKS = {
    "SessionStart": [{"hooks": [OTHER]}, {"hooks": [START]}],
    "PostToolUse": [{"matcher": "Bash", "hooks": [OTHER, ENDED]}],
}


def content(hooks: object = HOOKS) -> bytes:
    return json.dumps({"hooks": hooks}).encode()


def settings(entries: dict[str, str]) -> bytes:
    lines = [
        f'[hooks.state."{key}"]\ntrusted_hash = "{value}"\n'
        for key, value in entries.items()
    ]
    return "".join(lines).encode()


def test_a_hook_is_known_by_its_place_and_its_hash():
    entries = state_entries(PATH, content())
    assert list(entries) == [f"{PATH}:session_start:1:0", f"{PATH}:post_tool_use:0:1"]
    trusted = trusts(PATH, content(), settings(entries))
    assert trusted == {"SessionStart": "trusted", "PostToolUse": "trusted"}


def test_the_hash_is_that_of_codex():
    # as Codex 0.166 took it and ran the hook (tests/live/test_connected_codex.py)
    hook = {"type": "command", "async": False, "command": "x", "timeout": 3}
    identity = {"event_name": "stop", "hooks": [hook]}
    assert (
        trusted_hash(identity)
        == "sha256:d01ee585acb29fd296868b24c90b448be56374b556348bcaeccb5d4e5f31df51"
    )


def test_what_nobody_trusted_or_was_changed_since_is_told_apart():
    entries = state_entries(PATH, content())
    del entries[f"{PATH}:session_start:1:0"]
    longer = {**HOOKS, "PostToolUse": [{"matcher": "Bash|x", "hooks": [OTHER, ENDED]}]}
    trust = trusts(PATH, content(longer), settings(entries))
    assert trust == {"SessionStart": "untrusted", "PostToolUse": "changed"}


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"[[", b"hooks = 3", b"[hooks]\nstate = 1"]
)
def test_settings_that_say_nothing_trust_nothing(text):
    assert set(trusts(PATH, content(), text).values()) == {"untrusted"}


@pytest.mark.parametrize(
    "hooks",
    [b"", b"[]", b"\xff", b'{"hooks": 3}', b'{"hooks": {"Stop": [1, {"hooks": [2]}]}}'],
)
def test_a_file_without_our_hooks_has_none_to_trust(hooks):
    assert trusts(PATH, hooks, b"") == {}

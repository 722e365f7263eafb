"""Our hooks among those of others."""

import json
from pathlib import Path

import pytest

from afterglow.connect.hook_entries import (
    HookWish,
    commands,
    hooks_of,
    is_ours,
    with_hooks,
    without_hooks,
)
from afterglow.connect.plan import Machine
from afterglow.errors import ConfigError

OURS = hooks_of(
    Machine(folder=Path("/h"), command="/opt/afterglow"),
    "claude-code",
    (HookWish("SessionStart"), HookWish("Stop")),
    5,
)
OTHER = {"hooks": [{"type": "command", "command": "say done"}]}


def test_a_new_file_holds_just_our_hooks():
    data = with_hooks(None, OURS, "x")
    assert json.loads(data) == {"hooks": {event: [one] for event, one in OURS.items()}}
    assert with_hooks(b" \n", OURS, "x") == data


def test_others_hooks_stay_and_come_first():
    before = json.dumps({"hooks": {"Stop": [OTHER]}, "model": "m"}).encode()
    after = json.loads(with_hooks(before, OURS, "x"))
    assert after["hooks"]["Stop"] == [OTHER, OURS["Stop"]]
    assert list(after) == ["hooks", "model"]


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize(
    "hooks", [{}, {"Stop": [OTHER]}, {"Stop": [OTHER], "PreToolUse": [OTHER, OTHER]}]
)
def test_adding_twice_changes_nothing_and_taking_out_leaves_what_was_there(
    hooks, indent
):
    before = json.dumps({"a": [1, {"b": 2}], "hooks": hooks}, indent=indent).encode()
    once = with_hooks(before, OURS, "x")
    assert with_hooks(once, OURS, "x") == once
    left = json.loads(without_hooks(once, "x"))
    assert left == (
        {"a": [1, {"b": 2}], "hooks": hooks} if hooks else {"a": [1, {"b": 2}]}
    )
    if hooks:
        assert without_hooks(once, "x") == before


def test_hooks_of_an_older_place_are_replaced():
    old = hooks_of(
        Machine(folder=Path("/h"), command="/old/afterglow"),
        "claude-code",
        (HookWish("Stop"), HookWish("SessionEnd")),
        5,
    )
    after = with_hooks(with_hooks(b"{}", old, "x"), OURS, "x")
    assert commands(after, "x") == {
        event: one["hooks"][0]["command"] for event, one in OURS.items()
    }


def test_a_hook_that_someone_put_into_our_group_stays():
    said = json.loads(with_hooks(None, OURS, "x"))
    said["hooks"]["Stop"][0]["hooks"].append(OTHER["hooks"][0])
    left = json.loads(without_hooks(json.dumps(said, indent=2).encode(), "x"))
    assert left == {"hooks": {"Stop": [OTHER]}}


def test_a_byte_order_mark_stays():
    after = with_hooks(b'\xef\xbb\xbf{"a": 1}', OURS, "x")
    assert after.startswith(b"\xef\xbb\xbf{")
    assert without_hooks(after, "x") == b'\xef\xbb\xbf{"a": 1}'


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("/opt/afterglow hook Stop", True),
        ("'/my home/bin/afterglow' hook Stop --agent codex", True),
        ("AFTERGLOW_HOME=/x /py/python -m afterglow hook Stop", True),
        ("afterglow scan", False),
        ("echo afterglow", False),
        ("not 'closed afterglow hook", False),
        (None, False),
    ],
)
def test_our_commands_are_told_from_others(command, ours):
    assert is_ours(command) is ours


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": 3}', b"\xff{}"]
)
def test_a_shape_that_is_not_understood_is_refused(text):
    with pytest.raises(ConfigError, match="nothing was changed"):
        with_hooks(text if isinstance(text, bytes) else text.encode(), OURS, "x")


def test_strange_entries_of_others_are_left_alone():
    before = json.dumps(
        {"hooks": {"Stop": ["x", {"hooks": "y"}, {"hooks": [1, {"type": "prompt"}]}]}}
    ).encode()
    assert without_hooks(with_hooks(before, OURS, "x"), "x") == before


def test_the_context_may_come_with_the_first_request():
    machine = Machine(folder=Path("/h"), command="a", prompt=True)
    asked = hooks_of(machine, "codex", (HookWish("Stop"),), 3)
    assert list(asked) == ["Stop", "UserPromptSubmit"]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("/opt/afterglow", "sh /s.sh /opt/afterglow hook Stop --agent x"),
        ("A='/my home' /py -m afterglow", "A='/my home' sh /s.sh /py -m afterglow hook Stop --agent x"),
    ],
)  # fmt: skip
def test_events_that_mostly_say_nothing_are_screened_first(command, line):
    machine = Machine(folder=Path("/h"), command=command, screen="sh /s.sh")
    groups = hooks_of(machine, "x", (HookWish("Stop", "Bash", screened=True),), 3)
    assert groups["Stop"]["matcher"] == "Bash"
    (hook,) = groups["Stop"]["hooks"]
    assert hook["command"] == line and is_ours(line)

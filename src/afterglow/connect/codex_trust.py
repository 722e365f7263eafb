"""Which of our hooks Codex runs: it leaves aside, without a word, those that nobody has trusted as they are now. Pure.

`/hooks` in Codex notes in `config.toml` the hash of each hook that a person trusted, under the place where it stands:

    [hooks.state."/home/ana/.codex/hooks.json:session_start:0:0"]
    trusted_hash = "sha256:..."

A hook that was changed since has another hash. Nothing here trusts a hook: that is for a person to do.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from afterglow.connect.hook_entries import BOM, hooks_in, is_ours

TRUST_SINCE = (0, 129)  # the first version that asks
DEFAULT_TIMEOUT = 600  # seconds, where a hook says none
# Events whose matcher is part of what is trusted; Codex ignores it in others.
MATCHED = frozenset({"SessionStart", "SubagentStart", "PreToolUse", "PostToolUse"})

Trust = Literal["trusted", "changed", "untrusted"]

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def trusts(path: Path, hooks: bytes, settings: bytes) -> dict[str, Trust]:
    """Of each of our hooks in that file, by its event. What cannot be read is trusted by nobody."""
    state = _state(settings)
    return {
        event: _trust(state.get(f"{path}:{_snake(event)}:{place}"), identity)
        for event, place, identity in _our_hooks(hooks)
    }


def trusted_hash(identity: dict[str, Any]) -> str:
    """As Codex takes it: of compact JSON with its keys in order."""
    text = json.dumps(
        identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def state_entries(path: Path, hooks: bytes) -> dict[str, str]:
    """What `/hooks` would note for a file: key -> hash."""
    return {
        f"{path}:{_snake(event)}:{place}": trusted_hash(identity)
        for event, place, identity in _our_hooks(hooks)
    }


def _trust(entry: object, identity: dict[str, Any]) -> Trust:
    if not isinstance(entry, dict) or "trusted_hash" not in entry:
        return "untrusted"
    return "trusted" if entry["trusted_hash"] == trusted_hash(identity) else "changed"


def _state(settings: bytes) -> dict[str, Any]:
    try:
        hooks = tomllib.loads(settings.decode()).get("hooks", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}
    state = hooks.get("state", {}) if isinstance(hooks, dict) else {}
    return state if isinstance(state, dict) else {}


def _our_hooks(content: bytes) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Event, place in the file (group and hook), and what Codex takes the hash of."""
    for event, groups in _events(content).items():
        for number, group in enumerate(groups):
            for position, hook in enumerate(hooks_in(group)):
                if isinstance(hook, dict) and is_ours(hook.get("command")):
                    place = f"{number}:{position}"
                    yield event, place, _identity(event, group, hook)


def _events(content: bytes) -> dict[str, list[Any]]:
    try:
        settings = json.loads(content.decode().removeprefix(BOM))
    except ValueError:
        return {}
    events = settings.get("hooks") if isinstance(settings, dict) else None
    if not isinstance(events, dict):
        return {}
    return {name: groups for name, groups in events.items() if isinstance(groups, list)}


def _identity(
    event: str, group: dict[str, Any], hook: dict[str, Any]
) -> dict[str, Any]:
    handler = {
        "type": "command",
        "command": hook["command"],
        "timeout": hook.get("timeout", DEFAULT_TIMEOUT),
        "async": False,
    }
    identity: dict[str, Any] = {"event_name": _snake(event), "hooks": [handler]}
    if event in MATCHED and group.get("matcher") is not None:
        identity["matcher"] = group["matcher"]
    return identity


def _snake(event: str) -> str:
    """`SessionStart` is `session_start`."""
    return _CAPITAL.sub("_", event).lower()

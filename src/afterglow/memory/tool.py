"""The agent's tool `memory_backend`: a plain function that answers in JSON, and its schema. It never raises."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from afterglow import config
from afterglow.errors import AfterglowError, UsageError
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.backends import get_memory_backend
from afterglow.memory.spoken import NOBODY_HEARD, Spoken
from afterglow.memory.store_entry import about, keep
from afterglow.memory.waiting import check_user, may_be_told

USER = "default"  # whose entries they are when nobody says
MAX_KEYS = 500  # named in one answer: a few thousand tokens
MAX_LIMIT = 100  # entries a query may ask for: more than an agent reads

# Action -> what it needs, what it may get.
ARGUMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "store": (("key", "value"), ("metadata",)),
    "retrieve": (("key",), ()),
    "query": (("query",), ("limit",)),
    "list": ((), ()),
    "delete": (("key",), ()),
    "info": ((), ()),
    "evaluate": ((), ()),
}

SCHEMA: dict[str, Any] = {
    "name": "memory_backend",
    "description": (
        "The user's own preferences across sessions. Query before asking what they like; store what they tell you to "
        "remember, in their words, one preference a key; anything else waits until they approve it. Never store "
        "passwords or keys."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": list(ARGUMENTS),
                "description": "store (key, value), retrieve (key), query (query), list, delete (key), info, evaluate",
            },
            "key": {
                "type": "string",
                "description": "A short stable name, like editor or commit_style.",
            },
            "value": {
                "type": "string",
                "description": "What to remember, in a sentence.",
            },
            "query": {"type": "string", "description": "Words to look for."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_LIMIT,
                "default": LIMIT,
            },
            "metadata": {
                "type": "object",
                "description": "Anything worth keeping beside the value.",
            },
            "user_id": {
                "type": "string",
                "default": USER,
                "description": "Whose preferences.",
            },
        },
        "required": ["action"],
        "additionalProperties": False,
    },
}
OLDER_NAMES = {"query_text": "query"}  # understood, too, and not told to models
_PROPERTIES = SCHEMA["parameters"]["properties"]
_KINDS: dict[str, type] = {"limit": int, "metadata": dict}  # the others are text


def memory_backend(action: str = "", **arguments: Any) -> str:
    """Runs one action on the backend in force. JSON: `success`, and either what was asked for or `error`. Nobody says
    what the person typed, so what is stored waits for them."""
    return answered(action, arguments, lambda: NOBODY_HEARD)


def answered(
    action: str, arguments: Mapping[str, Any], spoken: Callable[[], Spoken]
) -> str:
    """The same for who knows the session: `spoken` tells what the person typed in it, and is asked on `store` only."""
    try:
        checked = _checked(action, arguments)
        if action == "store":
            checked["spoken"] = spoken()
        answer = _ACTIONS[action](get_memory_backend(), checked)
    except AfterglowError as error:
        answer = {"success": False, "error": str(error)}
    return _as_json({"success": True, "action": action, **answer})


def _as_json(answer: dict[str, Any]) -> str:
    """Half characters, which no JSON reader takes, become question marks."""
    plain = msgspec.to_builtins(answer, enc_hook=str)
    return json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace").decode()


def _checked(action: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an action, all there and of the right kind."""
    if not isinstance(action, str) or action not in ARGUMENTS:
        raise UsageError(f"no action {action!r}; there are {', '.join(ARGUMENTS)}")
    required, optional = ARGUMENTS[action]
    allowed = (*required, *optional, "user_id")
    passed = {
        OLDER_NAMES.get(name, name): value
        for name, value in arguments.items()
        if value is not None
    }
    _check_names(action, passed, allowed)
    used = {name: value for name, value in passed.items() if name in allowed}
    for name, value in used.items():
        _check_kind(name, value)
    check_user(used.get("user_id", USER))
    if not 1 <= used.get("limit", LIMIT) <= MAX_LIMIT:
        raise UsageError(f"limit must be from 1 to {MAX_LIMIT}")
    return {"user_id": USER, **used}


def _check_names(
    action: str, passed: Mapping[str, Any], allowed: tuple[str, ...]
) -> None:
    """What only another action takes is no error here; what no action takes is."""
    for name in passed:
        if name not in _PROPERTIES:
            raise UsageError(
                f"no argument {name!r:.60}; {action} takes {', '.join(allowed)}"
            )
    required, _ = ARGUMENTS[action]
    missing = [name for name in required if name not in passed]
    if missing:
        raise UsageError(
            f"{action} needs {' and '.join(required)}; {' and '.join(missing)} is missing"
        )


def _check_kind(name: str, value: Any) -> None:
    kind = _KINDS.get(name, str)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise UsageError(
            f"{name} must be {_PROPERTIES[name]['type']}, not {value!r:.60}"
        )


def _store(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    stored = keep(
        backend,
        arguments["user_id"],
        arguments["key"],
        arguments["value"],
        arguments.get("metadata"),
        config.load(),
        spoken=arguments["spoken"],
    )
    answer = {"key": arguments["key"], "stored": True, "hidden": stored.hidden}
    if stored.waits:
        answer["waits"] = f"{stored.waits}; `afterglow memory waiting` shows it to them"
    return answer


def _retrieve(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    entry = backend.retrieve(arguments["user_id"], arguments["key"])
    if entry is not None and not may_be_told(entry):
        entry = None
    return {"found": entry is not None, "entry": entry}


def _query(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    entries = backend.query(
        arguments["user_id"], arguments["query"], arguments.get("limit", LIMIT)
    )
    entries = [entry for entry in entries if may_be_told(entry)]
    return {"count": len(entries), "entries": entries}


def _list(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    keys = backend.list_keys(arguments["user_id"])
    return {"count": len(keys), "keys": keys[:MAX_KEYS]}


def _delete(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    deleted = backend.delete(arguments["user_id"], arguments["key"])
    backend.close()  # a server may run for days: what was deleted shall not wait that long to leave its files
    return {"key": arguments["key"], "deleted": deleted}


def _info(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.to_builtins(
        about(config.load(), arguments["user_id"])
    )
    return answer


def _evaluate(backend: MemoryBackend, arguments: dict[str, Any]) -> dict[str, Any]:
    from afterglow.memory.evaluation import evaluate_all, recommendation

    evaluations = evaluate_all(config.load())
    return {"evaluations": evaluations, "recommendation": recommendation(evaluations)}


_ACTIONS: dict[str, Callable[[MemoryBackend, dict[str, Any]], dict[str, Any]]] = {
    "store": _store,
    "retrieve": _retrieve,
    "query": _query,
    "list": _list,
    "delete": _delete,
    "info": _info,
    "evaluate": _evaluate,
}

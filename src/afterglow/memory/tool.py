"""The agent's tool `memory_backend`: a plain function that answers in JSON, and its schema. It never raises."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from afterglow import config
from afterglow.errors import AfterglowError, UsageError
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.memory.backends import get_memory_backend
from afterglow.memory.store_entry import about, keep

USER = "default"  # whose entries they are when nobody says
KEYS = 500  # named in one answer, at most
MOST = 100  # entries a query may ask for

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
        "remember, one preference a key. Never store passwords or keys."
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
                "maximum": MOST,
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


def memory_backend(action: str = "", **arguments: Any) -> str:
    """Runs one action on the backend in force. JSON: `success`, and either what was asked for or `error`."""
    try:
        given = _checked(action, arguments)
        with warnings.catch_warnings(
            record=True, action="always", category=RuntimeWarning
        ) as told:
            answer = _ACTIONS[action](get_memory_backend(), given)
        for warning in told[
            :1
        ]:  # an empty answer may be empty because the backend that was wanted is away
            answer = {"warning": str(warning.message), **answer}
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
    given = {name: value for name, value in arguments.items() if value is not None}
    allowed = (*required, *optional, "user_id")
    unknown = [name for name in given if name not in SCHEMA["parameters"]["properties"]]
    if unknown:
        raise UsageError(
            f"no argument {unknown[0]!r:.60}; {action} takes {', '.join(allowed)}"
        )
    missing = [name for name in required if name not in given]
    if missing:
        raise UsageError(
            f"{action} needs {' and '.join(required)}; {' and '.join(missing)} is missing"
        )
    for name, value in given.items():
        kind: type = {"limit": int, "metadata": dict}.get(name, str)
        if name in allowed and (not isinstance(value, kind) or isinstance(value, bool)):
            raise UsageError(
                f"{name} must be {SCHEMA['parameters']['properties'][name]['type']}, not {value!r:.60}"
            )
    if not 1 <= given.get("limit", LIMIT) <= MOST:
        raise UsageError(f"limit must be from 1 to {MOST}")
    return {
        "user_id": USER,
        **{name: value for name, value in given.items() if name in allowed},
    }


def _store(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    kept = keep(
        backend,
        given["user_id"],
        given["key"],
        given["value"],
        given.get("metadata"),
        config.load(),
    )
    return {"key": given["key"], "stored": True, "hidden": kept.hidden}


def _retrieve(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    entry = backend.retrieve(given["user_id"], given["key"])
    return {"found": entry is not None, "entry": entry}


def _query(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    found = backend.query(given["user_id"], given["query"], given.get("limit", LIMIT))
    return {"count": len(found), "entries": found}


def _list(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    keys = backend.list_keys(given["user_id"])
    return {"count": len(keys), "keys": keys[:KEYS]}


def _delete(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    deleted = backend.delete(given["user_id"], given["key"])
    backend.close()  # a server may run for days: what was deleted shall not wait that long to leave its files
    return {"key": given["key"], "deleted": deleted}


def _info(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = msgspec.to_builtins(about(config.load(), given["user_id"]))
    return known


def _evaluate(backend: MemoryBackend, given: dict[str, Any]) -> dict[str, Any]:
    from afterglow.memory.evaluation import evaluate_all, recommendation

    found = evaluate_all(config.load())
    return {"evaluations": found, "recommendation": recommendation(found)}


_ACTIONS: dict[str, Callable[[MemoryBackend, dict[str, Any]], dict[str, Any]]] = {
    "store": _store,
    "retrieve": _retrieve,
    "query": _query,
    "list": _list,
    "delete": _delete,
    "info": _info,
    "evaluate": _evaluate,
}

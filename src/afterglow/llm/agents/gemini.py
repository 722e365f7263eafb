"""Gemini CLI: `gemini -p`, with its own login and model; what a person added to it is switched off by settings of the
folder it runs in.

It reads a person's own `GEMINI.md` all the same. It cannot be kept from writing its session down, so that is deleted
afterwards: it lies in a folder named after the one it ran in, which nobody else uses.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from afterglow.llm.agents.headless import (
    Ended,
    Question,
    Schemas,
    Start,
    counted,
    failure,
    garbage,
    printed_object,
)
from afterglow.llm.request import Reply
from afterglow.records.model import TokenUsage

NAME = PROGRAM = "gemini"
LOGIN = "start `gemini` and sign in"
SCHEMAS: Schemas = "none"
OVERHEAD = (
    3_000  # measured: a description of the machine, and a request that chooses a model
)

INSTRUCTIONS, SETTINGS_FILE = "instructions.md", ".gemini/settings.json"
NOBODY = (
    "none"  # no tool, server or extension is called that; an empty list would mean all
)
SETTINGS = {
    "tools": {"core": [NOBODY]},
    "mcp": {"allowed": [NOBODY]},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "experimental": {"enableAgents": False},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
}


def start(question: Question) -> Start:
    words = [
        question.program,
        *("--prompt", ""),  # the question follows on stdin
        *("--output-format", "json"),
        *("--extensions", NOBODY),
        *("--allowed-mcp-server-names", NOBODY),
    ]
    if question.model:
        words += ["--model", question.model]
    return Start(
        words=tuple(words),
        prompt=question.prompt,
        files={
            INSTRUCTIONS: question.instructions,
            SETTINGS_FILE: msgspec.json.encode(SETTINGS).decode(),
        },
        variables={
            "GEMINI_SYSTEM_MD": str(question.folder / INSTRUCTIONS),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        traces=tuple(_traces(question)),
    )


def _traces(question: Question) -> list[Path]:
    """Its folders for the one it ran in: by the name of that one, or, in older versions, by a hash of its path."""
    variables = question.variables
    home = Path(variables.get("GEMINI_CLI_HOME") or variables.get("HOME", ""))
    hashed = sha256(str(question.folder).encode()).hexdigest()
    return [
        home / ".gemini" / below / name
        for below in ("tmp", "history")
        for name in (question.folder.name, hashed)
    ]


def reply(ended: Ended) -> Reply:
    answer = _decoded(ended.out)
    if ended.code:
        error = answer.get("error") or _decoded(ended.err).get("error")
        words = str(error.get("message")) if isinstance(error, dict) else ended.err
        raise failure(NAME, LOGIN, words, ended.code)
    text = answer.get("response")
    if not isinstance(text, str):
        raise garbage(NAME, ended.out or ended.err)
    models = _models(answer)
    return Reply(text=text, usage=_usage(models), model=next(reversed(models), ""))


def _decoded(printed: str) -> dict[str, Any]:
    """The JSON object that ends what was printed; warnings may stand before it."""
    return printed_object(printed[max(printed.find("{"), 0) :])


def _models(answer: dict[str, Any]) -> dict[str, Any]:
    stats = answer.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    return models if isinstance(models, dict) else {}


def _usage(models: dict[str, Any]) -> TokenUsage | None:
    """Of all models together: one may have chosen which one answers."""
    total = TokenUsage()
    for model in models.values():
        usage = _usage_of(model)
        if usage is None:
            return None
        total += usage
    return total if models else None


def _usage_of(model: Any) -> TokenUsage | None:
    tokens = model.get("tokens") if isinstance(model, dict) else None
    if not isinstance(tokens, dict):
        return None
    answer, thoughts = tokens.get("candidates"), tokens.get("thoughts", 0)
    if not isinstance(answer, int) or not isinstance(thoughts, int):
        return None
    return counted(tokens.get("prompt"), answer + thoughts, tokens.get("cached", 0))

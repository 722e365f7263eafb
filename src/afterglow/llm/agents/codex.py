"""Codex: `codex exec`, with its own login, model and provider, and without tools, hooks and MCP servers.

It reads a person's own `AGENTS.md` all the same: it has no option against that.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
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

NAME = PROGRAM = "codex"
LOGIN = "run `codex login`"
SCHEMAS: Schemas = "strict"
OVERHEAD = 7_000  # measured: 900, and 6,500 for models that it gives a tool of its own

INSTRUCTIONS, SCHEMA, ANSWER = "instructions.md", "schema.json", "answer.txt"
# What it offers a model or starts by itself. A name that a version does not know does no harm.
FEATURES = (
    "apps", "browser_use", "computer_use", "goals", "hooks", "image_generation", "memories", "multi_agent", "plugins",
    "shell_tool", "skill_search", "tool_suggest", "unified_exec", "view_image",
)  # fmt: skip
SETTINGS = (
    "notify=[]", "project_doc_max_bytes=0", 'web_search="disabled"', 'model_reasoning_effort="medium"',
    "include_environment_context=false", "include_permissions_instructions=false", "include_apps_instructions=false",
    "skills.include_instructions=false",
)  # fmt: skip
_SERVER = re.compile(r"[\w-]+")


def start(question: Question) -> Start:
    files = {INSTRUCTIONS: question.instructions}
    words = [
        question.program,
        "exec",
        "--json",
        "--ephemeral",
        *("--sandbox", "read-only"),
        "--skip-git-repo-check",
        "--ignore-rules",
        *("--color", "never"),
        *("--output-last-message", ANSWER),
    ]
    for setting in _settings(question):
        words += ["-c", setting]
    if question.schema is not None:
        files[SCHEMA] = msgspec.json.encode(question.schema).decode()
        words += ["--output-schema", SCHEMA]
    if question.model:
        words += ["--model", question.model]
    return Start(words=(*words, "-"), prompt=question.prompt, files=files)


def _settings(question: Question) -> Iterator[str]:
    yield from SETTINGS
    for feature in FEATURES:
        yield f"features.{feature}=false"
    for server in _servers(question.variables):
        yield f"mcp_servers.{server}.enabled=false"
    path = msgspec.json.encode(str(question.folder / INSTRUCTIONS)).decode()
    yield f"model_instructions_file={path}"


def _servers(variables: Mapping[str, str]) -> list[str]:
    """MCP servers of a person's settings: each is switched off by its name."""
    home = variables.get("CODEX_HOME") or f"{variables.get('HOME', '')}/.codex"
    try:
        text = (Path(home) / "config.toml").read_text(encoding="utf-8")
        servers = tomllib.loads(text).get("mcp_servers")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return []  # it says itself what is wrong with its settings
    names = servers if isinstance(servers, dict) else {}
    return [name for name in names if _SERVER.fullmatch(name)]


def reply(ended: Ended) -> Reply:
    events = [printed_object(line) for line in ended.out.splitlines()]
    text = ended.file(ANSWER).strip()
    if ended.code or not text:
        words = _last_error(events) or ended.err or ended.out
        if ended.code:
            raise failure(NAME, LOGIN, words, ended.code)
        raise garbage(NAME, words)
    return Reply(text=text, usage=_usage(events))


def _last_error(events: list[dict[str, Any]]) -> str:
    for event in reversed(events):
        if event.get("type") == "turn.failed" and isinstance(event.get("error"), dict):
            return str(event["error"].get("message", ""))
        if event.get("type") == "error":
            return str(event.get("message", ""))
    return ""


def _usage(events: list[dict[str, Any]]) -> TokenUsage | None:
    for event in reversed(events):
        usage = event.get("usage")
        if event.get("type") == "turn.completed" and isinstance(usage, dict):
            cached = usage.get("cached_input_tokens", 0)
            return counted(
                usage.get("input_tokens"), usage.get("output_tokens"), cached
            )
    return None

"""Claude Code: `claude -p`, with its own login and model, and without anything a person added to it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from afterglow.llm.agents.headless import (
    Ended,
    Question,
    Schemas,
    Start,
    counted_apart,
    failure,
    garbage,
    printed_json,
)
from afterglow.llm.request import Reply, Trouble
from afterglow.records.model import Finish, TokenUsage

NAME = PROGRAM = "claude"
LOGIN = "start `claude` and say /login"
SCHEMAS: Schemas = "any"
OVERHEAD = 300  # measured: a date, two sentences, and a tool that takes the schema
THINKING_TOKENS = 6_000  # room beside the answer; medium effort takes a third of that
MAX_RETRIES = 2  # by itself it tries ten times, for minutes

INSTRUCTIONS = "instructions.md"
TOO_LONG = "output token maximum"  # its words for an answer that met its limit
_FINISH: dict[str, Finish] = {"max_tokens": "length", "refusal": "refusal"}
# A program that is started from inside of Claude Code would think that it is that one.
_INSIDE = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID")


def start(question: Question) -> Start:
    words = [
        question.program,
        "--print",
        *("--output-format", "json"),
        "--safe-mode",  # no hooks, MCP servers, plugins, CLAUDE.md; login and model as ever
        *("--tools", ""),
        "--strict-mcp-config",
        "--no-session-persistence",
        *("--effort", "medium"),
        *("--system-prompt-file", INSTRUCTIONS),
    ]
    if question.schema is not None:
        words += ["--json-schema", msgspec.json.encode(question.schema).decode()]
    if question.model:
        words += ["--model", question.model]
    return Start(
        words=tuple(words),
        prompt=question.prompt,
        files={INSTRUCTIONS: question.instructions},
        without=_INSIDE,
        variables={
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(question.max_tokens + THINKING_TOKENS),
            "MAX_THINKING_TOKENS": str(THINKING_TOKENS),
            "CLAUDE_CODE_MAX_RETRIES": str(MAX_RETRIES),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )


def reply(ended: Ended) -> Reply:
    result = _result(ended.out)
    if result is None:
        output = ended.err or ended.out
        if ended.code:
            raise failure(NAME, LOGIN, output, ended.code)
        raise garbage(NAME, output)
    text = str(result.get("result") or "")
    if result.get("structured_output") is not None:
        text = msgspec.json.encode(result["structured_output"]).decode()
    answer = Reply(
        text=text,
        finish=_FINISH.get(str(result.get("stop_reason")), "stop"),
        usage=_usage(result.get("usage")),
        model=_model(result),
    )
    return _unusable(answer, ended.code) if result.get("is_error") else answer


def _unusable(answer: Reply, code: int) -> Reply:
    """What it calls an error: its model may have answered all the same, only not well."""
    if answer.usage is None:
        raise failure(NAME, LOGIN, answer.text, code)
    if answer.finish == "refusal":
        return answer
    if TOO_LONG in answer.text:
        return replace(answer, text="", finish="length")
    raise Trouble(f"{NAME}: {answer.text}", kind="bad json", maybe_paid=True)


def _model(result: dict[str, Any]) -> str:
    models = result.get("modelUsage")
    return next(iter(models), "") if isinstance(models, dict) else ""


def _result(out: str) -> dict[str, Any] | None:
    """The last message, which sums up; with `verbose` in a person's settings all messages are printed."""
    printed = printed_json(out)
    last = printed[-1] if isinstance(printed, list) and printed else printed
    return last if isinstance(last, dict) and last.get("type") == "result" else None


def _usage(usage: Any) -> TokenUsage | None:
    if not isinstance(usage, dict):
        return None
    return counted_apart(
        usage.get("input_tokens"),
        usage.get("cache_read_input_tokens", 0),
        usage.get("cache_creation_input_tokens", 0),
        usage.get("output_tokens"),
    )

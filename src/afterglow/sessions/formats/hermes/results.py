"""How Hermes Agent writes tool results down, and what they mean.

A stored result is the tool's JSON with things around it: loop warnings, notes on the folder, a wrapper for text from
outside, a preview where it was too long, and what the user said meanwhile. Hermes' own detectors of failure disagree
with one another; the rules here go by what each tool returns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct, field

from afterglow.calls import is_shell_call, shell_line
from afterglow.records.context import BEHIND_OUTPUT
from afterglow.records.session import Kind, Outcome, Role, Voice
from afterglow.records.tools import is_shell
from afterglow.sessions.openai_chat import Answer, Dialect, Function, arguments_of
from afterglow.sessions.outcomes import (
    ERROR_TEXT,
    FINE,
    UNKNOWN,
    Verdict,
    exited,
    masked,
    plain,
)

STEER_OPEN, STEER_CLOSE = "[OUT-OF-BAND USER MESSAGE", "[/OUT-OF-BAND USER MESSAGE]"
OUTSIDE_OPEN = '<untrusted_tool_result source="'
OUTSIDE_END = "</untrusted_tool_result>"
OUTSIDE_CLOSE = f"\n{OUTSIDE_END}"
BRIDGE = "tool_call"

_NOTICE = re.compile(
    r"\n\n\[(?:Tool loop (?:warning|hard stop)|Subdirectory context discovered): "
)
_SHORTENED = ("<persisted-output>", "[Truncated: tool response was")
_EXIT_CODE = re.compile(r'"exit_code":\s*(-?\d+)')
_HARMLESS = re.compile(
    r"not an error|expected|often normal|may still be valid", re.IGNORECASE
)
_REFUSED = re.compile(r"Tool '.*' does not exist|Tool call rejected")
_FAILED_STATUS = frozenset({"error", "failed", "failure", "timeout"})
# How servers begin an answer that is only an error, and the fields of one that is an object.
_FAILED_SERVER = re.compile(
    r"\s*(?:Error: |Error executing tool |Traceback \(most recent call last\))"
)
_OF_ERRORS = frozenset(
    """error error_type error_code errorCode code message detail details hint status status_code statusCode success ok
    isError is_error tool request_id requestId retryable""".split()
)
_FAILED_TASK = ("failed", "error", "timeout")

# User messages that Hermes writes itself. A note may also stand before words the user typed; those stay theirs.
_NOTES = (
    "[System: ",
    "[System note: ",
    "[Note: model was just switched",
    "[IMPORTANT: ",
    "[Background process ",
    "[Your active task list was preserved",
    "[ASYNC DELEGATION ",
    "Continue from the compressed conversation context above.",
)
_SKILL = "[IMPORTANT: The user has invoked the "


class Result(Struct, gc=False):
    """The fields of a result that say how the call ended; each tool uses some of them."""

    status: Any = None
    error: Any = None
    error_type: Any = None
    is_error: Any = None
    flagged: Any = field(default=None, name="isError")
    message: Any = None
    success: Any = None
    ok: Any = None
    exit_code: Any = None
    exit_code_meaning: Any = None
    output: Any = None
    results: Any = None
    result: Any = None
    guardrail: Any = None


_decoder = msgspec.json.Decoder(Result)
_scanner = json.JSONDecoder()


def answer(tool: str, arguments: str, text: str) -> Answer:
    """A stored result without its decoration, its verdict, and the user's steering words if there were any."""
    text, steer = cut_steer(text)
    is_wrapped = text.startswith(OUTSIDE_OPEN) and text.rstrip().endswith(OUTSIDE_END)
    text = _from_outside(text)
    # Never inside JSON, where a line break is written as two characters.
    if notice := _NOTICE.search(text):
        text = text[: notice.start()]
    text, hint = _cut_hint(text)
    result = _scan(text.lstrip())
    # Behind what Hermes wraps, only Hermes can write; behind bare text, whoever wrote the text.
    voice: Voice = "typed" if result is not None or is_wrapped else "outside"
    verdict = _of_text(text) if result is None else judge(tool, arguments, result)
    return Answer(text, verdict, steer, hint, voice)


def _cut_hint(text: str) -> tuple[str, str]:
    """What our own plugin said stands at the end, on one line: it is no word of the tool's."""
    output, mark, hint = text.rpartition(BEHIND_OUTPUT)
    is_hint = bool(mark) and "\n" not in hint.rstrip()
    return (output, hint.strip()) if is_hint else (text, "")


def cut_steer(text: str) -> tuple[str, str]:
    """Only what stands at the very end came from the user: the same marker inside a page or a file is just text."""
    steers: list[str] = []
    while text.rstrip().endswith(STEER_CLOSE):
        start = text.rfind(STEER_OPEN)
        if start < 0:
            break
        _, _, words = text[start : text.rindex(STEER_CLOSE)].partition("]\n")
        steers.insert(0, words.strip())
        text = text[:start].rstrip()
    return text, "\n".join(steers)


def _from_outside(text: str) -> str:
    """What a page or a server returned, out of the wrapper that warns the model of it."""
    if not text.startswith(OUTSIDE_OPEN):
        return text
    _, _, inner = text.partition("\n\n")
    end = inner.rfind(OUTSIDE_CLOSE)
    return inner if end < 0 else inner[:end]


def _scan(text: str) -> Result | None:
    """The JSON object at the start of `text`, whatever follows it. A list says nothing about how the call ended."""
    if text.startswith("{"):
        try:
            return _decoder.decode(text)
        except (msgspec.DecodeError, RecursionError):
            pass
    if not text.startswith(("{", "[")):
        return None
    try:
        value, _ = _scanner.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return msgspec.convert(value, Result) if isinstance(value, dict) else Result()


def _of_text(text: str) -> Verdict:
    """A result that is not JSON: a refusal, a cancelled call, a preview, or a tool that simply speaks."""
    if text.startswith("[Orphan recovery"):
        return UNKNOWN
    if any(mark in text for mark in _SHORTENED):
        code = _EXIT_CODE.search(text)
        if code is None or code[1] == "0":
            return UNKNOWN
        return Verdict(Outcome.FAILED, f"exit {code[1]}\n{text[:ERROR_TEXT]}")
    if _REFUSED.match(text):
        return Verdict(Outcome.FAILED, text[:ERROR_TEXT])
    return plain(text)


def judge(tool: str, arguments: str, result: Result) -> Verdict:
    """How a call ended, by the fields of its result."""
    if result.error and _word(result.status) == "cancelled":
        return Verdict(Outcome.CANCELLED, _reason(result))
    if result.guardrail is not None:
        return Verdict(Outcome.BLOCKED, _reason(result))
    if is_shell(tool) or is_shell_call(tool, arguments):
        return _terminal(arguments, result)
    rule = RULES.get(tool)
    verdict = rule(result) if rule else None
    return verdict or _other(arguments, result)


def _terminal(arguments: str, result: Result) -> Verdict:
    status = _word(result.status)
    if status in ("blocked", "pending_approval"):
        reason = _reason(result)
        by_person = status == "blocked" and "user denied" in reason.lower()
        return Verdict(Outcome.BLOCKED, reason or status, refused=by_person)
    code, output = _exit_code(result), _text(result.output)
    if not code:
        if _says_failed(result) or _word(result.status) in _FAILED_STATUS:
            return _other(arguments, result)
        return masked(shell_line(arguments), output)
    if code == 130 and "[Command interrupted]" in output:
        return Verdict(Outcome.CANCELLED, output[:ERROR_TEXT])
    if _HARMLESS.search(_text(result.exit_code_meaning)):
        return FINE
    return _exit(arguments, result)


def _exit(arguments: str, result: Result) -> Verdict:
    """A signal that nobody at the keyboard sent is a failure like any other exit code."""
    code = _exit_code(result)
    words = "\n".join(filter(None, (_text(result.error), _text(result.output))))
    if not isinstance(code, int) or code in (130, 143):
        return Verdict(Outcome.FAILED, f"exit {code}\n{words}"[:ERROR_TEXT])
    return exited(shell_line(arguments), code, words)


def _exit_code(result: Result) -> Any:
    """A number; some environments hand it over as text."""
    code = result.exit_code
    is_number = isinstance(code, str) and code.strip().lstrip("-").isdecimal()
    return int(code) if is_number else code


def _execute_code(result: Result) -> Verdict | None:
    status = _word(result.status)
    if not status:
        return None
    if status == "success" and not _says_failed(result):
        return FINE
    if status == "interrupted":
        return Verdict(Outcome.CANCELLED, _reason(result) or status)
    return _failed(result)


def _process(result: Result) -> Verdict:
    """A background process: still running (also after a wait that timed out) is no failure, a bad exit is."""
    status = _word(result.status)
    has_error = result.error and status != "already_exited"
    if has_error or status in ("not_found", "error"):
        return Verdict(Outcome.FAILED, _reason(result) or status)
    if status == "exited" and _exit_code(result):
        return _exit("", result)
    return FINE


def _delegate_task(result: Result) -> Verdict | None:
    """Sub-agents fail one by one; the top level of the result says nothing of it."""
    if not isinstance(result.results, list) or _says_failed(result):
        return None
    reasons: list[str] = []
    statuses: list[Any] = []
    for task in _records(result.results):
        status = task.get("status")
        statuses.append(status)
        if status in _FAILED_TASK:
            reason = task.get("error") or task.get("exit_reason") or status
            reasons.append(_text(reason))
    if reasons:
        return Verdict(Outcome.FAILED, "; ".join(reasons)[:ERROR_TEXT])
    if statuses and statuses.count("interrupted") == len(statuses):
        return Verdict(Outcome.CANCELLED, "interrupted")
    return FINE


def _web_extract(result: Result) -> Verdict | None:
    if not isinstance(result.results, list) or _says_failed(result):
        return None
    errors: list[str] = []
    for page in _records(result.results):
        if page.get("error"):
            errors.append(_text(page["error"]))
    if errors and len(errors) == len(result.results):
        return Verdict(Outcome.FAILED, "; ".join(errors)[:ERROR_TEXT])
    return FINE


def _records(results: list[Any]) -> list[dict[str, Any]]:
    return [record for record in results if isinstance(record, dict)]


def _other(arguments: str, result: Result) -> Verdict:
    """Any other tool. A status alone may describe the thing asked for, so it counts only where nothing else speaks."""
    if _says_failed(result):
        return Verdict(Outcome.FAILED, _reason(result))
    if result.success or result.ok:
        return FINE
    if result.result is not None:
        return _wrapped(result.result)
    if _word(result.status) in _FAILED_STATUS:
        return _failed(result)
    code = _exit_code(result)
    if isinstance(code, int) and code:
        return _exit(arguments, result)
    return FINE


def _says_failed(result: Result) -> bool:
    """By the fields that have no other meaning. The kind of an error beside a success is that of an attempt before."""
    if result.success is False or result.ok is False or result.error:
        return True
    if result.is_error is True or result.flagged is True:
        return True
    return bool(result.error_type) and not (result.success or result.ok)


def _wrapped(inner: object) -> Verdict:
    """What another server answered, inside of Hermes' own JSON. A record it was asked for may tell of an error too, so
    an object counts only where it says that the call failed, or holds nothing but an error."""
    if isinstance(inner, str):
        if _FAILED_SERVER.match(inner):
            return Verdict(Outcome.FAILED, inner[:ERROR_TEXT])
        try:
            inner = _scanner.raw_decode(inner.lstrip())[0]
        except (ValueError, RecursionError):
            return FINE
    if not isinstance(inner, dict):
        return FINE
    result = msgspec.convert(inner, Result)
    is_flagged = False in (result.success, result.ok) or result.flagged is True
    is_all_error = inner.keys() <= _OF_ERRORS and _says_failed(result)
    if is_flagged or is_all_error:
        return Verdict(Outcome.FAILED, _reason(result))
    return FINE


def _failed(result: Result) -> Verdict:
    """By its status; the reason is whatever there is of one."""
    reason = _reason(result) or _text(result.output) or _word(result.status)
    return Verdict(Outcome.FAILED, reason)


RULES: dict[str, Callable[[Result], Verdict | None]] = {
    "execute_code": _execute_code,
    "process": _process,
    "delegate_task": _delegate_task,
    "web_extract": _web_extract,
}


def _word(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        message = value.get("message")
        if isinstance(message, str):
            return message
    return msgspec.json.encode(value).decode()


def _reason(result: Result) -> str:
    """The error, and the message beside it where the two differ; its kind where nothing else is said."""
    words = [_text(result.error), _text(result.message)]
    if not any(words):
        words = [_text(result.error_type)]
    return "\n".join(dict.fromkeys(filter(None, words)))[:ERROR_TEXT]


def bridged(tool: str, arguments: str) -> tuple[str, str]:
    """With tool search on, every call is one of `tool_call`; the tool that ran is inside its arguments."""
    if tool != BRIDGE:
        return tool, arguments
    try:
        inner = msgspec.json.decode(arguments, type=Function)
    except (msgspec.DecodeError, RecursionError):
        return tool, arguments
    if not inner.name:
        return tool, arguments
    return inner.name, arguments_of(inner)


def kind(role: Role, text: str) -> Kind:
    """Who is really speaking in a message of Hermes."""
    if role != "user" or not text.startswith(_NOTES):
        return "said"
    if text.startswith(_SKILL):
        return "command"
    may_precede_words = text.startswith(("[System note: ", "[Note: "))
    stands_alone = text.rstrip().endswith("]") or not may_precede_words
    return "injected" if stands_alone else "said"


HERMES = Dialect(answer=answer, call=bridged, kind=kind)

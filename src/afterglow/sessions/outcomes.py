"""How a call ended, right per tool.

A non-zero exit is not always a failure (grep found nothing), an error flag is not always a mistake (a person said no),
and an exit code of zero is not always success (a pipe hid it). Readers say what their agent recorded; the rules for
what that means are here, once.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from stringzilla import find

from afterglow.calls import (
    effects_of,
    is_answer,
    is_shell_call,
    is_shell_tool,
    parse,
    program,
    shell_line,
)
from afterglow.records.session import Outcome
from afterglow.records.tools import is_own_voice

ERROR_TEXT = 6000  # characters of an error that are kept: the head of a long trace
INTERRUPTED = frozenset({130, 143})  # exit codes of what Ctrl-C or a kill ended


class Verdict(NamedTuple):
    outcome: Outcome
    error: str = ""
    masked: bool = False
    refused: bool = False  # the agent recorded that a person said no


FINE = Verdict(Outcome.OK)
UNKNOWN = Verdict(Outcome.UNKNOWN)

# What a test, build or version tool prints when it failed, whatever the pipe behind it returned.
FAILURE_MARKS = (
    b"--- FAIL", b"\nFAIL\t", b"ERROR task failed", b"fatal: ", b"build failed", b"Build failed", b"error TS",
    b"Traceback (most recent call last)", b"npm ERR!", b"npm error", b"error[E", b"error: could not compile",
    b"\npanic: ", b"=== FAILURES ===", b"\nFAILED ", b"make: ***", b"BUILD FAILURE", b"ELIFECYCLE",
)  # fmt: skip
_BY_PEOPLE = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "User rejected",
    "[Request interrupted by user",
    "The user rejected",
    "User denied",
    "Permission denied by user",
    "exec command rejected by user",
    "patch rejected by user",
)
_REJECTED = (*_BY_PEOPLE, "Permission to use ")
_CANCELLED = (
    "<tool_use_error>Sibling tool call errored",
    "<tool_use_error>Cancelled: parallel tool call",
    "Sibling tool call errored",
    "[Tool execution cancelled",
    "Skipped: ",
    "Request was aborted",
    "aborted by user",
    "Command aborted",
    "Operation aborted",
    "Tool execution cancelled",
    "Operation cancelled",
)
_FAILED = (
    "Error",
    "error:",
    "ERROR",
    "Traceback (most recent call last)",
    "<tool_use_error>",
    "Tool execution failed",
)
_MAY_HIDE = re.compile(r"[|;&\n`]|\$\(")  # without one, a line is a single command
_EXIT = re.compile(
    r"\s*(?:<tool_use_error>)?(?:Error: )?Exit code:? (-?\d+)\b[^\n]*\n?"
)


def exited(command: str, code: int, output: str) -> Verdict:
    """A shell command that ended with `code`."""
    if code == 0:
        return masked(command, output)
    if code in INTERRUPTED:
        return Verdict(Outcome.CANCELLED, output[:ERROR_TEXT])
    if _answers(command, code, output):
        return FINE
    return Verdict(Outcome.FAILED, f"exit {code}\n{output[:ERROR_TEXT]}")


def _answers(command: str, code: int, output: str) -> bool:
    """An exit code that is an answer (grep found nothing), and surely that of the command which gives such answers:
    the only one that could fail, or the last of several that said nothing."""
    deciding = [
        part
        for part in parse(command).deciding
        if program(part.program).family != "setup"
    ]
    if not deciding or not is_answer(deciding[-1], code):
        return False
    return len(deciding) == 1 or not output.strip()


def masked(command: str, output: str) -> Verdict:
    """A command that ended well, unless its own output behind a pipe says it did not."""
    if not _MAY_HIDE.search(command) or not reports_failure(output):
        return FINE
    if any(effects_of(part) != {"looks"} for part in parse(command).hidden):
        return Verdict(Outcome.OK, output[:ERROR_TEXT], masked=True)
    return FINE


def reports_failure(output: str) -> bool:
    """Whether some tool says in an output that it failed: asked first, since it is cheap and mostly not so."""
    looked_through = output.encode("utf-8", "replace")
    return any(find(looked_through, mark) >= 0 for mark in FAILURE_MARKS)


def flagged(tool: str, arguments: str, text: str, is_error: bool | None) -> Verdict:
    """A result with an error flag beside it (Claude Code, pi, Copilot)."""
    if not is_error:
        return _flagged_fine(tool, arguments, text)
    stopped = _stopped(text)
    if stopped is not None:
        return filed(stopped, tool, text)
    exit_line = _EXIT.match(text)
    if exit_line and is_shell_call(tool, arguments):
        code, output = int(exit_line[1]), text[exit_line.end() :]
        return exited(shell_line(arguments), code, output)
    return Verdict(Outcome.FAILED, text[:ERROR_TEXT])


def _flagged_fine(tool: str, arguments: str, text: str) -> Verdict:
    may_hide = is_shell_tool(tool) and ("|" in arguments or ";" in arguments)
    if not may_hide or not reports_failure(text):
        return FINE
    return masked(shell_line(arguments), text)


def filed(verdict: Verdict, tool: str, text: str) -> Verdict:
    """A refusal as the agent's program words it counts as a person's where nobody else can have put it there."""
    is_refusal = verdict.outcome is Outcome.BLOCKED and text.startswith(_BY_PEOPLE)
    is_filed = is_refusal and is_own_voice(tool)
    return verdict._replace(refused=verdict.refused or is_filed)


def plain(text: str) -> Verdict:
    """A result that is only text, from an agent that records no flag: judged by how it starts."""
    stopped = _stopped(text)
    if stopped is not None:
        return stopped
    exit = _EXIT.match(text)
    has_failed = exit is not None and int(exit[1]) != 0
    if has_failed or text.startswith(_FAILED):
        return Verdict(Outcome.FAILED, text[:ERROR_TEXT])
    return FINE


def _stopped(text: str) -> Verdict | None:
    """Of a call that somebody refused or broke off, as its result says at its start."""
    if text.startswith(_REJECTED):
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT])
    if text.startswith(_CANCELLED):
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    return None

"""How a call ended, right per tool.

A non-zero exit is not always a failure (grep found nothing), an error flag is not always a mistake (a person said no),
and an exit code of zero is not always success (a pipe hid it). Readers say what their agent recorded; the rules for
what that means are here, once.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from afterglow.records.session import Outcome
from afterglow.records.tools import is_shell

ERROR_TEXT = 6000
LONGEST = 4000  # characters of a command that are looked at


class Verdict(NamedTuple):
    outcome: Outcome
    error: str = ""
    masked: bool = False


FINE = Verdict(Outcome.OK)
UNKNOWN = Verdict(Outcome.UNKNOWN)

# Exit codes that are an answer, not a failure: program (and sub-command) -> codes.
ANSWERS: dict[str, frozenset[int]] = {
    **dict.fromkeys(
        [
            "grep",
            "egrep",
            "fgrep",
            "rg",
            "ag",
            "ack",
            "zgrep",
            "pgrep",
            "diff",
            "cmp",
            "comm",
            "test",
            "[",
            "[[",
            "which",
            "command",
            "ps",
        ],
        frozenset({1}),
    ),
    "git diff": frozenset({1}),
    "git grep": frozenset({1}),
    "git config": frozenset({1}),
    "git check-ignore": frozenset({1}),
    "git merge-base": frozenset({1}),
    "gh pr checks": frozenset({1, 8}),
    "systemctl is-active": frozenset({3}),
}
# What a test, build or version tool prints when it failed, whatever the pipe behind it returned.
FAILURE_MARKS = (
    "--- FAIL", "\nFAIL\t", "ERROR task failed", "fatal: ", "build failed", "Build failed", "error TS",
    "Traceback (most recent call last)", "npm ERR!", "npm error", "error[E", "error: could not compile",
    "\npanic: ", "=== FAILURES ===", "\nFAILED ", "make: ***", "BUILD FAILURE", "ELIFECYCLE",
)  # fmt: skip
VIEWERS = frozenset(
    "cat head tail less grep egrep rg ag sed awk jq ls find echo printf wc sort diff nl bat strings xxd tree".split()
)
VIEWING = frozenset(
    {
        "git log",
        "git show",
        "git diff",
        "git grep",
        "git blame",
        "gh run",
        "gh api",
        "docker logs",
        "kubectl logs",
    }
)

_REJECTED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "User rejected",
    "[Request interrupted by user",
    "Permission to use ",
    "The user rejected",
    "User denied",
    "Permission denied by user",
    "exec command rejected by user",
    "patch rejected by user",
)
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
_EXIT = re.compile(
    r"\s*(?:<tool_use_error>)?(?:Error: )?Exit code:? (-?\d+)\b[^\n]*\n?"
)
_SETUP = re.compile(
    r"^\s*(?:(?:cd|export|source|set|pushd)\s[^&;|\n]*(?:&&|;|\n)\s*|\w+=\S*\s+|(?:sudo|time|env|nohup|exec)\s+)+"
)
_CONNECTOR = re.compile(r"\|\||&&|[;\n|]")
_SUBCOMMAND = re.compile(r"[a-z][\w:.-]{1,30}")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")


class _Command(msgspec.Struct):
    command: str | list[str] | None = None
    cmd: str | list[str] | None = None
    code: str | None = None


_command = msgspec.json.Decoder(_Command)


def command_of(arguments: str) -> str:
    """The shell command inside a call's arguments, or an empty string."""
    try:
        found = _command.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return ""
    value = found.command or found.cmd or found.code or ""
    if isinstance(value, list):
        inner = (
            value[2:]
            if value[:1] and value[0].rsplit("/", 1)[-1] in {"bash", "sh", "zsh"}
            else value
        )
        return " ".join(inner)
    return value


def program_of(command: str) -> str:
    """Program and sub-command of the first thing a command really runs: `cd x && FOO=1 git push -u` -> `git push`."""
    words = _SETUP.sub("", command[:LONGEST], count=1).split(None, 3)
    if not words:
        return ""
    head = words[0].rsplit("/", 1)[-1]
    if head in VIEWERS or len(words) == 1 or not _SUBCOMMAND.fullmatch(words[1]):
        return head
    deep = (
        (head == "gh" or words[1] == "run")
        and len(words) > 2
        and _SUBCOMMAND.fullmatch(words[2])
    )
    return " ".join([head, *words[1 : 3 if deep else 2]])


def exited(command: str, code: int, output: str) -> Verdict:
    """A shell command that ended with `code`."""
    command = command[:LONGEST]
    if code == 0:
        return masked(command, output)
    if code == 130 or code == 143:
        return Verdict(Outcome.CANCELLED, output[:ERROR_TEXT])
    bare = _QUOTED.sub("Q", command)
    last = program_of(_CONNECTOR.split(bare.rstrip("; \n"))[-1])
    answers = ANSWERS.get(last) or ANSWERS.get(last.split(" ", 1)[0], frozenset())
    sure = "&&" not in _SETUP.sub("", bare, count=1) or not output.strip()
    if code in answers and sure:
        return FINE
    return Verdict(Outcome.FAILED, f"exit {code}\n{output[:ERROR_TEXT]}")


def masked(command: str, output: str) -> Verdict:
    """A command that ended well, unless its own output behind a pipe says it did not."""
    if ("|" in command or ";" in command) and any(
        mark in output for mark in FAILURE_MARKS
    ):
        program = program_of(command)
        if (
            program.split(" ", 1)[0] not in VIEWERS
            and " ".join(program.split(" ")[:2]) not in VIEWING
        ):
            return Verdict(Outcome.OK, output[:ERROR_TEXT], masked=True)
    return FINE


def flagged(tool: str, arguments: str, text: str, is_error: bool | None) -> Verdict:
    """A result with an error flag beside it (Claude Code, pi, Copilot)."""
    if not is_error:
        if is_shell(tool) and ("|" in arguments or ";" in arguments):
            return masked(command_of(arguments), text)
        return FINE
    if text.startswith(_REJECTED):
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT])
    if text.startswith(_CANCELLED):
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    if is_shell(tool) and (found := _EXIT.match(text)):
        return exited(command_of(arguments), int(found[1]), text[found.end() :])
    return Verdict(Outcome.FAILED, text[:ERROR_TEXT])


def plain(text: str) -> Verdict:
    """A result that is only text, from an agent that records no flag: judged by how it starts."""
    if text.startswith(_REJECTED):
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT])
    if text.startswith(_CANCELLED):
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    if text.startswith(
        (
            "Error",
            "error:",
            "ERROR",
            "Traceback (most recent call last)",
            "<tool_use_error>",
            "Tool execution failed",
        )
    ):
        return Verdict(Outcome.FAILED, text[:ERROR_TEXT])
    return FINE

"""How far a text can be trusted: by who wrote it and where it came from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from afterglow.calls import Action, program, read
from afterglow.harvest.human_text import is_prose, speaks_to_agents
from afterglow.harvest.user_speech import reason_in
from afterglow.records.knowledge import Trust
from afterglow.records.session import Call, Outcome, Turn
from afterglow.records.tools import family, tool_kind

_MESSAGE = re.compile(
    r"\s*(?:$|exit (?:code )?-?\d+|[a-z(][\w./()-]*(?:\[\d+\])?:\s)", re.IGNORECASE
)
# What a hook said in place of the tool: it prints whatever it got.
_HOOK = re.compile(
    r"\s*(?:Exit code \d+\s+)?(?:<tool_use_error>)?[A-Z]\w+(?::\w+)? hook (?:error|blocked|denied)"
)
# Folders in which a project keeps what others wrote: packages with their manuals, and what was downloaded.
_FOREIGN = re.compile(
    r"(?:^|[/\\])(?:node_modules|bower_components|site-packages|dist-packages|vendor|third_party|Downloads"
    r"|\.cargo[/\\]registry|pkg[/\\]mod)[/\\]"
)
SHORT = 2000  # characters of an error that a program can have written itself

_FAULT = re.compile(
    r"error|invalid|required|not found|validation|missing|must be\b|expected|unknown|denied|unauthori[sz]ed|forbidden"
    r"|failed|cannot|exceed|timed? ?out|rate limit|not allowed|unsupported|conflict",
    re.IGNORECASE,
)
FEW = 6  # lines of a message
SERVICE, SHORT_SERVICE = "mcp__", 300
RUN = 8  # words in a row that make one text a copy of another


def of_turn(turn: Turn) -> Trust:
    """A person's own words, where their voice says that they typed them; the model's; or something an agent filed under
    a role that is not its author's: skills, commands and rules are files on this machine, a summary mixes whatever
    there was, a hook prints whatever it got."""
    if turn.kind == "summary" or turn.voice == "outside":
        return "external"
    if turn.kind not in {"said", "steer"} or turn.voice == "file":
        return "file"
    if turn.role == "user":
        return "user" if turn.voice == "typed" else "external"
    return "assistant" if turn.role == "assistant" else "tool"


def of_result(call: Call) -> Trust:
    """What a call brought back. A refusal that the agent filed may hold a person's words; an error is a program's own
    message; nothing says nothing."""
    if call.refused:
        return "user" if reason_in(call) else "tool"
    if _HOOK.match(call.result or ""):
        return "external"
    failed = call.outcome is Outcome.FAILED
    result = call.result or ""
    if not result or result.isspace():
        return "tool"
    is_short_error = failed and len(result) <= SHORT
    action = read(call.tool, call.arguments)
    trusted: Trust
    if action.kind == "shell":
        trusted = _of_output(action, result, is_short_error)
    elif failed and call.tool.startswith(SERVICE) and _is_of_service(result):
        trusted = "tool"
    else:
        trusted = _of_tool(call.tool, is_short_error)
    if trusted == "file" and any(map(_FOREIGN.search, files_of(action))):
        return "external"
    return trusted


def files_of(action: Action) -> Iterable[str]:
    """What a call shows, by name."""
    yield action.arguments.file
    for command in action.commands:
        yield from command.operands


def _is_of_service(result: str) -> bool:
    """What a service says of a bad request, short and dry. What it stores for others comes in answers."""
    if len(result) > SHORT_SERVICE or "://" in result:
        return False
    if is_prose(result) or speaks_to_agents(result):
        return False
    return _FAULT.search(result) is not None


def _of_output(action: Action, result: str, is_short_error: bool) -> Trust:
    """By what ran: text from elsewhere, from a file, or a program's own words."""
    main = program(action.main.program if action.main else "")
    if is_short_error and (main.own_errors or _is_message(result)):
        return "tool"
    if any(program(name).fetches for name in _programs(action)):
        return "external"
    shows_files = main.own_errors or main.family in {"viewer", "filter"}
    return "file" if shows_files else "tool"


def _programs(action: Action) -> set[str]:
    """Everything that ran, wrappers too: `ssh host cat x` is somebody else's text."""
    programs: set[str] = set()
    for command in action.commands:
        programs.add(command.program)
        programs.update(wrapper.program for wrapper in command.wrappers)
    return programs


def _is_message(result: str) -> bool:
    """Most lines of a few start with the name of the program that says it; it may quote a line of what it was given."""
    lines = [line for line in result.splitlines() if line.strip()]
    if len(lines) > FEW or is_prose(result):
        return False
    message_lines = list(filter(_MESSAGE.match, lines))
    return 3 * len(message_lines) >= 2 * len(lines)


@lru_cache(maxsize=1024)
def _of_tool(tool: str, failed: bool) -> Trust:
    kind, group = tool_kind(tool), family(tool)
    if group == "code" or kind in {"plan", "wait"}:
        return "tool"
    if kind in {"ask", "approve"}:
        return "assistant"  # a person chose among the model's words
    if group == "file":
        names_files_only = kind in {"edit", "write", "list", "find"}
        return "tool" if failed or names_files_only else "file"
    # Those who delegate fail before anybody else speaks.
    return "tool" if failed and kind == "delegate" else "external"

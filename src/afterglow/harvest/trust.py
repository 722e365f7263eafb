"""How far a text can be trusted: by who wrote it and where it came from; and how many independent sessions agree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from afterglow.calls import Action, program, read
from afterglow.harvest.human_text import is_prose, speaks_to_agents
from afterglow.harvest.user_speech import reason_in
from afterglow.records.knowledge import Evidence, Trust
from afterglow.records.session import Call, Outcome, Turn
from afterglow.records.tools import family, tool_kind

_MESSAGE = re.compile(
    r"\s*(?:$|exit (?:code )?-?\d+|[a-z(][\w./()-]*(?:\[\d+\])?:\s)", re.IGNORECASE
)
_COMMAND = re.compile(r"\{[^:]{0,20}\"(?:command|cmd|code)\"\s*:")
_WORDS = re.compile(r"\w+")
SHORT = 2000  # characters of an error that a program can have written itself

_FAULT = re.compile(
    r"error|invalid|required|not found|validation|missing|must be\b|expected|unknown|denied|unauthori[sz]ed|forbidden"
    r"|failed|cannot|exceed|timed? ?out|rate limit|not allowed|unsupported|conflict",
    re.IGNORECASE,
)
FEW = 6  # lines of a message
SERVICE, SHORT_SERVICE = "mcp__", 300

LONG = 200  # characters that do not come out the same twice by themselves
RUN = 8  # words in a row that make one text a copy of another
DAY = 86400.0


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
    message."""
    if call.refused:
        return "user" if reason_in(call) else "tool"
    failed = call.outcome is Outcome.FAILED
    result = call.result or ""
    is_short_error = failed and len(result) <= SHORT
    action = read(call.tool, call.arguments)
    if action.kind == "shell":
        return _of_output(action, result, is_short_error)
    if failed and call.tool.startswith(SERVICE) and _is_of_service(result):
        return "tool"
    return _of_tool(call.tool, is_short_error)


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


def independent(evidence: Sequence[Evidence]) -> int:
    """How many independent sessions are behind something.

    Sessions of one person on one day are one witness. So are sessions that hold one text, from wherever it was copied,
    and forks, which repeat a session with all its words. Text from outside never vouches for other text from outside:
    who wants to be believed says the same thing in many places. So all sessions that rest on it are one witness.
    """
    sessions: dict[str, list[Evidence]] = {}
    for piece in evidence:
        sessions.setdefault(piece.session, []).append(piece)
    foreign = {
        _words(span)
        for span in evidence
        if span.trust in {"file", "external"} and not _is_command(span)
    }
    witness = {name: name for name in sessions}
    first_witness: dict[object, str] = {}
    for name, spans in sessions.items():
        for mark in {*_marks(spans, foreign)}:
            _join(witness, first_witness.setdefault(mark, name), name)
    return len({_root(witness, name) for name in sessions})


def _marks(spans: Sequence[Evidence], foreign: Collection[str]) -> Iterable[object]:
    """What two sessions must not share to count as two. `foreign` is what somebody else wrote, as far as is known: the
    same words in a session that does not show where they come from are no second witness."""
    first = min(spans, key=lambda span: span.time or 0.0)
    yield ("day", None if first.time is None else int(first.time // DAY), first.author)
    yield _fork_mark(spans)
    for span in spans:
        yield from _copy_marks(span, foreign)


def _fork_mark(spans: Sequence[Evidence]) -> object:
    """The same spans at the same times; of several long ones the words alone say enough."""
    hashes = frozenset(span.hash for span in spans)
    longest = max(span.length for span in spans)
    if len(hashes) > 1 and longest >= LONG:
        return "fork", hashes, None
    times = frozenset(span.time for span in spans)
    return "fork", hashes, times


def _copy_marks(span: Evidence, foreign: Collection[str]) -> Iterable[object]:
    if span.trust == "user":
        # A prompt that is pasted again; short words said again are meant again.
        if span.length >= LONG:
            yield "text", span.hash
        return
    if span.trust == "external" or (span.trust == "file" and _is_told(span)):
        yield "outside"
    if span.trust == "tool" or _is_command(span):
        return
    words = _words(span)
    if not words or words not in foreign:
        return
    yield "text", words
    if span.trust == "file":
        parts = words.split()
        for at in range(len(parts) - RUN + 1):
            yield ("run", *parts[at : at + RUN])


def witness_of(span: Evidence) -> str:
    """Whom a finding is counted for where single ones are: its session, or everybody outside together."""
    return "outside" if span.trust == "external" else span.session


def _words(span: Evidence) -> str:
    return " ".join(_WORDS.findall(span.quote.lower()))


def _is_told(span: Evidence) -> bool:
    """Somebody's sentences, or what an agent wrote down from them; not what it did, nor what a program showed."""
    written = span.part == "arguments" and not _is_command(span)
    return written or is_prose(span.quote)


def _is_command(span: Evidence) -> bool:
    """A command that stands in a project's own files may be run again and again: each run is a fact of its own."""
    return (
        span.part == "arguments"
        and span.start == 0
        and _COMMAND.match(span.quote) is not None
    )


def _root(witness: dict[str, str], name: str) -> str:
    while witness[name] != name:
        witness[name] = name = witness[witness[name]]
    return name


def _join(witness: dict[str, str], first: str, second: str) -> None:
    witness[_root(witness, second)] = _root(witness, first)

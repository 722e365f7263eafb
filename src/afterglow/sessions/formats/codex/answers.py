"""Which output of a Codex rollout answers which call.

Most calls have one output. A command that outlasts its call goes on in a terminal, and a later `write_stdin` to that
terminal says how it ended. Newer versions have one tool, `exec`, with JavaScript that calls tools inside; each of these
is a call of its own here, with the lines of the script it stood in. A script that outlasts its call goes on in a cell,
and a later `wait` brings the rest of what it printed.
"""

from __future__ import annotations

import re

from msgspec import Struct

from afterglow.calls import (
    InnerCall,
    InnerResult,
    effects_of,
    inner_calls,
    inner_results,
    read,
    shell_line,
    working_commands,
)
from afterglow.records.session import Call, Outcome
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.formats.codex.outputs import Output, judge
from afterglow.sessions.outcomes import (
    ERROR_TEXT,
    FINE,
    UNKNOWN,
    Verdict,
    exited,
    reports_failure,
)

SCRIPT_TOOL = "exec"
COMMAND_TOOL = "exec_command"
POLL_TOOL = "write_stdin"
ENDING_CHARACTERS = 1000  # of an output: where a tool says in the end that it failed

_POLLED = re.compile(r'"session_id"\s*:\s*"?(\d+)')
_POLL_FAILED = "write_stdin failed"
_WAITED = re.compile(r'"cell_id"\s*:\s*"?(\w+)')
_RUNNING_IN_CELL = re.compile(r"Script running with cell ID (\w+)")
_SCRIPT_ERROR = re.compile(r"Script error:\n?")
_FAILED_TOOL = re.compile(r"(\w+) (?:verification )?failed\b")
_NEVER_RAN = "SyntaxError"
_PRINTS_CODE = re.compile(r"exit_?code|\bstringify\(|\$\?|PIPESTATUS", re.IGNORECASE)
_RECORD = re.compile(r'\s*\[?\s*\{\s*"chunk_id"')


class Terminals:
    """Commands that go on after their call was answered, each an open call until its terminal says how it ended.

    Behind a mark, an answer for a command before it counts as an orphan: what was read then was not all of it.
    """

    def __init__(self, *, behind_mark: bool) -> None:
        self._calls: dict[str, str] = {}  # terminal -> call
        self.behind_mark = behind_mark

    def answer(
        self,
        session: Assembly,
        id: str,
        output: Output,
        line: int,
        time: float | None,
        otherwise: Verdict,
    ) -> None:
        """The open call `id` has an output; `otherwise` is its verdict where there is no exit code in it."""
        tool, arguments = session.awaiting(id)
        polled = _POLLED.search(arguments) if tool == POLL_TOOL else None
        if polled and self._hear(session, polled[1], output, line, time):
            session.close(id, output.text, line, time, FINE)
        elif output.terminal and not polled:
            self._calls[output.terminal] = id
            session.heard(id, output.body, line)
        elif output.code is not None:
            verdict = exited(shell_line(arguments), output.code, output.body)
            session.close(id, output.text, line, time, verdict)
        else:
            session.close(id, output.text, line, time, otherwise)

    def _hear(
        self,
        session: Assembly,
        terminal: str,
        output: Output,
        line: int,
        time: float | None,
    ) -> bool:
        """What a terminal said since it was last asked. False where it is not known which command runs in it."""
        id = self._calls.get(terminal, "")
        if id not in session.open:
            session.orphans += not id and self.behind_mark
            return False
        if output.body.startswith(_POLL_FAILED):
            return False
        _, arguments = session.awaiting(id)
        text = session.heard(id, output.body, line)
        if not output.terminal:
            verdict = _ended(arguments, output, text)
            if verdict.outcome is not Outcome.UNKNOWN:
                session.close(id, text, line, time, verdict)
        return True


def _ended(arguments: str, output: Output, text: str) -> Verdict:
    """A command that ended in a terminal; why it failed may stand in what it printed before."""
    if output.code is None:
        return _by_words(arguments, output.body)
    command = shell_line(arguments)
    verdict = exited(command, output.code, output.body)
    if verdict.outcome is Outcome.FAILED:
        return exited(command, output.code, text[-ERROR_TEXT:])
    return verdict


class _Script(Struct):
    """A call of `exec`, and the calls inside it: `ids` are theirs. `parts` are what it printed so far."""

    id: str
    source: str
    line: int
    time: float | None
    draft: Draft
    calls: tuple[InnerCall, ...]
    ids: tuple[str, ...]
    parts: list[str]


class Scripts:
    """Calls inside of calls."""

    def __init__(self, terminals: Terminals) -> None:
        self._terminals = terminals
        self._waiting: dict[str, _Script] = {}  # call -> script
        self._cells: dict[str, _Script] = {}  # cell -> script that goes on in it

    def __contains__(self, id: str) -> bool:
        return id in self._waiting

    def called(
        self,
        session: Assembly,
        draft: Draft,
        id: str,
        source: str,
        line: int,
        time: float | None,
    ) -> bool:
        """Takes a script apart. False where it cannot be told what it calls: then it is one call."""
        calls = inner_calls(SCRIPT_TOOL, source)
        if not calls or not all(map(_is_readable, calls)):
            return False
        ids = tuple(
            session.called(
                draft, f"{id}.{place}", call.tool, call.arguments, line, time
            )
            for place, call in enumerate(calls, 1)
        )
        self._waiting[id] = _Script(id, source, line, time, draft, calls, ids, [])
        return True

    def answered(
        self,
        session: Assembly,
        id: str,
        parts: list[str],
        line: int,
        time: float | None,
    ) -> None:
        """The output of the script `id`, or of as much of it as has run."""
        self._printed(session, self._waiting.pop(id), parts, line, time)

    def waited(
        self,
        session: Assembly,
        arguments: str,
        parts: list[str],
        line: int,
        time: float | None,
    ) -> bool:
        """More output of a script that went on in a cell. False where it is not known which."""
        cell = _WAITED.search(arguments)
        script = self._cells.pop(cell[1], None) if cell else None
        if script is None:
            session.orphans += self._terminals.behind_mark
            return False
        self._printed(session, script, parts, line, time)
        return True

    def _printed(
        self,
        session: Assembly,
        script: _Script,
        parts: list[str],
        line: int,
        time: float | None,
    ) -> None:
        header, printed = parts[0] if parts else "", parts[1:]
        script.parts += printed
        if running := _RUNNING_IN_CELL.match(header):
            self._cells[running[1]] = script
        elif error := _error(header, script.parts):
            self._failed(session, script, error, line, time)
        else:
            self._ended(session, script, header, line, time)

    def _ended(
        self,
        session: Assembly,
        script: _Script,
        header: str,
        line: int,
        time: float | None,
    ) -> None:
        """The script ran to its end, whatever came of the calls inside."""
        results = inner_results(script.calls, [header, *script.parts])
        for id, call, result in zip(script.ids, script.calls, results, strict=True):
            if id not in session.open:
                continue
            verdict = _unproved(script, call, result)
            if result.output is None and not result.running:
                session.close(id, None, line, time, verdict)
            else:
                output = _output(script, result)
                self._terminals.answer(session, id, output, line, time, verdict)

    def _failed(
        self,
        session: Assembly,
        script: _Script,
        error: str,
        line: int,
        time: float | None,
    ) -> None:
        """The script ended by an error: that of a call inside, which is named, or its own."""
        culprit = _culprit(script, error)
        rest = Verdict(Outcome.CANCELLED) if error.startswith(_NEVER_RAN) else UNKNOWN
        for id in script.ids:
            if id not in session.open:
                continue
            if id == culprit:
                verdict = judge(error, success=False)
                session.close(id, error, line, time, verdict)
            else:
                session.close(id, None, line, time, rest)
        if not culprit:
            script.draft.calls.append(
                Call(
                    script.id,
                    SCRIPT_TOOL,
                    script.source,
                    script.line,
                    Outcome.FAILED,
                    error,
                    error[:ERROR_TEXT],
                    line,
                    script.time,
                    time,
                )
            )


def _is_readable(call: InnerCall) -> bool:
    return call.tool != COMMAND_TOOL or bool(shell_line(call.arguments))


def _error(header: str, parts: list[str]) -> str:
    if not header.startswith("Script failed"):
        return ""
    text = "\n".join(parts)
    start = _SCRIPT_ERROR.search(text)
    if start:
        return text[start.end() :]
    return text or header


def _culprit(script: _Script, error: str) -> str:
    """The call inside whose failure ended the script, where the error says it."""
    failed = _FAILED_TOOL.match(error)
    if not failed:
        return ""
    suspects: dict[str, str] = {}  # call -> its command
    for id, call in zip(script.ids, script.calls, strict=True):
        if call.tool == failed[1]:
            suspects[id] = shell_line(call.arguments)
    if len(suspects) == 1:
        return next(iter(suspects))
    for id, command in suspects.items():
        if command and command in error:
            return id
    return ""


def _output(script: _Script, result: InnerResult) -> Output:
    """An exit code counts where the script, or the command in it, asked for it: any file may hold the same words."""
    kind, _, terminal = result.running.partition(":")
    text = result.output or ""
    asked_for_code = _PRINTS_CODE.search(script.source)
    printed = asked_for_code or any(map(_RECORD.match, script.parts))
    return Output(
        text=text,
        body=text,
        code=result.code if printed else None,
        terminal=terminal if kind == "session" else "",
    )


def _unproved(script: _Script, call: InnerCall, result: InnerResult) -> Verdict:
    """A call inside a script that ran to its end, without an exit code."""
    text = result.output
    is_command = call.tool == COMMAND_TOOL
    if text is not None:
        return _by_words(call.arguments, text) if is_command else judge(text)
    if is_command or "catch" in script.source:
        return UNKNOWN
    return FINE


def _by_words(arguments: str, text: str) -> Verdict:
    """A command whose exit code nobody printed: that it failed may be seen, that it ended well cannot."""
    verdict = judge(text)
    if verdict.outcome is Outcome.OK:
        if not reports_failure(text[-ENDING_CHARACTERS:]):
            return UNKNOWN
        verdict = Verdict(Outcome.FAILED, text[-ERROR_TEXT:])
    return UNKNOWN if _shows_words_of_others(arguments) else verdict


def _shows_words_of_others(arguments: str) -> bool:
    """A line that looks at a file or a log prints errors that are not its own."""
    commands = working_commands(read(COMMAND_TOOL, arguments).commands)
    return any("looks" in effects_of(command) for command in commands)

"""A call that has just ended, as a hook tells it, read as its transcript will be read later: the same verdict."""

from __future__ import annotations

from collections.abc import Callable

from afterglow.calls import is_shell_call, shell_line
from afterglow.records.context import FinishedCall
from afterglow.records.session import Call, Outcome
from afterglow.sessions.outcomes import UNKNOWN, Verdict, exited, flagged

# How Claude Code begins the result of a call that its tool refused; the flag stands in the transcript alone.
_REFUSED_CALL = "<tool_use_error>"


def call_of(agent: str, finished: FinishedCall, line: int, time: float) -> Call:
    """The call with its result and how it ended; `line` is the place it is given in the session so far."""
    verdict = _JUDGES.get(agent, _by_flag)(finished)
    return Call(
        finished.id or f"call@{line}",
        finished.tool,
        finished.arguments,
        line,
        verdict.outcome,
        finished.result,
        verdict.error,
        line,
        time,
        time,
        verdict.masked,
    )


def _by_flag(finished: FinishedCall) -> Verdict:
    failed = finished.failed or finished.result.startswith(_REFUSED_CALL)
    return flagged(finished.tool, finished.arguments, finished.result, failed)


def _of_codex(finished: FinishedCall) -> Verdict:
    """By the head of its output; a command without one may have ended in any way."""
    from afterglow.sessions.formats.codex.outputs import judge, take_apart

    output = take_apart(finished.result)
    if output.code is not None:
        return exited(shell_line(finished.arguments), output.code, output.body)
    if output.terminal:
        return UNKNOWN
    verdict = judge(finished.result, False if finished.failed else None)
    is_command = is_shell_call(finished.tool, finished.arguments)
    if is_command and verdict.outcome is Outcome.OK:
        return UNKNOWN
    return verdict


def _of_hermes(finished: FinishedCall) -> Verdict:
    from afterglow.sessions.formats.hermes.results import answer

    return answer(finished.tool, finished.arguments, finished.result).verdict


_JUDGES: dict[str, Callable[[FinishedCall], Verdict]] = {
    "codex": _of_codex,
    "hermes": _of_hermes,
}

"""What a session's own state says about a failure: no history, no project is known.

A session is followed call by call, and where one fails a check may see why: the shell stands elsewhere, the text of an
edit differs from what was read by a tab. It is the same whether a finished session is read or a hook asks at the moment
of failure:

    state = SessionState(cwd)
    for step in steps:
        if step.failed:
            explanation = explain(state.moment(step))   # None where nothing in the state explains it
        state.add(step)

A check is one module here with

    NAME      the word it is called by
    explain   Moment of a call that went wrong -> Explanation, or None: pure, and strict rather than talkative
"""

from __future__ import annotations

from typing import Protocol

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment, SessionState
from afterglow.registry import Table

__all__ = ["CHECKS", "Explanation", "Moment", "SessionState", "explain"]


class Check(Protocol):
    NAME: str

    def explain(self, moment: Moment) -> Explanation | None: ...


# In the order they are asked: what is more certain, or says more, first.
CHECKS = Table(
    "afterglow.state_checks",
    {
        name: f"afterglow.harvest.state_checks.{module}"
        for name, module in {
            "directory": "working_directory",
            "edit": "edit_text",
            "version": "file_versions",
            "quoting": "quoting",
            "zsh-names": "zsh_names",
            "glob": "unquoted_glob",
            "wrapper": "wrapper",
            "program": "missing_program",
            "system": "other_system",
            "variable": "lost_variable",
            "moved": "moved_path",
            "path": "known_path",
            "port": "port_in_use",
            "lock": "left_lock",
            "worktree": "other_worktree",
            "tool": "lost_tool",
            "answer": "empty_answer",
            "lines": "long_lines",
        }.items()
    },
)


def explain(moment: Moment) -> Explanation | None:
    """Why the call of this moment went wrong, where the session's state shows it."""
    for name in CHECKS.names():
        explanation: Explanation | None = CHECKS.load(name).explain(moment)
        if explanation is not None:
            return explanation
    return None

"""A tool of the agent whose own program is gone: the agent was updated or moved while it ran."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment
from afterglow.records.tools import tool_kind

NAME = "tool"

# What the system says where the program of a tool cannot be started: the path is the tool's, not the call's.
_NOT_STARTED = re.compile(
    r"spawn '?((?:/|[A-Za-z]:\\)[^'\n]+?)(?:'| ENOENT|$)", re.MULTILINE
)
_INSTEAD = {"search": "grep -rn", "find": "find"}

TOPIC = "a tool of the agent whose own program is gone"
SITUATION = "A search tool of the agent fails with ENOENT"
REMEDY = "`grep -rn`, `find` in the shell"


def explain(moment: Moment) -> Explanation | None:
    instead = _INSTEAD.get(tool_kind(moment.step.tool), "")
    if not instead or not moment.says("enoent"):
        return None
    program = _NOT_STARTED.search(moment.output)
    if program is None or program[1] in moment.step.call.arguments:
        return None
    line = (
        f"the program behind `{moment.step.tool}` is gone (the agent was updated meanwhile?): "
        f"use `{instead}` in the shell"
    )
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY, agent_wide=True)

"""A variable that an earlier call set: every call has its own shell, and there it is empty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "variable"

MAX_CALLS_BACK = 60  # a variable is used soon after it was set

_USED = re.compile(r"\$\{?([A-Za-z_]\w*)\}?(?P<rest>/[\w./-]+)?")
_UNSET = re.compile(
    r"(\w+): (?:unbound variable|parameter (?:not set|null or not set))"
)


def explain(moment: Moment) -> Explanation | None:
    if "$" not in moment.step.command:
        return None
    for name in _empty_names(moment):
        if _was_set_before(moment, name):
            topic = "a variable that an earlier call had set"
            return Explanation(
                NAME,
                topic,
                f"`${name}` is empty: an earlier call set it, and each call has its own shell; set it in the same call",
                "Variables of an earlier call are empty, each has its own shell",
                "set them in the call that uses them",
                agent_wide=True,
            )
    return None


def _empty_names(moment: Moment) -> Iterator[str]:
    """Variables of the line that the output shows to be empty: what stood behind one begins a path."""
    line, output = moment.step.command, moment.output
    parsed = moment.step.action.parsed
    set_here = {item.name for item in (*parsed.assignments, *parsed.exports)}
    for match in _UNSET.finditer(output):
        if match[1] not in set_here:
            yield match[1]
    for match in _USED.finditer(line):
        rest = match["rest"]
        if rest and match[1] not in set_here and _stands_alone(rest, output):
            yield match[1]


def _stands_alone(path: str, output: str) -> bool:
    return (
        re.search(rf"(?<![\w.~/$}}-]){re.escape(path)}(?![\w/.-])", output) is not None
    )


def _was_set_before(moment: Moment, name: str) -> bool:
    for count, step in enumerate(moment.back()):
        if count == MAX_CALLS_BACK:
            return False
        parsed = step.action.parsed
        if any(item.name == name for item in (*parsed.assignments, *parsed.exports)):
            return True
    return False

"""A part of a file that is refused for its size, although few lines were asked for: its lines are too long."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "lines"

# Of a line on average, from which on fewer lines are no way to a part that fits; code has a dozen.
MIN_TOKENS_A_LINE = 100

_TOO_MANY = re.compile(r"\((\d+) tokens\) exceeds")
_LIMIT = re.compile(r'"limit"\s*:\s*"?(\d+)')

TOPIC = "a part of a file that is refused for its size since its lines are long"
SITUATION = "A read with a `limit` is refused, its lines are too long"
REMEDY = "take what is needed with `jq` or `python3` in the shell"


def explain(moment: Moment) -> Explanation | None:
    call = moment.step.call
    limit, size = _LIMIT.search(call.arguments), _TOO_MANY.search(moment.output)
    if moment.step.action.kind != "read" or limit is None or size is None:
        return None
    is_long = int(size[1]) >= MIN_TOKENS_A_LINE * max(int(limit[1]), 1)
    if not is_long and not _was_as_long(moment, size[0]):
        return None
    line = (
        f"{limit[1]} lines have {size[1]} tokens: they are long, a smaller `limit` may not do; "
        "take what is needed with `jq` or `python3` in the shell"
    )
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY, agent_wide=True)


def _was_as_long(moment: Moment, size: str) -> bool:
    """The same was said when more of the file was asked for: `limit` took nothing away."""
    path = moment.step.action.target.value
    return any(
        step.action.target.value == path
        and size in (step.call.error or step.call.result or "")
        for step in moment.back()
        if step.failed
    )

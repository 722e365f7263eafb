"""An agent that was given a task came back without a word, and without an error either."""

from __future__ import annotations

from afterglow.harvest.failure_kinds import answers_nothing
from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "answer"

TOPIC = "an agent that was given a task and answered nothing"
SITUATION = "A task given to another agent ends well, without an answer"
REMEDY = "read and search yourself instead"


def explain(moment: Moment) -> Explanation | None:
    if not answers_nothing(moment.step):
        return None
    line = f"`{moment.step.tool}` ended well and answered nothing: {REMEDY}"
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY, agent_wide=True)

"""A branch that another worktree of the repository has checked out."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation
from afterglow.harvest.state_checks.moment import Moment

NAME = "worktree"

_TAKEN = re.compile(
    r"'(?P<branch>[\w./-]+)' is already (?:used by worktree|checked out) at '(?P<place>[^'\n]+)'"
)

TOPIC = "a branch that another worktree has checked out"
SITUATION = "A branch that another worktree has cannot be checked out here"
REMEDY = (
    "`git switch --detach BRANCH`, or under another name: `git switch -c NAME BRANCH`"
)


def explain(moment: Moment) -> Explanation | None:
    taken = _TAKEN.search(moment.output) if moment.commands else None
    if taken is None:
        return None
    branch = taken["branch"]
    way = f"`git switch --detach {branch}`, or `git switch -c NAME {branch}`"
    line = f"another worktree has `{branch}` checked out: here {way}"
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY)

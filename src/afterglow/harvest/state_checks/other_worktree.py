"""A branch that another worktree of the repository has checked out."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment

NAME = "worktree"

_TAKEN = re.compile(
    r"'(?P<branch>[\w./-]+)' is already (?:used by worktree|checked out) at '(?P<place>[^'\n]+)'"
)

TOPIC = "a branch that another worktree has checked out"
SITUATION = "A branch that another worktree has checked out cannot be checked out, deleted or fetched into here"
REMEDY = "work there with `git -C DIR …` (`git worktree list` shows where), or `git switch --detach origin/BRANCH`"


def explain(moment: Moment) -> Explanation | None:
    taken = _TAKEN.search(moment.output) if moment.commands else None
    if taken is None:
        return None
    branch = taken["branch"]
    place = taken["place"] if is_short(taken["place"]) else "DIR"
    line = f"another worktree has `{branch}` checked out: `git -C {place} …`, or here `git switch --detach`"
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY)

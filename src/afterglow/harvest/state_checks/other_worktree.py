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
OF_BRANCH = "take its commit: `git switch --detach {branch}`"
OF_PULL_REQUEST = (
    "`git fetch origin pull/{number}/head && git switch --detach FETCH_HEAD`"
)


def explain(moment: Moment) -> Explanation | None:
    taken = _TAKEN.search(moment.output) if moment.commands else None
    if taken is None:
        return None
    branch, number = taken["branch"], _pull_request(moment)
    way = OF_PULL_REQUEST if number else OF_BRANCH
    here = way.format(branch=branch, number=number)
    line = f"another worktree has `{branch}` checked out: {here}"
    anywhere = way.format(branch="BRANCH", number="N")
    return Explanation(NAME, TOPIC, line, SITUATION, anywhere)


def _pull_request(moment: Moment) -> str:
    """The number by which one was to be checked out."""
    words = (
        word
        for command in moment.commands
        if command.name == "gh pr checkout"
        for word in command.operands
    )
    return next(filter(str.isdigit, words), "")

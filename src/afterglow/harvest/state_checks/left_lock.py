"""A lock file that nothing of this session holds any more: the call that made it was cut off."""

from __future__ import annotations

import re

from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment
from afterglow.records.session import Outcome

NAME = "lock"

_GIT_LOCK = re.compile(r"Unable to create '([^'\n]+\.lock)': File exists")

SITUATION = 'git: "index.lock: File exists"'
REMEDY = "again; if it stays and no git runs: `pgrep -x git || rm -f .git/index.lock`"


def explain(moment: Moment) -> Explanation | None:
    lock = _GIT_LOCK.search(moment.output) if moment.commands else None
    if lock is None:
        return None
    topic = "a lock file of git is in the way"
    if _runs_beside(moment):
        line = "two git calls of this session ran at once: run the same command again, alone"
    else:
        path = moment.shown(lock[1])
        path = path if is_short(path) else "$(git rev-parse --git-dir)/index.lock"
        line = (
            "no git call of this session runs any more; unless another's does, the "
            f"lock is left over: `pgrep -x git || rm -f {path}`, then again"
        )
    return Explanation(NAME, topic, line, SITUATION, REMEDY)


def _runs_beside(moment: Moment) -> bool:
    """Another git call was made in the same turn, or runs in the background."""
    for step in moment.back():
        if step.turn != moment.step.turn:
            return False
        is_git = any(command.program == "git" for command in step.action.commands)
        if is_git and step.call.outcome is not Outcome.CANCELLED:
            return True
    return False

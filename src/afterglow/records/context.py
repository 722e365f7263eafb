"""What a new session is given: items chosen for it, ordered, fitted to a budget, rendered; and what was left out."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

MARK = re.compile(
    r"\bag-[0-9a-f]{10}\b"
)  # the id of a delivered context, as it stands in a transcript
# What stands before a hint that a plugin puts behind the output of a call, where an agent has no other place for it.
BEHIND_OUTPUT = "\n\n[afterglow] "
SHORT_ID = 8  # characters of an item's id in a context: enough to ask for more by

# Why an item is not in a context: it does not belong (scope), is not shown to anyone (status), is not sure enough
# (confidence), has not been confirmed for too long (stale), does not hold here and now (check), says what another
# already says (similar), is not worth its place (worth), did not fit (budget), or was not weighed, since many stronger
# ones of its place were (rank).
Why = Literal[
    "scope",
    "status",
    "confidence",
    "stale",
    "check",
    "similar",
    "worth",
    "budget",
    "rank",
    "moment",
]


class Need(Struct, frozen=True, kw_only=True):
    """A session about to start. `sessions` is how many this repository has had; `now` is seconds since 1970."""

    now: float
    repo: str = ""
    agent: str = ""
    task: str = ""
    task_type: str = ""
    sessions: int = 0


class ContextLine(Struct, frozen=True):
    """An item in a context: its line, what it is worth (calls it is expected to save) and why, and its share of the
    tokens."""

    item: str
    line: str
    worth: float
    why: dict[str, float]
    tokens: int = 0


class Hint(Struct, frozen=True):
    """What a session is told right after a call went wrong. `topics` are what has been said with it; `item` is empty
    where the session's own state explains the failure."""

    text: str
    tokens: int
    topics: tuple[str, ...] = ()
    item: str = ""


class FinishedCall(Struct, frozen=True):
    """A call as an agent's hook tells it when it has ended. `arguments` are JSON; `failed` is what the agent says of it:
    a call that ended well may say in its `result` that it went wrong."""

    tool: str
    arguments: str
    result: str
    failed: bool = False
    id: str = ""


class LeftOut(Struct, frozen=True):
    """An item that is not in a context, and why."""

    item: str
    why: Why
    detail: str = ""


class Context(Struct, frozen=True, kw_only=True):
    """A context. `id` stands in its text, so that a transcript proves it was delivered; `reason` says why it is empty
    or shorter than its budget."""

    id: str
    text: str
    tokens: int
    budget: int
    shown: tuple[ContextLine, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    reason: str = ""

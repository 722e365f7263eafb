"""A session, its turns, and the calls in them: what every reader produces and every later stage starts from.

A long session arrives in parts. A part is a `Session` whose turns go on where the previous part ended; its `end` says
where in the source the next one starts. Parts keep memory bounded and let a grown file be read from where it ended.
"""

from __future__ import annotations

import enum
from typing import Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant", "tool"]

# Who is really speaking. Only `said` is a person or the model talking: agents also file summaries, skill bodies, hook
# output and slash commands under "user", and Hermes appends a person's steering words to a tool result. `undone` is a
# request its author took back, with all that came of it.
Kind = Literal["said", "steer", "summary", "command", "injected", "undone"]

# Where the words of a turn under "user" come from, by the agent's own record of it: never by what they say. `typed`: a
# person at the keyboard; `file`: a file that was mentioned, selected or loaded; `outside`: a headless run, a pipe, a
# hook, another agent, a benchmark. `unstated` is for records that do not say; what the session shows of a present
# person (`attended`) then decides.
Voice = Literal["unstated", "typed", "file", "outside"]


class Outcome(enum.Enum):
    """How a call ended. Only `FAILED` is a mistake; `BLOCKED` is a person or a policy saying no."""

    OK = "ok"
    FAILED = "failed"
    BLOCKED = "blocked"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens and money. `context` is the largest prompt one request sent: how full the window got."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    context: int = 0
    cost: float = 0.0


class Call(Struct, frozen=True, omit_defaults=True, gc=False):
    """One tool call joined to its result.

    `arguments` is the JSON text the model sent; `error` the part of the result that says what went wrong. `masked`
    marks a shell call that ended well only because a pipe hid the exit code of a command that reported failure. `line`
    and `result_line` are places in the source: line numbers of a file, row ids of a database. `refused`: the agent
    itself recorded that a person said no to the call; a result may say so in the same words.
    """

    id: str
    tool: str
    arguments: str
    line: int
    outcome: Outcome = Outcome.UNKNOWN
    result: str | None = None
    error: str = ""
    result_line: int | None = None
    started: float | None = None
    ended: float | None = None
    masked: bool = False
    refused: bool = False


class Turn(Struct, frozen=True, omit_defaults=True, gc=False):
    """One message. An assistant turn may hold calls; a tool turn holds the text of one result."""

    role: Role
    text: str
    line: int
    kind: Kind = "said"
    time: float | None = None
    calls: tuple[Call, ...] = ()
    voice: Voice = "unstated"


class Damage(Struct, frozen=True):
    """Something in a source that could not be read as it stands. `line` 0 means the source as a whole."""

    line: int
    reason: str


class Mark(Struct, frozen=True):
    """Where reading may go on: the byte offset and number of lines already read. All zero: from the top.

    `check` tells whether what stands before the mark is still what was read: how many bytes, and their checksum.
    `message` is the id of the last message of the assistant, which must not go on behind the mark. What stands up to
    the line `copied` is read over: a fork or a resumed session copied it from another one, where it counts.
    """

    offset: int = 0
    line: int = 0
    check: str = ""
    message: str = ""
    copied: int = 0


class Repo(Struct, frozen=True):
    """Which repository a session worked in, and what that was read from: alias, remote, checkout, worktree,
    root, cwd, tail or none; unconfirmed where a folder claims a name that another one has."""

    name: str = ""
    by: str = "none"


class Session(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One run of an agent, or a part of one. Times are seconds since 1970, UTC.

    `origin` tells experience from machinery: main, subagent, cron, tool. `parent_by` says how a parent led here:
    subagent, branch or compaction. `ending`: closed (the agent said so), answered (the assistant had the last word) or
    open (stopped in the middle). `score` and `task` are what a benchmark recorded; `status` an agent's own verdict.
    `damaged` counts what could not be read; `damage` names the first of it. A part that is not `settled` may still
    change; `mark` is where reading may go on behind one that is. `attended`: the agent recorded something that only
    its interactive program writes. `request` are the first words of its first request, masked: the catalogue's header
    has them, a reader leaves them empty.
    """

    id: str
    agent: str
    format: str
    source: str
    turns: tuple[Turn, ...] = ()
    start: float | None = None
    end: float | None = None
    model: str = ""
    cwd: str = ""
    git_root: str = ""
    remote: str = ""
    branch: str = ""
    title: str = ""
    origin: str = "main"
    parent: str = ""
    parent_by: str = ""
    ending: str = "open"
    status: str = ""
    task: str = ""
    score: float | None = None
    usage: Usage = Usage()
    window: int = 0
    compactions: int = 0
    damaged: int = 0
    damage: tuple[Damage, ...] = ()
    orphans: int = 0
    settled: bool = True
    mark: Mark = Mark()
    attended: bool = False
    request: str = ""

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(call for turn in self.turns for call in turn.calls)

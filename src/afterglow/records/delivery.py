"""A context that was given out, whether a transcript proves it arrived, and what became of each item in it.

The ladder is delivered -> used -> mattered. `None` means that nothing can be said; it is never a no.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.template import TEMPLATE_PREFIX

# waiting: no transcript has shown it yet; delivered: one has; no data: none did in time. Not seen is not unused.
State = Literal["waiting", "delivered", "no data"]
# When a session was told: as it began, again after a compaction, as a sub-agent began, before a call, after one failed.
When = Literal["start", "compaction", "subagent", "call", "failure"]
REPEATED = "@"


class Given(Struct, frozen=True, omit_defaults=True):
    """An item as it was given out: what is needed to judge it later, and, once judged, how it went.

    `met`: the situation came up. `used`: the remedy shows in a later call, or the item is cited. `mattered`: the
    situation came up and the known error did not. `failed`: the known error came all the same.
    """

    item: str
    confidence: float
    used: bool | None = None
    met: bool | None = None
    mattered: bool | None = None
    failed: bool | None = None
    situation: str = ""
    remedy: str = ""
    fingerprints: tuple[str, ...] = ()


class Followed(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What came after the failure that a session was told about, or that came although it had been told.

    `problem` is the key by which the same failure is known in other sessions, `explanation` what the session's own
    state said about it. `calls` are those from the failure to the one that reached its goal, if any did (`solved`).
    `repeated`: the same call came again before anything had changed. `used`: the remedy shows on the way; a remedy
    that could be seen and does not show was ignored.
    """

    problem: str = ""
    explanation: str = ""
    solved: bool | None = None
    calls: int = 0
    repeated: bool = False
    used: bool | None = None


class Delivery(Struct, frozen=True, kw_only=True):
    """A context given out at `time`. `task` is a hash: what the person asked for is not kept.

    `session` is the one whose transcript holds the context, at the turn `turn`; it began at `started`. As long as no
    transcript shows it, `session` is the one it was handed to, if the agent told: a claim, not a proof.

    A hint carries no id: `words` is the mark of its words, by which a transcript proves it, `topics` are the marks of
    what has been said with it, `call` is the agent's id of the call that failed. Marks, because a hint may name what
    stands in a running session and nobody has redacted yet. A context that is told again has the id of the first
    in its text, and `REPEATED` and its moment behind that in its own. A `placebo` looks like what it stands in for and
    teaches nothing.
    """

    id: str
    time: float
    when: When = "start"
    repo: str = ""
    agent: str = ""
    task: str = ""
    budget: int = 0
    tokens: int = 0
    state: State = "waiting"
    session: str = ""
    started: float | None = None
    turn: int | None = None
    placebo: bool = False
    call: str = ""
    words: str = ""
    topics: tuple[str, ...] = ()
    followed: Followed | None = None
    items: tuple[Given, ...] = ()

    @property
    def text_id(self) -> str:
        """The id that stands in its text; a hint has none there."""
        return "" if self.words else self.id.partition(REPEATED)[0]

    @property
    def is_template(self) -> bool:
        """Whether a template was given, not lessons: it has a record of its own, and nothing that shows in calls."""
        return any(item.item.startswith(TEMPLATE_PREFIX) for item in self.items)

    @property
    def is_by_hand(self) -> bool:
        """Printed for a person who looked: no agent was named, and no session shows it."""
        return not (self.agent or self.session) and self.state != "delivered"


class Reported(Struct, frozen=True, kw_only=True):
    """How a session that got a delivery went, in the words of its agent or its person; `rating` is from 1 to 5."""

    delivery: str
    outcome: Literal["success", "partial", "failure"]
    time: float
    rating: int | None = None
    note: str = ""


class Verdict(Struct, frozen=True):
    """What became of one item in one session."""

    item: str
    used: bool | None = None
    met: bool | None = None
    mattered: bool | None = None
    failed: bool | None = None


class UnredactedView(Struct, frozen=True):
    """Lines of a session, the `first` to the `last`, that somebody had shown as they stand in the file."""

    session: str
    time: float
    by: str
    first: int
    last: int


class Settled(Struct, frozen=True, kw_only=True):
    """What settling did: sessions looked at, deliveries proved for the first time or judged anew, those given up as no
    data, those still waiting. `troubles` names sources that could not be read, and why: they are tried again."""

    looked: int = 0
    proved: int = 0
    judged: int = 0
    no_data: int = 0
    waiting: int = 0
    troubles: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0

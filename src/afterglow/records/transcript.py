"""A session as people read it: a window of its turns, texts cut to what can be read at once, and what to look at first."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.catalog import Entry
from afterglow.records.delivery import Delivery, UnredactedView
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import FAILURE_KINDS, Event

# failed: the call says so itself. hidden: its output says so, its exit code does not. ci: a check elsewhere reported it.
# empty: a check that ended well and printed nothing.
FailureKind = Literal["failed", "hidden", "ci", "empty"]


class ShownText(Struct, frozen=True):
    """A text, or its head and its tail where it is long: then `missing` characters stand between them."""

    head: str = ""
    tail: str = ""
    missing: int = 0


class ShownCall(Struct, frozen=True, kw_only=True):
    """`index` is its place in the turn; `anchors` are its lines that no text before it in the window has. `failure` says why
    it is one of those to look at, `words` what tells that it failed."""

    index: int
    tool: str
    request: ShownText
    result: ShownText
    outcome: str
    line: int
    anchors: tuple[int, ...] = ()
    has_result: bool = True
    failure: FailureKind | None = None
    words: str = ""
    is_marked: bool = False


class ShownTurn(Struct, frozen=True, kw_only=True):
    """`index` is its place in the session, `headline` what stands for it as long as it is folded. `deliveries` were given
    here; `items` rest on lines of it."""

    index: int
    line: int
    has_anchor: bool
    role: str
    kind: str
    headline: str
    text: ShownText
    time: float | None = None
    calls: tuple[ShownCall, ...] = ()
    failures: int = 0
    is_marked: bool = False
    deliveries: tuple[Delivery, ...] = ()
    items: tuple[str, ...] = ()


class TranscriptWindow(Struct, frozen=True, kw_only=True):
    """The turns of one window, of how many, and the lines of all failures of the session; 0 stands for no line."""

    turns: tuple[ShownTurn, ...] = ()
    number: int = 1
    windows: int = 1
    first_line: int = 0
    last_line: int = 0
    failure_lines: tuple[int, ...] = ()
    is_redacted: bool = True

    def holds(self, line: int) -> bool:
        return self.first_line <= line <= self.last_line

    def failure_before(self, line: int) -> int:
        return max((each for each in self.failure_lines if each < line), default=0)

    def failure_behind(self, line: int) -> int:
        return min((each for each in self.failure_lines if each > line), default=0)


class WholeText(Struct, frozen=True, kw_only=True):
    """One text of a session, or as much of it as a page holds, from the character `start` on."""

    text: str
    line: int
    title: str
    start: int
    length: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class TaughtItem(Struct, frozen=True):
    """An item, and the lines of the session that it rests on."""

    item: KnowledgeItem
    lines: tuple[int, ...]


class UnkeptFinding(Struct, frozen=True):
    """What a miner read in the session and no item was made of; why, where that is known."""

    miner: str
    quote: str
    line: int
    reason: str = ""


class SessionStory(Struct, frozen=True, kw_only=True):
    """What a session was given, met and taught, as the stores know it. `children` are the sessions it led to: sub-agents,
    forks. `facts` are the sentences of items given, by id; `is_mined` is false until a harvest has read it."""

    entry: Entry
    hidden: int = 0
    children: tuple[Entry, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    facts: dict[str, str] = {}
    events: tuple[Event, ...] = ()
    taught: tuple[TaughtItem, ...] = ()
    unkept: tuple[UnkeptFinding, ...] = ()
    views: tuple[UnredactedView, ...] = ()
    is_mined: bool = False

    @property
    def failures(self) -> tuple[Event, ...]:
        return tuple(event for event in self.events if event.kind in FAILURE_KINDS)

    @property
    def refusals(self) -> tuple[Event, ...]:
        return tuple(event for event in self.events if event.kind == "refused")

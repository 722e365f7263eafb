"""A history walked again: what went wrong in each session, what would have been in view, and what that adds up to.

Everything of `ReplayReport` is plain values: encoded as JSON it reads as it stands. Shares are fractions of one, every
interval is 95 %. "In view" says that a line stood in the context a session would have started with, no more.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.context import Hint, Why
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event
from afterglow.records.profile_report import Difference, Rate, Spread

# What was known of an error when its session started: nothing, as no earlier session of the repository met it (first);
# its lesson with a remedy was in the context (in view), without one (no remedy), or was known and not in the context
# (not shown); it had been met and no item tells of it (unknown); a remedy was in view that does not hold (harm).
Kind = Literal["first", "in view", "no remedy", "not shown", "unknown", "harm"]
KINDS: tuple[Kind, ...] = (
    "first",
    "in view",
    "no remedy",
    "not shown",
    "unknown",
    "harm",
)
BUDGETS = (250, 500, 1000, 2000, 4000)  # tokens

# Where the remedy of a repeated error would have been told first: in the context at the start, in a line on failure;
# nowhere, although something is known of it; or nothing is known.
Told = Literal["start", "failure", "silent", "unknown"]
TOLD: tuple[Told, ...] = ("start", "failure", "silent", "unknown")
# How a failure ended that a line was said about: as the line says; otherwise; by editing files until the same call
# passed, as ordinary work does; or nobody saw an end.
Ended = Literal["as told", "otherwise", "by edits", "open"]
ENDED: tuple[Ended, ...] = ("as told", "otherwise", "by edits", "open")


class Failure(Struct, frozen=True, gc=False):
    """A call that failed; several alike in one turn are one. `work` is set for tests and builds that fail while code is
    being written: no lesson. `did` is what the call was, and what was done since the session met the same error before:
    it tells whether a remedy was tried. It is never written anywhere. `line` is where the call stands."""

    tool: str
    program: str
    fingerprint: str
    work: bool = False
    did: tuple[str, ...] = ()
    line: int = 0


class Lived(Struct, frozen=True):
    """What a session went through. `mute` failures say nothing by which they could be known again."""

    task: str = ""
    failures: tuple[Failure, ...] = ()
    calls: int = 0
    blocked: int = 0
    cancelled: int = 0
    mute: int = 0


class Sight(Struct, frozen=True):
    """An error and what was known of it: the `items` of the context that tell of it, or why none is in there."""

    failure: Failure
    kind: Kind
    items: tuple[KnowledgeItem, ...] = ()
    why: Why | None = None
    detail: str = ""
    wide: bool = False

    @property
    def repeated(self) -> bool:
        return self.kind != "first"


class Meeting(Struct, frozen=True):
    """An item whose situation came again in a later session: how sure it was, and whether it held there."""

    item: str
    confidence: float
    held: bool


class ReplayContext(Struct, frozen=True):
    """A context as it would have been given: its size, the items in it and what each costs, its text."""

    tokens: int
    items: dict[str, int] = {}
    text: str = ""


class ReplayHint(Struct, frozen=True):
    """A failure of a session, at a line, and what would have been said right after it; of `item`, where that is no
    state check's. `has_lessons` is set where a lesson about this very cause was there, told or not."""

    line: int
    event: Event
    hint: Hint | None = None
    item: KnowledgeItem | None = None
    has_lessons: bool = False


class Replayed(Struct, frozen=True, kw_only=True):
    """One session walked again. `sights` are its errors, seen with the context of each budget; `met` are the items in
    the context whose situation came, `failures` what would have been said on failure, or not."""

    id: str
    source: str
    agent: str
    repo: str
    start: float
    known: int = 0
    lived: Lived = Lived()
    given: dict[int, ReplayContext] = {}
    sights: dict[int, tuple[Sight, ...]] = {}
    met: frozenset[str] = frozenset()
    meetings: tuple[Meeting, ...] = ()
    failures: tuple[ReplayHint, ...] = ()

    @property
    def hints(self) -> list[tuple[int, Hint]]:
        """What would have been said, by line."""
        places = ((place.line, place.hint) for place in self.failures)
        return [(line, hint) for line, hint in places if hint is not None]


class DumpHint(Struct, frozen=True):
    """`items` is empty where the session's own state explains the failure."""

    line: int
    text: str
    items: tuple[str, ...] = ()


class DumpRow(Struct, frozen=True):
    """A line of `--dump`."""

    session_id: str
    path: str
    started_at: str
    tokens: int
    items: tuple[str, ...]
    context: str
    hints: tuple[DumpHint, ...] = ()


class Slice(Struct, frozen=True, kw_only=True):
    """Some of the errors: of a week, a repository, a kind of lesson. `in_view` is a share of the `repeats`."""

    name: str
    sessions: int
    errors: int
    repeats: int
    in_view: Rate
    known: float = 0.0


class Point(Struct, frozen=True, kw_only=True):
    """One budget: what was in view, and what it cost."""

    budget: int
    in_view: Rate
    tokens: float
    items: float


class MomentShare(Struct, frozen=True, kw_only=True):
    """The repeats that were told of first at one moment, or never. `solved` of them have a solution that was seen,
    `calls` behind the failed one until there: what the right line at that moment could have saved at most."""

    name: Told
    repeats: Rate
    solved: int
    calls: int


class OnFailure(Struct, frozen=True, kw_only=True):
    """What was said right after calls that went wrong. `at_hand` is the share of the repeats whose remedy was in view
    at the start or told there. Of the hints, `explained` ones come from the session's own state, without any history,
    `once` are lessons of one witness; `ended` says how the failures ended that lessons spoke about: what did not end as
    told may have been something else."""

    at_hand: Rate
    hints: int
    sessions: int
    explained: int
    once: int
    tokens: float
    ended: dict[Ended, int]
    moments: tuple[MomentShare, ...]


class Written(Struct, frozen=True, kw_only=True):
    """Lessons that writers had written about problems: whose, how many, how many of them were in some context."""

    writer: str = ""
    lessons: int = 0
    in_contexts: int = 0


class Placebo(Struct, frozen=True, kw_only=True):
    """The same sessions with the lessons of another project in a context of the same size. `reason` says why not."""

    repo: str = ""
    in_view: Rate | None = None
    tokens: float = 0.0
    reason: str = ""


class Value(Struct, frozen=True, kw_only=True):
    """What showing some items came to: how often shown and for how many tokens, how often the situation came in such a
    session, how many repeats had the remedy in view, how many of the items never met their situation."""

    name: str
    items: int
    shown: int
    tokens: int
    met: Rate
    answered: int
    idle: int


class ItemValue(Struct, frozen=True, kw_only=True):
    """One item: in how many contexts it was, in how many of those sessions its situation came, and what it answered."""

    id: str
    fact: str
    miner: str
    shown: int
    tokens: int
    met: int
    answered: int


class Bin(Struct, frozen=True, kw_only=True):
    low: float
    high: float
    confidence: float
    held: Rate


class Calibration(Struct, frozen=True, kw_only=True):
    """Did items hold as often as their confidence says? Over `n` times that the situation of a known item came again in
    a later session."""

    n: int
    items: int
    sessions: int
    brier: float | None
    ece: float | None
    bins: tuple[Bin, ...]


class Miss(Struct, frozen=True, kw_only=True):
    """A repeated error without a remedy in view, or with a wrong one."""

    kind: Kind
    why: str
    tool: str
    program: str
    fingerprint: str
    times: int
    sessions: int


class ReplayReport(Struct, frozen=True, kw_only=True):
    """Everything `afterglow replay` says. `shares` of the repeats, by kind; `first` is a share of all errors.

    `given` says whose knowledge sessions were given: their own, or a placebo. `apart_from_work` is the share in view of
    repeats that are not tests and builds failing while code is written. `foreseen` are errors new to their repository
    with a remedy in view, learned elsewhere. `outdated` are items in a context that were contradicted or replaced.
    """

    budget: int
    given: str
    sessions: int
    repos: int
    first_day: str
    last_day: str
    selection: dict[str, str]
    left_out: dict[str, int]
    simulated: bool
    calls: int
    errors: int
    blocked: int
    cancelled: int
    mute: int
    first: Rate
    shares: dict[Kind, Rate]
    not_shown: dict[Why, int]
    apart_from_work: Rate
    on_failure: OnFailure
    written: Written
    foreseen: Rate
    tokens: Spread
    items: Spread
    empty: int
    curve: tuple[Point, ...]
    placebo: Placebo
    weeks: tuple[Slice, ...]
    trend: Difference
    by_repo: tuple[Slice, ...]
    conventions: Slice
    lessons: Slice
    by_category: tuple[Value, ...]
    by_miner: tuple[Value, ...]
    best: tuple[ItemValue, ...]
    idle: tuple[ItemValue, ...]
    outdated: Rate
    calibration: Calibration
    misses: tuple[Miss, ...]
    notes: tuple[str, ...]
    troubles: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0

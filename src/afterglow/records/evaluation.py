"""What measuring a memory backend needs and says: labelled questions, points, checks, times, what was found.

Shares are fractions of one, times are milliseconds, every interval is 95 %. What was not measured has a reason, never
a zero.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

# unsupported: the backend says that it cannot. untried: there was no way to try it here.
State = Literal["passed", "failed", "unsupported", "untried"]
POINTS = {
    "availability": 20,
    "store": 15,
    "retrieve": 15,
    "query": 10,
    "latency": 20,
    "privacy": 20,
}


class Labelled(Struct, frozen=True):
    """An entry of a labelled set. A later one with the same key replaces the earlier. Entries of different `user`s are
    never looked at together: a conversation, say."""

    id: str
    key: str
    value: str
    time: float = 0.0
    user: str = ""


class Question(Struct, frozen=True):
    """A question and the ids of the entries that answer it."""

    text: str
    wanted: tuple[str, ...]
    kind: str = ""
    user: str = ""


class Labels(Struct, frozen=True):
    """A labelled set. `left_out` questions have no entry that answers them."""

    name: str
    entries: tuple[Labelled, ...]
    questions: tuple[Question, ...]
    left_out: int = 0


class Share(Struct, frozen=True):
    """A mean of numbers from 0 to 1 (or of their differences) over `n` questions."""

    value: float
    low: float
    high: float
    n: int


class Times(Struct, frozen=True):
    """How long `n` calls took, warm."""

    n: int
    median: float
    p95: float


class Quality(Struct, frozen=True, kw_only=True):
    """What one way of searching finds of a labelled set. `recall` is the share of the wanted entries among the first k,
    `hit` whether any of them is there; both by k. `ahead` is recall at the largest k less that of each baseline,
    question by question."""

    name: str
    labels: str
    entries: int
    questions: int
    recall: dict[int, Share]
    hit: dict[int, Share]
    mrr: Share
    kinds: dict[str, Share]
    times: Times
    ahead: dict[str, Share] = {}


class MemoryCheck(Struct, frozen=True):
    """One thing a memory should do, and whether this one does."""

    name: str
    state: State
    detail: str


class Cost(Struct, frozen=True, kw_only=True):
    """`bytes_per_entry` are those kept on disk for `text_per_entry` bytes of key and value (None: not to be seen from
    here). `calls` is how often the evaluation called the backend. What a call costs in money is not known here."""

    bytes_per_entry: float | None
    text_per_entry: float | None
    calls: int
    leaves_machine: bool


class Evaluation(Struct, frozen=True, kw_only=True):
    """One backend, measured. `points` has the names of POINTS; `unmeasured` says why there is no `quality`;
    `left_behind` are test entries that could not be deleted again."""

    backend: str
    available: bool
    is_cloud: bool
    points: dict[str, int]
    total: int
    reason: str = ""
    keeps: bool = False
    times: dict[str, Times] = {}
    checks: tuple[MemoryCheck, ...] = ()
    quality: Quality | None = None
    baselines: tuple[Quality, ...] = ()
    unmeasured: str = ""
    cost: Cost | None = None
    left_behind: int = 0

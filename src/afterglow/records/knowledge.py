"""What sessions taught: evidence, findings of one session, and the items they add up to.

A finding is what one miner read out of one session. Findings of the same topic, from however many sessions, become one
item. Text in all three has passed the screens: nothing secret, nothing personal.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Literal, Protocol

from msgspec import Struct

Category = Literal["fact", "pitfall", "pattern", "tool-quirk", "question"]
Status = Literal["candidate", "active", "superseded", "retired", "quarantined"]
Trust = Literal["user", "assistant", "tool", "file", "external"]
Part = Literal["text", "arguments", "result"]

CATEGORIES: tuple[Category, ...] = (
    "pitfall",
    "tool-quirk",
    "pattern",
    "fact",
    "question",
)
STATUSES: tuple[Status, ...] = (
    "active",
    "candidate",
    "quarantined",
    "superseded",
    "retired",
)
# From most to least trusted: what a person typed, what the model wrote, what a local program printed, what stood in a
# file, what came from the web, a service or another agent.
TRUSTS: tuple[Trust, ...] = ("user", "assistant", "tool", "file", "external")

# The repository of what no repository shows: no session works there, so it is told to none.
NOWHERE = "(no repository)"
# Agents whose sessions say nothing about folders: what they show is told to them, and to nobody else.
FOLDERLESS_AGENTS = frozenset({"hermes"})

WITHOUT = (
    "take another way"  # the remedy where none is known but that something is not there
)
LINT = "lint"  # tag of what a linter says itself: worth a line only when it does
# Miners of lessons about a problem, which a writer wrote, or rules.
WRITTEN_BY = ("written", "changes")
# Why an item that is a candidate waits for nothing but a second witness.
ONE_SESSION = "one session suggests it: needs a second or a person's word"
ONE_WITNESS = "one session shows it: a second one, or a person's word, makes it active"
ONE_DAY = (
    "the sessions that show it are one person's of one day, or copies: "
    "one of another day, or a person's word, makes it active"
)
# Why one waits however many sessions show it: they all had it from the same text.
TOLD_TO_DO = "sessions did what an output told them: one that finds it by itself, or a person's word, makes it active"


# Raised when an item's remedy would be judged otherwise than before: kept items are judged again then.
RISK_RULES = "5"


def lowest(trusts: Iterable[Trust]) -> Trust:
    """Trust is the minimum over a lineage; nothing at all is not trusted."""
    return max(trusts, key=TRUSTS.index, default="external")


class Evidence(Struct, frozen=True, omit_defaults=True):
    """Where something comes from: a stretch of one text in one session.

    `line` is the place in the source, `part` which text at that place, `start` and `length` the stretch of it, `hash`
    what it said, `quote` the same, redacted and clipped. `author` tells people apart without naming them.
    """

    session: str
    agent: str
    line: int
    part: Part
    start: int
    length: int
    hash: str
    quote: str
    trust: Trust
    repo: str = ""
    author: str = ""
    time: float | None = None


class Finding(Struct, frozen=True, omit_defaults=True):
    """What a miner read out of one session.

    `topic` says what it is about: findings of one topic become one item. `slots` are the words its miner tells the item
    from. `against` speaks against the item. `cost` is how many calls the trouble took. `danger` is why a screen holds
    it back.
    """

    miner: str
    topic: str
    slots: dict[str, str]
    evidence: tuple[Evidence, ...]
    fingerprint: str = ""
    against: bool = False
    cost: int = 0
    danger: str = ""

    @property
    def first(self) -> Evidence:
        return self.evidence[0]

    @property
    def trust(self) -> Trust:
        return lowest(evidence.trust for evidence in self.evidence)


class Telling(Struct, frozen=True):
    """What a miner makes of all findings of a topic: the sentence, and how directly the evidence says so.

    `situation` and `remedy` are the sentence in two halves, for a terse context. Items with the same `key` and another
    `value` contradict each other: the newer one holds. `directness` is the confidence that one session alone gives.
    `agent_wide` is set for what holds in every repository because it is about the agent's own tools. `rests_on` are the
    places of the findings the sentence states, where it does not state them all. How often it was seen (`times`) and how
    often what it says to do `worked` stand here and never in the words: words that change with every session cannot be
    compared, and nobody could take such a number out of them again. Nor does the name of the repository: the scope
    says it.
    """

    fact: str
    category: Category
    situation: str = ""
    remedy: str = ""
    directness: float = 0.5
    domain: str = ""
    tags: tuple[str, ...] = ()
    key: str = ""
    value: str = ""
    agent_wide: bool = False
    rests_on: tuple[int, ...] = ()
    times: int = 0
    worked: int = 0


class KnowledgeItem(Struct, frozen=True, omit_defaults=False, kw_only=True):
    """One sentence worth keeping. Empty `repo` and `agent` mean it holds everywhere, `NOWHERE` that nobody is told.

    `source_count` is the number of independent sessions behind it, of a lesson about a problem those that met it;
    `against` of those that contradict it. `times` is how often it was seen in them and `worked` how often what it says to
    do worked, where that was counted; of a lesson about a problem, in how many sessions. Points in time are seconds since
    1970. `decided` is set when a person approved, rejected or retired it, `edited` when a person wrote its words: harvest
    then leaves the status, or the words, alone. `reason` says why it has its status. `risk` is what its remedy does that
    no agent should be told to do on a stranger's word; `approved` marks the words that a person has approved, see
    `approval_mark`.
    """

    id: str
    fact: str
    category: Category
    status: Status = "candidate"
    reason: str = ""
    domain: str = ""
    repo: str = ""
    agent: str = ""
    confidence: float = 0.5
    tags: tuple[str, ...] = ()
    source_count: int = 0
    times: int = 0
    worked: int = 0
    against: int = 0
    first_seen: float | None = None
    last_confirmed: float | None = None
    expires: float | None = None
    related: tuple[str, ...] = ()
    situation: str = ""
    remedy: str = ""
    fingerprints: tuple[str, ...] = ()
    cost: float = 0.0
    trust: Trust = "external"
    miner: str = ""
    topics: tuple[str, ...] = ()
    key: str = ""
    value: str = ""
    superseded_by: str = ""
    decided: bool = False
    edited: bool = False
    risk: str = ""
    approved: str = ""
    evidence: tuple[Evidence, ...] = ()


# In the place of a mark: the approval was taken back. Where there is none, the store keeps the one it has.
WITHDRAWN = "withdrawn"


def approval_mark(item: KnowledgeItem) -> str:
    """Of the words an agent would read: other words need another approval."""
    words = "\0".join((item.fact, item.situation, item.remedy))
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def is_approved(item: KnowledgeItem) -> bool:
    """A person has approved exactly these words."""
    return bool(item.approved) and item.approved == approval_mark(item)


def waits_for_approval(item: KnowledgeItem) -> bool:
    """Its remedy is risky, and no person has approved exactly these words."""
    return bool(item.risk) and not is_approved(item)


def may_be_told(item: KnowledgeItem) -> bool:
    """Whether any surface may show it as something that holds."""
    return item.status == "active" and not waits_for_approval(item)


def lacks_only_a_witness(item: KnowledgeItem) -> bool:
    """Nothing speaks against it and no check objects: one session shows it, and no second one does."""
    is_alone = item.reason in {ONE_SESSION, ONE_WITNESS, ONE_DAY}
    is_held = bool(item.against) or waits_for_approval(item)
    return item.status == "candidate" and is_alone and not is_held


class Supported(Protocol):
    """What has counts to tell: an item, or one written down elsewhere."""

    @property
    def miner(self) -> str: ...
    @property
    def source_count(self) -> int: ...
    @property
    def times(self) -> int: ...
    @property
    def worked(self) -> int: ...


def sessions_that_show(item: Supported) -> int:
    """Of a lesson about a problem `source_count` are the sessions that met it: not in each the remedy was seen."""
    showing = item.worked if _counts_meetings(item) else item.source_count
    return min(showing, item.source_count)


def _counts_meetings(item: Supported) -> bool:
    return item.miner in WRITTEN_BY and item.worked > 0


def support(item: Supported) -> str:
    """What an item rests on, in words: the one way to write it, wherever it is shown. Sessions of one day or one text
    count once, so there may be more of them than are independent."""
    plural = "s" * (item.source_count != 1)
    if _counts_meetings(item):
        met = f"met {item.times} times in {item.source_count} session{plural}"
        return f"{met}, shown in {item.worked}"
    if item.worked or item.times > item.source_count:
        how_often = f"seen {item.times} times"
        if item.worked:
            how_often = f"worked {item.worked} of {item.times} times"
        return f"{how_often}, {item.source_count} independent session{plural}"
    return f"{item.source_count} session{plural}"


class Change(Struct, frozen=True):
    """One entry of an item's history. `by`: harvest, check, import, sync, upgrade, hub, told:WHO, or a person by name."""

    item: str
    time: float
    by: str
    what: str
    before: str = ""
    after: str = ""


class MinerCount(Struct, frozen=True):
    """What became of one miner's work: findings made, topics they are about, items kept, topics refused and why."""

    miner: str
    findings: int = 0
    topics: int = 0
    items: int = 0
    active: int = 0
    refused: dict[str, int] = {}


class HarvestReport(Struct, frozen=True, kw_only=True):
    """What a harvest did. `sessions` were finished, `active` ones are left for later; `mined` were read now, the others
    had not changed since; `stumbled` could not be mined. `troubles` names sources and sessions that could not be read
    or mined, and why."""

    sessions: int = 0
    active: int = 0
    mined: int = 0
    stumbled: int = 0
    bytes: int = 0
    miners: tuple[MinerCount, ...] = ()
    redacted: dict[str, int] = {}
    created: int = 0
    changed: int = 0
    statuses: dict[str, int] = {}
    troubles: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    dry: bool = False
    interrupted: bool = False

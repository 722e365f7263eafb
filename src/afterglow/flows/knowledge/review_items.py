"""The review queue: what waits for a person, by what it would be worth, with what says nearly the same beside it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.knowledge.decide import item_mark, needs_risky
from afterglow.flows.knowledge.review import repo_named
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.situation_costs import review_worth, situation_cost
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_decisions import decided_since, latest_decisions
from afterglow.store.waiting_items import (
    WaitingFilter,
    count_waiting,
    waiting_by,
    waiting_items,
)
from afterglow.text.numbers import count

PAGE_ITEMS = 50  # items of a page: an hour of review
# Of 100: sentences of one repository that a person reads as the same with another name in it. Harvest merges at 86.
ALIKE = 75
SHARED_CODE = 0.3  # of the code in either sentence
MAX_SIMILAR = 8  # shown beside an item
MAX_HITS = 24  # of the words of an item, to look for similar ones in

_CODE = re.compile(r"`[^`]+`")

HOLDING = ("active", "candidate")
UNDECIDED = ("candidate", "quarantined")


class WaitingItem(Struct, frozen=True):
    """An item that waits, what it would be worth in calls and why, and the mark of what is shown of it."""

    item: KnowledgeItem
    worth: float
    worth_words: str
    mark: str
    is_risky: bool


class ReviewQueue(Struct, frozen=True, kw_only=True):
    """A page of what waits, worth most first. A group says nearly the same and may be decided together; `following` is
    where the next page begins, empty for none. `decided_today` of what waited this morning is decided."""

    groups: tuple[tuple[WaitingItem, ...], ...]
    waiting: int
    held_back: int
    decided_today: int
    can_undo: bool
    repos: dict[str, int] = {}
    miners: dict[str, int] = {}
    following: str = ""

    @property
    def items(self) -> list[WaitingItem]:
        return [waiting for group in self.groups for waiting in group]


class ReviewItem(Struct, frozen=True):
    """One item to decide about; `similar` say nearly the same, whether they wait or hold."""

    waiting: WaitingItem
    similar: tuple[WaitingItem, ...]


def review_queue(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    held_back: bool = False,
    miner: str = "",
    session: str = "",
    after: str = "",
    limit: int = PAGE_ITEMS,
    now: float | None = None,
) -> ReviewQueue:
    """Candidates, or what a screen `held_back`."""
    with Knowledge(config.knowledge) as knowledge:
        chosen = WaitingFilter(
            status="quarantined" if held_back else "candidate",
            repo=repo_named(knowledge, selection.repo) or "",
            agent=selection.agent or "",
            miner=miner,
            session=session,
        )
        rows = waiting_items(knowledge, chosen, after=_place(after), limit=limit + 1)
        page = [item for _, item in rows[:limit]]
        everything = WaitingFilter(status=chosen.status)
        is_all = chosen == everything
        waiting = count_waiting(knowledge, chosen)
        return ReviewQueue(
            groups=tuple(
                tuple(map(_waiting, group)) for group in groups_of_similar(page)
            ),
            waiting=waiting,
            held_back=count_waiting(knowledge, WaitingFilter(status="quarantined")),
            decided_today=decided_since(knowledge, _midnight(now)),
            can_undo=bool(latest_decisions(knowledge, 1, standing=True)),
            repos=waiting_by(knowledge, "repo", everything),
            miners=waiting_by(
                knowledge, "miner", everything if is_all else replace(chosen, miner="")
            ),
            following=_mark(rows[limit - 1]) if len(rows) > limit else "",
        )


def review_item(config: Config, id: str) -> ReviewItem:
    with Knowledge(config.knowledge) as knowledge:
        item = knowledge.get(id)
        similar = _similar_to(knowledge, item)
        return ReviewItem(_waiting(item), tuple(map(_waiting, similar)))


def still_waiting(config: Config, ids: Sequence[str]) -> list[WaitingItem]:
    """Those of the items that no decision was taken about, as they are now."""
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.find(ids)
    present = [items[id] for id in ids if id in items]
    return [_waiting(item) for item in present if item.status in UNDECIDED]


def worth_words(item: KnowledgeItem) -> str:
    """The number in a sentence."""
    sessions = count(max(item.source_count, 1), "session")
    cost = situation_cost(item)
    calls = "less than one call" if cost < 1 else f"about {count(round(cost), 'call')}"
    sure = f"{round(100 * item.confidence)} % sure"
    return f"met in {sessions}, {calls} each time, {sure}"


def groups_of_similar(
    items: Sequence[KnowledgeItem],
) -> Iterator[tuple[KnowledgeItem, ...]]:
    """Items that say nearly the same, together where the first of them stands."""
    remaining = list(items)
    while remaining:
        first, *following = remaining
        alike = [item for item in following if is_similar(first, item)]
        yield (first, *alike)
        ids = {item.id for item in alike}
        remaining = [item for item in following if item.id not in ids]


def is_similar(first: KnowledgeItem, second: KnowledgeItem) -> bool:
    if first.repo != second.repo:
        return False
    if not set(first.fingerprints).isdisjoint(second.fingerprints):
        return True
    from rapidfuzz import fuzz

    if fuzz.token_sort_ratio(first.fact, second.fact) < ALIKE:
        return False
    # Miners tell different things in the same sentence: what stands in code must be alike, too.
    codes, other_codes = set(_CODE.findall(first.fact)), set(_CODE.findall(second.fact))
    shared, either = len(codes & other_codes), len(codes | other_codes)
    return not either or shared >= SHARED_CODE * either


def _similar_to(knowledge: Knowledge, item: KnowledgeItem) -> list[KnowledgeItem]:
    hits = knowledge.search(item.fact, status=HOLDING, repo=item.repo, limit=MAX_HITS)
    labelled = knowledge.of_fingerprints(item.fingerprints).values()
    ids = {id for group in labelled for id in group} - {item.id}
    same_error = [
        twin
        for twin in knowledge.find(sorted(ids)[:MAX_HITS]).values()
        if twin.status in HOLDING
    ]
    candidates = _each_once([*same_error, *(hit.item for hit in hits)])
    alike = [
        replace(twin, evidence=())
        for twin in candidates
        if twin.id != item.id and is_similar(item, twin)
    ]
    return alike[:MAX_SIMILAR]


def _each_once(items: Iterable[KnowledgeItem]) -> list[KnowledgeItem]:
    return list({item.id: item for item in items}.values())


def _waiting(item: KnowledgeItem) -> WaitingItem:
    return WaitingItem(
        item,
        round(review_worth(item), 1),
        worth_words(item),
        item_mark(item),
        needs_risky(item),
    )


def _mark(row: tuple[float, KnowledgeItem]) -> str:
    return f"{row[0]!r}~{row[1].id}"


def _place(mark: str) -> tuple[float, str] | None:
    if not mark:
        return None
    worth, _, id = mark.partition("~")
    try:
        return float(worth), id
    except ValueError as error:
        raise UsageError(
            f"no such place in the queue: {mark!r}; begin at its start"
        ) from error


def _midnight(now: float | None) -> float:
    """When today began, where the person is."""
    today = datetime.fromtimestamp(time.time() if now is None else now)
    return today.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()

"""The store's door: no item comes in without what its remedy does, and nothing risky is active that no person approved.

What the rules were when items were last judged is noted; a store that older rules judged is judged again as it is opened,
some items each time and the rest with the next harvest (a hook that opens it has no time for more), and its history says
what that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from time import time
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from afterglow.errors import StoreError
from afterglow.records.knowledge import RISK_RULES, KnowledgeItem, Status

# Facts of the store: the rules that judged it last, and the packages that each repository names.
RULES = "risk rules"
REACHED = (
    "risk rules, reached"  # the rules, and the number of the last item they judged
)
PACKAGES = "packages of "
JUDGED: tuple[Status, ...] = ("active", "candidate")

AT_ONCE = 200  # items that whoever opens the store judges: a few tenths of a second
BATCH = 50  # items kept together: somebody who is killed meanwhile has not worked for nothing

_NEXT = "SELECT n, id FROM items WHERE n > ? AND status IN (?, ?) ORDER BY n LIMIT ?"
_names = msgspec.json.Decoder(frozenset[str])


class _Store(Protocol):
    def fact(self, name: str) -> str: ...
    def set_fact(self, name: str, value: str) -> None: ...
    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]: ...
    def find(self, ids: Iterable[str]) -> dict[str, KnowledgeItem]: ...
    def save(self, items: Iterable[KnowledgeItem], *, by: str, now: float) -> int: ...
    def transaction(self) -> AbstractContextManager[None]: ...


class Door:
    """Judges items on their way in. `fact` looks up what harvest noted of a repository."""

    def __init__(self, fact: Callable[[str], str]) -> None:
        self._fact = fact
        self._packages: dict[str, frozenset[str]] = {}

    def packages(self, repo: str) -> frozenset[str]:
        """The packages that a repository's manifests name."""
        if repo not in self._packages:
            noted = self._fact(PACKAGES + repo)
            self._packages[repo] = _names.decode(noted) if noted else frozenset()
        return self._packages[repo]

    def judged(
        self, item: KnowledgeItem, before: KnowledgeItem | None = None
    ) -> KnowledgeItem:
        """With its risk. What was approved `before` stays approved, as long as the words are the same; an item without
        evidence keeps what it had."""
        from afterglow.harvest.risk import with_risk

        if before is not None:
            item = replace(
                item,
                approved=item.approved or before.approved,
                evidence=item.evidence or before.evidence,
            )
        return with_risk(item, self.packages(item.repo))


def bring_risks_up_to_date(store: _Store, most: int | None = AT_ONCE) -> None:
    """Judges items that older rules judged, at most so many. A store that can only be read is left as it is."""
    if store.fact(RULES) == RISK_RULES:
        return
    try:
        _judge_again(store, most)
    except StoreError as error:
        if "readonly" not in str(error):
            raise


def _judge_again(store: _Store, most: int | None) -> None:
    rules, _, number = store.fact(REACHED).partition(":")
    reached = int(number) if rules == RISK_RULES else 0
    judged = 0
    while most is None or judged < most:
        rows = store.rows(_NEXT, [reached, *JUDGED, BATCH])
        if not rows:
            store.set_fact(RULES, RISK_RULES)
            return
        reached = rows[-1][0]
        with store.transaction():
            items = store.find(id for _, id in rows)
            store.save(items.values(), by="upgrade", now=time())
            store.set_fact(REACHED, f"{RISK_RULES}:{reached}")
        judged += len(rows)

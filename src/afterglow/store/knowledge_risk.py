"""The store's door: no item comes in without what its remedy does, and nothing risky is active that no person approved.

What the rules were when items were last judged is noted; a store that older rules judged is judged again when it is
opened, and its history says what that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import time
from typing import Protocol

import msgspec
from msgspec.structs import replace

from afterglow.errors import StoreError
from afterglow.records.knowledge import RISK_RULES, KnowledgeItem, Status

# Facts of the store: the rules that judged it last, and the packages that each repository names.
RULES = "risk rules"
PACKAGES = "packages of "
JUDGED: tuple[Status, ...] = ("active", "candidate")

_names = msgspec.json.Decoder(frozenset[str])


class _Store(Protocol):
    def fact(self, name: str) -> str: ...
    def set_fact(self, name: str, value: str) -> None: ...
    def items(self, *, status: tuple[Status, ...]) -> list[KnowledgeItem]: ...
    def save(self, items: Iterable[KnowledgeItem], *, by: str, now: float) -> int: ...


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


def bring_risks_up_to_date(store: _Store) -> None:
    """A store that can only be read is left as it is."""
    if store.fact(RULES) == RISK_RULES:
        return
    try:
        store.save(store.items(status=JUDGED), by="upgrade", now=time())
        store.set_fact(RULES, RISK_RULES)
    except StoreError as error:
        if "readonly" not in str(error):
            raise

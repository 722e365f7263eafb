"""What items do to one another, worked out for those a merge touched and all that hang together with them.

An item that others replaced or raised is looked at as its own findings make it, and then judged again: so it does not
matter which of them came first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from afterglow.flows.harvest.merge_rules import HomeRules
from afterglow.harvest.merge import settle
from afterglow.harvest.replaced_items import is_derived
from afterglow.harvest.supersession import DECIDING
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import Knowledge

Items = dict[str, KnowledgeItem]


def settled(
    store: Knowledge | Rehearsal,
    touched: Mapping[str, KnowledgeItem],
    erased: Mapping[str, KnowledgeItem],
    base_of: Callable[[KnowledgeItem], KnowledgeItem],
    rules: HomeRules,
) -> Items:
    """All items to be saved, as the others leave them. `erased` are those that no longer count; `base_of` says what an
    item is by itself, `rules` whose decisions about it are counted anew and whether it may put another out of force."""
    reached: Items = dict(touched)
    beside: Items = {}
    while True:
        near = _related(store, {**erased, **reached})
        for id in near.keys() - reached.keys() - beside.keys() - erased.keys():
            beside[id] = near[id]
        derived = {
            id: base_of(item)
            for id, item in beside.items()
            if is_derived(rules.standing(item))
        }
        items = {**beside, **derived, **reached}.values()
        changed = settle(items, erased, rules.may_replace)
        moved = {item.id for item in changed if item.id in beside}
        if not derived and not moved:
            return reached | {item.id: item for item in changed}
        for id in derived.keys() | moved:
            reached[id] = derived.get(id, beside[id])
            del beside[id]


def _related(
    store: Knowledge | Rehearsal, touched: Mapping[str, KnowledgeItem]
) -> Items:
    """What the items touched may change, or be changed by."""
    items = touched.values()
    links = (
        store.of_keys({item.key for item in items if item.key}),
        store.of_fingerprints({mark for item in items for mark in item.fingerprints}),
        store.replaced_by(touched),
    )
    ids = {id for ids_of in links for group in ids_of.values() for id in group}
    related = store.find(ids - touched.keys())
    repos = {item.repo for item in items if item.edited or item.miner in DECIDING}
    if repos:
        related |= store.deciding(DECIDING, repos | {""})
    return related

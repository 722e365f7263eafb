"""What showing items came to: item by item, category by category, miner by miner."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.replay import ItemValue, Replayed, Value
from afterglow.stats.rates import rate

MAX_ITEMS = 10  # of each list
MIN_TIMES_SHOWN = (
    5  # contexts an item must have been in before it is said not to earn its place
)


def by_group(
    sessions: Sequence[Replayed],
    budget: int,
    items: Mapping[str, KnowledgeItem],
    name: Callable[[KnowledgeItem], str],
) -> tuple[Value, ...]:
    """Groups of items by what they cost, the most expensive first."""
    names: dict[str, set[str]] = defaultdict(set)
    times_shown, tokens, answered = Counter[str](), Counter[str](), Counter[str]()
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    earning: set[str] = set()
    for session in sessions:
        here, met = Counter[str](), Counter[str]()
        for id, cost in session.given[budget].items.items():
            group = name(items[id])
            names[group].add(id)
            here[group] += 1
            tokens[group] += cost
            met[group] += id in session.met
        earning |= session.met
        times_shown += here
        for group, number in here.items():
            pairs[group].append((met[group], number))
        for sight in session.sights[budget]:
            if sight.kind == "in view":
                answered.update({name(item) for item in sight.items if item.remedy})
    values = [
        Value(
            name=group,
            items=len(ids),
            shown=times_shown[group],
            tokens=tokens[group],
            met=rate(pairs[group]),
            answered=answered[group],
            idle=len(ids - earning),
        )
        for group, ids in names.items()
    ]
    return tuple(sorted(values, key=lambda value: (-value.tokens, value.name)))


def by_item(
    sessions: Sequence[Replayed], budget: int, items: Mapping[str, KnowledgeItem]
) -> tuple[tuple[ItemValue, ...], tuple[ItemValue, ...]]:
    """The items that answered most repeats, and those that cost most and never met their situation."""
    times_shown, tokens, met, answered = (
        Counter[str](),
        Counter[str](),
        Counter[str](),
        Counter[str](),
    )
    for session in sessions:
        context_items = session.given[budget].items
        times_shown.update(context_items.keys())
        tokens.update(context_items)
        met.update(session.met)
        for sight in session.sights[budget]:
            if sight.kind == "in view":
                answered.update(item.id for item in sight.items if item.remedy)
    values = [
        ItemValue(
            id=id,
            fact=items[id].fact,
            miner=items[id].miner,
            shown=times,
            tokens=tokens[id],
            met=met[id],
            answered=answered[id],
        )
        for id, times in times_shown.items()
    ]
    best: list[ItemValue] = []
    idle: list[ItemValue] = []
    for value in values:
        if value.answered:
            best.append(value)
        if not value.met and value.shown >= MIN_TIMES_SHOWN:
            idle.append(value)
    best.sort(key=lambda value: (-value.answered, value.tokens, value.id))
    idle.sort(key=lambda value: (-value.tokens, value.id))
    return tuple(best[:MAX_ITEMS]), tuple(idle[:MAX_ITEMS])

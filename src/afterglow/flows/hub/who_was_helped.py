"""helped: who was helped by what, as machines say it: members, repositories and items, by what became of what was given."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.knowledge import became
from afterglow.records.delivery import Given
from afterglow.records.helped import Helped, HelpedCount
from afterglow.records.hub import HubPlace
from afterglow.store.knowledge import Knowledge
from afterglow.store.postgres.helped_counts import verdict_counts

MAX_ITEMS = 200  # those given most: a page is read, not searched
EVER = float("-inf")


def helped(
    config: Config,
    *,
    person: str = "",
    repo: str = "",
    item: str = "",
    since: float | None = None,
) -> Helped:
    """Of all, or of one member, repository or item. What was said again after a compaction counts once, placebos do
    not."""
    place = _hub(config)
    rows = verdict_counts(
        place,
        since=EVER if since is None else since,
        person=person,
        repo=repo,
        item=item,
    )
    repos, items = _counts(rows["repo"]), _counts(rows["item"])
    return Helped(
        total=_total(repos),
        members=tuple(_counts(rows["person"])),
        repos=tuple(repos),
        items=tuple(_with_words(place, items[:MAX_ITEMS])),
        items_left_out=max(len(items) - MAX_ITEMS, 0),
    )


def _hub(config: Config) -> HubPlace:
    if config.hub is None:
        raise UsageError(
            "who was helped by what is known at a hub; `afterglow measure` says it of this machine"
        )
    return config.hub


def _counts(rows: Iterable[Any]) -> list[HelpedCount]:
    """The most given first."""
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, state, used, met, failed, times in rows:
        entry = Given("", 0.0, _yes(used), _yes(met), failed=_yes(failed))
        verdicts[name][became(state, entry)] += times
    counts = [
        HelpedCount(
            name=name,
            times_given=times.total(),
            used=times["used"],
            ignored=times["ignored"],
            harmful=times["harmful"],
        )
        for name, times in verdicts.items()
    ]
    return sorted(counts, key=lambda count: (-count.times_given, count.name))


def _yes(number: int | None) -> bool | None:
    return None if number is None else bool(number)


def _total(counts: Iterable[HelpedCount]) -> HelpedCount:
    listed = list(counts)
    return HelpedCount(
        name="",
        times_given=sum(count.times_given for count in listed),
        used=sum(count.used for count in listed),
        ignored=sum(count.ignored for count in listed),
        harmful=sum(count.harmful for count in listed),
    )


def _with_words(place: HubPlace, items: list[HelpedCount]) -> list[HelpedCount]:
    """What a machine gave may be an item of its own that the hub never got."""
    with Knowledge(place) as knowledge:
        stored = knowledge.find(count.name for count in items)
    return [
        replace(count, words=stored[count.name].fact) if count.name in stored else count
        for count in items
    ]

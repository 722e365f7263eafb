"""The bullets of a folder: by the id they carry, or by the item whose words they have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.folder.entries import Entry
from afterglow.store.folder.files import Seen
from afterglow.store.folder.markdown import details, shown
from afterglow.store.folder.plan import PlacedBullet, Screen, Trouble, Words, words_of


def unreadable(folder: Seen) -> dict[str, Trouble]:
    """Pages that cannot be read, and why."""
    return {
        path: Trouble(f"{path}:{page.problem[0]}", page.problem[1])
        for path, page in folder.pages.items()
        if page.problem
    }


def bullets_of(
    folder: Seen, items: Mapping[str, KnowledgeItem], screen: Screen
) -> tuple[dict[str, list[PlacedBullet]], list[PlacedBullet]]:
    """Bullets by id, and those that no item says. Words the store has are its item: written again by a person, or by a
    sync that was cut short."""
    by_id: dict[str, list[PlacedBullet]] = defaultdict(list)
    unnamed: list[PlacedBullet] = []
    for path, page in folder.pages.items():
        for bullet in page.bullets:
            placed = PlacedBullet(bullet, folder.places[path][0], path)
            (by_id[bullet.id] if bullet.id else unnamed).append(placed)
    if not unnamed:
        return by_id, []
    ids = {
        (words.fact, words.place): id
        for id, item in items.items()
        for words in [words_of(item)]
    }
    fresh: list[PlacedBullet] = []
    for placed in unnamed:
        id = ids.get((screen(placed.bullet.words)[0], placed.place))
        if id is None:
            fresh.append(placed)
        elif id not in by_id:
            by_id[id].append(placed)
    return by_id, fresh


def unread_edits(
    placed: PlacedBullet, ours: Words, old: Entry | None, written: Entry | None
) -> Iterator[str]:
    """Edits where none is taken from are not lost without a word."""
    if written is None:
        return
    if old and words_of(written) not in (words_of(old), ours):
        yield (
            f"index.json stated of {written.id}: {shown(written.fact)!r}; "
            "words are taken from bullets"
        )
    stated = placed.bullet.details
    if stated and stated != details(written):
        yield f"{placed.where} stated {stated!r}; of that line only the tags are taken"

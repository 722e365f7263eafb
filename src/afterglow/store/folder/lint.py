"""What is wrong with items, or with a folder of them. Errors must be mended; warnings are worth a look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from afterglow.records.knowledge import CATEGORIES, STATUSES, KnowledgeItem
from afterglow.store.folder.entries import Entry
from afterglow.store.folder.files import INDEX, Seen
from afterglow.store.folder.importing import Clean
from afterglow.store.folder.markdown import Bullet, shown, shown_tags
from afterglow.store.folder.plan import FOLDER, page_of

LONGEST = 500  # characters of a fact
UNSURE = 0.3  # below this an active item says little

Level = Literal["error", "warning"]
Vague = Callable[[str], str]  # a fact -> why it names nothing specific
Said = tuple[Level, str, str]  # level, rule, what is wrong


class Flaw(Struct, frozen=True):
    """One thing that is wrong: with an item (`where` is its id), or at a place in a folder."""

    level: Level
    rule: str
    where: str
    what: str


def check_items(
    items: Sequence[KnowledgeItem],
    *,
    now: float,
    clean: Clean,
    vague: Vague,
    ids: Collection[str],
) -> list[Flaw]:
    """`ids` are all there are: what an item points to must be among them."""
    flaws = [
        Flaw(level, rule, item.id, what)
        for item in items
        for check in (
            _words(item, clean, vague),
            _standing(item, now),
            _links(item, ids),
        )
        for level, rule, what in check
    ]
    same: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for item in items:
        if item.status in {"active", "candidate"}:
            same[shown(item.fact).casefold().rstrip("."), item.repo, item.agent].append(
                item.id
            )
    for twins in same.values():
        flaws += [
            Flaw("warning", "duplicate", id, f"says the same as {twins[0]}")
            for id in twins[1:]
        ]
    return sorted(flaws, key=lambda flaw: (flaw.level, flaw.where, flaw.rule))


def check_folder(folder: Seen) -> list[Flaw]:
    """Pages that cannot be read, and where index.json and the pages do not say the same."""
    flaws = list(_unreadable_pages(folder))
    if folder.index is None:
        advice = "is not there; `afterglow knowledge export` writes it"
        return [*flaws, Flaw("error", "index", INDEX, advice)]
    counted = len(folder.index.facts)
    if folder.index.total_facts != counted:
        problem = f"total_facts is {folder.index.total_facts}, there are {counted}"
        flaws.append(Flaw("error", "index", INDEX, problem))
    stands: dict[str, tuple[str, Bullet]] = {}  # where the bullet of an id stands
    for path, page in folder.pages.items():
        for bullet in page.bullets:
            where = f"{path}:{bullet.line}"
            flaws += _misplaced(bullet, where, stands)
            stands.setdefault(bullet.id, (where, bullet))
    stands.pop("", None)
    return [*flaws, *_differences(folder, stands)]


def _unreadable_pages(folder: Seen) -> Iterator[Flaw]:
    for path, page in folder.pages.items():
        if page.problem:
            line, why = page.problem
            level: Level = "error" if page.ours else "warning"
            yield Flaw(level, "format", f"{path}:{line}", why)


def _misplaced(
    bullet: Bullet, where: str, stands: Mapping[str, tuple[str, Bullet]]
) -> Iterator[Flaw]:
    if not bullet.id:
        advice = "a new bullet; `afterglow knowledge sync` takes it"
        yield Flaw("warning", "unsynced", where, advice)
    elif bullet.id in stands:
        problem = f"[{bullet.id}] stands also in {stands[bullet.id][0]}"
        yield Flaw("error", "format", where, problem)


def _differences(
    folder: Seen, stands: Mapping[str, tuple[str, Bullet]]
) -> Iterator[Flaw]:
    """Between index.json and the bullets of the pages that can be read."""
    entries = folder.entries
    broken = {path for path, page in folder.pages.items() if page.problem}
    for id in sorted(entries.keys() | stands.keys()):
        if id not in entries:
            yield Flaw("error", "index", stands[id][0], f"[{id}] is not in {INDEX}")
            continue
        entry = entries[id]
        if id not in stands:
            if page_of(entry) not in broken:
                problem = f"has no bullet in {page_of(entry)}"
                yield Flaw("warning", "unsynced", id, problem)
            continue
        where, bullet = stands[id]
        if not _is_same(bullet, where.rpartition(":")[0], entry):
            problem = f"[{id}] differs from {INDEX}; `sync` takes it"
            yield Flaw("warning", "unsynced", where, problem)


def _is_same(bullet: Bullet, path: str, entry: Entry) -> bool:
    if path != page_of(entry) or bullet.category != entry.category:
        return False
    same_tags = bullet.tags in (None, shown_tags(entry.tags))
    return same_tags and bullet.words == shown(entry.fact)


def _words(item: KnowledgeItem, clean: Clean, vague: Vague) -> Iterator[Said]:
    words = shown(item.fact)
    if not words:
        yield "error", "empty", "has no words"
    elif why := vague(words):
        yield "warning", "vague", f"names nothing specific: {why}"
    if len(words) > LONGEST:
        yield (
            "error",
            "long",
            f"{len(words)} characters; {LONGEST} are enough for one sentence",
        )
    texts = [
        item.fact,
        item.situation,
        item.remedy,
        item.value,
        *item.tags,
        *(evidence.quote for evidence in item.evidence),
    ]
    rules = sorted({rule for text in texts if text for rule in clean(text)[1]})
    if rules:
        yield "error", "secret", f"holds what should not be kept: {', '.join(rules)}"


def _standing(item: KnowledgeItem, now: float) -> Iterator[Said]:
    if item.category not in CATEGORIES:
        yield (
            "error",
            "category",
            f"{item.category!r} is none of {', '.join(CATEGORIES)}",
        )
    if item.status not in STATUSES:
        yield "error", "status", f"{item.status!r} is none of {', '.join(STATUSES)}"
    is_proposed = item.miner == FOLDER and item.status == "candidate"
    if not item.evidence and not item.edited and not is_proposed:
        yield "error", "evidence", "nothing stands behind it, and no person wrote it"
    if item.status == "active" and item.expires is not None and item.expires < now:
        yield "warning", "expired", "was not confirmed for long; confirm or retire it"
    if item.status == "active" and item.confidence < UNSURE:
        yield "warning", "unsure", f"is active with confidence {item.confidence:.2f}"


def _links(item: KnowledgeItem, ids: Collection[str]) -> Iterator[Said]:
    if item.superseded_by and item.superseded_by not in ids:
        yield (
            "error",
            "link",
            f"is superseded by {item.superseded_by}, which is not there",
        )
    if item.status == "superseded" and not item.superseded_by:
        yield "warning", "link", "is superseded, and by what is not said"
    for id in item.related:
        if id not in ids:
            yield "warning", "link", f"is related to {id}, which is not there"

"""Three sides make one: what was last agreed on, the folder as it is now, the store as it is now.

Changed on one side only: it goes to the other. Changed on both: a conflict, said with both texts, and neither is
touched. Bullets that cannot be judged stay exactly as they stand. Plain values in and out; the flow saves and writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.folder.entries import Entry, entry_of
from afterglow.store.folder.files import Seen, put
from afterglow.store.folder.markdown import details, shown
from afterglow.store.folder.names import Place
from afterglow.store.folder.plan import (
    IMPORTED,
    Buried,
    Conflict,
    Deleted,
    Found,
    Plan,
    Screen,
    Terms,
    Trouble,
    Words,
    page_of,
    told,
    words_of,
)

SURE = 0.9  # the confidence of what a person wrote


def reconcile(
    folder: Seen,
    agreed: Mapping[str, Entry] | None,
    items: Mapping[str, KnowledgeItem],
    buried: Buried,
    terms: Terms,
    screen: Screen,
) -> Plan:
    """`agreed` is what this store and this folder last agreed on; None when they have not met: index.json tells then
    what the folder started from."""
    work = _Reconciling(folder, agreed, items, buried, terms, screen)
    for id in sorted({*work.base, *work.bullets, *work.written, *items}):
        work.one(id)
    for bullet in work.fresh:
        work.new(bullet)
    return work.plan


class _Reconciling:
    """The sides at hand, and the plan as it grows."""

    def __init__(
        self,
        folder: Seen,
        agreed: Mapping[str, Entry] | None,
        items: Mapping[str, KnowledgeItem],
        buried: Buried,
        terms: Terms,
        screen: Screen,
    ) -> None:
        self.items, self.buried, self.terms, self.screen = items, buried, terms, screen
        self.plan = Plan()
        self.written = folder.entries
        self.met = agreed is not None
        self.base: Mapping[str, Entry] = (
            {} if folder.index is None else self.written if agreed is None else agreed
        )
        self.broken: dict[str, Trouble] = {}
        self.bullets: dict[str, list[Found]] = defaultdict(list)
        self.fresh: list[Found] = []
        self._read(folder)

    def _read(self, seen: Seen) -> None:
        unnamed: list[Found] = []
        for path, page in seen.pages.items():
            if page.problem:
                self.broken[path] = Trouble(
                    f"{path}:{page.problem[0]}", page.problem[1]
                )
                if page.ours:
                    self.plan.troubles.append(self.broken[path])
            for bullet in page.bullets:
                found = Found(bullet, seen.places[path][0], path)
                (self.bullets[bullet.id] if bullet.id else unnamed).append(found)
        self.plan.notes += [
            f"{path} is not read: no item stands in a file of this name"
            for path in seen.strangers
        ]
        if not unnamed:
            return
        known = {
            (words.fact, words.place): id
            for id, item in self.items.items()
            for words in [words_of(item)]
        }
        for found in unnamed:  # words the store knows are its item: written again, or a sync that was cut short
            id = known.get((self.screen(found.bullet.words)[0], found.place))
            if id is None:
                self.fresh.append(found)
            elif id not in self.bullets:
                self.bullets[id].append(found)

    def one(self, id: str) -> None:
        """Decides about one id that some side knows."""
        item, found = self.items.get(id), self.bullets.get(id, [])
        sides = [
            side for side in (self.base.get(id), self.written.get(id), item) if side
        ]
        if self.broken and (
            pages := {page_of(side) for side in sides} & self.broken.keys()
        ):
            self.plan.troubles += [
                t
                for page in sorted(pages)
                if (t := self.broken[page]) not in self.plan.troubles
            ]
            self._hold(id, found)
        elif len(found) > 1:
            others = ", ".join(one.where for one in found[1:])
            self._trouble(found[0], f"[{id}] stands also at {others}; keep one of them")
            self._hold(id, found)
        elif item is None:
            self._unknown(id, found)
        elif not found:
            self._gone(item)
        elif item.status in self.terms.statuses:
            self._both(item, found[0])
        else:
            self._given_up(item, found[0])

    def _unknown(self, id: str, found: list[Found]) -> None:
        """The folder has it, the store does not: deleted here by a person, or never seen here."""
        if not found:
            return
        old = self.base.get(id)
        if not self.buried([id]):
            self.plan.unknown.append(id)
            self._hold(id, found)
        elif old is None or self._said(found[0], words_of(old)) != words_of(old):
            self._trouble(
                found[0],
                f"[{id}] was deleted for good; take the id away to add it as new",
            )
            self._hold(id, found)

    def _gone(self, item: KnowledgeItem) -> None:
        """The store has it, the folder does not: new here, or deleted there."""
        if item.status not in self.terms.statuses or not shown(item.fact):
            return
        if item.id not in self.base or self.terms.deletions == "restore":
            self.plan.write(entry_of(item))
        elif self.terms.deletions == "retire":
            self.plan.saves[item.id] = replace(
                item, status="retired", reason="deleted from the folder", decided=True
            )
            self.plan.retired.append(item.id)
        else:
            self.plan.deleted.append(Deleted(item.id, shown(item.fact)))
            self._hold(item.id, [])

    def _given_up(self, item: KnowledgeItem, found: Found) -> None:
        """A bullet whose item the store does not show, or no longer."""
        old = self.base.get(item.id)
        if not found.bullet.id and item.status == "quarantined":
            self._trouble(
                found,
                f"{item.id} says this and is quarantined: {item.reason}; approve it there",
            )
            put(self.plan.pages, found.place, found.kept)
        elif not found.bullet.id:
            self._edit(_stood_by(item), found, self._said(found, words_of(item)))
        elif old is None or (item.status == "candidate" and item.reason == IMPORTED):
            self.plan.waiting.append(item.id)
            self._hold(item.id, [found])
        elif (said := self._said(found, words_of(old))) == words_of(
            old
        ) or self.terms.take == "store":
            return  # it leaves the folder
        elif self.terms.take == "folder":
            self._edit(_stood_by(item), found, said)
        else:
            self._conflict(
                item,
                found,
                "status",
                said.fact,
                f"{item.status}: {item.reason or item.fact}",
            )

    def _both(self, item: KnowledgeItem, found: Found) -> None:
        """Each side has it. Whatever only one of them changed is taken from that one."""
        ours = words_of(item)
        theirs, old = self._said(found, ours), self._old(item, ours)
        merged: list[Any] = []
        for name, mine, other, before in zip(
            Words._fields, ours, theirs, old or [None] * len(ours), strict=True
        ):
            if mine == other or before == other:
                merged.append(mine)
            elif before == mine or self.terms.take == "folder":
                merged.append(other)
            elif self.terms.take == "store":
                merged.append(mine)
            else:
                self._conflict(item, found, name, told(other), told(mine))
                return
        self._notice(item, found, ours)
        if Words(*merged) == ours:
            self.plan.write(entry_of(item))
        else:
            self._edit(item, found, Words(*merged))

    def new(self, found: Found) -> None:
        """A bullet that no side knows: a person wrote it."""
        words, danger = self.screen(found.bullet.words)
        tags = tuple(self.screen(tag)[0] for tag in found.bullet.tags or ())
        if danger:
            self._trouble(found, f"not taken: {danger}")
            put(self.plan.pages, found.place, found.kept)
            return
        id = self._new_id(words, found.place)
        if id in self.plan.saves:
            return  # the same bullet a second time
        item = KnowledgeItem(
            id=id,
            fact=words,
            category=found.bullet.category,
            status="active",
            reason="written in the folder",
            confidence=SURE,
            tags=tags,
            first_seen=self.terms.now,
            last_confirmed=self.terms.now,
            trust="user",
            decided=True,
            edited=True,
        )
        self.plan.saves[id] = _moved(item, found.place)
        self.plan.created.append(id)

    def _new_id(self, words: str, place: Place) -> str:
        """From the words and where they hold, so that the same bullet is the same item on every machine."""
        taken = {*self.items, *self.base, *self.written}
        number = 0
        while True:
            text = "\0".join([words, *place, *([str(number)] if number else [])])
            id = (
                "k"
                + blake2b(text.encode("utf-8", "replace"), digest_size=5).hexdigest()
            )
            if id not in taken and not self.buried([id]):
                return id
            number += 1

    def _said(self, found: Found, other: Words) -> Words:
        """What a bullet says. Words that differ from the `other` side's are screened first."""
        bullet = found.bullet
        words = (
            bullet.words if bullet.words == other.fact else self.screen(bullet.words)[0]
        )
        tags = other.tags if bullet.tags is None else bullet.tags
        if tags != other.tags:
            tags = tuple(self.screen(tag)[0] for tag in tags)
        return Words(words, bullet.category, tags, found.place)

    def _old(self, item: KnowledgeItem, ours: Words) -> Words | None:
        """What both started from. A person's words in a folder that this store never met are newer than ours."""
        old = self.base.get(item.id)
        if old is None:
            return None
        return (
            ours if not self.met and old.edited and not item.edited else words_of(old)
        )

    def _edit(self, item: KnowledgeItem, found: Found, words: Words) -> None:
        danger = self.screen(words.fact)[1]
        if danger:
            self._trouble(found, f"not taken: {danger}")
            self._hold(item.id, [found])
            return
        before = words_of(item)
        changed: dict[str, Any] = {"category": words.category}
        if words.tags != before.tags:
            changed["tags"] = words.tags
        if (
            words.fact != before.fact
        ):  # the sentence in two halves no longer says the same
            changed |= {"fact": words.fact, "situation": "", "remedy": ""}
        edited = item.edited or words != before
        self.plan.saves[item.id] = _moved(
            replace(item, **changed, edited=edited), words.place
        )
        self.plan.edited.append(item.id)

    def _notice(self, item: KnowledgeItem, found: Found, ours: Words) -> None:
        """Edits where none is taken from are not lost without a word."""
        old, written = self.base.get(item.id), self.written.get(item.id)
        if old and written and words_of(written) not in (words_of(old), ours):
            self.plan.notes.append(
                f"index.json said of {item.id}: {shown(written.fact)!r}; words are taken from bullets"
            )
        if (
            written
            and found.bullet.details
            and found.bullet.details != details(written)
        ):
            said = found.bullet.details
            self.plan.notes.append(
                f"{found.where} said {said!r}; of that line only the tags are taken"
            )

    def _trouble(self, found: Found, what: str) -> None:
        self.plan.troubles.append(Trouble(found.where, what))

    def _conflict(
        self, item: KnowledgeItem, found: Found, what: str, folder: str, store: str
    ) -> None:
        self.plan.conflicts.append(Conflict(item.id, found.where, what, folder, store))
        self._hold(item.id, [found])

    def _hold(self, id: str, found: list[Found]) -> None:
        """Nothing of this item changes anywhere."""
        if id in self.written:
            self.plan.index[id] = self.written[id]
        if id in self.base:
            self.plan.agreed[id] = self.base[id]
        for copy in found:
            put(self.plan.pages, copy.place, copy.kept)


def _stood_by(item: KnowledgeItem) -> KnowledgeItem:
    return replace(item, status="active", reason="kept in the folder", decided=True)


def _moved(item: KnowledgeItem, place: Place) -> KnowledgeItem:
    """The item where its bullet stands: in a repo's file it still holds for the agents it held for."""
    if place.kind == "repos":
        return replace(item, repo=place.name)
    return replace(item, repo="", agent=place.name if place.kind == "agents" else "")

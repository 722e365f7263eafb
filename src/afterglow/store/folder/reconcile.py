"""Three sides make one: what was last agreed on, the folder as it is now, the store as it is now.

Changed on one side only: it goes to the other. Changed on both: a conflict, said with both texts, and neither is
touched. What the folder changed counts where a listed person signed it, or the person here says that it is theirs; the
rest is a proposal. Bullets that cannot be judged stay exactly as they stand. Plain values in and out; the flow saves and
writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.folder.authors import Author, Authors
from afterglow.store.folder.bullets import bullets_of, unread_edits, unreadable
from afterglow.store.folder.entries import Entry, entry_of
from afterglow.store.folder.files import Seen, put
from afterglow.store.folder.markdown import shown
from afterglow.store.folder.names import Place
from afterglow.store.folder.plan import (
    IMPORTED,
    Buried,
    Conflict,
    Deleted,
    PlacedBullet,
    Plan,
    Screen,
    Terms,
    Trouble,
    Words,
    page_of,
    told,
    words_of,
)
from afterglow.store.folder.proposals import (
    differing,
    digest_id,
    is_shown,
    moved,
    needs_approval,
    proposal_id,
    proposal_of,
    proposed_item,
    stood_by,
    taken_proposal,
    written_item,
)
from afterglow.store.knowledge_rows import fact_mark


def reconcile(
    folder: Seen,
    agreed: Mapping[str, Entry] | None,
    items: Mapping[str, KnowledgeItem],
    buried: Buried,
    terms: Terms,
    screen: Screen,
    authors: Authors,
) -> Plan:
    """`agreed` is what this store and this folder last agreed on; None when they have not met: index.json tells then
    what the folder started from."""
    work = _Reconciling(folder, agreed, items, buried, terms, screen, authors)
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
        authors: Authors,
    ) -> None:
        self.authors = authors
        self.items, self.buried, self.terms, self.screen = items, buried, terms, screen
        self.plan = Plan()
        self.written = folder.entries
        self.met = agreed is not None
        self.base: Mapping[str, Entry] = (
            {} if folder.index is None else self.written if agreed is None else agreed
        )
        self.broken = unreadable(folder)
        self.bullets, self.fresh = bullets_of(folder, items, screen)
        self.plan.troubles += [
            trouble for path, trouble in self.broken.items() if folder.pages[path].ours
        ]
        self.plan.notes += [
            f"{path} is not read: no item stands in a file of this name"
            for path in folder.strangers
        ]

    def one(self, id: str) -> None:
        """Decides about one id that some side knows."""
        item, placed = self.items.get(id), self.bullets.get(id, [])
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
            self._hold(id, placed)
        elif len(placed) > 1:
            copies = ", ".join(copy.where for copy in placed[1:])
            self._trouble(
                placed[0], f"[{id}] stands also at {copies}; keep one of them"
            )
            self._hold(id, placed)
        elif item is None:
            self._unknown(id, placed)
        elif not placed:
            self._gone(item)
        elif is_shown(item, self.terms.statuses):
            self._both(item, placed[0])
        else:
            self._given_up(item, placed[0])

    def _unknown(self, id: str, placed: list[PlacedBullet]) -> None:
        """The folder has it, the store does not: deleted here by a person, or never seen here."""
        if not placed:
            return
        old = self.base.get(id)
        if not self.buried([id]):
            self.plan.unknown.append(id)
            self._hold(id, placed)
        elif old is None or self._said(placed[0], words_of(old)) != words_of(old):
            self._trouble(
                placed[0],
                f"[{id}] was deleted for good; take the id away to add it as new",
            )
            self._hold(id, placed)

    def _gone(self, item: KnowledgeItem) -> None:
        """The store has it, the folder does not: new here, or deleted there."""
        if not is_shown(item, self.terms.statuses) or not shown(item.fact):
            return
        if item.id not in self.base or self.terms.deletions == "restore":
            self.plan.write(entry_of(item))
            return
        path = page_of(self.base[item.id])
        author = self.authors.of_deletion(path, f"[{item.id}]")
        is_elsewhere = author.sign == "elsewhere"
        if self.terms.deletions == "retire" and not is_elsewhere:
            self.plan.saves[item.id] = replace(
                item, status="retired", reason="deleted from the folder", decided=True
            )
            self.plan.retired.append(item.id)
        else:
            by = author.who if is_elsewhere else ""
            self.plan.deleted.append(Deleted(item.id, shown(item.fact), by))
            self._hold(item.id, [])

    def _given_up(self, item: KnowledgeItem, placed: PlacedBullet) -> None:
        """A bullet whose item the store does not show, or no longer."""
        said = self._said(placed, words_of(item))
        if said == words_of(item) and needs_approval(item):
            advice = f"`afterglow knowledge approve {item.id}` decides"
            what = f"{item.id} says this and is {item.status}: {item.reason}; {advice}"
            self._trouble(placed, what)
            self._hold(item.id, [placed])
        elif not placed.bullet.id:
            self._stand_by(item, placed, said)
        elif item.id not in self.base or item.reason == IMPORTED:
            self.plan.waiting.append(item.id)
            self._hold(item.id, [placed])
        else:
            self._changed_after(item, placed)

    def _stand_by(self, item: KnowledgeItem, placed: PlacedBullet, said: Words) -> None:
        """A bullet without an id in the words of an item that the store does not show."""
        author = self._author(placed, Words._fields)
        if self._counts(author):
            self._edit(stood_by(item), placed, said)
        elif item.status == "candidate":
            self._proposed(item.id, placed, author)
        else:
            self.plan.waiting.append(item.id)
            put(self.plan.pages, placed.place, placed.kept)

    def _changed_after(self, item: KnowledgeItem, placed: PlacedBullet) -> None:
        """The store gave an item up that the folder changed: without a change it leaves the folder."""
        old = words_of(self.base[item.id])
        said = self._said(placed, old)
        if said == old or self.terms.take == "store":
            return
        if not self._counts(self._author(placed, differing(said, old))):
            note = f"{placed.where}: [{item.id}] is {item.status}, so its change is not taken"
            self.plan.notes.append(note)
        elif self.terms.take == "folder":
            self._edit(stood_by(item), placed, said)
        else:
            state = f"{item.status}: {item.reason or item.fact}"
            self._conflict(item, placed, "status", said.fact, state)

    def _both(self, item: KnowledgeItem, placed: PlacedBullet) -> None:
        """Each side has it. Whatever only one of them changed is taken from that one."""
        ours = words_of(item)
        theirs, old = self._said(placed, ours), self._old(item, ours)
        changed = differing(theirs, ours, old or ours)
        if changed and not self._counts(author := self._author(placed, changed)):
            fields = {name: getattr(theirs, name) for name in changed}
            self._propose(item, placed, ours._replace(**fields), author)
            return
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
                self._conflict(item, placed, name, told(other), told(mine))
                return
        old_entry, written = self.base.get(item.id), self.written.get(item.id)
        self.plan.notes += unread_edits(placed, ours, old_entry, written)
        if Words(*merged) == ours:
            self.plan.write(entry_of(item))
        else:
            self._edit(item, placed, Words(*merged))
            self._settle(item.id, Words(*merged))

    def new(self, placed: PlacedBullet) -> None:
        """A bullet that no side knows."""
        words, danger = self.screen(placed.bullet.words)
        tags = tuple(self.screen(tag)[0] for tag in placed.bullet.tags or ())
        if danger:
            self._trouble(placed, f"not taken: {danger}")
            put(self.plan.pages, placed.place, placed.kept)
            return
        id = self._new_id(words, placed.place)
        if id in self.plan.saves:
            return  # the same bullet a second time
        said = Words(words, placed.bullet.category, tags, placed.place)
        author = self._author(placed, Words._fields)
        if self._counts(author):
            item = written_item(id, said, self.terms.now)
            self.plan.saves[id] = moved(item, placed.place)
            self.plan.created.append(id)
            return
        if self.buried([digest_id(words, *placed.place), fact_mark(words)]):
            self.plan.notes.append(f"{placed.where}: you deleted this for good")
            put(self.plan.pages, placed.place, placed.kept)
            return
        self._save_proposal(id, said)
        self._proposed(id, placed, author)

    def _author(self, placed: PlacedBullet, changed: Sequence[str]) -> Author:
        """Who changed these parts of a bullet. Where it stands is decided by the whole page: its headings and name."""
        lines: tuple[str, ...] = ()
        if not {"category", "place"} & {*changed} or not placed.bullet.id:
            lines = placed.bullet.lines
            if changed == ["fact"] and placed.bullet.details:
                lines = lines[:-1]
        return self.authors.of_lines(placed.path, lines)

    def _counts(self, author: Author) -> bool:
        """Whether a change is a person's: a listed one's by signature, or by the word of the one here."""
        is_said_here = self.terms.mine or self.terms.take == "folder"
        return author.sign == "signed" or (author.sign == "untold" and is_said_here)

    def _propose(
        self, item: KnowledgeItem, placed: PlacedBullet, words: Words, author: Author
    ) -> None:
        """Keeps a change of an item as a candidate of its own. Approved, it is taken; rejected, the bullet is written
        as the store has it."""
        id = proposal_id(item.id, words)
        proposal = self.items.get(id)
        is_rejected = self.buried([id]) or (proposal and proposal.status == "retired")
        if is_rejected or self.terms.take == "store":
            self.plan.write(entry_of(item))
        elif danger := self.screen(words.fact)[1]:
            self._trouble(placed, f"not taken: {danger}")
            self._hold(item.id, [placed])
        elif proposal and proposal.status == "active":
            self._edit(replace(item, approved=proposal.approved), placed, words)
            self._settle(item.id, words)
        else:
            if proposal is None or proposal.status == "superseded":
                self._save_proposal(id, words, item)
            self._proposed(id, placed, author, item)
            self._hold(item.id, [placed])

    def _settle(self, id: str, words: Words) -> None:
        """What was proposed for an item and is its words now, waits no longer."""
        proposal = self.items.get(proposal_id(id, words))
        if proposal and proposal.status in {"active", "candidate"}:
            self.plan.saves[proposal.id] = taken_proposal(proposal, id)

    def _save_proposal(
        self, id: str, words: Words, item: KnowledgeItem | None = None
    ) -> None:
        proposal = proposed_item(id, words, self.terms.now, item)
        self.plan.saves[id] = moved(proposal, words.place)

    def _proposed(
        self,
        id: str,
        placed: PlacedBullet,
        author: Author,
        item: KnowledgeItem | None = None,
    ) -> None:
        proposal = self.plan.saves.get(id) or self.items[id]
        self.plan.proposals.append(proposal_of(proposal, placed, author, item))
        if not placed.bullet.id:
            put(self.plan.pages, placed.place, placed.kept)

    def _new_id(self, words: str, place: Place) -> str:
        """From the words and where they hold, so that the same bullet is the same item on every machine."""
        taken = {*self.items, *self.base, *self.written}
        number = 0
        while True:
            id = digest_id(words, *place, *([str(number)] if number else []))
            if id not in taken and not self.buried([id]):
                return id
            number += 1

    def _said(self, placed: PlacedBullet, other: Words) -> Words:
        """What a bullet says. Words that differ from the `other` side's are screened first."""
        bullet = placed.bullet
        words = (
            bullet.words if bullet.words == other.fact else self.screen(bullet.words)[0]
        )
        tags = other.tags if bullet.tags is None else bullet.tags
        if tags != other.tags:
            tags = tuple(self.screen(tag)[0] for tag in tags)
        return Words(words, bullet.category, tags, placed.place)

    def _old(self, item: KnowledgeItem, ours: Words) -> Words | None:
        """What both started from. A person's words in a folder that this store never met are newer than ours."""
        old = self.base.get(item.id)
        if old is None:
            return None
        return (
            ours if not self.met and old.edited and not item.edited else words_of(old)
        )

    def _edit(self, item: KnowledgeItem, placed: PlacedBullet, words: Words) -> None:
        danger = self.screen(words.fact)[1]
        if danger:
            self._trouble(placed, f"not taken: {danger}")
            self._hold(item.id, [placed])
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
        self.plan.saves[item.id] = moved(
            replace(item, **changed, edited=edited), words.place
        )
        self.plan.edited.append(item.id)

    def _trouble(self, placed: PlacedBullet, what: str) -> None:
        self.plan.troubles.append(Trouble(placed.where, what))

    def _conflict(
        self,
        item: KnowledgeItem,
        placed: PlacedBullet,
        what: str,
        folder: str,
        store: str,
    ) -> None:
        self.plan.conflicts.append(Conflict(item.id, placed.where, what, folder, store))
        self._hold(item.id, [placed])

    def _hold(self, id: str, placed: list[PlacedBullet]) -> None:
        """Nothing of this item changes anywhere."""
        if id in self.written:
            self.plan.index[id] = self.written[id]
        if id in self.base:
            self.plan.agreed[id] = self.base[id]
        for copy in placed:
            put(self.plan.pages, copy.place, copy.kept)

"""What reconciling finds and decides, as values: words a person may change, conflicts, and what goes where."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from afterglow.records.knowledge import Category, KnowledgeItem, Status
from afterglow.store.folder.authors import Sign
from afterglow.store.folder.entries import Entry, encode
from afterglow.store.folder.files import Pages, put
from afterglow.store.folder.markdown import Block, Bullet, block, shown, shown_tags
from afterglow.store.folder.names import Place, path_of, place_of

Take = Literal["", "folder", "store"]
Deletions = Literal["report", "retire", "restore"]
Screen = Callable[
    [str], tuple[str, str]
]  # words -> the same without secrets, and why they must not be taken
Buried = Callable[[Iterable[str]], set[str]]

FOLDER = "folder"  # the miner of an item that only a folder brought
PROPOSED = "proposed in the folder, and not known to be yours: needs your approval"
IMPORTED = "imported: needs a person's word"  # the reason of a candidate that somebody else's folder brought


class Words(NamedTuple):
    """What a person may change of an item, as the folder shows it."""

    fact: str
    category: Category
    tags: tuple[str, ...]
    place: Place


class PlacedBullet(NamedTuple):
    """A bullet and where it stands."""

    bullet: Bullet
    place: Place
    path: str

    @property
    def where(self) -> str:
        return f"{self.path}:{self.bullet.line}"

    @property
    def kept(self) -> Block:
        return Block(self.bullet.id, self.bullet.category, self.bullet.lines)


class Conflict(Struct, frozen=True):
    """Changed on both sides: `what` of the item, and the two texts."""

    id: str
    where: str
    what: str
    folder: str
    store: str


class Trouble(Struct, frozen=True):
    """Something in the folder that was left as it stands."""

    where: str
    what: str


class Deleted(Struct, frozen=True):
    """A bullet that is gone from the folder while its item holds. `by` is who took it out, where that was no one here."""

    id: str
    fact: str
    by: str = ""


class Proposal(Struct, frozen=True):
    """A change in the folder that is not known to be a person's of this machine: kept as the candidate `id` until it is
    approved or rejected. `item` is what it would change, if it is not new; `sign` says what shows who wrote it."""

    id: str
    where: str
    by: str
    sign: Sign
    after: str
    before: str = ""
    item: str = ""


class Terms(Struct, frozen=True):
    """How to decide: which items the folder shows, what a person said about conflicts and deletions, whether they say
    that changes nobody else committed are theirs, and the time."""

    statuses: tuple[Status, ...] = ("active",)
    take: Take = ""
    deletions: Deletions = "report"
    now: float = 0.0
    mine: bool = False


class Plan(Struct):
    """What goes where. `agreed` is what the next reconciling starts from; `unknown` and `waiting` are bullets the store
    does not have, or has not approved."""

    saves: dict[str, KnowledgeItem] = {}
    edited: list[str] = []
    created: list[str] = []
    retired: list[str] = []
    conflicts: list[Conflict] = []
    deleted: list[Deleted] = []
    proposals: list[Proposal] = []
    troubles: list[Trouble] = []
    unknown: list[str] = []
    waiting: list[str] = []
    notes: list[str] = []
    pages: Pages = {}
    index: dict[str, Entry] = {}
    agreed: dict[str, Entry] = {}

    def write(self, entry: Entry) -> None:
        """The folder gets what the store says."""
        self.index[entry.id] = self.agreed[entry.id] = entry
        put(self.pages, place_of(entry.repo, entry.agent), block(entry))

    def encoded(self, statuses: Collection[Status]) -> tuple[bytes, bytes]:
        """index.json, and what is remembered of it."""
        index = encode(self.index.values(), statuses)
        return index, index if self.agreed == self.index else encode(
            self.agreed.values(), statuses
        )


def words_of(side: Entry | KnowledgeItem) -> Words:
    return Words(
        shown(side.fact),
        side.category,
        shown_tags(side.tags),
        place_of(side.repo, side.agent),
    )


def page_of(side: Entry | KnowledgeItem) -> str:
    return path_of(place_of(side.repo, side.agent), side.category)


def told(value: Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)

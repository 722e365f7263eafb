"""lint: is what the store or a folder holds sound?"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.knowledge.folder import redaction
from afterglow.harvest.screen import vague as names_nothing
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.folder.entries import item_of
from afterglow.store.folder.files import look
from afterglow.store.folder.importing import Clean
from afterglow.store.folder.lint import Flaw, Vague, check_folder, check_items
from afterglow.store.knowledge import Knowledge


class Linted(Struct, frozen=True):
    """What was looked at, and what is wrong with it."""

    what: str
    items: int
    flaws: tuple[Flaw, ...]

    @property
    def errors(self) -> int:
        return sum(flaw.level == "error" for flaw in self.flaws)


def lint(
    config: Config,
    folder: Path | None = None,
    *,
    clean: Clean | None = None,
    vague: Vague = names_nothing,
    now: float | None = None,
) -> Linted:
    """Checks what the store holds, or a folder: its items, and whether its files agree."""
    now = time.time() if now is None else now
    clean = clean or redaction(config)
    if folder is None:
        with Knowledge(config.knowledge) as knowledge:
            items = sorted(knowledge.items(evidence=True), key=lambda item: item.id)
        flaws = check_items(
            items, now=now, clean=clean, vague=vague, ids={item.id for item in items}
        )
        return Linted(str(config.knowledge), len(items), tuple(flaws))
    current = look(folder)
    if current.empty:
        raise NotFound(
            f"{folder} holds no knowledge; `afterglow knowledge export {folder}` writes it"
        )
    items = [item_of(entry) for entry in (current.index.facts if current.index else ())]
    ids = {item.id for item in items} | _linked(config, items)
    flaws = [
        *check_folder(current),
        *check_items(items, now=now, clean=clean, vague=vague, ids=ids),
    ]
    return Linted(str(folder), len(items), tuple(flaws))


def _linked(config: Config, items: Iterable[KnowledgeItem]) -> set[str]:
    """Items of the store that these point to: a folder of active items need not hold them."""
    links = {id for item in items for id in (*item.related, item.superseded_by) if id}
    with Knowledge(config.knowledge) as knowledge:
        return set(knowledge.find(links))

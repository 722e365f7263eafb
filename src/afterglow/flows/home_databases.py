"""The databases of a home: what each holds, the layouts this version knows, and the number in the head of its file."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from afterglow.memory.local import schema as memory_schema
from afterglow.store import (
    catalog_schema,
    experiments,
    knowledge_schema,
    ledger_schema,
    spending,
)
from afterglow.store.databases import Migration

CATALOGUE = "catalog.db"  # can be made again from the transcripts that are still there


class HomeDatabase(Struct, frozen=True):
    """`migrations` are how an older one is brought up to `layout`; the catalogue has none, it is made again."""

    what: str
    layout: int
    application: int = 0
    migrations: Sequence[Migration] = ()


HOME_DATABASES = {
    CATALOGUE: HomeDatabase("the catalogue of sessions", catalog_schema.SCHEMA),
    **{
        name: HomeDatabase(
            what, len(module.MIGRATIONS), module.APPLICATION, module.MIGRATIONS
        )
        for name, what, module in (
            ("knowledge.db", "knowledge", knowledge_schema),
            ("ledger.db", "the ledger of deliveries", ledger_schema),
            ("experiments.db", "experiments", experiments),
            ("memory.db", "memory", memory_schema),
            ("spending.db", "what asking models cost", spending),
        )
    },
}

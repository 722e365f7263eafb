"""Sessions that a store holds although a mark says that they were forgotten or are private: an older backup was put back,
or a session turned out to be private after it had been given something."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.config import Config
from afterglow.flows.forget.choose_sessions import doomed
from afterglow.memory.local.of_sessions import sessions_named
from afterglow.records.forgetting import DoomedSession
from afterglow.sessions.agent_homes import AGENTS
from afterglow.sessions.formats import FORMATS
from afterglow.store.catalog import Catalog
from afterglow.store.experiment_pseudonyms import all_units
from afterglow.store.forgotten import Forgotten
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.forgetting import sessions_used


def marked_sessions(config: Config) -> list[DoomedSession]:
    """As the catalogue has them; by their names alone where only another store does."""
    forgotten = Forgotten(config.home).refresh()
    if not forgotten:
        return []
    catalogued = _catalogued(config, forgotten)
    names = {(session.agent, session.id) for session in catalogued}
    elsewhere = {
        (agent, id)
        for agent, id in _named(config)
        if (agent, id) not in names and forgotten.has_session(agent, id)
    }
    return [*catalogued, *(DoomedSession(agent, id) for agent, id in sorted(elsewhere))]


def _catalogued(config: Config, forgotten: Forgotten) -> list[DoomedSession]:
    if not config.catalog.exists():
        return []
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(all=True)
    return [doomed(entry) for entry in entries if forgotten.has(entry)]


def _named(config: Config) -> Iterator[tuple[str, str]]:
    """Agent and id of every session that knowledge, the ledger, templates, memory and experiments name."""
    agents = {*FORMATS.names(), *AGENTS}
    if config.knowledge.exists():
        with Knowledge(config.knowledge) as knowledge:
            yield from knowledge.sessions()
    if config.ledger.exists():
        with Ledger(config.ledger) as ledger:
            for delivery in ledger.deliveries():
                yield delivery.agent, delivery.session
    ids = {
        *sessions_used(Templates(config.templates)),
        *sessions_named(config.memory),
        *all_units(config.experiments_file),
    }
    for id in ids:
        for agent in agents:
            yield agent, id

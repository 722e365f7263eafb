"""What a session was given, met and taught, as the stores know it: quick, without opening its transcript."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from afterglow.config import Config
from afterglow.flows.read.catalogued_sessions import find_session
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.catalog import Entry
from afterglow.records.delivery import Delivery, UnredactedView
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.records.transcript import SessionStory, TaughtItem, UnkeptFinding
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.findings import Findings
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.session_list import children_of

WAITING = "nothing was made of it yet: `afterglow harvest`"


def session_story(config: Config, name: str) -> SessionStory:
    """Of the session whose id is, or starts with, `name`. Raises `NotFound` where there is none."""
    entry = find_session(config, name)
    with Catalog(config.catalog) as catalog:
        mined = dict(events_of(catalog, [entry.key]))
        findings = Findings(catalog).of_sessions({entry.key})
        pending = Findings(catalog).pending_among(
            {finding.topic for finding in findings}
        )
        children = children_of(catalog, entry)
    deliveries, views = _from_ledger(config, entry)
    items, facts, merged = _from_knowledge(config, entry, findings, deliveries)
    events = mined[entry.key].events if entry.key in mined else ()
    return SessionStory(
        entry=entry,
        hidden=max(entry.masked, sum(event.kind == "hidden" for event in events)),
        children=tuple(children),
        deliveries=tuple(deliveries),
        facts=facts,
        events=events,
        taught=tuple(_taught(entry, items)),
        unkept=tuple(_unkept(findings, merged, pending)),
        views=tuple(views),
        is_mined=entry.key in mined,
    )


def _from_ledger(
    config: Config, entry: Entry
) -> tuple[list[Delivery], list[UnredactedView]]:
    if not config.ledger.exists():
        return [], []
    with Ledger(config.ledger) as ledger:
        return ledger.handed_to(entry.id, 0.0), ledger.views(entry.id)


def _from_knowledge(
    config: Config,
    entry: Entry,
    findings: Iterable[Finding],
    deliveries: Iterable[Delivery],
) -> tuple[list[KnowledgeItem], dict[str, str], set[str]]:
    """The items that rest on the session, what the items it was given say, and the topics something was made of."""
    if not config.knowledge.exists():
        return [], {}, set()
    delivered = {item.item for delivery in deliveries for item in delivery.items}
    topics = {finding.topic for finding in findings}
    with told_knowledge(config) as knowledge:
        ids = knowledge.of_sessions([entry.id]).get(entry.id, [])
        items = knowledge.find([*ids, *delivered])
        merged = set(knowledge.of_topics(topics))
    resting = [items[id] for id in ids if id in items]
    facts = {id: items[id].fact for id in delivered if id in items}
    return resting, facts, merged


def _taught(entry: Entry, items: Iterable[KnowledgeItem]) -> Iterator[TaughtItem]:
    """Those that are in use first, then by their place in the session."""
    taught = []
    for item in items:
        lines = {
            evidence.line
            for evidence in item.evidence
            if (evidence.session, evidence.agent) == (entry.id, entry.agent)
        }
        if lines:
            taught.append(TaughtItem(item, tuple(sorted(lines))))
    yield from sorted(taught, key=lambda each: (each.item.status, each.lines))


def _unkept(
    findings: Iterable[Finding], merged: set[str], pending: set[str]
) -> Iterator[UnkeptFinding]:
    """A topic may be found many times; it is named once."""
    by_topic: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.topic not in merged:
            by_topic[finding.topic].append(finding)
    for topic, same in by_topic.items():
        first = same[0].first
        reason = WAITING if topic in pending else same[0].danger
        yield UnkeptFinding(same[0].miner, first.quote, first.line, reason)


def cited_lines(config: Config, *, limit: int) -> list[tuple[str, int]]:
    """Session and line of what the strongest items in use rest on, as far as those sessions can still be read."""
    if not config.knowledge.exists():
        return []
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(
            status=("active", "candidate"), limit=limit, evidence=True
        )
    places = dict.fromkeys(
        (evidence.session, evidence.line)
        for item in items
        for evidence in item.evidence
    )
    with Catalog(config.catalog) as catalog:
        present = catalog.outcomes({session for session, _ in places})
    return [place for place in places if place[0] in present][:limit]

"""What this machine has to tell its hub: the findings of its sessions, lessons that are in no finding, what its person
decided, and the books. Each row has a mark, made without reading what it holds where that can be told otherwise: a sync
reads what has changed and nothing else.

Sessions that are private, excluded or forgotten are in no catalogue and so in no row; a row that is listed no more is
taken back. Nobody's name leaves: whose a row is, the hub knows by the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.hub.own_books import own_books
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.shared_lessons import LESSON_MINERS, lesson_topic
from afterglow.harvest.with_team import TEAM_TAG
from afterglow.records.catalog import Entry
from afterglow.records.contributions import (
    DECISION,
    LESSON,
    SESSION,
    SharedDecision,
    What,
)
from afterglow.records.hub import covers
from afterglow.records.knowledge import (
    Evidence,
    Finding,
    KnowledgeItem,
    approval_mark,
)
from afterglow.records.settings import Sharing
from afterglow.records.team import HubMember
from afterglow.sessions.exclusions import Exclusions
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings
from afterglow.store.forgotten import Forgotten
from afterglow.store.knowledge import Knowledge
from afterglow.store.shareable_items import decided, lessons
from afterglow.text.redact import RULES

# Raised when the same session would be told otherwise than before: everything is sent once more.
TELLING = 1
CONTRIBUTING = ("contribute", "review")  # rights that allow to send


class ShareableRow(Struct, frozen=True):
    """A row as it would be sent. `body` is made when it is needed."""

    kind: str
    key: str
    repo: str
    mark: str
    body: Callable[[], bytes]


def own_contributions(config: Config, member: HubMember) -> Iterator[ShareableRow]:
    """All that may be shared now, whether the hub has it or not."""
    if config.sharing.share == "nothing":
        return
    may_share = _permission(config, member)
    if config.catalog.exists():
        with Catalog(config.catalog) as catalog:
            sessions = _own_sessions(config, catalog)
            yield from _sessions(config, catalog, sessions, may_share)
    else:
        sessions = []
    if config.knowledge_file.exists():
        with Knowledge(config.knowledge_file) as knowledge:
            ids = {entry.id for entry in sessions if may_share(entry.repo)}
            yield from _lessons(config, knowledge, ids, may_share)
            yield from _decisions(config, knowledge, may_share)
    yield from _books(config, may_share)


def _permission(config: Config, member: HubMember) -> Callable[[str], bool]:
    """Whether anything of a repository may be sent: by the person's own word, and by the hub's rights. Who named some
    repositories does not mean what holds everywhere."""
    chosen = config.sharing.repos or ("*",)
    granted = [pattern for pattern, right in member.rights if right in CONTRIBUTING]

    def may_share(repo: str) -> bool:
        if not repo:
            return bool(granted) and "*" in chosen
        return _is_covered(repo, chosen) and _is_covered(repo, granted)

    return may_share


def _is_covered(repo: str, patterns: Iterable[str]) -> bool:
    return any(covers(pattern, repo) for pattern in patterns)


def _own_sessions(config: Config, catalog: Catalog) -> list[Entry]:
    """The first of several that have one id, also where an agent has cleaned its transcript away. What was excluded since
    the last scan is out."""
    exclusions = Exclusions(config.privacy.exclude, config.aliases)
    by_id: dict[str, Entry] = {}
    for entry in Forgotten(config.home).refresh().remaining(catalog.entries(all=True)):
        is_excluded = (
            exclusions.has_path(entry.cwd)
            or exclusions.has_path(entry.source)
            or exclusions.has_repo(entry.repo)
        )
        is_own = entry.origin == "main" and not entry.copy and not entry.empty
        if is_own and not is_excluded:
            by_id.setdefault(entry.id, entry)
    return list(by_id.values())


def _sessions(
    config: Config,
    catalog: Catalog,
    sessions: Sequence[Entry],
    may_share: Callable[[str], bool],
) -> Iterator[ShareableRow]:
    findings = Findings(catalog)
    checks, counts = findings.checks(), findings.counts()
    for entry in sessions:
        if not counts.get(entry.key) or not may_share(entry.repo):
            continue
        looks = f"{checks.get(entry.key, b'').hex()} {counts[entry.key]} {entry.repo}"
        yield ShareableRow(
            SESSION,
            entry.id,
            entry.repo,
            _mark(config, looks),
            partial(_findings, config, findings, entry),
        )


def _findings(config: Config, findings: Findings, entry: Entry) -> bytes:
    """As they were mined, redacted by the rules of now."""
    share = config.sharing.share
    rows = [
        replace(
            finding,
            slots=_redacted_slots(config, finding),
            evidence=_shared(finding.evidence, share, entry.repo),
        )
        for finding in findings.of_sessions([entry.key])
    ]
    return _encoded(rows)


def _redacted_slots(config: Config, finding: Finding) -> dict[str, str]:
    texts = redactor_of(config).redact_many(list(finding.slots.values()))
    words = (redacted.text for redacted in texts)
    return dict(zip(finding.slots, words, strict=True))


def _shared(
    spans: Iterable[Evidence], share: Sharing, repo: str
) -> tuple[Evidence, ...]:
    """Without who it was; with the words where the person said so."""
    return tuple(
        replace(
            span,
            author="",
            repo=repo or span.repo,
            quote=span.quote if share == "quotes" else "",
        )
        for span in spans
    )


def _lessons(
    config: Config,
    knowledge: Knowledge,
    sessions: set[str],
    may_share: Callable[[str], bool],
) -> Iterator[ShareableRow]:
    """Those that rest on sessions of this machine, in the repository they hold in."""
    for item in lessons(knowledge, LESSON_MINERS):
        spans = [
            span
            for span in item.evidence
            if span.session in sessions and span.repo == item.repo
        ]
        is_of_team = TEAM_TAG in item.tags
        if not spans or not item.repo or is_of_team or not may_share(item.repo):
            continue
        lesson = replace(
            item,
            evidence=_shared(spans, config.sharing.share, ""),
            related=(),
            approved="",
        )
        body = _encoded(_redacted(config, lesson))
        yield ShareableRow(
            LESSON, item.id, item.repo, _mark(config, body), partial(bytes, body)
        )


def _redacted(config: Config, item: KnowledgeItem) -> KnowledgeItem:
    words = ("fact", "situation", "remedy", "value")
    texts = redactor_of(config).redact_many([getattr(item, name) for name in words])
    clean = {name: text.text for name, text in zip(words, texts, strict=True)}
    return replace(item, **clean)


def _decisions(
    config: Config, knowledge: Knowledge, may_share: Callable[[str], bool]
) -> Iterator[ShareableRow]:
    for item in decided(knowledge):
        what, topics = _what(item), _topics(item)
        if what is None or not topics or not may_share(item.repo):
            continue
        body = _encoded(_decision(config, item, what, topics))
        yield ShareableRow(
            DECISION, item.id, item.repo, _mark(config, body), partial(bytes, body)
        )


def _what(item: KnowledgeItem) -> What | None:
    """What the person did, as the item shows it."""
    if item.edited and (item.status == "active" or not item.decided):
        return "edited"
    if item.status == "active":
        return "approved"
    if item.status != "retired":
        return None
    return "rejected" if item.reason.startswith("rejected") else "retired"


def _topics(item: KnowledgeItem) -> tuple[str, ...]:
    """By which the hub knows the item; it has none where a person wrote it and no session shows it."""
    if item.miner in LESSON_MINERS:
        return (lesson_topic(item),)
    return item.topics


def _decision(
    config: Config, item: KnowledgeItem, what: What, topics: tuple[str, ...]
) -> SharedDecision:
    _, _, why = item.reason.partition(": ")
    clean = _redacted(config, replace(item, value=why))
    decision = SharedDecision(
        item=item.id,
        topics=topics,
        what=what,
        mark=approval_mark(item),
        why=clean.value if item.decided else "",
        category=item.category,
    )
    if not item.edited:
        return decision
    return replace(
        decision, fact=clean.fact, situation=clean.situation, remedy=clean.remedy
    )


def _books(config: Config, may_share: Callable[[str], bool]) -> Iterator[ShareableRow]:
    """What was given and came to, and experiments."""
    for row in own_books(config):
        if may_share(row.repo):
            body = _encoded(row.body)
            yield ShareableRow(
                row.kind, row.key, row.repo, _mark(config, body), partial(bytes, body)
            )


def _mark(config: Config, looks: str | bytes) -> str:
    """Of what a row says, how much of it is shared, and the rules it was redacted by."""
    text = looks.encode("utf-8", "surrogatepass") if isinstance(looks, str) else looks
    names = "\0".join(sorted(config.names))
    rules = f"\0{TELLING} {RULES} {config.sharing.share} {names}"
    return blake2b(
        text + rules.encode("utf-8", "surrogatepass"), digest_size=12
    ).hexdigest()


def _encoded(body: object) -> bytes:
    """What a session printed may hold half characters, which no JSON has."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(_storable(msgspec.to_builtins(body)))


def _storable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, dict):
        return {key: _storable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(part) for part in value]
    return value

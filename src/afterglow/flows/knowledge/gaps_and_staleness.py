"""gaps and stale: what keeps costing and has no lesson, and which lessons may no longer hold."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.knowledge.review import repo_named
from afterglow.profile.recurrence import NO_MESSAGE
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge

DAY = 86400.0
MIN_SESSIONS_OF_A_GAP = 2  # of a repo; an error met once may never come back
MIN_SESSIONS_OF_A_REPO = 5  # that make a repo worth knowing
MIN_ITEMS_OF_A_REPO = 3  # a repo that is used and has fewer is thin
MIN_ITEMS_OF_A_DOMAIN = 10  # a domain with fewer is thin
SESSIONS_WITHOUT_WORD = (
    20  # of a repo, after which a lesson nobody confirmed is doubtful
)


class Untaught(Struct, frozen=True):
    """An error that came back and has no active item; `candidates` are items that wait for review."""

    repo: str
    fingerprint: str
    sessions: int
    times: int
    last: float | None
    candidates: tuple[str, ...] = ()


class ThinRepo(Struct, frozen=True):
    repo: str
    sessions: int
    failed: int
    items: int


class ThinDomain(Struct, frozen=True):
    domain: str
    items: int


class Gaps(Struct, frozen=True, kw_only=True):
    """What is missing, the most costly first; `totals` has how many there are of each kind."""

    errors: tuple[Untaught, ...] = ()
    questions: tuple[KnowledgeItem, ...] = ()
    repos: tuple[ThinRepo, ...] = ()
    domains: tuple[ThinDomain, ...] = ()
    totals: dict[str, int] = {}


class Stale(Struct, frozen=True):
    """An item and each reason to doubt it."""

    item: KnowledgeItem
    why: tuple[str, ...]


def gaps(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    limit: int = 10,
) -> Gaps:
    """At most `limit` of each kind, the most costly first; `totals` has how many there are."""
    with Catalog(config.catalog) as catalog:
        entries = [
            entry
            for entry in catalog.entries(selection, profiles=True)
            if entry.origin == "main"
        ]
    with Knowledge(config.knowledge) as knowledge:
        name = repo_named(knowledge, selection.repo)
        errors = _untaught(knowledge, entries)
        questions = knowledge.items(
            status=("active", "candidate"), category="question", repo=name
        )
        active = knowledge.items(status=("active",), repo=name)
    anything = entries or active or questions
    if selection.repo and not anything and not selection.since:
        raise NotFound(
            f"no session and no item of {selection.repo!r}; `afterglow scan --json` names the repos there are"
        )
    repos, domains = _thin_repos(entries, active), _thin_domains(active)
    return Gaps(
        errors=tuple(errors[:limit]),
        questions=tuple(questions[:limit]),
        repos=tuple(repos[:limit]),
        domains=tuple(domains[:limit]),
        totals={
            "errors": len(errors),
            "questions": len(questions),
            "repos": len(repos),
            "domains": len(domains),
        },
    )


def stale(
    config: Config,
    *,
    days: float = 90,
    repo: str | None = None,
    now: float | None = None,
) -> list[Stale]:
    """Active items that have expired, were not confirmed for so many days, are contradicted, or have been passed by
    many sessions; those with the most reasons first."""
    now = time.time() if now is None else now
    with Catalog(config.catalog) as catalog:
        times = _session_times(catalog.entries(Selection(repo=repo)))
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(status=("active",), repo=repo_named(knowledge, repo))
    checked = [Stale(item, tuple(_doubts(item, times, days, now))) for item in items]
    return sorted(
        (doubted for doubted in checked if doubted.why),
        key=lambda doubted: (
            -len(doubted.why),
            doubted.item.last_confirmed or 0.0,
            doubted.item.id,
        ),
    )


Meeting = tuple[int, float | None]  # how often an error came in a session, and when
Met = dict[tuple[str, str], list[Meeting]]  # by repository and error


def _untaught(knowledge: Knowledge, entries: Iterable[Entry]) -> list[Untaught]:
    """Errors that came back in several sessions of a repository and that no active item there is about."""
    recurring = {
        place: meetings
        for place, meetings in _errors_met(entries).items()
        if len(meetings) >= MIN_SESSIONS_OF_A_GAP
    }
    ids = knowledge.of_fingerprints({error for _, error in recurring})
    items = knowledge.find(set(chain.from_iterable(ids.values())))
    gaps: list[Untaught] = []
    for (repo, error), meetings in recurring.items():
        about = filter(None, map(items.get, ids.get(error, ())))
        by_status: dict[str, list[str]] = defaultdict(list)
        for item in about:
            if item.repo in ("", repo):
                by_status[item.status].append(item.id)
        if "active" not in by_status:
            candidates = tuple(by_status["candidate"])
            gaps.append(_gap(repo, error, meetings, candidates))
    return sorted(
        gaps, key=lambda gap: (-gap.sessions, -gap.times, gap.repo, gap.fingerprint)
    )


def _gap(
    repo: str,
    error: str,
    meetings: Sequence[Meeting],
    candidates: tuple[str, ...],
) -> Untaught:
    times = [time for _, time in meetings if time is not None]
    count = sum(count for count, _ in meetings)
    last = max(times, default=None)
    return Untaught(repo, error, len(meetings), count, last, candidates)


def _errors_met(entries: Iterable[Entry]) -> Met:
    met: Met = defaultdict(list)
    for entry in entries:
        if entry.profile is None or not entry.repo:
            continue
        time = _ended(entry)
        for error, count in entry.profile.errors.items():
            if error != NO_MESSAGE:
                met[entry.repo, error].append((count, time))
    return met


def _ended(entry: Entry) -> float | None:
    return entry.start if entry.end is None else entry.end


def _thin_repos(
    entries: Iterable[Entry], active: Iterable[KnowledgeItem]
) -> list[ThinRepo]:
    sessions: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for entry in entries:
        sessions[entry.repo] += 1
        failed[entry.repo] += entry.failed
    items = Counter(item.repo for item in active)
    repos = [
        ThinRepo(repo, count, failed[repo], items[repo])
        for repo, count in sessions.items()
        if repo
        and count >= MIN_SESSIONS_OF_A_REPO
        and items[repo] < MIN_ITEMS_OF_A_REPO
    ]
    return sorted(repos, key=lambda thin: (-thin.sessions, thin.repo))


def _thin_domains(active: Iterable[KnowledgeItem]) -> list[ThinDomain]:
    counted = Counter(item.domain for item in active if item.domain)
    return [
        ThinDomain(domain, count)
        for domain, count in sorted(
            counted.items(), key=lambda pair: (pair[1], pair[0])
        )
        if count < MIN_ITEMS_OF_A_DOMAIN
    ]


def _session_times(entries: Iterable[Entry]) -> dict[str, list[float]]:
    """When each repo's sessions ended, in order."""
    times: dict[str, list[float]] = defaultdict(list)
    for entry in entries:
        ended = _ended(entry)
        if ended is not None and entry.origin == "main":
            times[entry.repo].append(ended)
    for repo_times in times.values():
        repo_times.sort()
    return dict(times)


def _doubts(
    item: KnowledgeItem, times: dict[str, list[float]], days: float, now: float
) -> Iterable[str]:
    if item.expires is not None and item.expires <= now:
        yield "expired"
    if item.against:
        yield f"{item.against} against"
    confirmed = (
        item.last_confirmed if item.last_confirmed is not None else item.first_seen
    )
    if confirmed is None:
        yield "never confirmed"
        return
    if now - confirmed > days * DAY:
        yield f"unconfirmed for {(now - confirmed) / DAY:.0f} days"
    since = times.get(item.repo, []) if item.repo else []
    passed = len(since) - bisect_right(since, confirmed)
    if passed >= SESSIONS_WITHOUT_WORD:
        yield f"{passed} sessions since"

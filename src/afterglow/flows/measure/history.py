"""The past, walked in time order: what each session went through, and what was known when it started.

What a session taught exists from its end on: a session sees what ended strictly before it started. Knowledge grows as
it would have, had `afterglow harvest` run whenever a session ended; a person's later decisions are no part of it.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.each_session import SourceResult, read_each, take_in
from afterglow.flows.harvest import (
    Merging,
    Progress,
    SourceJob,
    mine_into_catalog,
    worker_redactor,
)
from afterglow.flows.read import scan
from afterglow.harvest.lessons.duplicates import grown, same
from afterglow.harvest.merge import MAX_SPANS
from afterglow.measure.replay.session_failures import Living
from afterglow.records.catalog import Entry, state
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.records.problems import SessionEvents
from afterglow.records.replay import Failure, Lived
from afterglow.records.selection import Selection
from afterglow.records.writing import BY_RULES, MINER
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.findings import Findings
from afterglow.store.in_memory_knowledge import Rehearsal


class History(Struct, frozen=True):
    """The finished sessions there are, mined; how many are `left_out`, and why; what could not be mined; what was found
    in each, and what went wrong in it, by their keys."""

    entries: list[Entry]
    left_out: dict[str, int]
    troubles: list[tuple[str, str]]
    findings: Mapping[int, list[Finding]]
    events: Mapping[int, SessionEvents]


def history_of(
    config: Config, paths: Sequence[Path], *, jobs: int, progress: Progress
) -> History:
    """Of what the catalogue holds, or just of the paths, which are scanned first."""
    if paths:
        scanned = scan(config, paths, jobs=jobs)
        if scanned.missing:
            raise NotFound(
                f"{scanned.missing[0]} is not there; give a file or folder that holds sessions"
            )
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(Selection(paths=tuple(paths)))
        now = time.time()
        kinds = {entry.key: _left_out(entry, now) for entry in entries}
        entries = [entry for entry in entries if not kinds[entry.key]]
        troubles = mine_into_catalog(
            config, catalog, entries, jobs=jobs, progress=progress
        )
        reasons = [why for why in kinds.values() if why]
        return History(
            entries,
            {why: reasons.count(why) for why in sorted(set(reasons))},
            troubles,
            Findings(catalog).by_session(),
            dict(events_of(catalog, [entry.key for entry in entries])),
        )


def _left_out(entry: Entry, now: float) -> str:
    if entry.origin != "main":
        return "sub-agents and scheduled runs"
    if entry.start is None:
        return "without a time"
    return "still active" if state(entry, now) == "active" else ""


class Shelf(Rehearsal):
    """What is known at some time, by the repository it holds in."""

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, dict[str, KnowledgeItem]] = defaultdict(dict)

    def save(self, items: Iterable[KnowledgeItem], *, by: str, now: float) -> int:
        saved = list(items)
        earlier = self.find(item.id for item in saved)
        changed = super().save(saved, by=by, now=now)
        for item in self.find(item.id for item in saved).values():
            before = earlier.get(item.id)
            if before is not None and before.repo != item.repo:
                del self.places[before.repo][item.id]
            self.places[item.repo][item.id] = item
        return changed

    def erase(self, ids: Iterable[str]) -> None:
        for id, item in self.find(ids).items():
            del self.places[item.repo][id]
        super().erase(ids)

    def here(self, repo: str) -> list[KnowledgeItem]:
        """What holds in a repository, by where it holds and when it was learned."""
        return [
            item
            for place in dict.fromkeys(("", repo))
            for item in self.places[place].values()
        ]

    def telling(self, mark: str) -> list[KnowledgeItem]:
        """The items that tell of an error, wherever they hold."""
        telling = self.of_fingerprints([mark]).get(mark, ())
        return [item for id in telling if mark in (item := self.kept[id]).fingerprints]


class Past:
    """A history that can be walked once. `shelf` is what is known at the moment, `had` how many sessions each
    repository has had. `told` are lessons of writers, by the session they were drawn from, `replaces` the items
    that each took the place of; `on_end` hears of each session that has ended."""

    def __init__(
        self,
        entries: Iterable[Entry],
        findings: Mapping[int, Sequence[Finding]],
        lived: Mapping[int, Lived],
        told: Mapping[str, Sequence[KnowledgeItem]] | None = None,
        replaces: Mapping[str, Sequence[str]] | None = None,
        on_end: Callable[[Entry], None] = lambda entry: None,
    ) -> None:
        placed = [(entry.start, entry) for entry in entries if entry.start is not None]
        self._starts = sorted(
            placed,
            key=lambda placed_entry: (
                placed_entry[0],
                placed_entry[1].id,
                placed_entry[1].source,
            ),
        )
        self._ends = sorted(
            (
                (_end(placed_entry[1]), at)
                for at, placed_entry in enumerate(self._starts)
            ),
            reverse=True,
        )
        self._findings, self._lived, self._told = findings, lived, told or {}
        self._replaces, self._on_end = replaces or {}, on_end
        self._errors: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._topics: dict[str, list[tuple[int, Finding]]] = defaultdict(list)
        self.shelf, self.had = Shelf(), Counter[str]()
        self._newest: dict[str, float] = {}
        self._merging = Merging(self.shelf, self._newest, self._load)

    def moments(self) -> Iterator[tuple[float, Entry]]:
        """Each session when it starts; behind the last one everything is known."""
        for start, entry in self._starts:
            self._learn(start)
            yield start, entry
        self._learn(float("inf"))

    def has_met(self, repo: str, failure: Failure) -> bool:
        """Whether a session of the repository that has ended had this error with this tool."""
        return (failure.tool, failure.fingerprint) in self._errors[repo]

    def _learn(self, now: float) -> None:
        """Takes in what the sessions taught that have ended by now."""
        touched: set[str] = set()
        further: list[KnowledgeItem] = []
        while self._ends and self._ends[-1][0] < now:
            end, at = self._ends.pop()
            entry = self._starts[at][1]
            self.had[entry.repo] += 1
            self._on_end(entry)
            self._newest[entry.repo] = max(end, self._newest.get(entry.repo, end))
            if entry.key in self._lived:
                failures = self._lived[entry.key].failures
                self._errors[entry.repo].update(
                    (failure.tool, failure.fingerprint) for failure in failures
                )
            for finding in self._findings.get(entry.key, ()):
                self._topics[finding.topic].append((at, finding))
                touched.add(finding.topic)
            further += self._told.get(entry.id, ())
        if touched:
            self._merging.merge(touched, now)
        for item in further:
            self._hear(item, now)

    def _hear(self, item: KnowledgeItem, now: float) -> None:
        """A lesson as a writer told it: a new item, the same one as a further session leaves it, or more evidence for
        one that says the same."""
        earlier = self.shelf.kept.get(item.id)
        if item.miner in {MINER, BY_RULES}:
            spans = (*earlier.evidence, *item.evidence) if earlier else item.evidence
            evidence = tuple(dict.fromkeys(spans))[:MAX_SPANS]
            replaced = self._replaced(item)
            self.shelf.save(
                [replace(item, evidence=evidence), *replaced], by=item.miner, now=now
            )
            return
        near = [
            item_here
            for item_here in self.shelf.here(item.repo)
            if item_here.status not in {"superseded", "retired"}
        ]
        earlier = earlier or same(item, near)
        self.shelf.save(
            [grown(earlier, item.evidence, item.fingerprints) if earlier else item],
            by=item.miner,
            now=now,
        )

    def _replaced(self, item: KnowledgeItem) -> list[KnowledgeItem]:
        """What a lesson replaced when it was written, as far as it is known by now."""
        older = (self.shelf.kept.get(id) for id in self._replaces.get(item.id, ()))
        return [
            replace(old, status="superseded", superseded_by=item.id)
            for old in older
            if old is not None and old.status == "active"
        ]

    def _load(self, topics: Iterable[str]) -> dict[str, list[Finding]]:
        """Oldest session first, as harvest has them."""
        return {
            topic: [
                finding
                for _, finding in sorted(
                    self._topics[topic], key=lambda entry: entry[0]
                )
            ]
            for topic in topics
            if topic in self._topics
        }


def _end(entry: Entry) -> float:
    times = [time for time in (entry.start, entry.end) if time is not None]
    return max(times)


def lives(
    config: Config, entries: Iterable[Entry], *, jobs: int, progress: Progress
) -> tuple[dict[int, Lived], list[tuple[str, str]]]:
    """What each session went through, by key, and the sources that could not be read."""
    return read_each(config, entries, relive, jobs=jobs, progress=progress)


def relive(chunk: list[SourceJob]) -> list[SourceResult[Lived]]:
    """What a worker does: reads sources. Whatever is wrong with one becomes part of the result."""
    return [_relive(job) for job in chunk]


def _relive(job: SourceJob) -> SourceResult[Lived]:
    living, trouble = take_in(job, Living)
    return {
        key: redacted_lived(life.lived(), job) for key, life in living.items()
    }, trouble


def redacted_lived(lived: Lived, job: SourceJob) -> Lived:
    """Words as harvest keeps them: redacted, so that errors are known again, and may be shown."""
    words = list(
        dict.fromkeys(
            word
            for failure in lived.failures
            for word in (failure.tool, failure.program, failure.fingerprint)
        )
    )
    if not words:
        return lived
    clean = dict(
        zip(
            words,
            worker_redactor(job.names, job.cache).redact_many(words),
            strict=True,
        )
    )
    return replace(
        lived,
        failures=tuple(
            replace(
                failure,
                tool=clean[failure.tool].text,
                program=clean[failure.program].text,
                fingerprint=clean[failure.fingerprint].text,
            )
            for failure in lived.failures
        ),
    )

"""explain and verify: from an item back to the transcript lines it stands on.

Sources are read again, each file once. Whatever is shown of them is redacted first.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound, UnreadableSource
from afterglow.flows.knowledge.excerpts import Excerpt, Excerpts
from afterglow.flows.knowledge.review import named, repo_named
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.harvest import evidence_spans
from afterglow.harvest.evidence_spans import Found, Spans
from afterglow.records.catalog import Entry
from afterglow.records.contributions import is_hub_session
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge

State = Literal[evidence_spans.State, "unreadable", "elsewhere"]
STATES: tuple[State, ...] = (*evidence_spans.STATES, "unreadable", "elsewhere")
BROKEN = frozenset({"changed", "vanished", "unreadable"})
MAX_SINGLE_LOOKUPS = (
    100  # sessions; for more, going through the catalogue once is quicker
)

Progress = Callable[[int, int], None]
Key = tuple[str, str]  # agent and id: the name of a session


class Piece(Struct, frozen=True, kw_only=True):
    """A piece of evidence, looked up again.

    `state`: ok; moved (the same words at `line` now); changed (another text stands there); vanished (the line, the
    session or its source is gone); unreadable (the source could not be opened: `note` says why); elsewhere (a
    teammate's session, which a hub told of).
    """

    item: str
    evidence: Evidence
    state: State
    line: int = 0
    source: str = ""
    note: str = ""
    excerpt: Excerpt | None = None


class Explanation(Struct, frozen=True):
    """An item and what it stands on; `more` pieces were not looked up."""

    item: KnowledgeItem
    pieces: tuple[Piece, ...]
    more: int = 0


class Verification(Struct, frozen=True, kw_only=True):
    """How many pieces of evidence are in which state, and all that are not ok."""

    items: int
    pieces: int
    states: dict[State, int]
    rest: tuple[Piece, ...] = ()

    @property
    def broken(self) -> bool:
        return any(piece.state in BROKEN for piece in self.rest)


def explain(config: Config, id: str, *, limit: int | None = None) -> Explanation:
    """The item and the lines behind it, at most `limit` of them."""
    from afterglow.flows.redactor import redactor_of

    redactor = redactor_of(config)
    with told_knowledge(config) as knowledge:
        item = knowledge.get(id)
    chosen = item.evidence[:limit]
    cut = Excerpts(lambda text: redactor.redact(text).text)
    pieces = _look_up(config, [(item.id, evidence) for evidence in chosen], cut.around)
    return Explanation(item, tuple(pieces), len(item.evidence) - len(chosen))


def verify(
    config: Config,
    ids: Sequence[str] = (),
    *,
    repo: str | None = None,
    progress: Progress = lambda read, total: None,
) -> Verification:
    """Re-opens every span of the items named, or of all; `repo` narrows either."""
    with Knowledge(config.knowledge) as knowledge:
        name = repo_named(knowledge, repo)
        if ids:
            items = [
                item
                for item in named(knowledge, ids)
                if name is None or item.repo == name
            ]
        else:
            items = knowledge.items(repo=name, evidence=True)
        if repo and not items:
            raise NotFound(
                f"no item holds in {repo!r}; `afterglow knowledge stats` names the repos there are"
            )
    pieces = _look_up(
        config,
        [(item.id, evidence) for item in items for evidence in item.evidence],
        progress=progress,
    )
    counted = Counter(piece.state for piece in pieces)
    return Verification(
        items=len(items),
        pieces=len(pieces),
        states={state: counted[state] for state in STATES},
        rest=tuple(piece for piece in pieces if piece.state != "ok"),
    )


def _look_up(
    config: Config,
    cited: Sequence[tuple[str, Evidence]],
    excerpt: Callable[[Evidence, Found], Excerpt | None] = lambda evidence, span: None,
    progress: Progress = lambda bytes_read, total: None,
) -> list[Piece]:
    """One piece for each that is `cited`, in that order. Where a session is kept in several files, and the first does
    not say what it said, the next is asked."""
    by_session = _entries(
        config, {(evidence.agent, evidence.session) for _, evidence in cited}
    )
    pieces: dict[int, Piece] = {}
    for rank in range(max(map(len, by_session.values()), default=0)):
        by_source: dict[str, dict[str, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for at, (_, evidence) in enumerate(cited):
            entries = by_session[evidence.agent, evidence.session]
            if rank < len(entries) and (at not in pieces or pieces[at].state != "ok"):
                by_source[entries[rank].source][evidence.session].append(at)
        sizes = {source: _size(source) for source in by_source}
        bytes_read, total = 0, sum(sizes.values())
        for source, sessions in by_source.items():
            for at, span, note in _read(source, sessions, cited):
                item, evidence = cited[at]
                piece = _piece(item, evidence, span, source, note, excerpt)
                if at not in pieces or STATES.index(piece.state) < STATES.index(
                    pieces[at].state
                ):
                    pieces[at] = piece
            bytes_read += sizes[source]
            progress(bytes_read, total)
    return [
        pieces.get(at) or _absent(item, evidence)
        for at, (item, evidence) in enumerate(cited)
    ]


def _absent(item: str, evidence: Evidence) -> Piece:
    if is_hub_session(evidence.session):
        return Piece(item=item, evidence=evidence, state="elsewhere")
    unknown = "not in the catalogue: `afterglow scan` may find it"
    return Piece(item=item, evidence=evidence, state="vanished", note=unknown)


def _piece(
    item: str,
    evidence: Evidence,
    span: Found | None,
    source: str,
    note: str,
    excerpt: Callable[[Evidence, Found], Excerpt | None],
) -> Piece:
    if span is None:
        return Piece(
            item=item, evidence=evidence, state="unreadable", source=source, note=note
        )
    line = span.place.line if span.place is not None else 0
    excerpted = excerpt(evidence, span)
    return Piece(
        item=item,
        evidence=evidence,
        state=span.state,
        line=line,
        source=source,
        note=note,
        excerpt=excerpted,
    )


def _read(
    source: str, sessions: dict[str, list[int]], cited: Sequence[tuple[str, Evidence]]
) -> Iterable[tuple[int, Found | None, str]]:
    """Opens a source and finds the spans of some of its sessions; nothing found in a source that cannot be read."""
    path = Path(source)
    places = chain.from_iterable(sessions.values())
    try:
        whole = {session.id: session for session in load(path, only=set(sessions))}
    except FileNotFoundError:
        return [(at, Found("vanished"), "the source is gone") for at in places]
    except (UnreadableSource, OSError) as error:
        return [(at, None, str(error)) for at in places]
    results: list[tuple[int, Found | None, str]] = []
    for id, indexes in sessions.items():
        if id not in whole:
            why = "the source no longer holds the session"
            results += [(at, Found("vanished"), why) for at in indexes]
            continue
        texts = Spans(whole[id])
        for at in indexes:
            span = texts.find(cited[at][1])
            is_gone = span.state == "vanished"
            why = "the session no longer has that line" if is_gone else ""
            results.append((at, span, why))
    return results


def _entries(config: Config, sessions: set[Key]) -> dict[Key, list[Entry]]:
    """What the catalogue knows of some sessions; those that are there, and no copies, first."""
    by_session: dict[Key, list[Entry]] = {key: [] for key in sessions}
    with Catalog(config.catalog) as catalog:
        if len(sessions) > MAX_SINGLE_LOOKUPS:
            entries = catalog.entries(all=True)
        else:
            entries = [
                entry
                for id in sorted({id for _, id in sessions})
                for entry in catalog.find(id)
            ]
    for entry in sorted(
        entries, key=lambda entry: (entry.gone, entry.copy, entry.source)
    ):
        if (entry.agent, entry.id) in by_session:
            by_session[entry.agent, entry.id].append(entry)
    return by_session


def _size(source: str) -> int:
    try:
        return os.stat(source).st_size
    except OSError:
        return 0

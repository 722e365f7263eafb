"""replay: on one's own history, what would have been in view when each session started, and did it fit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.context import BUDGET, choose
from afterglow.flows.harvest import (
    Progress,
    replaced_by_written,
    written_by_session,
)
from afterglow.flows.measure.history import Past, history_of, lives
from afterglow.flows.measure.past_hints import PastHints
from afterglow.flows.no_transcripts import check_transcripts
from afterglow.measure.replay.in_view import judged, meetings, sight
from afterglow.measure.replay.report import in_view, report
from afterglow.records.catalog import Entry
from afterglow.records.context import Context, Hint, Need
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.records.replay import (
    BUDGETS,
    DumpHint,
    DumpRow,
    Lived,
    Placebo,
    ReplayContext,
    Replayed,
    ReplayReport,
    Sight,
    Written,
)
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.stats.rates import rate
from afterglow.text.tokens import estimate

REPLAY_BUDGET = BUDGET  # what a session is given at its start


def replay(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    budget: int = REPLAY_BUDGET,
    placebo: bool = False,
    simulated: bool = False,
    rules: bool = True,
    told: Mapping[str, Sequence[KnowledgeItem]] | None = None,
    writer: str = "",
    jobs: int = 1,
    progress: Progress = lambda bytes_done, total: None,
) -> tuple[ReplayReport, list[DumpRow]]:
    """Walks what the catalogue holds, or just the paths selected (which are scanned first). Its other filters say
    which sessions are judged, by when they started; what is known may come from all of them. With `placebo` each
    session is given the lessons of another project instead. What writers wrote counts from the end of the first
    session that showed it: of all of them, of one `writer`, or of NOBODY. `told` are lessons, by session, in place of
    these, and without `rules` all there are. No model is asked, and nothing but the catalogue is written: what is not
    mined yet is."""
    check_transcripts(config, "replay")
    started = time.monotonic()
    history = history_of(config, selection.paths, jobs=jobs, progress=progress)
    entries, left_out = history.entries, history.left_out
    lived, unread = lives(config, entries, jobs=jobs, progress=progress)
    findings = history.findings if rules else {}
    lessons = told if told is not None else written_by_session(config, writer)
    hints = PastHints(history.events)
    replaces = replaced_by_written(config)
    past = Past(entries, findings, lived, lessons, replaces, hints.learn)
    budgets = sorted({*BUDGETS, budget})
    sessions = [
        _replayed(
            past,
            start,
            entry,
            lived[entry.key],
            findings.get(entry.key, []),
            hints,
            budgets,
            budget,
        )
        for start, entry in past.moments()
        if entry.key in lived and selection.fits(entry.repo, entry.agent, entry.start)
    ]
    final, foreign_repos = past.shelf.kept, _others(past)
    against = _topics_against(entries, findings)
    sessions = [
        _judged(session, final, against[session.source, session.id])
        for session in sessions
    ]
    sham_budgets = budgets if placebo else [budget]
    sham = [
        _sham(session, past, foreign_repos.get(session.repo, ""), sham_budgets)
        for session in sessions
    ]
    reported = sham if placebo else sessions
    unreadable = len(entries) - len(lived)
    if unreadable:
        left_out = {**left_out, "not readable": unreadable}
    summary = report(
        reported,
        final,
        budget=budget,
        placebo=_placebo(sham, foreign_repos, budget),
        given="placebo" if placebo else "own",
        written=_written(lessons, writer, reported, budget),
        selection=selection.filters(),
        left_out=left_out,
        simulated=simulated,
    )
    summary = replace(
        summary,
        troubles=tuple(history.troubles + unread),
        seconds=time.monotonic() - started,
    )
    return summary, [_row(session, budget) for session in reported]


def _topics_against(
    entries: Iterable[Entry], findings: Mapping[int, Sequence[Finding]]
) -> dict[tuple[str, str], set[str]]:
    """By session: the topics it speaks against."""
    return {
        (entry.source, entry.id): {
            finding.topic for finding in findings.get(entry.key, ()) if finding.against
        }
        for entry in entries
    }


def _replayed(
    past: Past,
    start: float,
    entry: Entry,
    lived: Lived,
    findings: Sequence[Finding],
    hints: PastHints,
    budgets: Iterable[int],
    budget: int,
) -> Replayed:
    """One session, with what is known at the moment."""
    shelf = past.shelf
    here = shelf.here(entry.repo)
    need = Need(
        now=start,
        repo=entry.repo,
        agent=entry.agent,
        task=lived.task,
        sessions=past.had[entry.repo],
    )
    contexts = {
        size: choose(here, need, count=estimate, budget=size) for size in budgets
    }
    marks = {failure.fingerprint for failure in lived.failures}
    telling = {mark: shelf.telling(mark) for mark in marks}
    topics = {finding.topic for finding in findings}
    items_shown = (shelf.kept[choice.item] for choice in contexts[budget].shown)
    return Replayed(
        id=entry.id,
        source=entry.source,
        agent=entry.agent,
        repo=entry.repo,
        start=start,
        known=sum(item.status == "active" for item in here),
        lived=lived,
        given={
            size: _given(context, whole=size == budget)
            for size, context in contexts.items()
        },
        sights={
            size: tuple(
                sight(
                    failure,
                    not past.has_met(entry.repo, failure),
                    telling[failure.fingerprint],
                    context,
                )
                for failure in lived.failures
            )
            for size, context in contexts.items()
        },
        met=frozenset(
            item.id
            for item in items_shown
            if not (
                marks.isdisjoint(item.fingerprints) and topics.isdisjoint(item.topics)
            )
        ),
        meetings=meetings(lived.failures, telling, findings, entry.repo),
        failures=hints.of(entry, here),
    )


def _given(context: Context, *, whole: bool) -> ReplayContext:
    return ReplayContext(
        context.tokens,
        {choice.item: choice.tokens for choice in context.shown},
        context.text if whole else "",
    )


def _judged(
    session: Replayed, final: Mapping[str, KnowledgeItem], against: set[str]
) -> Replayed:
    judged_sights = {
        size: tuple(judged(sight, final, against) for sight in sights)
        for size, sights in session.sights.items()
    }
    return replace(session, sights=judged_sights)


def _others(past: Past) -> dict[str, str]:
    """For each repository the other one of which most is known."""
    active: dict[str, int] = {}
    for repo, items in past.shelf.places.items():
        active[repo] = sum(item.status == "active" for item in items.values())
    ranked = sorted(active, key=lambda repo: (-active[repo], repo))
    best = [repo for repo in ranked if repo and active[repo]]
    foreign_repos: dict[str, str] = {}
    for repo in past.had:
        candidates = (candidate for candidate in best if candidate != repo)
        foreign_repos[repo] = next(candidates, "")
    return foreign_repos


def _sham(
    session: Replayed, past: Past, foreign_repo: str, budgets: Iterable[int]
) -> Replayed:
    """The session with another project's lessons, in contexts no longer than its own."""
    items = past.shelf.places[foreign_repo] if foreign_repo else {}
    need = Need(
        now=session.start,
        repo=foreign_repo,
        agent=session.agent,
        task=session.lived.task,
        sessions=past.had[foreign_repo],
    )
    contexts: dict[int, ReplayContext] = {}
    sights = {}
    for size in budgets:
        room = session.given[size].tokens
        context = choose(items.values(), need, count=estimate, budget=room, least=0.0)
        contexts[size] = _given(context, whole=True)
        sights[size] = tuple(
            _sham_sight(own_sight, items, context) for own_sight in session.sights[size]
        )
    return replace(
        session,
        given=contexts,
        sights=sights,
        met=frozenset(),
        known=len(items),
        failures=(),
    )


def _sham_sight(
    own_sight: Sight, items: Mapping[str, KnowledgeItem], context: Context
) -> Sight:
    """The same error beside a context of another project's items."""
    mark = own_sight.failure.fingerprint
    in_context = [items[choice.item] for choice in context.shown]
    telling = [item for item in in_context if mark in item.fingerprints]
    return sight(own_sight.failure, not own_sight.repeated, telling, context)


def _written(
    lessons: Mapping[str, Sequence[KnowledgeItem]],
    writer: str,
    sessions: Sequence[Replayed],
    budget: int,
) -> Written:
    every = (item for items in lessons.values() for item in items)
    ids = {item.id for item in every if item.status == "active"}
    in_contexts = {id for session in sessions for id in session.given[budget].items}
    count = len(ids & in_contexts)
    return Written(writer=writer, lessons=len(ids), in_contexts=count)


def _placebo(
    sham: Sequence[Replayed], foreign_repos: Mapping[str, str], budget: int
) -> Placebo:
    names = sorted({foreign_repos.get(session.repo, "") for session in sham} - {""})
    if not names:
        return Placebo(reason="none, as nothing is known of any other repository")
    able = [session for session in sham if foreign_repos.get(session.repo)]
    tokens = sum(session.given[budget].tokens for session in able) / len(able)
    return Placebo(
        repo=", ".join(names),
        in_view=rate(in_view(able, budget)),
        tokens=round(tokens, 1),
    )


def _row(session: Replayed, budget: int) -> DumpRow:
    context = session.given[budget]
    at = datetime.fromtimestamp(session.start, UTC).isoformat().replace("+00:00", "Z")
    return DumpRow(
        session.id,
        session.source,
        at,
        context.tokens,
        tuple(context.items),
        context.text,
        tuple(_dumped(line, hint) for line, hint in session.hints),
    )


def _dumped(line: int, hint: Hint) -> DumpHint:
    return DumpHint(line, hint.text, (hint.item,) if hint.item else ())

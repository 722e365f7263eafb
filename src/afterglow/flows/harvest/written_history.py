"""Written lessons as the past would have known them: each from the end of the first session that showed its remedy.

The words may profit from hindsight, since their writer read the whole history; the time of knowing does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest.index_problems import ProblemIndex, problem_index
from afterglow.harvest.writing.lesson import cost_of
from afterglow.harvest.writing.situation import SPOKEN_KINDS, is_met
from afterglow.records.knowledge import (
    KnowledgeItem,
    lacks_only_a_witness,
    may_be_told,
    waits_for_approval,
)
from afterglow.records.problems import Event
from afterglow.records.writing import BY_RULES, MINER
from afterglow.store.answers import Answers
from afterglow.store.knowledge import Knowledge

NOBODY = "nobody"  # as a writer: what rules alone know

ItemsBySession = dict[str, list[KnowledgeItem]]


def written_by_session(config: Config, writer: str = "") -> ItemsBySession:
    """By session, what is known from its end on: the first that showed a lesson's remedy brings it, every further one
    that met the problem adds to it. Only lessons that are active now, and those that lack nothing but a second witness:
    of everybody, of one `writer`, or of NOBODY; what rules wrote is always among them."""
    chosen = _written_by(config, writer) if writer else None
    if not config.knowledge.exists():
        return {}
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(
            miner=MINER, status=("active", "candidate"), evidence=True
        )
        by_rules = knowledge.items(
            miner=BY_RULES, status=("active", "candidate", "superseded"), evidence=True
        )
    items = list(filter(_may_be_told, items))
    written = {item.id for item in items}
    if chosen is not None:
        items = [item for item in items if item.id in chosen]
    left_out = written - {item.id for item in items}
    items += filter(_may_be_told, by_rules)
    items += [
        replace(item, status="active", superseded_by="")
        for item in by_rules
        if item.status == "superseded" and item.superseded_by in left_out
        if not waits_for_approval(item)
    ]
    if not items:
        return {}
    return spread_over_sessions(items, problem_index(config, least=1))


def _may_be_told(item: KnowledgeItem) -> bool:
    return may_be_told(item) or lacks_only_a_witness(item)


def replaced_by_written(config: Config) -> dict[str, list[str]]:
    """The items that written lessons took the place of, by lesson."""
    replaced: dict[str, list[str]] = defaultdict(list)
    if config.knowledge.exists():
        with Knowledge(config.knowledge) as knowledge:
            for item in knowledge.items(status=("superseded",)):
                replaced[item.superseded_by].append(item.id)
    return replaced


def _written_by(config: Config, writer: str) -> set[str]:
    """The items a writer's answers became."""
    every = list(Answers(config.answers).every())
    writers = sorted({answered.by for answered in every})
    if writer not in {*writers, NOBODY}:
        names = ", ".join((*writers, NOBODY))
        raise NotFound(f"{writer!r} has written nothing; there are {names}")
    return {
        answer.item
        for answered in every
        if answered.by == writer
        for answer in answered.answers
    }


def spread_over_sessions(
    items: Iterable[KnowledgeItem], index: ProblemIndex
) -> ItemsBySession:
    by_session: ItemsBySession = defaultdict(list)
    events = _events_by_topic(index)
    for item in items:
        listed = {event.call: event for topic in item.topics for event in events[topic]}
        met = [event for event in listed.values() if _is_met(item, event)]
        for session, part in _parts(item, met):
            by_session[session].append(part)
    return dict(by_session)


def _is_met(item: KnowledgeItem, event: Event) -> bool:
    """The event is the item's own situation, not another cause of its problem; what people say counts where they said
    it."""
    if any(span.session == event.session for span in item.evidence):
        return True
    if event.kind in SPOKEN_KINDS:
        return False
    return is_met(item.situation, event, item.remedy)


def _events_by_topic(index: ProblemIndex) -> Mapping[str, Sequence[Event]]:
    """The events of each problem, under the names that lessons know it by."""
    events: dict[str, list[Event]] = defaultdict(list)
    for problem in index.problems:
        for name in problem.names:
            events[f"problem:{name}"] += problem.events
    return events


def _parts(
    item: KnowledgeItem, events: Sequence[Event]
) -> Iterable[tuple[str, KnowledgeItem]]:
    """The item as each session leaves it, in order of time, with no count of what came later."""
    times = _times(item, events)
    ordered = sorted(times, key=lambda session: (times[session], session))
    witnesses = {span.session for span in item.evidence}
    first = next((at for at, name in enumerate(ordered) if name in witnesses), None)
    if first is None:
        return
    by_session: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_session[event.session].append(event)
    met = [event for session in ordered[:first] for event in by_session[session]]
    last_shown, showing = 0.0, 0
    for count, session in enumerate(ordered[first:], first + 1):
        if session in witnesses:
            last_shown, showing = times[session], showing + 1
        evidence = tuple(span for span in item.evidence if span.session == session)
        met += by_session[session]
        yield (
            session,
            replace(
                item,
                evidence=evidence or item.evidence[:1],
                source_count=count,
                times=len(met),
                worked=min(showing, item.worked),
                cost=cost_of(met),
                first_seen=times[ordered[0]],
                last_confirmed=last_shown,
            ),
        )


def _times(item: KnowledgeItem, events: Sequence[Event]) -> dict[str, float]:
    """When each session last met it; those that show the remedy alone, when they did."""
    times: dict[str, float] = {}
    for event in events:
        times[event.session] = max(event.time or 0.0, times.get(event.session, 0.0))
    for span in item.evidence:
        times.setdefault(span.session, span.time or 0.0)
    return times

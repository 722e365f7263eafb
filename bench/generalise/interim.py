"""Lessons out of answers, with no check at all: until the flow that keeps them is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from afterglow.harvest.problems import problem_id
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.records.problems import Dossier, Event, Problem

PROMPT = ""
MAX_QUESTION_TOKENS = 6000


def batches(dossiers: Sequence[Dossier]) -> list[list[Dossier]]:
    grouped: list[list[Dossier]] = []
    size = 0
    for dossier in dossiers:
        if not grouped or size + dossier.tokens > MAX_QUESTION_TOKENS:
            grouped.append([])
            size = 0
        grouped[-1].append(dossier)
        size += dossier.tokens
    return grouped


class Lessons(Struct, frozen=True):
    by_session: dict[str, list[KnowledgeItem]]
    kept: int
    refused: int


def kept_lessons(
    rows: Iterable[dict[str, Any]], listed: Sequence[tuple[Problem, Dossier]]
) -> Lessons:
    problems = {id: each for each, _ in listed for id in (each.id, *each.also)}
    by_session: dict[str, list[KnowledgeItem]] = defaultdict(list)
    kept = refused = 0
    for row in rows:
        if row["answer"] != "lesson":
            continue
        problem = problems.get(row["problem"])
        if problem is None:
            refused += 1
            continue
        kept += 1
        events = [event for event in problem.events if event.remedy] or problem.events
        for event in events:
            by_session[event.session].append(_item(row, problem, event))
    return Lessons(by_session, kept, refused)


def _item(row: dict[str, Any], problem: Problem, event: Event) -> KnowledgeItem:
    situation, remedy = row["situation"], row["remedy"]
    evidence = Evidence(
        session=event.session,
        agent=event.agent,
        line=event.line,
        part="result",
        start=0,
        length=0,
        hash="",
        quote="",
        trust="tool",
        repo=problem.repo,
        time=event.time,
    )
    return KnowledgeItem(
        id="k" + problem_id(problem.repo, "written", f"{situation} {remedy}"),
        fact=f"{situation} → {remedy}",
        category="pitfall",
        status="active",
        repo=problem.repo,
        confidence=0.8,
        source_count=1,
        times=problem.times,
        first_seen=event.time,
        last_confirmed=event.time,
        situation=situation,
        remedy=remedy,
        cost=round(problem.cost / problem.times, 2),
        trust="tool",
        miner="written",
        topics=tuple(f"problem:{id}" for id in (problem.id, *problem.also)),
        evidence=(evidence,),
    )

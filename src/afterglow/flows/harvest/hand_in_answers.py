"""Answers that came from elsewhere, answers that are kept, and the report of both."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from afterglow.config import Config
from afterglow.flows.harvest.count_problems import index_of
from afterglow.flows.harvest.index_problems import ProblemIndex, matched
from afterglow.flows.harvest.take_answers import Taken, refusal_of, take_answers
from afterglow.flows.session import refuse_if_private
from afterglow.harvest.dossiers import dossier
from afterglow.harvest.writing.answers import read_answers, rows_of
from afterglow.records.problems import MAX_DOSSIER_TOKENS, Dossier
from afterglow.records.writing import AnsweredProblem, WriterReport
from afterglow.store.answers import Answers
from afterglow.text.tokens import within


def hand_in(
    config: Config, rows: Sequence[Any], *, by: str, now: float | None = None
) -> WriterReport:
    """Answers of a writer that read dossiers elsewhere: the agent inside a session, a person, a file."""
    refuse_if_private(config)
    started = time.monotonic()
    when = time.time() if now is None else now
    names = dict.fromkeys(str(row.get("problem", "")) for row in rows if _is_row(row))
    index = index_of(config, names)
    named = [matches[0] for name in names if len(matches := index.of(name)) == 1]
    dossiers = [dossier(each, within(MAX_DOSSIER_TOKENS)) for each in named]
    answers = read_answers([_renamed(row, index) for row in rows], dossiers)
    read = {each.problem: each for each in dossiers}
    taken = take_answers(config, index, answers, by=by, dossiers=read, now=when)
    answered = mark_answered(config, index, dossiers, taken, by=by, now=when)
    return report_of(
        by,
        taken,
        problems=len(dossiers),
        answered=answered,
        seconds=time.monotonic() - started,
    )


def hand_in_json(
    config: Config, text: bytes, *, by: str, now: float | None = None
) -> WriterReport:
    """The same for answers as JSON: a list, or one a line."""
    return hand_in(config, rows_of(text), by=by, now=now)


def _is_row(row: Any) -> bool:
    return isinstance(row, dict)


def _renamed(row: Any, index: ProblemIndex) -> Any:
    """An answer under the name its problem has now: it may have grown together with another since it was shown."""
    matches = index.of(str(row.get("problem", ""))) if _is_row(row) else []
    return {**row, "problem": matches[0].id} if len(matches) == 1 else row


def mark_answered(
    config: Config,
    index: ProblemIndex,
    dossiers: Iterable[Dossier],
    taken: Sequence[Taken],
    *,
    by: str,
    prompt: str = "",
    now: float,
) -> int:
    """Keeps what was answered to each dossier, so that nobody is asked again; how many were."""
    store = Answers(config.answers)
    marked = 0
    for read_dossier in dossiers:
        answers = tuple(
            outcome.kept_answer
            for outcome in taken
            if outcome.kept_answer.answer.problem == read_dossier.problem
        )
        if not answers:
            continue
        problem = matched(index, read_dossier.problem)
        marked += 1
        store.save(
            AnsweredProblem(
                problem=problem.id,
                repo=problem.repo,
                dossier=dossier_hash(read_dossier),
                by=by,
                time=now,
                prompt=prompt,
                events=problem.times,
                sessions=len(problem.sessions),
                tokens=read_dossier.tokens,
                answers=answers,
            )
        )
    return marked


def report_of(
    by: str, taken: Sequence[Taken], *, problems: int, answered: int, seconds: float
) -> WriterReport:
    outcomes = tuple(outcome.report for outcome in taken)
    refused = Counter(
        _refused_by(outcome)
        for outcome in taken
        if outcome.kept_answer.outcome == "refused"
    )
    return WriterReport(
        by=by,
        problems=problems,
        answered=answered,
        outcomes=outcomes,
        counts=dict(Counter(each.outcome for each in outcomes).most_common()),
        refused=dict(refused.most_common()),
        seconds=seconds,
    )


def _refused_by(outcome: Taken) -> str:
    refusal = refusal_of(outcome.kept_answer.objections)
    return refusal.check if refusal else "no answer"


def dossier_hash(dossier: Dossier) -> str:
    """The same for the same words: what was answered to them holds for them."""
    return blake2b(dossier.text.encode("utf-8", "replace"), digest_size=16).hexdigest()

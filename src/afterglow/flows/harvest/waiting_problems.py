"""The dossiers that wait, for whoever writes without being asked by us: the agent inside a session, a person, a file."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.config import Config
from afterglow.records.problems import Problem
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.writing import WaitingProblem, WaitingProblems

PROBLEMS_AT_ONCE = (
    10  # that an agent answers in one go, before it sees what became of its answers
)
WAITING_TOKENS = 4000  # ten dossiers of full length: what an answer of a tool may hold


def problems_to_write(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    ids: Sequence[str] = (),
    again: bool = False,
    limit: int = PROBLEMS_AT_ONCE,
    tokens: int = WAITING_TOKENS,
) -> WaitingProblems:
    """The dearest problems that nobody has answered, or those that are named, as many as fit."""
    # Listing problems takes the numbers above from here, and no writer.
    from afterglow.flows.harvest.ask_writer import plan_writing

    writing = plan_writing(
        config, selection, ids=ids, again=again, limit=limit, tokens=tokens
    )
    problems = {problem.id: problem for problem in writing.index.problems}
    first_question = writing.questions[:1]
    listed = [
        _waiting(problems[dossier.problem], dossier.text, dossier.tokens)
        for question in first_question
        for dossier in question.dossiers
    ]
    return WaitingProblems(
        problems=tuple(listed),
        tokens=sum(each.tokens for each in listed),
        remaining=writing.remaining + len(writing.dossiers) - len(listed),
        unread=writing.index.unread,
        reason=writing.reason,
    )


def _waiting(problem: Problem, text: str, tokens: int) -> WaitingProblem:
    return WaitingProblem(
        problem=problem.id,
        repo=problem.repo,
        what=problem.what,
        tokens=tokens,
        text=text,
    )

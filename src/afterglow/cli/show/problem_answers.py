"""What can be done next about a problem."""

from __future__ import annotations

from afterglow.records.problems import Problem, ProblemReport


def next_step(report: ProblemReport) -> str:
    """One line; empty where nothing is left to do."""
    problem = report.problem
    by_hand = f"`afterglow write {problem.id} --by-hand`"
    with_writer = f"`afterglow write {problem.id} --with auto`"
    if report.waits:
        again = " It has grown since." if problem.answers else ""
        return f"{with_writer} has it written, {by_hand} writes it.{again}"
    waiting = _candidate(problem)
    if waiting:
        return (
            f"`afterglow knowledge approve {waiting}` tells it at once, `reject` never."
        )
    if any(lesson.status == "active" for lesson in problem.lessons):
        return ""
    if not problem.answers:
        return f"its sessions show no way out that somebody could read; who knows one: {by_hand}"
    if problem.answers[0].outcome == "merge":
        return f"`afterglow problems show {problem.answers[0].item}`"
    return f"{by_hand} says it better, {with_writer} asks again."


def _candidate(problem: Problem) -> str:
    """The lesson that waits for a person's word, where none is told."""
    if any(lesson.status == "active" for lesson in problem.lessons):
        return ""
    named = [answer.item for answer in problem.answers if answer.status == "candidate"]
    candidates = [
        lesson.item for lesson in problem.lessons if lesson.status == "candidate"
    ]
    return next(iter([*named, *candidates]), "")

"""What came of telling sessions something, by the moment: told, proved, used, solved, ignored; and whether those who
were told needed fewer calls than others with the same problem. Pure.

It observes. Sessions that were told and those that were not may differ in more than that: the lesson came later, so
did better agents. Only an experiment that draws the moment tells what caused what.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, get_args

from msgspec.structs import replace

from afterglow.harvest.problems import problem_id
from afterglow.measure.told_and_untold import (
    TOO_FEW,
    Problem,
    Values,
    compared,
    count_of,
    verdict_on,
)
from afterglow.records.delivery import Delivery, When
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.reading import Average, MomentReading, UntoldRepeats
from afterglow.stats.estimates import mean


def moments(
    deliveries: Iterable[Delivery], untold: Iterable[UntoldRepeats]
) -> tuple[MomentReading, ...]:
    """One for each moment at which something was told. `deliveries` are all that were given out, proved or not."""
    by_moment: dict[When, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        if not delivery.placebo:
            by_moment[delivery.when].append(delivery)
    by_problem = {(repeats.repo, repeats.problem): repeats for repeats in untold}
    return tuple(
        _moment(when, by_moment[when], by_problem)
        for when in get_args(When)
        if by_moment[when]
    )


def told_problems(deliveries: Iterable[Delivery]) -> dict[str, set[str]]:
    """The problems that something was told about, by repository."""
    problems: dict[str, set[str]] = defaultdict(set)
    for delivery in deliveries:
        if delivery.followed is not None and delivery.followed.problem:
            problems[delivery.repo].add(delivery.followed.problem)
    return dict(problems)


def sessions_told(
    deliveries: Iterable[Delivery],
    problems: Mapping[str, Collection[str]],
    items: Iterable[KnowledgeItem],
) -> set[tuple[str, str]]:
    """Which sessions were told of which of these problems: by a hint, or by an item about it in a context. Of a hint
    without proof nobody knows what it was about, and who was given a placebo is no untold session either: those are
    told of any problem (an empty key)."""
    about = _problems_of_items(problems, items)
    sessions: set[tuple[str, str]] = set()
    for delivery in deliveries:
        for item in delivery.items if about else ():
            sessions.update(
                (delivery.session, problem) for problem in about.get(item.item, ())
            )
        if delivery.followed is not None and not delivery.placebo:
            sessions.add((delivery.session, delivery.followed.problem))
        elif delivery.when == "failure" or delivery.placebo:
            sessions.add((delivery.session, ""))
    return sessions


def _problems_of_items(
    problems: Mapping[str, Collection[str]], items: Iterable[KnowledgeItem]
) -> dict[str, list[str]]:
    by_topic = {
        f"problem:{problem_id(repo, 'failure', key)}": key
        for repo, keys in problems.items()
        for key in keys
    }
    about: dict[str, list[str]] = {}
    for item in items:
        keys = [by_topic[topic] for topic in item.topics if topic in by_topic]
        if keys:
            about[item.id] = keys
    return about


def _moment(
    when: When,
    deliveries: Sequence[Delivery],
    untold: Mapping[Problem, UntoldRepeats],
) -> MomentReading:
    proved = [delivery for delivery in deliveries if delivery.state == "delivered"]
    uses = Counter(map(_use, proved))
    courses = _courses(proved)
    problems = {course.problem for course in courses}
    repeats = [untold[problem] for problem in problems & untold.keys()]
    told_calls = _calls_until_solved(courses)
    untold_calls = {(each.repo, each.problem): each.calls for each in repeats}
    reading = MomentReading(
        when=when,
        deliveries=len(deliveries),
        proved=len(proved),
        used=uses[True],
        ignored=uses[False],
        failures=len(courses),
        solved=count_of(told_calls),
        repeated=sum(course.repeated for course in courses),
        untold_failures=sum(each.failures for each in repeats),
        untold_solved=count_of(untold_calls),
    )
    if not courses:
        return reading
    comparison = compared(told_calls, untold_calls)
    if comparison is None:
        return replace(reading, calls=_average(told_calls), verdict=TOO_FEW)
    return replace(
        reading,
        calls=comparison.told_calls,
        untold=comparison.untold_calls,
        problems=comparison.problems,
        difference=comparison.difference,
        verdict=verdict_on(comparison),
    )


class _Course(NamedTuple):
    """How a session got along with a problem."""

    problem: Problem
    solved: bool
    calls: int
    repeated: bool = False


def _courses(proved: Iterable[Delivery]) -> list[_Course]:
    """After what was told about a failure, where it can be told whether that was solved."""
    courses: list[_Course] = []
    for delivery in proved:
        after = delivery.followed
        if after is not None and after.solved is not None:
            problem = (delivery.repo, after.problem)
            courses.append(_Course(problem, after.solved, after.calls, after.repeated))
    return courses


def _calls_until_solved(courses: Iterable[_Course]) -> dict[Problem, list[int]]:
    """Of those that were solved, by problem."""
    calls: dict[Problem, list[int]] = defaultdict(list)
    for course in courses:
        if course.solved:
            calls[course.problem].append(course.calls)
    return calls


def _use(delivery: Delivery) -> bool | None:
    """Whether what was told shows in calls behind it. A hint is judged by what followed the failure, a context by the
    items whose situation came up."""
    if delivery.when == "failure":
        return delivery.followed.used if delivery.followed is not None else None
    if any(item.used for item in delivery.items):
        return True
    came_up = [item for item in delivery.items if item.met and item.used is False]
    return False if came_up else None


def _average(by_problem: Values) -> Average | None:
    values = [calls for each in by_problem.values() for calls in each]
    return Average(**mean(values)) if values else None

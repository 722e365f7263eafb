"""Which sessions show a problem and this remedy for it, whether the writer named them or not.

Every event of the problem is looked at, also those the dossier had no room for. What ended it is compared with what the
lesson says by what both name: a flag that came, a wrapper that went, another program, a path, the step between, the
words of an edit. Where a lesson names nothing to compare, only the solved episodes it cites speak for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from afterglow.harvest.failure_kinds import missing_program
from afterglow.harvest.writing.cited_lines import cited_in
from afterglow.harvest.writing.named_by_person import is_named_by_person
from afterglow.harvest.writing.names import is_file_name, is_path_name
from afterglow.harvest.writing.printed_situation import printed_situation_of
from afterglow.harvest.writing.reading import Lesson, Stand, lesson_of
from afterglow.harvest.writing.sayings import spoken_in
from afterglow.records.problems import Dossier, Event, Problem, SessionEvents
from afterglow.records.writing import Witness, Witnesses, WrittenAnswer


def witnesses_of(
    answer: WrittenAnswer,
    problem: Problem,
    dossier: Dossier,
    history: Sequence[SessionEvents] = (),
) -> Witnesses:
    """Every session that speaks for the lesson or against it. `history` is everything that ran in the repository."""
    cited = cited_in(answer, problem, dossier)
    if answer.scope == "user" or problem.kind == "person":
        events = spoken_in(answer, problem.events, cited.calls)
        return Witnesses(tuple(map(_witness, events)))
    lesson = lesson_of(answer, problem, cited)
    about = set(_calls_about(answer.situation, lesson, problem))
    stands = [pair for pair in _stands(lesson, problem.events) if pair[0].call in about]
    confirming = [
        _witness(event, answer.remedy) for event, stand in stands if stand == "confirms"
    ]
    contradicting = [
        _witness(event) for event, stand in stands if stand == "contradicts"
    ]
    silent = [event for event, stand in stands if stand == "silent"]
    confirming += _ran_later(lesson, silent, history)
    folders = _folders_gone(lesson, stands)
    confirming += [
        _witness(event)
        for event in silent
        if _shows_absence(lesson, event) or _is_below(event.target, folders)
    ]
    return Witnesses(
        tuple(confirming),
        tuple(contradicting),
        sum(stand == "otherwise" for _, stand in stands),
    )


def _calls_about(situation: str, lesson: Lesson, problem: Problem) -> Iterator[int]:
    """Of episodes with the error that the lesson speaks of. What the state of a session explains is about that, where
    neither the problem is nor the writer has read it otherwise."""
    printed = printed_situation_of(situation, problem.events, lesson.cited)
    is_of_state = problem.key.startswith("state ")
    for event in problem.events:
        is_explained = bool(event.state) and event.call not in lesson.cited
        if (is_of_state or not is_explained) and printed.is_in(event):
            yield event.call


def _stands(lesson: Lesson, events: Iterable[Event]) -> list[tuple[Event, Stand]]:
    """What each event says. Where one cited episode plainly shows the remedy, its writer has read rightly, and the
    solved episodes that it cites beside that one are heard too, although their calls look different."""
    stands = [(event, lesson.stand(event)) for event in events]
    is_shown = any(
        stand == "confirms" and event.call in lesson.cited for event, stand in stands
    )
    if not is_shown:
        return stands
    return [
        (event, "confirms" if _is_vouched(lesson, event, stand) else stand)
        for event, stand in stands
    ]


def _is_vouched(lesson: Lesson, event: Event, stand: Stand) -> bool:
    if stand == "contradicts" or lesson.is_of_another(event):
        return False
    return lesson.is_cited_and_solved(event)


def _ran_later(
    lesson: Lesson, silent: Sequence[Event], history: Sequence[SessionEvents]
) -> Iterator[Witness]:
    """Sessions whose problem has no end that anybody saw, and which ran what the lesson tells, and well, behind it."""
    runs = {
        session.events[0].session: session.runs for session in history if session.events
    }
    for event in silent:
        forms = lesson.new_forms(event)
        session_runs = runs.get(event.session, {})
        lines = [run.last for form in forms if (run := session_runs.get(form))]
        later = [line for line in lines if line > event.line]
        if later and lesson.is_about(event):
            yield Witness(event.session, event.line, min(later), event.time)


def _shows_absence(lesson: Lesson, event: Event) -> bool:
    """A call that asked for a file in vain, or a cited one for another path or a program, of which the lesson says that it
    is not there and tells nothing to be run instead: nothing has to end it."""
    if lesson.names.commands:
        return False
    if event.target and lesson.is_gone(event):
        return True
    if event.call not in lesson.cited:
        return False
    if event.target:
        return event.target in lesson.names.lost
    missing = next(
        filter(None, (missing_program(line.text) for line in event.lines)), ""
    )
    return bool(missing) and f"run {missing}" in lesson.names.situation


def _folders_gone(
    lesson: Lesson, stands: Iterable[tuple[Event, Stand]]
) -> frozenset[str]:
    """Folders that the situation names, for which an episode that shows the remedy had asked in vain: who looks there, or
    below, meets the same."""
    if lesson.names.commands:
        return frozenset()
    targets = [
        f"/{event.target.strip('/')}"
        for event, stand in stands
        if stand == "confirms" and event.target
    ]
    return frozenset(
        f"/{name.strip('/')}"
        for name in lesson.names.situation - lesson.names.gained
        if is_path_name(name) and not is_file_name(name)
        if any(target.endswith(f"/{name.strip('/')}") for target in targets)
    )


def _is_below(target: str, folders: frozenset[str]) -> bool:
    path = f"/{target.strip('/')}/"
    return any(f"{folder}/" in path for folder in folders)


def _witness(event: Event, remedy: str = "") -> Witness:
    """`remedy` is the lesson's: a person may have named it."""
    remedy_line = event.remedy.line if event.remedy else 0
    is_named = bool(remedy) and is_named_by_person(remedy, event)
    said_line = event.person_line if is_named else 0
    return Witness(event.session, event.line, remedy_line, event.time, said_line)

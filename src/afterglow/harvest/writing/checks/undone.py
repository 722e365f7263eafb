"""What was refused or put right later: a person's no weighs more than a call that passed."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.harvest.writing.names import names_of_call
from afterglow.harvest.writing.reading import Lesson, lesson_in
from afterglow.records.problems import Event
from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.clip import clip
from afterglow.text.numbers import count

NAME = "undone"
MIN_SESSIONS = 2  # in which a person said no: once, it may have been about the moment
MAX_WORDS_CHARACTERS = 160


def check(case: WrittenCase) -> Objection | None:
    """A person refused a call made as the lesson tells, or spoke up directly behind one."""
    if case.answer.scope == "user" or case.problem.kind == "person":
        return None
    lesson = lesson_in(case)
    against = list(_refusals(case, lesson))
    sessions = {event.session for event in against}
    if len(sessions) < max(MIN_SESSIONS, case.witnesses.sessions):
        return None
    words = next((event.person for event in against if event.person), "")
    saying = f': "{clip(words, MAX_WORDS_CHARACTERS)}"' if words else ""
    reason = (
        f"a person said no to it in {count(len(sessions), 'session')}{saying}; "
        "a person's word would make it active"
    )
    return Objection(NAME, "wait", reason, clip(against[-1].command, 300))


def _refusals(case: WrittenCase, lesson: Lesson) -> Iterator[Event]:
    """Refused calls in any session; and, where the remedy ended the problem, words about that very call."""
    ended = {
        (witness.session, witness.remedy_line)
        for witness in case.witnesses.confirming
        if witness.remedy_line
    }
    for session in case.history:
        for event in session.events:
            is_word = event.kind == "person" and (event.session, event.line) in ended
            if event.kind != "refused" and not is_word:
                continue
            if lesson.tells(names_of_call(event.tool, event.command)):
                yield event

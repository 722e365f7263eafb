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
# In which a person said no: once, it may have been about the moment. What people are said to want is another matter:
# one who refused it wants something else.
MIN_SESSIONS = 2
MAX_WORDS_CHARACTERS = 160


def check(case: WrittenCase) -> Objection | None:
    """A person refused a call made as the lesson tells, or spoke up directly behind one."""
    lesson = lesson_in(case)
    against = list(_refusals(case, lesson))
    sessions = {event.session for event in against}
    least = 1 if case.is_wish else max(MIN_SESSIONS, case.witnesses.sessions)
    if len(sessions) < least:
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
            names = names_of_call(event.tool, event.command)
            is_refused_wish = case.is_wish and lesson.runs(names, alone=True)
            if lesson.tells(names) or is_refused_wish:
                yield event

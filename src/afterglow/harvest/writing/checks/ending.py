"""Whether the remedy is what ended the failure, in every episode, also those that no writer was shown."""

from __future__ import annotations

from afterglow.harvest.writing.reading import lesson_in
from afterglow.records.problems import Event
from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.clip import clip
from afterglow.text.numbers import count

NAME = "ending"
MAX_COUNTER_CHARACTERS = 300
# Episodes that ended otherwise, for each that ended so, from which on the lesson is not what helps: families are
# coarse, and a problem may have a second cause as frequent as the first.
MAX_OTHERWISE_SHARE = 1


def check(case: WrittenCase) -> Objection | None:
    """No session ended it so, or nearly all ended it otherwise."""
    witnesses = case.witnesses
    if witnesses.otherwise <= MAX_OTHERWISE_SHARE * len(witnesses.confirming):
        return None
    otherwise = _ended_otherwise(case)
    if not witnesses.confirming:
        reason = (
            f"{count(witnesses.otherwise, 'episode')} ended by something else, none by "
            "this: a session that ends so, or a person's word, would make it active"
        )
    else:
        reason = (
            f"{len(witnesses.confirming)} episodes ended so, {witnesses.otherwise} "
            "otherwise: say in which case it helps"
        )
    return Objection(NAME, "wait", reason, _counter(otherwise))


def _ended_otherwise(case: WrittenCase) -> list[Event]:
    lesson = lesson_in(case)
    return [e for e in case.problem.events if lesson.stand(e) == "otherwise"]


def _counter(events: list[Event]) -> str:
    for event in reversed(events):
        if event.remedy is not None:
            text = f"{event.command} ended by: {event.remedy.command}"
            return clip(text, MAX_COUNTER_CHARACTERS)
    return ""

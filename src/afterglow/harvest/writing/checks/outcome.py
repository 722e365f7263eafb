"""What came of the remedy where it was used: a lesson that fails as often as it helps is not told."""

from __future__ import annotations

from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.clip import clip
from afterglow.text.numbers import count

NAME = "outcome"
# Sessions that used the remedy and failed alike before that says something: one may have done something else too.
MIN_FAILED_SESSIONS = 2
MAX_COUNTER_CHARACTERS = 300


def check(case: WrittenCase) -> Objection | None:
    """Sessions that did as the lesson says, and met the same failure."""
    against = {witness.session for witness in case.witnesses.contradicting}
    confirming = case.witnesses.sessions
    is_enough = len(against) >= MIN_FAILED_SESSIONS or (against and confirming < 2)
    if not is_enough or confirming > len(against):
        return None
    reason = (
        f"{count(len(against), 'session')} did so and failed with the same words, "
        f"{confirming} got through: say what made the difference"
    )
    is_wrong = len(against) >= max(MIN_FAILED_SESSIONS, confirming + 1)
    return Objection(NAME, "refuse" if is_wrong else "wait", reason, _counter(case))


def _counter(case: WrittenCase) -> str:
    """The newest call that was made so and failed."""
    last = max(case.witnesses.contradicting, key=lambda witness: witness.time or 0.0)
    for event in case.problem.events:
        if (event.session, event.line) == (last.session, last.line):
            printed = event.lines[0].text.strip() if event.lines else "nothing"
            return clip(f"{event.command} => {printed}", MAX_COUNTER_CHARACTERS)
    return ""

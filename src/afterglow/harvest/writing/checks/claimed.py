"""What a lesson claims of all cases is counted over all of them: how often, and that something is not there."""

from __future__ import annotations

import re

from afterglow.harvest.writing.episode_words import calls_of
from afterglow.harvest.writing.lesson_names import is_command
from afterglow.harvest.writing.names import SPAN, runs_in, spans
from afterglow.records.writing import Objection, WrittenCase
from afterglow.text.numbers import count

NAME = "claimed"
# Good runs of what is said not to work, from which on that is no slip of ours in telling good runs from bad ones.
MIN_GOOD_RUNS = 3
# One of so many sessions must have asked for what a person is said to want as a habit, or often.
MAX_SESSIONS_BETWEEN, MAX_BETWEEN_OFTEN = 3, 10
# By how much a share that a lesson states may differ from what is counted.
SHARE_TOLERANCE = 0.2

# Of so many episodes that ended as a lesson says, one that ended otherwise leaves "always" true enough.
MAX_OTHERWISE = 2

_SHARE = re.compile(r"\b(\d{1,4}) (?:of|out of|in) (?:the )?(\d{1,4})\b")
_FAILS = r"(?:fails?|works?|breaks?|succeeds?|ends? in)"
_ALWAYS = re.compile(
    rf"\b(?:(?:always|never) {_FAILS}|{_FAILS} (?:always|every time))\b", re.IGNORECASE
)
# That nothing else will do: words of a closed class.
_ONLY = re.compile(r"\b(?:only|always|never)\b", re.IGNORECASE)
# That a person wants something whenever the situation comes.
_HABIT = re.compile(
    r"\b(?:always|never|usually|normally|generally|every)\b", re.IGNORECASE
)
_OFTEN = re.compile(r"\b(?:often|mostly|regularly|frequently)\b", re.IGNORECASE)
_ABSENT = re.compile(
    r"\b(?:no|without) `([\w.+-]+)`(?=[.,;:)]|$| (?:and|or|nor|here|on|program)\b)",
    re.IGNORECASE,
)


def check(case: WrittenCase) -> Objection | None:
    """Something is said to be missing, or to fail always, and sessions ran it well; to be the only way, and sessions
    went another; a share is stated wrongly; or a wish is said to be a habit and is not."""
    return (
        _wrong_share(case)
        or _is_there(case)
        or _works_after_all(case)
        or _is_not_the_only_way(case)
        or _is_no_habit(case)
    )


def _wrong_share(case: WrittenCase) -> Objection | None:
    for part, whole in _SHARE.findall(f"{case.answer.situation} {case.answer.remedy}"):
        if not int(whole) or int(part) > int(whole):
            continue
        total = len(case.witnesses.confirming) + case.witnesses.otherwise
        if not total:
            continue
        counted = len(case.witnesses.confirming) / total
        if abs(counted - int(part) / int(whole)) > SHARE_TOLERANCE:
            reason = (
                f'it says "{part} of {whole}", and of {count(total, "solved episode")} '
                f"{len(case.witnesses.confirming)} ended so: leave the number out"
            )
            return Objection(NAME, "wait", reason)
    return None


def _is_there(case: WrittenCase) -> Objection | None:
    """A program that is said to be missing, and was run."""
    for name in _ABSENT.findall(case.answer.remedy):
        sessions = [
            session
            for session in case.history
            if any(
                run.well and form.split()[0] == name
                for form, run in session.runs.items()
            )
        ]
        if len(sessions) >= MIN_GOOD_RUNS:
            reason = (
                f"it says that there is no `{name}`, and {len(sessions)} sessions ran it: "
                "say where it is missing"
            )
            return Objection(NAME, "wait", reason)
    return None


def _works_after_all(case: WrittenCase) -> Objection | None:
    """A call that is said to fail always, though in most of its runs it does not."""
    if not _ALWAYS.search(case.answer.situation + case.answer.remedy):
        return None
    calls = calls_of(case.problem.events)
    for span in spans(case.answer.situation):
        if not is_command(span, calls):
            continue
        runs = runs_in(span, case.history)
        if runs.well >= MIN_GOOD_RUNS and runs.well > runs.badly:
            reason = (
                f"it says that `{span}` always fails, and it ended well "
                f"{count(runs.well, 'time')}: say when it fails"
            )
            return Objection(NAME, "wait", reason)
    return None


def _is_not_the_only_way(case: WrittenCase) -> Objection | None:
    """A remedy that is said to be the only one, where sessions ended it otherwise."""
    claim = _ONLY.search(SPAN.sub(" ", case.answer.remedy))
    otherwise = case.witnesses.otherwise
    is_seldom = otherwise * MAX_OTHERWISE < len(case.witnesses.confirming)
    if claim is None or is_seldom or not otherwise or case.answer.scope == "user":
        return None
    reason = (
        f'it says "{claim[0]}", and {count(otherwise, "episode")} ended otherwise: '
        "say what helps, or in which case"
    )
    return Objection(NAME, "wait", reason)


def _is_no_habit(case: WrittenCase) -> Objection | None:
    """What a person is said to want always, or often, where they asked for it now and then."""
    if not case.is_wish:
        return None
    words = SPAN.sub(" ", case.answer.remedy)
    always, often = _HABIT.search(words), _OFTEN.search(words)
    asking = len({witness.session for witness in case.witnesses.confirming})
    sessions = len(case.history)
    between = MAX_SESSIONS_BETWEEN if always else MAX_BETWEEN_OFTEN
    claim = always or often
    if claim is None or asking * between >= sessions:
        return None
    reason = (
        f'it says "{claim[0]}", and {asking} of {count(sessions, "session")} asked '
        "for it: say when, or leave the word out"
    )
    return Objection(NAME, "wait", reason)

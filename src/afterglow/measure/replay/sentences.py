"""A replay in sentences, the same on the screen and on the page."""

from __future__ import annotations

from typing import cast

from afterglow.context.left_out_words import LEFT_OUT_WORDS, counted_reasons
from afterglow.records.context import Why
from afterglow.records.replay import (
    Calibration,
    Ended,
    Kind,
    Miss,
    MomentShare,
    ReplayReport,
    Slice,
    Told,
    Value,
)
from afterglow.text.numbers import NONE, change, count, interval, number, percent

CALLED: dict[Kind, str] = {
    "in view": "remedy in view",
    "no remedy": "lesson in view, no remedy known",
    "not shown": "known, not in the context",
    "unknown": "met before, nothing known",
    "harm": "a remedy in view that does not hold",
}
MISSED: dict[Kind, str] = {
    "in view": "remedy in view",
    "no remedy": "known, without a remedy",
    "not shown": "known, not in the context",
    "unknown": "nothing known",
    "harm": "told what did not help",
}
TOLD_AT: dict[Told, str] = {
    "start": "in view at the start",
    "failure": "at hand on failure",
    "silent": "known, and not told in time",
    "unknown": "not known",
}
ENDED_SO: dict[Ended, str] = {
    "as told": "ended as told",
    "otherwise": "otherwise",
    "by edits": "when files had been edited",
    "open": "without an end that was seen",
}


def head(report: ReplayReport) -> str:
    span = f", {report.first_day} … {report.last_day}" if report.first_day else ""
    chosen = "".join(f"; {name} {value}" for name, value in report.selection.items())
    apart = (
        f"beside them {number(report.blocked)} that somebody blocked, {number(report.cancelled)} cancelled, "
        f"{number(report.mute)} whose message does not say what went wrong"
    )
    left_out = ", ".join(f"{number(n)} {why}" for why, n in report.left_out.items())
    return (
        f"{'SIMULATED. ' * report.simulated}{'PLACEBO. ' * (report.given == 'placebo')}"
        f"{count(report.sessions, 'session')}, {count(report.repos, 'repository', 'repositories')}{span}{chosen}; "
        f"{number(report.calls)} calls, {count(report.errors, 'error')} ({apart})"
        + (f"; left out: {left_out}" if left_out else "")
    )


def answer(report: ReplayReport) -> str:
    """The one sentence."""
    in_view = report.shares["in view"]
    if not in_view.n:
        return "No error came twice: there is nothing a lesson could have been in view for."
    tokens = report.tokens.total / report.tokens.n
    return (
        f"Of {count(in_view.n, 'repeated error')} {number(in_view.count)} would have had their remedy in view: "
        f"{percent(in_view.value)} [{interval(in_view)}, {count(in_view.sessions, 'session')}], at {number(round(tokens))} "
        f"tokens a session (budget {number(report.budget)}). {_apart(report)}"
    ).rstrip()


def _apart(report: ReplayReport) -> str:
    in_view, apart_from_work = report.shares["in view"], report.apart_from_work
    if apart_from_work.n in (0, in_view.n):
        return ""
    return (
        f"{number(in_view.n - apart_from_work.n)} of them are tests and builds that fail while code is written; of the other "
        f"{number(apart_from_work.n)}: {percent(apart_from_work.value)} [{interval(apart_from_work)}]."
    )


def on_failure(report: ReplayReport) -> str:
    """In view at the start, and with what would have been said when it failed."""
    at_start, hinted = report.shares["in view"], report.on_failure
    if not hinted.hints:
        return "On failure: nothing would have been said that was sure to help."
    return (
        f"In view at the start {percent(at_start.value)}, at hand (at the start or on failure) "
        f"{percent(hinted.at_hand.value)} [{interval(hinted.at_hand)}]: {count(hinted.hints, 'hint')} in "
        f"{count(hinted.sessions, 'session')} ({hinted.hints / report.sessions:.1f} a session), "
        f"{number(hinted.explained)} of them from the session's own state, {number(hinted.once)} of lessons that one "
        f"session showed, {number(hinted.tokens)} tokens a session."
    )


def speaking(report: ReplayReport) -> str:
    """Whether lessons that were told on failure were about that failure, by how it ended."""
    ended = report.on_failure.ended
    lines = sum(ended.values())
    if not lines:
        return ""
    endings = ", ".join(
        f"{number(times)} {ENDED_SO[how]}" for how, times in ended.items()
    )
    return (
        f"Of {count(lines, 'lesson')} told on failure, to sessions that had not heard them: {endings}. Those that "
        "ended otherwise, or by edits, may not have been what the lesson was about."
    )


def calls_each(moment: MomentShare) -> str:
    """Calls until the solution, on average, where one was seen."""
    return f"{moment.calls / moment.solved:.1f}" if moment.solved else NONE


def written(report: ReplayReport) -> str:
    """Which lessons of writers were there, and since when they count."""
    lessons = report.written
    by = f" of {lessons.writer}" if lessons.writer else ""
    if not lessons.lessons:
        return (
            f"Written lessons{by}: none. `afterglow write` has problems written about."
        )
    return (
        f"Written lessons{by}: {number(lessons.lessons)}, of which {number(lessons.in_contexts)} stood in some context. Each "
        "counts from the end of the first session that showed its remedy: its writer read all of the history, so the "
        "words may profit from hindsight; the time of knowing does not."
    )


def placebo(report: ReplayReport) -> str:
    placebo_run = report.placebo
    if placebo_run.in_view is None:
        return f"Placebo: {placebo_run.reason}."
    return (
        f"Placebo, the lessons of {placebo_run.repo} instead: {percent(placebo_run.in_view.value)} "
        f"[{interval(placebo_run.in_view)}], at {number(round(placebo_run.tokens))} tokens a session."
    )


def trend(report: ReplayReport) -> str:
    """Does it grow with what is known?"""
    difference = report.trend
    if difference.value is None:
        return "Trend: too few repeats to tell."
    verdict = {
        1: "it grows",
        0: "no clear change",
        -1: "it shrinks",
        None: "too few sessions to tell",
    }[difference.sign]
    return (
        f"Trend: {percent(difference.first.value)} in the earlier half of the sessions, "
        f"{percent(difference.second.value)} in the later half, {change(difference)}: {verdict}."
    )


def why_not(report: ReplayReport, kind: Kind) -> str:
    if kind == "not shown":
        return counted_reasons(report.not_shown)
    return ""


def range_of(part: Slice) -> str:
    return f" [{interval(part.in_view)}]" if part.in_view.n else ""


def met(value: Value) -> str:
    return (
        f"{percent(value.met.value)} [{interval(value.met)}]" if value.met.n else NONE
    )


def calibrated(calibration: Calibration) -> str:
    if calibration.brier is None or calibration.ece is None:
        return "No known error came again: whether items are as sure as they say cannot be told."
    return (
        f"Did items hold as often as their confidence says? {count(calibration.n, 'time')} the error of a known item came "
        f"again ({count(calibration.items, 'item')}, {count(calibration.sessions, 'session')}). On average what they "
        f"promise and what came are {100 * calibration.ece:.0f} points apart."
    )


def missed(miss: Miss) -> str:
    """Why a repeat had no good remedy in view, in words."""
    if miss.kind == "not shown":
        return f"known, but {LEFT_OUT_WORDS[cast(Why, miss.why)]}"
    words = MISSED[miss.kind]
    return f"{words}: {miss.why}" if miss.why else words


def troubles(report: ReplayReport) -> str:
    path, why = report.troubles[0]
    return f"{count(len(report.troubles), 'source')} could not be read in full, the first: {path}: {why}"

"""A replay in sentences, the same on the screen and on the page."""

from __future__ import annotations

from afterglow.records.replay import Calibration, Kind, ReplayReport, Slice, Value
from afterglow.text.numbers import NONE, change, count, interval, number, percent

CALLED: dict[Kind, str] = {
    "in view": "remedy in view",
    "no remedy": "lesson in view, no remedy known",
    "not shown": "known, not in the context",
    "unknown": "met before, nothing known",
    "harm": "a remedy in view that does not hold",
}


def head(report: ReplayReport) -> str:
    span = f", {report.first_day} … {report.last_day}" if report.first_day else ""
    chosen = "".join(f"; {name} {value}" for name, value in report.selection.items())
    apart = f"apart: {number(report.blocked)} blocked, {number(report.cancelled)} cancelled, {number(report.mute)} mute"
    left = ", ".join(f"{number(n)} {why}" for why, n in report.left_out.items())
    return (
        f"{'SIMULATED. ' * report.simulated}{'PLACEBO. ' * (report.given == 'placebo')}"
        f"{count(report.sessions, 'session')}, {count(report.repos, 'repository', 'repositories')}{span}{chosen}; "
        f"{number(report.calls)} calls, {count(report.errors, 'error')} ({apart})"
        + (f"; left out: {left}" if left else "")
    )


def answer(report: ReplayReport) -> str:
    """The one sentence."""
    seen = report.shares["in view"]
    if not seen.n:
        return "No error came twice: there is nothing a lesson could have been in view for."
    tokens = report.tokens.total / report.tokens.n
    return (
        f"Of {count(seen.n, 'repeated error')} {number(seen.count)} would have had their remedy in view: "
        f"{percent(seen.value)} [{interval(seen)}, {count(seen.sessions, 'session')}], at {number(round(tokens))} "
        f"tokens a session (budget {number(report.budget)}). {_apart(report)}"
    ).rstrip()


def _apart(report: ReplayReport) -> str:
    seen, rest = report.shares["in view"], report.apart_from_work
    if rest.n in (0, seen.n):
        return ""
    return (
        f"{number(seen.n - rest.n)} of them are tests and builds that fail while code is written; of the other "
        f"{number(rest.n)}: {percent(rest.value)} [{interval(rest)}]."
    )


def placebo(report: ReplayReport) -> str:
    found = report.placebo
    if found.in_view is None:
        return f"Placebo: {found.reason}."
    return (
        f"Placebo, the lessons of {found.repo} instead: {percent(found.in_view.value)} "
        f"[{interval(found.in_view)}], at {number(round(found.tokens))} tokens a session."
    )


def trend(report: ReplayReport) -> str:
    """Is it compounding?"""
    found = report.trend
    if found.value is None:
        return "Trend: too few repeats to tell."
    said = {
        1: "it compounds",
        0: "no clear change",
        -1: "it falls",
        None: "too few sessions to tell",
    }[found.sign]
    return (
        f"Trend: {percent(found.first.value)} in the earlier half of the sessions, {percent(found.second.value)} in "
        f"the later half, {change(found)}: {said}."
    )


def why_not(report: ReplayReport, kind: Kind) -> str:
    if kind == "not shown":
        return ", ".join(
            f"{why} {number(times)}" for why, times in report.not_shown.items()
        )
    return ""


def range_of(found: Slice) -> str:
    return f" [{interval(found.in_view)}]" if found.in_view.n else ""


def met(found: Value) -> str:
    return (
        f"{percent(found.met.value)} [{interval(found.met)}]" if found.met.n else NONE
    )


def calibrated(found: Calibration) -> str:
    if found.brier is None or found.ece is None:
        return "No known error came again: calibration cannot be told."
    return (
        f"Did items hold as often as their confidence says? {count(found.n, 'time')} the error of a known item came "
        f"again ({count(found.items, 'item')}, {count(found.sessions, 'session')}); Brier {found.brier:.3f}, "
        f"calibration error {found.ece:.3f}."
    )


def troubles(report: ReplayReport) -> str:
    path, why = report.troubles[0]
    return f"{count(len(report.troubles), 'source')} could not be read in full, the first: {path}: {why}"

"""Sections about failures: where they happen, what became of them, which come back."""

from __future__ import annotations

from html import escape

from afterglow.profile.drawing import inline
from afterglow.profile.figures import bars
from afterglow.profile.page.markup import Cell, grid, heading, more, pair, para, rate_cell, rates
from afterglow.profile.words import NONE, count, known, number
from afterglow.records.report import Report, Spread

TOOLS, ERRORS = 20, 15


def calls(report: Report) -> str:
    whole = report.overall
    return (
        heading("Where calls fail")
        + para(
            f"{number(whole.rate.count)} of {number(whole.rate.n)} decided calls failed. Not in the rate: "
            f"{number(whole.blocked)} blocked by a person or a policy, {number(whole.cancelled)} cancelled, "
            f"{number(whole.unknown)} without a known end. {report.masked.sentence}"
        )
        + rates(report.tables["tool"], "tool", TOOLS)
    )


def recoveries(report: Report) -> str:
    found = report.recoveries
    if not found.recovered.n:
        return heading("Recoveries") + para("Nothing failed, so nothing had to be recovered.")
    tries = bars(found.attempts_until_success, "calls", "failed tries before it worked")
    later = bars(found.calls_until_success, "calls", "calls from the first failure to the success")
    return (
        heading("Recoveries")
        + para(
            f"{number(found.recovered.count)} of {count(found.recovered.n, 'failure')} were followed by a success at the "
            f"same goal: {known(found.recovered)}. Repeated tries at one goal count once. Until it worked: "
            f"{_middle(found.attempts)} failed tries and {_middle(found.calls)} calls, median (90th percentile)."
        )
        + pair(inline(tries, "Failed tries before success"), inline(later, "Calls until success"))
        + _by_tool(report)
        + _unrecovered(report)
    )


def recurring(report: Report) -> str:
    found = report.recurrence
    heads: list[Cell] = [
        ("", "error, reduced to what stays the same"),
        ("r", "times"),
        ("r", "sessions"),
        ("r extra", "repos"),
        ("r extra", "last seen"),
    ]
    rows: list[list[Cell]] = [
        [
            ("name", f"<code>{escape(row.fingerprint)}</code>"),
            ("r", number(row.count)),
            ("r", number(row.sessions)),
            ("r extra", number(row.repos)),
            ("r extra", row.last_seen or NONE),
        ]
        for row in found.recurring[:ERRORS]
    ]
    unplaced = f" {count(found.not_placed, 'failure')} without a repo, a time or a message not placed."
    return (
        heading("Recurring errors")
        + para(
            f"{number(found.repeated.count)} of {count(found.repeated.n, 'failure')} repeat an error that an earlier session "
            f"of the same repo had already met: {known(found.repeated)}. {count(found.kinds, 'error')} came up in two "
            f"sessions or more, {count(found.failures, 'time')} together." + (unplaced if found.not_placed else "")
        )
        + (grid(heads, rows) if rows else "")
        + more(found.kinds - len(rows), "error")
    )


def _by_tool(report: Report) -> str:
    found = report.recoveries.by_tool
    heads: list[Cell] = [("", "tool"), ("r", "recovered"), ("r", "failures"), ("r", "tries"), ("r", "calls")]
    rows: list[list[Cell]] = [
        [
            ("name", escape(row.tool)),
            rate_cell(row.recovered),
            ("r", number(row.recovered.n)),
            ("r", _middle(row.attempts)),
            ("r", _middle(row.calls)),
        ]
        for row in found[:ERRORS]
    ]
    return grid(heads, rows) + more(len(found) - len(rows), "tool")


def _unrecovered(report: Report) -> str:
    rows: list[list[Cell]] = [
        [
            ("name", f"<code>{escape(row.error)}</code>"),
            ("", escape(row.tool)),
            ("r", number(row.count)),
            ("r extra", number(row.sessions)),
        ]
        for row in report.recoveries.unrecovered[: ERRORS // 2]
    ]
    heads: list[Cell] = [("", "error"), ("", "tool"), ("r", "times"), ("r extra", "sessions")]
    return heading("Most frequent failures that were not recovered", level=3) + grid(heads, rows) if rows else ""


def _middle(found: Spread) -> str:
    return f"{number(found.median)} ({number(found.p90)})" if found.n else NONE

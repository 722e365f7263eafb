"""Sections about failures: where they happen, what became of them, which come back."""

from __future__ import annotations

from html import escape

from afterglow.records.profile_report import Recoveries, Report, Spread
from afterglow.show.figures import bars, meter
from afterglow.show.html import (
    Cell,
    axis,
    grid,
    heading,
    more,
    name,
    pair,
    para,
    rate_cell,
    rates,
    share_cell,
)
from afterglow.show.svg import inline
from afterglow.text.numbers import NONE, count, number, rate_words

TOOLS, RECOVERED, ERRORS = 15, 8, 15


def calls(report: Report) -> str:
    whole = report.overall
    return (
        heading("Where calls fail")
        + para(
            f"{number(whole.rate.count)} of {number(whole.rate.n)} decided calls failed. Not in the rate: "
            f"{number(whole.blocked)} blocked by a person or a policy, {number(whole.cancelled)} cancelled, "
            f"{number(whole.unknown)} without a known end. {report.masked.sentence}"
        )
        + rates(report.tables["tool"], "tool", TOOLS, whole.rate)
    )


def recoveries(report: Report) -> str:
    found = report.recoveries
    if not found.recovered.n:
        return heading("Recoveries") + para(
            "Nothing failed, so nothing had to be recovered."
        )
    tries = bars(found.attempts_until_success, "calls", "failed tries before it worked")
    later = bars(
        found.calls_until_success,
        "calls",
        "calls from the first failure to the success",
    )
    return (
        heading("Recoveries")
        + para(
            f"{number(found.recovered.count)} of {count(found.recovered.n, 'failure')} were followed by a success at "
            f"the same goal: {rate_words(found.recovered)}. Repeated tries at one goal count once. {_until(found)}"
        )
        + pair(
            inline(tries, "Failed tries before success"),
            inline(later, "Calls until success"),
        )
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
            f"{number(found.repeated.count)} of {count(found.repeated.n, 'failure')} repeat an error that an earlier "
            f"session of the same repo had already met: {rate_words(found.repeated)}. {count(found.kinds, 'error')} came up "
            f"in two sessions or more, {count(found.failures, 'time')} together."
            + (unplaced if found.not_placed else "")
        )
        + (grid(heads, rows) if rows else "")
        + more(found.kinds - len(rows), "error")
    )


def _until(found: Recoveries) -> str:
    tries, later = found.attempts, found.calls
    if not tries.n:
        return "None succeeded."
    return (
        f"Half of those took at most {count(int(tries.median or 0), 'failed try', 'failed tries')} and "
        f"{count(int(later.median or 0), 'call')}, nine in ten at most {number(tries.p90)} and {number(later.p90)}."
    )


def _by_tool(report: Report) -> str:
    found = report.recoveries.by_tool
    heads: list[Cell] = [
        ("", "tool"),
        ("r", "recovered"),
        ("draw", axis("0 %", "100 %")),
        ("r", "failures"),
        ("r extra", "tries, median (p90)"),
        ("r extra", "calls, median (p90)"),
    ]
    rows: list[list[Cell]] = [
        [
            ("name", name(row.tool)),
            rate_cell(row.recovered),
            ("draw", meter(row.recovered, 1.0, "calls", report.recoveries.recovered)),
            share_cell(row.recovered),
            ("r extra", _middle(row.attempts)),
            ("r extra", _middle(row.calls)),
        ]
        for row in found[:RECOVERED]
    ]
    return grid(heads, rows) + more(len(found) - len(rows), "tool")


def _unrecovered(report: Report) -> str:
    rows: list[list[Cell]] = [
        [
            ("name", f"<code>{escape(row.error)}</code>"),
            ("", name(row.tool)),
            ("r", number(row.count)),
            ("r extra", number(row.sessions)),
        ]
        for row in report.recoveries.unrecovered[: ERRORS // 2]
    ]
    heads: list[Cell] = [
        ("", "error"),
        ("", "tool"),
        ("r", "times"),
        ("r extra", "sessions"),
    ]
    return (
        heading("Most frequent failures that were not recovered", level=3)
        + grid(heads, rows)
        if rows
        else ""
    )


def _middle(found: Spread) -> str:
    return f"{number(found.median)} ({number(found.p90)})" if found.n else NONE

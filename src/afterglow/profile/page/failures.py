"""Sections about failures: where they happen, what became of them, which come back."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.records.profile_report import Recoveries, Report, Spread
from afterglow.show.blocks import (
    Block,
    Code,
    Grid,
    Heading,
    Name,
    Pair,
    Para,
    Picture,
    more,
    say,
)
from afterglow.show.figures import bars
from afterglow.show.links import Links
from afterglow.show.rate_blocks import (
    WHOLE_AXIS,
    count_cell,
    meter,
    rate_cell,
    rates,
)
from afterglow.text.numbers import NONE, count, number, rate_words

# As many rows as can be read at a glance; --json has them all.
MAX_TOOLS = 15
MAX_RECOVERED_TOOLS = 8
MAX_ERRORS = 15
MAX_UNRECOVERED = 7


def calls(report: Report, links: Links) -> Iterator[Block]:
    whole = report.overall
    yield Heading("Where calls fail")
    yield Para(
        say(
            f"{number(whole.rate.count)} of {number(whole.rate.n)} decided calls failed. Not in the rate: "
            f"{number(whole.blocked)} blocked by a person or a policy, {number(whole.cancelled)} cancelled, "
            f"{number(whole.unknown)} without a known end. {report.masked.sentence}"
        )
    )
    yield from rates(
        report.tables["tool"],
        "tool",
        MAX_TOOLS,
        whole.rate,
        link=lambda tool: links.sessions(tool=tool),
    )


def recoveries(report: Report, links: Links) -> Iterator[Block]:
    recoveries = report.recoveries
    recovered = recoveries.recovered
    yield Heading("Recoveries")
    if not recovered.n:
        yield Para(say("Nothing failed, so nothing had to be recovered."))
        return
    yield Para(
        say(
            f"{number(recovered.count)} of {count(recovered.n, 'failure')} were followed by a success at "
            f"the same goal: {rate_words(recovered)}. Repeated tries at one goal count once. {_until(recoveries)}"
        )
    )
    tries = bars(
        recoveries.attempts_until_success, "calls", "failed tries before it worked"
    )
    later = bars(
        recoveries.calls_until_success,
        "calls",
        "calls from the first failure to the success",
    )
    yield Pair(
        (
            (Picture("Failed tries before success", tries),),
            (Picture("Calls until success", later),),
        )
    )
    yield from _by_tool(recoveries, links)
    yield from _unrecovered(recoveries, links)


def recurring(report: Report, links: Links) -> Iterator[Block]:
    recurrence = report.recurrence
    repeated = recurrence.repeated
    unplaced = f" {count(recurrence.not_placed, 'failure')} without a repo, a time or a message not placed."
    yield Heading("Recurring errors")
    yield Para(
        say(
            f"{number(repeated.count)} of {count(repeated.n, 'failure')} repeat an error that an earlier "
            f"session of the same repo had already met: {rate_words(repeated)}. "
            f"{count(recurrence.kinds, 'error')} came up "
            f"in two sessions or more, {count(recurrence.failures, 'time')} together."
            + (unplaced if recurrence.not_placed else "")
        )
    )
    rows = tuple(
        (
            say(Code(row.fingerprint)),
            say(number(row.count)),
            say(number(row.sessions)),
            say(number(row.repos)),
            say(row.last_seen or NONE),
        )
        for row in recurrence.recurring[:MAX_ERRORS]
    )
    heads = ("error, reduced to what stays the same", "times", "sessions", "repos")
    if rows:
        yield Grid("", (*heads, "last seen"), "lrrRR", rows)
    yield from more(recurrence.kinds - len(rows), "error")


def _until(recoveries: Recoveries) -> str:
    tries, later = recoveries.attempts, recoveries.calls
    if not tries.n:
        return "None succeeded."
    return (
        f"Half of those took at most {count(int(tries.median or 0), 'failed try', 'failed tries')} and "
        f"{count(int(later.median or 0), 'call')}, nine in ten at most {number(tries.p90)} and {number(later.p90)}."
    )


def _by_tool(recoveries: Recoveries, links: Links) -> Iterator[Block]:
    rows = tuple(
        (
            say(Name(row.tool, links.sessions(tool=row.tool))),
            rate_cell(row.recovered),
            meter(row.recovered, 1.0, "calls", recoveries.recovered),
            count_cell(row.recovered),
            say(_middle(row.attempts)),
            say(_middle(row.calls)),
        )
        for row in recoveries.by_tool[:MAX_RECOVERED_TOOLS]
    )
    heads = ("tool", "recovered", WHOLE_AXIS, "failures")
    yield Grid(
        "", (*heads, "tries, median (p90)", "calls, median (p90)"), "lrdrRR", rows
    )
    yield from more(len(recoveries.by_tool) - len(rows), "tool")


def _unrecovered(recoveries: Recoveries, links: Links) -> Iterator[Block]:
    rows = tuple(
        (
            say(Code(row.error)),
            say(Name(row.tool, links.sessions(tool=row.tool))),
            say(number(row.count)),
            say(number(row.sessions)),
        )
        for row in recoveries.unrecovered[:MAX_UNRECOVERED]
    )
    if rows:
        yield Heading("Most frequent failures that were not recovered", 3)
        yield Grid("", ("error", "tool", "times", "sessions"), "llrR", rows)


def _middle(spread: Spread) -> str:
    return f"{number(spread.median)} ({number(spread.p90)})" if spread.n else NONE

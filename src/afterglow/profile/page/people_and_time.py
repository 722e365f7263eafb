"""Sections about what surrounds the calls: people, context, time, models."""

from __future__ import annotations

from collections.abc import Callable

from afterglow.records.profile import EARLY_TURNS
from afterglow.records.profile_report import Report, Spread
from afterglow.show.figures import weeks
from afterglow.show.html import definitions, drawn, heading, pair, para, rates
from afterglow.text.numbers import (
    NONE,
    compact,
    count,
    duration,
    number,
    percent,
    rate_words,
)

MOST = 12


def interaction(report: Report) -> str:
    found = report.interaction
    if not found.requests:
        return heading("How people asked") + para(
            "No one typed anything in these sessions."
        )
    facts = [
        (
            "requests",
            f"{number(found.requests)}, {number(round(found.words_per_request or 0, 1))} words each on average",
        ),
        ("request style", _styles(found.request_styles)),
        ("feedback style", _styles(found.feedback_styles)),
        ("corrections", f"{rate_words(found.corrections)} of requests"),
        ("questions", f"{rate_words(found.questions)} of requests"),
        ("courtesies", f"{rate_words(found.polite)} of requests"),
        ("interruptions", number(found.interrupts)),
        ("refusals with a reason", number(found.reasons)),
    ]
    return heading("How people asked") + pair(
        definitions(facts),
        rates(
            report.tables["request-style"],
            "request style",
            MOST,
            report.overall.rate,
            plain=True,
        )
        + rates(
            report.tables["feedback-style"],
            "feedback style",
            MOST,
            report.overall.rate,
            plain=True,
        ),
    )


def sessions_and_context(report: Report) -> str:
    markers, context, usage = report.markers, report.context, report.context.usage
    effort = [
        ("errors", _spread(markers.errors, number)),
        ("different tools", _spread(markers.tools, number)),
        ("calls to first success", _spread(markers.first_success_call, number)),
        ("time to first success", _spread(markers.first_success_seconds, duration)),
        ("no success at all", count(markers.never_succeeded, "session")),
        (f"errors, first {EARLY_TURNS} turns", rate_words(markers.early_error_rate)),
    ]
    tokens = (
        f"{compact(usage.input)} in, {compact(usage.output)} out, {compact(usage.cache_read)} read from cache, "
        f"{compact(usage.cache_write)} written to it"
    )
    share = (
        f"median {percent(context.share.median)}, p90 {percent(context.share.p90)}; "
        f"{count(context.nearly_full, 'session')} of {number(context.share.n)} over 80 %"
    )
    fullness = [
        ("largest prompt, tokens", _spread(context.tokens, compact)),
        (
            "share of the window",
            share if context.share.n else "size of the window not known",
        ),
        (
            "compactions",
            f"{number(context.compactions)}; {rate_words(context.compacted)} of sessions had one",
        ),
        (
            "tokens",
            f"{tokens} ({count(context.sessions_with_usage, 'session')})"
            if context.sessions_with_usage
            else NONE,
        ),
        (
            "cost",
            f"${usage.cost:,.2f} ({count(context.sessions_with_cost, 'session')})"
            if usage.cost
            else "not recorded",
        ),
    ]
    return pair(
        heading("Per session") + definitions(effort),
        heading("Context and tokens") + definitions(fullness),
    )


def weekly(report: Report) -> str:
    table, whole = report.tables["week"], report.overall.rate
    shown = drawn(
        table.rows, lambda rows: weeks(rows, "between", whole, width=900), table.title
    )
    return (
        heading("Week by week", "between sessions")
        + para(table.about, "mute")
        + f'<div class="wide">{shown}</div>'
    )


def groups(report: Report) -> str:
    """Per model always; per agent and repo where there is more than one."""
    tables = report.tables
    asked = [
        "model",
        *(name for name in ("agent", "repo") if len(tables[name].rows) > 1),
    ]
    return "".join(
        heading(f"By {name}", "between sessions")
        + para(tables[name].about, "mute")
        + rates(tables[name], name, MOST, report.overall.rate)
        for name in asked
    )


def _styles(styles: dict[str, int]) -> str:
    return ", ".join(
        f"{style} in {count(sessions, 'session')}" for style, sessions in styles.items()
    )


def _spread(found: Spread, shown: Callable[[float | None], str]) -> str:
    if not found.n:
        return "not recorded"
    middle, most = (
        f"median {shown(found.median)}, p90 {shown(found.p90)}",
        shown(found.largest),
    )
    return f"{middle}, most {most} (n = {number(found.n)})"

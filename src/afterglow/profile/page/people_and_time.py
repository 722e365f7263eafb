"""Sections about what surrounds the calls: people, context, time, models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from afterglow.records.profile import EARLY_TURNS
from afterglow.records.profile_report import (
    ContextUse,
    Interaction,
    Markers,
    Report,
    Spread,
)
from afterglow.show.blocks import Block, Definitions, Heading, Pair, Para, say
from afterglow.show.links import Links
from afterglow.show.rate_blocks import drawn, heading, rates
from afterglow.show.rate_lines import weeks
from afterglow.text.numbers import (
    NONE,
    compact,
    count,
    duration,
    number,
    percent,
    rate_words,
)

MAX_ROWS = 12  # of a table; --json has them all


def interaction(report: Report, links: Links) -> Iterator[Block]:
    yield Heading("How people asked")
    if not report.interaction.requests:
        yield Para(say("No one typed anything in these sessions."))
        return
    styles: list[Block] = []
    for table, what in (
        ("request-style", "request style"),
        ("feedback-style", "feedback style"),
    ):
        whole = report.overall.rate
        styles += rates(report.tables[table], what, MAX_ROWS, whole, plain=True)
    yield Pair(((_facts(_requests(report.interaction)),), tuple(styles)))


def sessions_and_context(report: Report, links: Links) -> Iterator[Block]:
    effort = (Heading("Per session"), _facts(_effort(report.markers)))
    fullness = (Heading("Context and tokens"), _facts(_fullness(report.context)))
    yield Pair((effort, fullness))


def weekly(report: Report, links: Links) -> Iterator[Block]:
    table, whole = report.tables["week"], report.overall.rate
    yield heading("Week by week", "between sessions")
    yield Para(say(table.about), "mute")
    yield drawn(
        table.rows,
        lambda rows, width: weeks(
            rows,
            "between",
            whole,
            link=lambda week: links.sessions(week=week),
            width=width,
        ),
        table.title,
        wide=True,
    )


def groups(report: Report, links: Links) -> Iterator[Block]:
    """Per model always; per agent and repo where there is more than one."""
    several = [name for name in ("agent", "repo") if len(report.tables[name].rows) > 1]
    for name in ("model", *several):
        table = report.tables[name]
        yield heading(f"By {name}", "between sessions")
        yield Para(say(table.about), "mute")
        yield from rates(
            table,
            name,
            MAX_ROWS,
            report.overall.rate,
            link=partial(_of_group, links, name),
        )


def _of_group(links: Links, by: str, group: str) -> str:
    return links.sessions(**{by: group})


def _facts(facts: Iterator[tuple[str, str]]) -> Definitions:
    return Definitions(tuple((name, say(words)) for name, words in facts))


def _requests(interaction: Interaction) -> Iterator[tuple[str, str]]:
    words = number(round(interaction.words_per_request or 0, 1))
    yield (
        "requests",
        f"{number(interaction.requests)}, {words} words each on average",
    )
    yield "request style", _styles(interaction.request_styles)
    yield "feedback style", _styles(interaction.feedback_styles)
    yield "corrections", f"{rate_words(interaction.corrections)} of requests"
    yield "questions", f"{rate_words(interaction.questions)} of requests"
    yield "courtesies", f"{rate_words(interaction.polite)} of requests"
    yield "interruptions", number(interaction.interrupts)
    yield "refusals with a reason", number(interaction.reasons)


def _effort(markers: Markers) -> Iterator[tuple[str, str]]:
    yield "errors", _spread(markers.errors, number)
    yield "different tools", _spread(markers.tools, number)
    yield "calls to first success", _spread(markers.first_success_call, number)
    yield "time to first success", _spread(markers.first_success_seconds, duration)
    yield "no success at all", count(markers.never_succeeded, "session")
    yield f"errors, first {EARLY_TURNS} turns", rate_words(markers.early_error_rate)


def _fullness(context: ContextUse) -> Iterator[tuple[str, str]]:
    yield "largest prompt, tokens", _spread(context.tokens, compact)
    yield "share of the window", _window_share(context)
    compacted = f"{rate_words(context.compacted)} of sessions had one"
    yield "compactions", f"{number(context.compactions)}; {compacted}"
    yield "tokens", _tokens(context)
    yield "cost", _cost(context)


def _window_share(context: ContextUse) -> str:
    share = context.share
    if not share.n:
        return "size of the window not known"
    full = f"{count(context.nearly_full, 'session')} of {number(share.n)} over 80 %"
    return f"median {percent(share.median)}, p90 {percent(share.p90)}; {full}"


def _tokens(context: ContextUse) -> str:
    usage = context.usage
    if not context.sessions_with_usage:
        return NONE
    return (
        f"{compact(usage.input)} in, {compact(usage.output)} out, {compact(usage.cache_read)} read from cache, "
        f"{compact(usage.cache_write)} written to it ({count(context.sessions_with_usage, 'session')})"
    )


def _cost(context: ContextUse) -> str:
    if not context.usage.cost:
        return "not recorded"
    sessions = count(context.sessions_with_cost, "session")
    return f"${context.usage.cost:,.2f} ({sessions})"


def _styles(styles: dict[str, int]) -> str:
    return ", ".join(
        f"{style} in {count(sessions, 'session')}" for style, sessions in styles.items()
    )


def _spread(spread: Spread, written: Callable[[float | None], str]) -> str:
    if not spread.n:
        return "not recorded"
    middle = f"median {written(spread.median)}, p90 {written(spread.p90)}"
    return f"{middle}, most {written(spread.largest)} (n = {number(spread.n)})"

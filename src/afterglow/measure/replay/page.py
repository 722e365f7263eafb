"""A replay as one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from afterglow.measure.replay.sentences import (
    CALLED,
    TOLD_AT,
    answer,
    calibrated,
    calls_each,
    head,
    met,
    missed,
    on_failure,
    placebo,
    speaking,
    trend,
    why_not,
    written,
)
from afterglow.records.profile_report import Headline, Rate
from afterglow.records.replay import ItemValue, ReplayReport, Slice, Value
from afterglow.show import html
from afterglow.show.blocks import (
    Block,
    Code,
    Footer,
    Grid,
    Heading,
    Name,
    Pair,
    Para,
    Small,
    Tile,
    Tiles,
    Words,
    say,
)
from afterglow.show.figures import forest
from afterglow.show.links import NOWHERE, LinkOf, Links, no_link
from afterglow.show.rate_blocks import (
    WHOLE_AXIS,
    bare_row,
    count_cell,
    drawn,
    heading,
    meter,
    rate_cell,
    tile,
)
from afterglow.show.rate_lines import weeks
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.stats.rates import FEW_SESSIONS
from afterglow.text.numbers import number

TITLE = "Replay"
PLACEBO = "Placebo: sessions were given another project's lessons."
MAX_REPOSITORIES = 15  # --json has them all
DAGGER = f"A dagger (†) marks rates from fewer than {FEW_SESSIONS} sessions: the interval cannot speak for other sessions."
NO_RATE = Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0)


def page(report: ReplayReport) -> str:
    """The replay as a file of its own."""
    sections = chain([Heading(TITLE, 1)], blocks(report))
    return html.page(sections, TITLE, simulated=report.simulated)


def blocks(report: ReplayReport, links: Links = NOWHERE) -> Iterator[Block]:
    """The replay below its title, the answer first; `links` lead to the sessions behind a number, and to items."""
    yield from _head(report)
    if report.shares["in view"].n:
        yield from _repeats(report, links)
    yield from _notes(report)


def _repeats(report: ReplayReport, links: Links) -> Iterator[Block]:
    """What there is to tell where an error came again."""
    yield from _kinds(report)
    yield from _moments(report)
    yield from _budgets(report)
    yield from _weeks(report, links)
    yield from _about(report, links)
    yield from _value(report)
    yield from _items(report, links)
    yield from _calibration(report)
    yield from _misses(report)


def _head(report: ReplayReport) -> Iterator[Block]:
    if report.given == "placebo":
        yield Para(say(PLACEBO), "warning")
    yield Para(say(head(report)), "mute")
    yield Tiles(tuple(_tiles(report)))
    sentences = (answer, on_failure, speaking, written, placebo, trend)
    for sentence in filter(None, [each(report) for each in sentences]):
        yield Para(say(sentence))


def _tiles(report: ReplayReport) -> Iterator[Tile]:
    yield _tile("repeats with their remedy in view", report.shares["in view"])
    yield _tile("at hand: at the start or on failure", report.on_failure.at_hand)
    yield _tile("apart from failing tests and builds", report.apart_from_work)
    if report.placebo.in_view:
        yield _tile("with the placebo", report.placebo.in_view)
    yield _tile("with a remedy that does not hold", report.shares["harm"])


def _tile(label: str, rate: Rate) -> Tile:
    return tile(
        Headline(
            label=label,
            unit="share",
            value=rate.value,
            low=rate.low,
            high=rate.high,
            n=rate.n,
            of="repeats",
            sessions=rate.sessions,
        )
    )


def _kinds(report: ReplayReport) -> Iterator[Block]:
    yield Heading("What was known when an error came again")
    yield Para(
        say(
            f"{number(report.first.count)} of {number(report.errors)} errors were new to their repository, and are "
            f"apart; {number(report.foreseen.count)} of them had a remedy in view that was learned elsewhere."
        ),
        "mute",
    )
    whole = report.shares["in view"]
    rows = []
    for kind, share in report.shares.items():
        why = why_not(report, kind)
        name = say(CALLED[kind], Small((why,))) if why else say(CALLED[kind])
        rows.append(_share_row(name, share, whole))
    heads = ("repeated errors", "share", WHOLE_AXIS, "times")
    yield Grid("", heads, "lrdr", tuple(rows))


def _share_row(name: Words, share: Rate, whole: Rate) -> tuple[Words, ...]:
    cell = meter(share, 1.0, "calls", whole)
    return (name, rate_cell(share), cell, count_cell(share))


def _moments(report: ReplayReport) -> Iterator[Block]:
    whole = report.shares["in view"]
    rows = tuple(
        (
            *_share_row(say(TOLD_AT[moment.name]), moment.repeats, whole),
            say(calls_each(moment)),
            say(number(moment.calls)),
        )
        for moment in report.on_failure.moments
    )
    heads = ("told first", "share", WHOLE_AXIS, "times", "calls until solved", "in all")
    yield Heading("At which moment")
    yield Para(
        say(
            "Calls until solved are those behind the failed one, where a solution was seen: what the right line could "
            "have saved at most."
        ),
        "mute",
    )
    yield Grid("", heads, "lrdrRR", rows)


def _budgets(report: ReplayReport) -> Iterator[Block]:
    rows = [
        bare_row(
            f"{number(point.budget)} tokens ({number(round(point.tokens))} used)",
            point.in_view,
        )
        for point in report.curve
    ]
    whole = report.shares["in view"]
    yield Heading("By budget")
    yield drawn(
        rows,
        lambda counted, width: forest(counted, "calls", whole, width=width),
        "In view, by budget",
        wide=True,
    )


def _weeks(report: ReplayReport, links: Links) -> Iterator[Block]:
    rows = [bare_row(week.name, week.in_view) for week in report.weeks]
    whole = report.shares["in view"]
    yield heading("Does it grow?", "between sessions")
    yield drawn(
        rows,
        lambda counted, width: weeks(
            counted,
            "between",
            whole,
            of="repeats",
            link=lambda week: links.sessions(week=week),
            width=width,
        ),
        "In view, by week",
        wide=True,
    )


def _about(report: ReplayReport, links: Links) -> Iterator[Block]:
    topics = (report.conventions, report.lessons)
    columns: list[tuple[Block, ...]] = [
        (Heading("What the errors were about", 3), _slices(topics, report))
    ]
    if len(report.by_repo) > 1:
        largest = report.by_repo[:MAX_REPOSITORIES]
        by_repo = _slices(largest, report, lambda repo: links.sessions(repo=repo))
        columns.append((Heading("By repository", 3), by_repo))
    yield Heading("Where")
    yield Pair(tuple(columns))


def _slices(
    slices: Iterable[Slice], report: ReplayReport, link: LinkOf = no_link
) -> Grid:
    whole = report.shares["in view"]
    rows = []
    for part in slices:
        name = Name(part.name, link(part.name))
        rows.append(_share_row(say(name), part.in_view, whole))
    return Grid("", ("", "in view", WHOLE_AXIS, "repeats"), "lrdr", tuple(rows))


def _value(report: ReplayReport) -> Iterator[Block]:
    yield Heading("What kind of context earns its place")
    yield Heading("By category", 3)
    yield _values(report.by_category)
    yield Heading("By miner", 3)
    yield _values(report.by_miner)


def _values(values: Sequence[Value]) -> Grid:
    heads = (
        "",
        "items",
        "times shown",
        "tokens",
        "situation came",
        "repeats answered",
        "items that never met it",
    )
    rows = tuple(
        (
            say(value.name),
            say(number(value.items)),
            say(number(value.shown)),
            say(number(value.tokens)),
            say(met(value)),
            say(number(value.answered)),
            say(number(value.idle)),
        )
        for value in values
    )
    return Grid("", heads, "lRRRrrR", rows)


def _items(report: ReplayReport, links: Links) -> Iterator[Block]:
    yield from _ranked("Items that answered most repeats", report.best, links)
    title = "Items that cost most and were never needed"
    yield from _ranked(title, report.idle, links)


def _ranked(title: str, items: Sequence[ItemValue], links: Links) -> Iterator[Block]:
    if not items:
        return
    rows = []
    for item in items:
        counts = (item.shown, item.met, item.answered, item.tokens)
        id = Name(item.id, links.item(item.id))
        fact = say(item.fact, Small((id, f", {item.miner}")))
        rows.append((fact, *(say(number(value)) for value in counts)))
    yield Heading(title, 3)
    heads = ("item", "shown", "met", "answered", "tokens")
    yield Grid("", heads, "trRrR", tuple(rows))


def _calibration(report: ReplayReport) -> Iterator[Block]:
    rows = [
        bare_row(
            f"confidence {part.low:.1f}–{part.high:.1f}, mean {part.confidence:.2f}",
            part.held,
        )
        for part in report.calibration.bins
    ]
    yield Heading("Calibration")
    yield Para(say(calibrated(report.calibration)))
    if rows:
        yield drawn(
            rows,
            lambda counted, width: forest(counted, "calls", NO_RATE, width=width),
            "Share that held, by confidence",
            wide=True,
        )


def _misses(report: ReplayReport) -> Iterator[Block]:
    if not report.misses:
        return
    rows = tuple(
        (
            say(Code(miss.fingerprint), Small((miss.program or miss.tool,))),
            say(missed(miss)),
            say(number(miss.times)),
            say(number(miss.sessions)),
        )
        for miss in report.misses
    )
    yield Heading("Repeats without a good remedy in view")
    yield Grid("", ("error", "why", "times", "sessions"), "tlrR", rows)


def _notes(report: ReplayReport) -> Iterator[Block]:
    notes = [
        Para(say(words), "mute") for words in (*report.notes, DAGGER, f"{HOW_TO_READ}.")
    ]
    yield Footer((Heading("How these numbers are made"), *notes))

"""A replay as one HTML file, made of the same pieces as the profile's page: nothing to load, no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from afterglow.measure.replay.sentences import (
    CALLED,
    answer,
    calibrated,
    head,
    met,
    placebo,
    trend,
    why_not,
)
from afterglow.profile.page import VARIABLES
from afterglow.records.profile_report import Headline, Rate, Row
from afterglow.records.replay import ItemValue, ReplayReport, Slice, Value
from afterglow.show.figures import forest, meter, weeks
from afterglow.show.html import (
    Cell,
    axis,
    drawn,
    grid,
    heading,
    pair,
    para,
    rate_cell,
    share_cell,
    tile,
)
from afterglow.show.svg import FONT, inline, style
from afterglow.text.numbers import number

BANNER = '<div class="banner">{}</div>'


def page(report: ReplayReport) -> str:
    """The whole file, section by section."""
    css = (
        files("afterglow.profile.page")
        .joinpath("style.css")
        .read_text(encoding="utf-8")
        .replace("FONT", FONT)
    )
    banner = (
        BANNER.format("Simulated: these sessions were generated, not observed.")
        if report.simulated
        else ""
    )
    banner += BANNER.format(
        "Placebo: sessions were given another project's lessons."
    ) * (report.given == "placebo")
    sections = (
        _head,
        _kinds,
        _budgets,
        _weeks,
        _about,
        _value,
        _items,
        _calibration,
        _misses,
        _notes,
    )
    body = "\n".join(section(report) for section in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Replay</title><style>{css}{style(VARIABLES)}</style></head>\n"
        f"<body>{banner}<main>\n{body}\n</main></body></html>\n"
    )


def _head(report: ReplayReport) -> str:
    shares = [
        ("repeats with their remedy in view", report.shares["in view"], "repeats")
    ]
    shares += [
        ("apart from failing tests and builds", report.apart_from_work, "repeats")
    ]
    shares += (
        [("with the placebo", report.placebo.in_view, "repeats")]
        if report.placebo.in_view
        else []
    )
    shares += [("with a remedy that does not hold", report.shares["harm"], "repeats")]
    tiles = "".join(tile(_headline(*share)) for share in shares)
    said = (answer(report), placebo(report), trend(report))
    return f'<h1>Replay</h1>{para(head(report), "mute")}<div class="heads">{tiles}</div>{"".join(map(para, said))}'


def _headline(label: str, rate: Rate, of: str) -> Headline:
    return Headline(
        label=label, unit="share", value=rate.value, low=rate.low, high=rate.high, n=rate.n, of=of,
        sessions=rate.sessions,
    )  # fmt: skip


def _kinds(report: ReplayReport) -> str:
    whole = report.shares["in view"]
    rows: list[list[Cell]] = [
        [
            (
                "name",
                escape(CALLED[kind])
                + f"<small>{escape(why_not(report, kind))}</small>",
            ),
            rate_cell(share),
            ("draw", meter(share, 1.0, "calls", whole)),
            share_cell(share),
        ]
        for kind, share in report.shares.items()
    ]
    heads: list[Cell] = [
        ("", "repeated errors"),
        ("r", "share"),
        ("draw", axis("0 %", "100 %")),
        ("r", "times"),
    ]
    new = f"{number(report.first.count)} of {number(report.errors)} errors were new to their repository, and are apart"
    told = f"; {number(report.foreseen.count)} of them had a remedy in view that was learned elsewhere."
    return (
        heading("What was known when an error came again")
        + para(new + told, "mute")
        + grid(heads, rows)
    )


def _budgets(report: ReplayReport) -> str:
    rows = [
        _row(f"{number(p.budget)} tokens ({number(round(p.tokens))} used)", p.in_view)
        for p in report.curve
    ]
    shown = drawn(
        rows,
        lambda some: forest(some, "calls", report.shares["in view"], width=900),
        "In view, by budget",
    )
    return heading("By budget") + f'<div class="wide">{shown}</div>'


def _weeks(report: ReplayReport) -> str:
    rows = [_row(one.name, one.in_view) for one in report.weeks]
    shown = drawn(
        rows,
        lambda some: weeks(some, "between", report.shares["in view"], width=900),
        "In view, by week",
    )
    return (
        heading("Is it compounding?", "between sessions")
        + f'<div class="wide">{shown}</div>'
    )


def _about(report: ReplayReport) -> str:
    parts = [
        heading("What the errors were about", level=3)
        + _slices((report.conventions, report.lessons), report)
    ]
    if len(report.by_repo) > 1:
        parts.append(
            heading("By repository", level=3) + _slices(report.by_repo[:15], report)
        )
    return heading("Where") + pair(*parts)


def _slices(found: Iterable[Slice], report: ReplayReport) -> str:
    rows: list[list[Cell]] = [
        [
            ("name", escape(one.name)),
            rate_cell(one.in_view),
            ("draw", meter(one.in_view, 1.0, "calls", report.shares["in view"])),
            share_cell(one.in_view),
        ]
        for one in found
    ]
    return grid(
        [("", ""), ("r", "in view"), ("draw", axis("0 %", "100 %")), ("r", "repeats")],
        rows,
    )


def _value(report: ReplayReport) -> str:
    return heading("What kind of context earns its place") + "".join(
        heading(f"By {name}", level=3) + _values(found)
        for name, found in (
            ("category", report.by_category),
            ("miner", report.by_miner),
        )
    )


def _values(found: Sequence[Value]) -> str:
    rows: list[list[Cell]] = [
        [
            ("name", escape(one.name)),
            ("r", number(one.items)),
            ("r", number(one.shown)),
            ("r", number(one.tokens)),
            ("r", met(one)),
            ("r", number(one.answered)),
            ("r", number(one.idle)),
        ]
        for one in found
    ]
    heads = (
        "",
        "items",
        "times shown",
        "tokens",
        "situation came",
        "repeats answered",
        "items that never met it",
    )
    return grid([("r" if name else "", name) for name in heads], rows)


def _items(report: ReplayReport) -> str:
    return _ranked("Items that answered most repeats", report.best) + _ranked(
        "Items that cost most and never met their situation", report.idle
    )


def _ranked(title: str, found: Sequence[ItemValue]) -> str:
    rows: list[list[Cell]] = [
        [("", f"{escape(one.fact)}<small>{one.id}, {escape(one.miner)}</small>")]
        + [
            ("r", number(value))
            for value in (one.shown, one.met, one.answered, one.tokens)
        ]
        for one in found
    ]
    heads = [
        ("" if name == "item" else "r", name)
        for name in ("item", "shown", "met", "answered", "tokens")
    ]
    return heading(title, level=3) + grid(heads, rows) if rows else ""


def _calibration(report: ReplayReport) -> str:
    rows = [
        _row(
            f"confidence {one.low:.1f}–{one.high:.1f}, mean {one.confidence:.2f}",
            one.held,
        )
        for one in report.calibration.bins
    ]
    every = Rate(value=None, low=0.0, high=1.0, count=0, n=0, sessions=0)
    shown = (
        inline(
            forest(rows, "calls", every, width=900), "Share that held, by confidence"
        )
        if rows
        else ""
    )
    return (
        heading("Calibration")
        + para(calibrated(report.calibration))
        + f'<div class="wide">{shown}</div>'
    )


def _misses(report: ReplayReport) -> str:
    rows: list[list[Cell]] = [
        [
            (
                "name",
                f"<code>{escape(one.fingerprint)}</code><small>{escape(one.program or one.tool)}</small>",
            ),
            ("", escape(f"{one.kind}: {one.why}" if one.why else one.kind)),
            ("r", number(one.times)),
            ("r", number(one.sessions)),
        ]
        for one in report.misses
    ]
    heads: list[Cell] = [
        ("", "error"),
        ("", "known?"),
        ("r", "times"),
        ("r", "sessions"),
    ]
    return (
        heading("Repeats without a good remedy in view") + grid(heads, rows)
        if rows
        else ""
    )


def _notes(report: ReplayReport) -> str:
    return f"<footer>{heading('How these numbers are made')}{''.join(para(n, 'mute') for n in report.notes)}</footer>"


def _row(name: str, rate: Rate) -> Row:
    return Row(
        name=name,
        rate=rate,
        sessions=rate.sessions,
        calls=rate.n,
        blocked=0,
        cancelled=0,
        unknown=0,
    )

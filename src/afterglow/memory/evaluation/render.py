"""Evaluations as text: the same sections as plain tables or as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.memory.evaluation.recommend import milliseconds
from afterglow.records.evaluation import POINTS, Check, Evaluation, Share
from afterglow.text.clip import printable

MARKS = {
    "passed": "yes",
    "failed": "FAILED",
    "unsupported": "unsupported",
    "untried": "not tried",
}


class Section(Struct, frozen=True):
    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def as_table(evaluations: Sequence[Evaluation]) -> str:
    return "\n\n".join(_plain(section) for section in sections(evaluations))


def as_markdown(evaluations: Sequence[Evaluation]) -> str:
    return "\n\n".join(_markdown(section) for section in sections(evaluations))


def sections(evaluations: Sequence[Evaluation]) -> Iterator[Section]:
    yield _points(evaluations)
    live = [one for one in evaluations if one.available]
    timed = [one for one in live if one.times]
    if timed:
        yield _times(timed)
    if any(one.checks for one in live):
        yield _checks(live)
    yield from _quality(live)
    if live:
        yield _costs(live)


def _points(evaluations: Sequence[Evaluation]) -> Section:
    rows = []
    for one in evaluations:
        given = [str(one.points[name]) if one.available else "–" for name in POINTS]
        rows.append(
            (
                one.backend,
                str(one.total),
                *given,
                one.reason if one.available else f"not available: {one.reason}",
            )
        )
    headers = (
        "backend",
        "score",
        *(f"{name} {most}" for name, most in POINTS.items()),
        "",
    )
    return Section("Points, of 100", headers, tuple(rows))


def _times(live: Sequence[Evaluation]) -> Section:
    rows = tuple(
        (
            one.backend,
            what,
            milliseconds(took.median),
            milliseconds(took.p95),
            str(took.n),
        )
        for one in live
        for what, took in one.times.items()
    )
    return Section(
        "Latency: the slowest median counts",
        ("backend", "call", "median", "p95", "n"),
        rows,
    )


def _checks(live: Sequence[Evaluation]) -> Section:
    names = list(dict.fromkeys(check.name for one in live for check in one.checks))
    states = [{check.name: check for check in one.checks} for one in live]
    rows = tuple(
        (name, *(_mark(state.get(name)) for state in states)) for name in names
    )
    notes = [
        f"{one.backend}, {check.name}: {check.detail}"
        for one in live
        if one.keeps
        for check in one.checks
        if check.state != "passed" or check.name in {"durability", "concurrency"}
    ]
    notes += [
        f"{one.backend}: {one.left_behind} test entries could not be deleted"
        for one in live
        if one.left_behind
    ]
    return Section(
        "What it does", ("check", *(one.backend for one in live)), rows, tuple(notes)
    )


def _mark(check: Check | None) -> str:
    return MARKS[check.state] if check else "–"


def _quality(live: Sequence[Evaluation]) -> Iterator[Section]:
    """What each finds of the labelled set, the baselines once below them; then the same by kind of question."""
    mine = [one.quality for one in live if one.quality]
    if not mine:
        return
    every = [*mine, *next(one.baselines for one in live if one.quality)]
    cuts = sorted(every[0].recall)
    rows = tuple(
        (
            found.name,
            *(_share(found.recall[cut]) for cut in cuts),
            _share(found.hit[cuts[-1]]),
            _share(found.mrr),
            milliseconds(found.times.median),
        )
        for found in every
    )
    notes = tuple(
        f"{found.name}, recall@{cuts[-1]} less that of {name}: {gap.value:+.2f} ({gap.low:+.2f} to {gap.high:+.2f})"
        for found in mine
        for name, gap in found.ahead.items()
    )
    yield Section(
        f"What it finds: {every[0].labels}, {every[0].questions:,} questions over {every[0].entries:,} entries",
        (
            "search",
            *(f"recall@{cut}" for cut in cuts),
            f"hit@{cuts[-1]}",
            "MRR",
            "median",
        ),
        rows,
        notes,
    )
    if len(every[0].kinds) > 1:
        kinds = tuple(
            (kind, str(found.n), *(_share(other.kinds[kind]) for other in every))
            for kind, found in every[0].kinds.items()
        )
        yield Section(
            f"recall@{cuts[-1]} by kind of question",
            ("kind", "n", *(one.name for one in every)),
            kinds,
        )


def _share(found: Share) -> str:
    return f"{found.value:.2f} ({found.low:.2f}–{found.high:.2f})"


def _costs(live: Sequence[Evaluation]) -> Section:
    rows = []
    for one in live:
        cost = one.cost
        if cost is None:
            continue
        disk = "–"
        if cost.bytes_per_entry is not None and one.keeps:
            disk = f"{cost.bytes_per_entry:,.0f} bytes for {cost.text_per_entry or 0:,.0f} of text"
        where = (
            "leaves this machine" if cost.leaves_machine else "stays on this machine"
        )
        rows.append(
            (
                one.backend,
                where,
                disk,
                f"{cost.calls:,}",
                "not known" if cost.leaves_machine else "none",
            )
        )
    headers = (
        "backend",
        "data",
        "on disk, an entry",
        "calls of this evaluation",
        "money",
    )
    notes = [
        f"{one.backend}: what it finds was not measured: {one.unmeasured}"
        for one in live
        if one.unmeasured
    ]
    return Section("Cost", headers, tuple(rows), tuple(notes))


def _plain(section: Section) -> str:
    section = _harmless(section)
    widths = [
        max(map(len, column))
        for column in zip(section.headers, *section.rows, strict=True)
    ]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) for cell, width in zip(cells, widths, strict=True)
        ).rstrip()

    ruled = "  ".join("─" * width for width in widths)
    return "\n".join(
        [
            section.title,
            line(section.headers),
            ruled,
            *map(line, section.rows),
            *section.notes,
        ]
    )


def _harmless(section: Section) -> Section:
    """Reasons come from servers: what would move the cursor is shown, not done."""
    rows = tuple(tuple(printable(cell) for cell in row) for row in section.rows)
    return Section(
        printable(section.title),
        section.headers,
        rows,
        tuple(map(printable, section.notes)),
    )


def _markdown(section: Section) -> str:
    section = _harmless(section)

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in cells)} |"

    rows = [
        line(section.headers),
        "|" + "---|" * len(section.headers),
        *map(line, section.rows),
    ]
    notes = ["", *(f"- {note}" for note in section.notes)] if section.notes else []
    return "\n".join([f"### {section.title}", "", *rows, *notes])

"""Evaluations as text: sections of plain tables or Markdown, and which backend to choose, in sentences that follow.

Reasons come from servers: what would move the cursor is shown, not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from afterglow.records.evaluation import (
    POINTS,
    Cost,
    Evaluation,
    Quality,
    Share,
    State,
)
from afterglow.show.tables import table
from afterglow.text.clip import printable
from afterglow.text.numbers import round_percent, round_range

CLOSE_POINTS = 5  # less than a step of latency makes on another day
# Who fails here is not recommended over a backend that does not.
GRAVE_CHECKS = ("deletion", "users", "update", "durability", "concurrency")
DETAILED_CHECKS = ("durability", "concurrency")  # how many survived is worth a line
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


def recommendation(evaluations: Sequence[Evaluation]) -> str:
    """What to use and why; what it lacks; what comes close; and a warning where data leaves the machine."""
    usable = [
        evaluation
        for evaluation in evaluations
        if evaluation.available and evaluation.keeps
    ]
    if not usable:
        return _nothing_to_recommend(evaluations)
    best, *rivals = sorted(usable, key=_rank)
    sentences = [
        _choice(best),
        *_against_baselines(best),
        *_weaknesses(best),
        *_close_rivals(best, rivals),
    ]
    sentences += [
        f"Warning: with {evaluation.backend} what you store leaves this machine."
        for evaluation in (best, *rivals)
        if evaluation.is_cloud
    ]
    return " ".join(sentences)


def _rank(evaluation: Evaluation) -> tuple[int, int, bool, float, str]:
    quality = evaluation.quality
    recall = quality.recall[max(quality.recall)].value if quality else 0.0
    return (
        _grave_failures(evaluation),
        -evaluation.total,
        evaluation.is_cloud,
        -recall,
        evaluation.backend,
    )


def _grave_failures(evaluation: Evaluation) -> int:
    return sum(name in GRAVE_CHECKS for name in _names_in(evaluation, "failed"))


def _names_in(evaluation: Evaluation, state: State) -> list[str]:
    return [check.name for check in evaluation.checks if check.state == state]


def _choice(best: Evaluation) -> str:
    reasons = [
        f"{best.total} of 100 points",
        "elsewhere" if best.is_cloud else "on this machine",
    ]
    if best.times:
        call, slowest = max(best.times.items(), key=lambda row: row[1].median)
        reasons.append(
            f"{call} takes {_milliseconds(slowest.median)}, the slowest of its calls"
        )
    return f"Use {best.backend} (AFTERGLOW_MEMORY_BACKEND={best.backend}): {', '.join(reasons)}."


def _against_baselines(best: Evaluation) -> list[str]:
    quality = best.quality
    if quality is None:
        return []
    cut = max(quality.recall)
    recall = quality.recall[cut]
    clauses = [
        f"Points say that it works, not that it knows what you mean: of {quality.questions} questions its first answer "
        f"is right for {_right_at_once(quality)}, and of what they ask for it has {round_percent(recall.value)} "
        f"({round_range(recall.low, recall.high)}) among its first {cut}"
    ]
    for baseline in best.baselines:
        verdict = _verdict(quality.ahead[baseline.name])
        clauses.append(
            f"{baseline.name} has {round_percent(baseline.recall[cut].value)} ({verdict})"
        )
    return ["; ".join(clauses) + "."]


def _right_at_once(quality: Quality) -> str:
    return round_percent(quality.hit[min(quality.hit)].value)


def _verdict(gap: Share) -> str:
    if gap.low > 0:
        return "clearly less"
    if gap.high < 0:
        return "clearly more"
    return "no clear difference"


def _weaknesses(best: Evaluation) -> Iterator[str]:
    if failed := _names_in(best, "failed"):
        yield f"But it fails at {', '.join(failed)}."
    if unsupported := _names_in(best, "unsupported"):
        yield f"It cannot do {', '.join(unsupported)}."
    if untried := _names_in(best, "untried"):
        yield f"Not tried: {', '.join(untried)}."
    if best.left_behind:
        yield f"{best.left_behind} test entries could not be deleted again."


def _close_rivals(best: Evaluation, rivals: Iterable[Evaluation]) -> Iterator[str]:
    for rival in rivals:
        if _grave_failures(rival) or best.total - rival.total > CLOSE_POINTS:
            continue
        same_place = rival.is_cloud == best.is_cloud
        ending = "." if same_place else ", where the data lives may."
        yield f"{rival.backend} is close ({rival.total}): so few points do not decide{ending}"


def _nothing_to_recommend(evaluations: Sequence[Evaluation]) -> str:
    text = "None of them keeps anything here, so there is none to recommend."
    missing: list[str] = []
    for evaluation in evaluations:
        if not evaluation.available:
            missing.append(printable(f"{evaluation.backend}: {evaluation.reason}"))
    if missing:
        text += f" Not available: {'; '.join(missing)}."
    if "local" not in [evaluation.backend for evaluation in evaluations]:
        text += " AFTERGLOW_MEMORY_BACKEND=local keeps entries on this machine."
    return text


def sections(evaluations: Sequence[Evaluation]) -> Iterator[Section]:
    yield _points(evaluations)
    live = [evaluation for evaluation in evaluations if evaluation.available]
    if not live:
        return
    if any(evaluation.times for evaluation in live):
        yield _times(live)
    if any(evaluation.checks for evaluation in live):
        yield _checks(live)
    yield from _quality_sections(live)
    yield _costs(live)


def _quality_sections(live: Sequence[Evaluation]) -> Iterator[Section]:
    qualities: list[Quality] = []
    baselines: Sequence[Quality] = ()
    for evaluation in live:
        if evaluation.quality is None:
            continue
        if not qualities:
            baselines = evaluation.baselines
        qualities.append(evaluation.quality)
    if not qualities:
        return
    yield _quality(qualities, baselines)
    if len(qualities[0].kinds) > 1:
        yield _kinds([*qualities, *baselines])


def _points(evaluations: Sequence[Evaluation]) -> Section:
    rows = []
    for evaluation in evaluations:
        points = [str(evaluation.points[name]) for name in POINTS]
        reason = evaluation.reason
        if not evaluation.available:
            points = ["–"] * len(POINTS)
            reason = f"not available: {reason}"
        right = "–"
        if evaluation.quality is not None:
            right = _right_at_once(evaluation.quality)
        rows.append((evaluation.backend, str(evaluation.total), right, *points, reason))
    columns = [f"{name} {most}" for name, most in POINTS.items()]
    return Section(
        "Points, of 100, and how often the first answer to a question is right",
        ("backend", "score", "right at once", *columns, "note"),
        tuple(rows),
    )


def _times(live: Sequence[Evaluation]) -> Section:
    rows: list[tuple[str, ...]] = []
    for evaluation in live:
        for call, times in evaluation.times.items():
            median, p95 = _milliseconds(times.median), _milliseconds(times.p95)
            rows.append((evaluation.backend, call, median, p95, str(times.n)))
    headers = ("backend", "call", "median", "p95", "n")
    return Section("Latency: the slowest median counts", headers, tuple(rows))


def _checks(live: Sequence[Evaluation]) -> Section:
    headers = ["check"]
    notes: list[str] = []
    unfinished: list[str] = []
    marks: list[dict[str, str]] = []
    names: dict[str, None] = {}
    for evaluation in live:
        headers.append(evaluation.backend)
        notes += _check_notes(evaluation)
        if evaluation.left_behind:
            entries = f"{evaluation.left_behind} test entries"
            unfinished.append(f"{evaluation.backend}: {entries} could not be deleted")
        marks.append({check.name: MARKS[check.state] for check in evaluation.checks})
        names.update(dict.fromkeys(marks[-1]))
    rows: list[tuple[str, ...]] = []
    for name in names:
        cells = [column.get(name, "–") for column in marks]
        rows.append((name, *cells))
    return Section("What it does", tuple(headers), tuple(rows), (*notes, *unfinished))


def _check_notes(evaluation: Evaluation) -> Iterator[str]:
    if not evaluation.keeps:
        return
    for check in evaluation.checks:
        if check.state != "passed" or check.name in DETAILED_CHECKS:
            yield f"{evaluation.backend}, {check.name}: {check.detail}"


def _quality(qualities: Sequence[Quality], baselines: Sequence[Quality]) -> Section:
    """What each finds of the labelled set, the baselines once below them."""
    first = qualities[0]
    cuts = sorted(first.recall)
    deepest = cuts[-1]
    rows: list[tuple[str, ...]] = []
    for quality in (*qualities, *baselines):
        recall = [_share(quality.recall[cut]) for cut in cuts]
        hit, mrr = _share(quality.hit[deepest]), _share(quality.mrr)
        median = _milliseconds(quality.times.median)
        rows.append((quality.name, *recall, hit, mrr, median))
    notes: list[str] = []
    for quality in qualities:
        for name, gap in quality.ahead.items():
            interval = f"{gap.low:+.2f} to {gap.high:+.2f}"
            compared = f"{quality.name}, recall@{deepest} less that of {name}"
            notes.append(f"{compared}: {gap.value:+.2f} ({interval})")
    recalls = [f"recall@{cut}" for cut in cuts]
    return Section(
        f"What it finds: {first.labels}, {first.questions:,} questions over {first.entries:,} entries",
        ("search", *recalls, f"hit@{deepest}", "MRR", "median"),
        tuple(rows),
        tuple(notes),
    )


def _kinds(searches: Sequence[Quality]) -> Section:
    rows = tuple(
        (kind, str(share.n), *(_share(search.kinds[kind]) for search in searches))
        for kind, share in searches[0].kinds.items()
    )
    return Section(
        f"recall@{max(searches[0].recall)} by kind of question",
        ("kind", "n", *(search.name for search in searches)),
        rows,
    )


def _costs(live: Sequence[Evaluation]) -> Section:
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for evaluation in live:
        name = evaluation.backend
        if evaluation.unmeasured:
            reason = evaluation.unmeasured
            notes.append(f"{name}: what it finds was not measured: {reason}")
        cost = evaluation.cost
        if cost is None:
            continue
        where, money = "stays on this machine", "none"
        if cost.leaves_machine:
            where, money = "leaves this machine", "not known"
        disk = _on_disk(cost) if evaluation.keeps else "–"
        rows.append((name, where, disk, f"{cost.calls:,}", money))
    return Section(
        "Cost",
        ("backend", "data", "on disk, an entry", "calls of this evaluation", "money"),
        tuple(rows),
        tuple(notes),
    )


def _on_disk(cost: Cost) -> str:
    if cost.bytes_per_entry is None:
        return "–"
    return (
        f"{cost.bytes_per_entry:,.0f} bytes for {cost.text_per_entry or 0:,.0f} of text"
    )


def _share(share: Share) -> str:
    return f"{share.value:.2f} ({share.low:.2f}–{share.high:.2f})"


def _milliseconds(value: float) -> str:
    return f"{value:.2g} ms" if value < 10 else f"{value:,.0f} ms"


def _plain(section: Section) -> str:
    rows = table(section.headers, section.rows, wrapped="note")
    return "\n".join([printable(section.title), rows, *map(printable, section.notes)])


def _markdown(section: Section) -> str:
    lines = [
        f"### {printable(section.title)}",
        "",
        _markdown_row(section.headers),
        "|" + "---|" * len(section.headers),
        *map(_markdown_row, section.rows),
    ]
    if section.notes:
        lines += ["", *(f"- {printable(note)}" for note in section.notes)]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = [printable(cell).replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(' '.join(cell.split()) for cell in escaped)} |"

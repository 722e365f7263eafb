"""What a run says: `python -m bench.closed_loop.analyse --out DIR`. Prints Markdown, writes the experiment's report.

The first table is the experiment as planned. The rest was not planned and only describes: warm against placebo, and the
families by what became of their lesson (right, wrong, missing), so that a failed harvest is seen for what it is.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.analysis import analyse
from afterglow.experiment.report import as_html
from afterglow.flows import experiment
from afterglow.records.experiment import PLACEBO, WARM, Analysis, Estimate, Plan, Trial
from bench.closed_loop import rows
from bench.closed_loop.comparison import ARMS, NAME
from bench.closed_loop.loop import Loop
from bench.closed_loop.rows import LEARN, Row
from bench.closed_loop.run import OUT

COLUMNS = "outcome|arm|against|pairs|mean|control|difference (95 %)|p|at any time (95 %)|method|verdict"
HEAD = f"|{COLUMNS}|\n" + "|---" * 11 + "|"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the run")
    loop = Loop(out=parser.parse_args().out)
    try:
        analysis, specs = experiment.report(loop.config, NAME)
    except UsageError as error:
        sys.exit(f"error: {error}")
    (loop.out / "report.html").write_text(as_html(analysis, specs), encoding="utf-8")
    found = rows.read(loop.rows)
    for line in told(analysis, trials_of(loop.config), found):
        sys.stdout.write(f"{line}\n")


def trials_of(config: Config) -> tuple[Trial, ...]:
    return experiment.gathered(config, NAME).trials


def told(
    analysis: Analysis, trials: Sequence[Trial], found: Sequence[Row]
) -> Iterator[str]:
    """The whole text, line by line."""
    lesson = {row.task: row.lesson for row in found if row.arm != LEARN}
    yield from _learning([row for row in found if row.arm == LEARN], lesson, found)
    yield from (
        "",
        "As planned, against cold:",
        "",
        HEAD,
        *map(_estimate, analysis.estimates),
    )
    other = replace(analysis.plan, arms=(PLACEBO, WARM), allocation=(0.5, 0.5))
    yield from (
        "",
        "Warm against placebo (not planned):",
        "",
        HEAD,
        *_part(other, trials, analysis.time),
    )
    for words in ("right", "wrong", "missing"):
        tasks = {task for task, kind in lesson.items() if kind == words}
        families = {row.family for row in found if row.task in tasks}
        yield from (
            "",
            f"Lesson {words}: {len(tasks)} tasks of {len(families)} families (not planned)",
        )
        some = [trial for trial in trials if trial.unit in tasks]
        if some:
            yield from ("", HEAD, *_part(analysis.plan, some, analysis.time))
    yield from ("", *_families(found))


def _learning(
    learned: Sequence[Row], lesson: dict[str, str], found: Sequence[Row]
) -> Iterator[str]:
    solved, helped = (
        sum(row.solved for row in learned),
        sum(row.helped for row in learned),
    )
    yield f"{len(learned)} learning sessions: {solved} solved; in {helped} the person had to say what was wrong."
    kinds = Counter(lesson[task] for task in lesson)
    yield (
        "Measured tasks by lesson: "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        + "."
    )
    for arm in ARMS:
        mine = [row for row in found if row.arm == arm]
        solved, mean = (
            sum(row.solved for row in mine),
            sum(row.context for row in mine) / max(len(mine), 1),
        )
        yield f"{arm}: {solved} of {len(mine)} solved, contexts of {mean:.0f} tokens on average."


def _part(plan: Plan, trials: Sequence[Trial], now: float) -> Iterator[str]:
    """A comparison of some of the trials; the planned size does not hold for it."""
    some = [trial for trial in trials if trial.arm in plan.arms]
    try:
        yield from map(
            _estimate, analyse(replace(plan, planned=0), some, now=now).estimates
        )
    except UsageError as error:
        yield f"| {error} |"


def _estimate(one: Estimate) -> str:
    interval = (
        f"{one.difference:+.2f} ({one.interval.low:+.2f} to {one.interval.high:+.2f})"
    )
    sequence = f"{one.sequence.low:+.2f} to {one.sequence.high:+.2f}"
    cells = (
        one.outcome,
        one.arm,
        one.control,
        str(one.pairs),
        f"{one.mean:.2f}",
        f"{one.mean_control:.2f}",
        interval,
    )
    return f"| {' | '.join(cells)} | {one.p:.2g} | {sequence} | {one.method} | {one.verdict} |"


def _families(found: Iterable[Row]) -> Iterator[str]:
    """Solved tasks of each family, by arm."""
    yield (
        "| family | quirk | lesson | "
        + " | ".join(ARMS)
        + " |\n"
        + "|---" * (3 + len(ARMS))
        + "|"
    )
    by_family: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        if row.arm != LEARN:
            by_family[row.family].append(row)
    for family, some in sorted(by_family.items()):
        cells = [[row.solved for row in some if row.arm == arm] for arm in ARMS]
        lessons = ", ".join(sorted({row.lesson for row in some}))
        counts = " | ".join(f"{sum(solved)} of {len(solved)}" for solved in cells)
        yield f"| {family} | {some[0].kind} | {lessons} | {counts} |"


if __name__ == "__main__":
    main()

"""Tasks that were run in two arms, by where the answer was yes: what a paired comparison rests on."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.experiment.report.outcome_units import p_value
from afterglow.experiment.report.view import View
from afterglow.records.experiment import PairTable
from afterglow.show.blocks import Block, Grid, Heading, Num, Para, Small, Words, say
from afterglow.text.clip import printable
from afterglow.text.numbers import number


def task_by_task(view: View, level: int = 2) -> Iterator[Block]:
    """Nothing, not even its heading, where no task was run once in two arms."""
    tables = view.analysis.pair_tables
    if not tables:
        return
    yield Heading("Task by task", level)
    yield Para(say(_how_to_read(view)), "mute")
    yield Grid(
        "Tasks run once in both arms, by where the answer was yes",
        (
            "pair",
            "in both",
            "in the first alone",
            "in the second alone",
            "in neither",
            "p, exact",
        ),
        "lrrrrr",
        tuple(_row(view, at, table) for at, table in enumerate(tables)),
    )


def _how_to_read(view: View) -> str:
    words = (
        "Only tasks with a yes in one arm alone tell two arms apart. p is that of the exact McNemar test of those, for "
        "every pair of arms, planned or not; Holm's is corrected for all pairs of an outcome. The test takes every task "
        "for independent of the others"
    )
    if any(estimate.clusters for estimate in view.analysis.estimates):
        return (
            f"{words}, and tasks of a family are alike: the verdicts rest on the comparison above, which allows for "
            "that. Where the two p differ, trust the larger."
        )
    return f"{words}."


def _row(view: View, at: int, table: PairTable) -> tuple[Words, ...]:
    pair = f"{printable(table.arm)} against {printable(table.control)}"

    def cell(field: str) -> Words:
        return say(Num(number(getattr(table, field)), f"pair_tables[{at}].{field}"))

    holm = Num(p_value(table.holm), f"pair_tables[{at}].holm")
    return (
        say(pair, Small((view.label(table.outcome),))),
        cell("both"),
        cell("only_arm"),
        cell("only_control"),
        cell("neither"),
        say(
            Num(p_value(table.p), f"pair_tables[{at}].p"),
            Small(("Holm ", holm)),
        ),
    )

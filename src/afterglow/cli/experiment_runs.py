"""`afterglow experiment from-runs`: two runs of the same tasks against each other."""

from __future__ import annotations

from pathlib import Path

import click

from afterglow.cli.experiment_results import in_json
from afterglow.cli.output import print_json
from afterglow.flows import experiment as flow
from afterglow.records.experiment import Estimate
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable
from afterglow.text.numbers import count, number

FEW_P_DIGITS = 0.001  # below it a p-value needs more digits to be told from nothing


@click.command("from-runs")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--passing",
    type=float,
    default=1.0,
    show_default=True,
    help="A task is passed from this score on.",
)
@in_json
def from_runs(first: Path, second: Path, passing: float, json: bool) -> None:
    """Compare two runs of the same tasks: result files or folders, as their benchmark left them.

    Trials are paired by task and number; the exact McNemar test counts the pairs in which only one of the two passed.
    Nothing is kept.
    """
    pairs = flow.from_runs(first, second, passing=passing)
    if json:
        print_json(pairs)
        return
    first_name, second_name = printable(pairs.first), printable(pairs.second)
    rows = [
        ("both", number(pairs.both)),
        (f"only {first_name}", number(pairs.only_first)),
        (f"only {second_name}", number(pairs.only_second)),
        ("neither", number(pairs.neither)),
    ]
    click.echo(f"{count(pairs.pairs, 'pair')} of {count(pairs.tasks, 'task')}\n")
    click.echo(table(("passed", "pairs"), rows, right="pairs"))
    for estimate in pairs.analysis.estimates:
        click.echo(f"\n{_sentence(estimate)}")
    for text in _remarks(pairs):
        click.echo(paragraph(text, bullet="! "))


def _sentence(estimate: Estimate) -> str:
    p = f"{estimate.p:.4f}" if estimate.p < FEW_P_DIGITS else f"{estimate.p:.3f}"
    low, high = estimate.interval.low, estimate.interval.high
    return (
        f"{printable(estimate.arm)} {estimate.mean:.1%} against {printable(estimate.control)} "
        f"{estimate.mean_control:.1%}: {estimate.difference:+.1%} (95 % from {low:+.1%} to {high:+.1%}); "
        f"p = {p}, {estimate.method}"
    )


def _remarks(pairs: flow.RunPairs) -> list[str]:
    remarks: list[str] = []
    if any(pairs.unpaired):
        remarks.append(
            f"left out: {pairs.unpaired[0]} trials that only {printable(pairs.first)} has, "
            f"{pairs.unpaired[1]} that only {printable(pairs.second)} has"
        )
    if any(pairs.unscored):
        remarks.append(f"left out: {sum(pairs.unscored)} sessions without a score")
    if pairs.trials > 1:
        remarks.append(
            "tasks were tried more than once: pairs of one task are alike, so the interval is too narrow"
        )
    remarks.append("nobody drew lots: the runs may differ in more than their names say")
    return remarks

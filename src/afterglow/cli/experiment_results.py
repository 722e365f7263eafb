"""`afterglow experiment` status, analyse, report, power, export: how far it is, and what it says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from afterglow import config
from afterglow.cli.options import Finite
from afterglow.cli.output import deliver, print_json, put
from afterglow.cli.progress import progress_bar
from afterglow.errors import UsageError
from afterglow.experiment.analysis.verdicts import chance
from afterglow.experiment.moments import is_by_form
from afterglow.experiment.outcomes import OUTCOMES, PRIMARY
from afterglow.flows import experiment as flow
from afterglow.records.experiment import Analysis, Estimate, Interval, Plan
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable
from afterglow.text.numbers import count, level, local_day, number, short_percent

F = TypeVar("F", bound=Callable[..., Any])


class Words(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions
    """Names with commas between them."""

    name = "a,b,c"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        return (
            value
            if isinstance(value, tuple)
            else tuple(word.strip() for word in value.split(",") if word.strip())
        )


class Shares(Words):
    """Numbers with commas between them: 80,10,10."""

    name = "80,10,10"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        try:
            return tuple(float(word) for word in super().convert(value, param, ctx))
        except ValueError:
            self.fail(f"{value!r} are not numbers; 80,10,10 would work", param, ctx)


def in_json(command: F) -> F:
    return click.option("--json", "json", is_flag=True, help="Print it as JSON.")(
        command
    )


def to_file(what: str) -> Any:
    return click.Path(
        path_type=Path, dir_okay=what == "folder", file_okay=what == "file"
    )


@click.command()
@click.argument("name")
@in_json
def status(name: str, json: bool) -> None:
    """How far NAME is: assigned, recorded and left out per arm; whether arms have their sizes; when there is enough."""
    with progress_bar("counting", ticking=True):
        progress = flow.status(config.load(), name)
    if json:
        print_json(progress)
        return
    rows = [
        (
            arm.arm,
            short_percent(arm.share),
            number(arm.assigned),
            number(arm.recorded),
            number(arm.counted),
            ", ".join(f"{many} {rule}" for rule, many in arm.excluded.items()) or "–",
        )
        for arm in progress.arms
    ]
    headers = ("arm", "share", "assigned", "recorded", "counted", "left out")
    click.echo(_head(progress.plan, progress.hash))
    click.echo(table(headers, rows, right="share assigned recorded counted"))
    word = {True: "as it should be", False: "ALARM", None: "cannot be told"}[
        progress.ratio.ok
    ]
    click.echo(f"\n{paragraph(f'sample ratio: {word}: {progress.ratio.says}')}")
    click.echo(paragraph(progress.enough))
    if progress.corrections:
        click.echo(
            f"{count(progress.corrections, 'correction')}; `afterglow experiment export` shows what was replaced"
        )


@click.command()
@click.argument("name")
@in_json
def analyse(name: str, json: bool) -> None:
    """What NAME says now. You may look as often as you like: the column `any time` holds whenever it is read."""
    with progress_bar("comparing the arms", ticking=True):
        analysis = flow.analyse(config.load(), name)
    if json:
        print_json(analysis)
        return
    if analysis.simulated:
        click.echo("SIMULATED: no real session takes part\n")
    click.echo(_head(analysis.plan, analysis.plan_hash))
    click.echo(_estimates(analysis.estimates, analysis.plan.control, analysis.plan))
    for estimate in analysis.estimates:
        if estimate.outcome == analysis.plan.primary:
            _say(estimate.arm, estimate)
    if analysis.between:
        ways = "forms" if is_by_form(analysis.plan.arms) else "moments"
        click.echo(f"\nThe {ways} against each other:")
        click.echo(_estimates(analysis.between, "against", analysis.plan))
        for estimate in analysis.between:
            _say(f"{estimate.arm} against {estimate.control}", estimate)
    if analysis.pair_tables:
        click.echo(f"\n{_pair_tables(analysis)}\n")
    for check in analysis.checks:
        if check.ok is False:
            click.echo(
                paragraph(printable(f"look at {check.name}: {check.says}"), bullet="! ")
            )
    click.echo(
        f"data {analysis.data_hash[:12]}; `afterglow experiment report {name}` says it all. {HOW_TO_READ}."
    )


def _estimates(estimates: Sequence[Estimate], control: str, plan: Plan) -> str:
    """A row a comparison; `control` heads the column of what is compared with."""
    rows = [
        (
            estimate.outcome,
            _arm(estimate, plan),
            estimate.verdict,
            f"{estimate.n}/{estimate.n_control}",
            f"{estimate.mean:.3g}",
            f"{estimate.mean_control:.3g}",
            f"{estimate.difference:+.3g}",
            _span(estimate.sequence),
            _span(estimate.interval),
            chance(estimate.p),
        )
        for estimate in estimates
    ]
    sure = level(plan.alpha)
    headers = (
        "outcome",
        "arm",
        "verdict",
        "n",
        "mean",
        control,
        "differs",
        f"{sure}, any time",
        f"{sure}, once",
        "p, once",
    )
    right = f"n mean differs {control}"
    return table(headers, rows, right=right, whole="verdict arm", named_by=2)


def _arm(estimate: Estimate, plan: Plan) -> str:
    if estimate.control == plan.control:
        return estimate.arm
    return f"{estimate.arm} / {estimate.control}"


def _say(name: str, estimate: Estimate) -> None:
    click.echo(paragraph(printable(f"{name}: {estimate.says}"), bullet="- "))


def _pair_tables(analysis: Analysis) -> str:
    """What every paired comparison of yes and no rests on, the pairs that nobody planned to compare included."""
    rows = [
        (
            printable(pairs.outcome),
            printable(f"{pairs.arm} / {pairs.control}"),
            number(pairs.both),
            number(pairs.only_arm),
            number(pairs.only_control),
            number(pairs.neither),
            chance(pairs.p),
            chance(pairs.holm),
        )
        for pairs in analysis.pair_tables
    ]
    headers = (
        "outcome",
        "pair",
        "both",
        "first",
        "second",
        "neither",
        "p, exact",
        "Holm",
    )
    alike = (
        " The exact test takes tasks for independent, the p above allows for families: trust the larger."
        if any(estimate.clusters for estimate in analysis.estimates)
        else ""
    )
    words = paragraph(
        "Tasks run once in both arms of a pair, by where the answer was yes: in both, in the first alone, in the second "
        f"alone, in neither.{alike}"
    )
    right = "both first second neither"
    return f"{words}\n\n{table(headers, rows, right=right, whole='pair')}"


@click.command()
@click.argument("name")
@click.option("--html", type=to_file("file"), help="Write the report as a page.")
@click.option("--md", type=to_file("file"), help="Write the report as Markdown.")
@click.option(
    "--paper",
    type=to_file("file"),
    help="Write the draft of a paper: .md, or .html ready for printing.",
)
def report(name: str, html: Path | None, md: Path | None, paper: Path | None) -> None:
    """The report of NAME: all outcomes, nulls and harms too, with the plan and the hashes. Prints Markdown if no file
    is named."""
    from afterglow.experiment.report import as_html, as_markdown, as_paper

    if paper and paper.suffix not in (".md", ".html"):
        raise UsageError(f"{paper.name}: a paper is written as .md or .html")
    with progress_bar("comparing the arms", ticking=True):
        analysis, specs = flow.report(config.load(), name)
    if html:
        deliver(as_html(analysis, specs), html, "report")
    if md or not (html or paper):
        deliver(as_markdown(analysis, specs), md, "report")
    if paper:
        deliver(as_paper(analysis, specs, html=paper.suffix == ".html"), paper, "draft")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--outcome",
    default="",
    help="Whose scale it is; the primary one of NAME if not said.",
)
@click.option(
    "--effect",
    type=Finite(),
    help="The smallest difference worth knowing; that of NAME if not said.",
)
@click.option("--baseline", type=Finite(), help="The control's share, for yes or no.")
@click.option(
    "--sd",
    type=Finite(0),
    help="The standard deviation of one unit, for everything else.",
)
@click.option("--alpha", type=Finite(0, 1))
@click.option("--power", type=Finite(0, 1))
@click.option(
    "--allocation",
    type=Shares(),
    default=(),
    help="Shares of the arms, the control first.",
)
@click.option("--paired/--not-paired", default=None)
@click.option(
    "--correlation", type=Finite(-1, 1), help="Between two runs of one task, if paired."
)
@click.option(
    "--cluster-size",
    type=Finite(1),
    help="Units that share a repository or a family of tasks.",
)
@click.option(
    "--icc", type=Finite(0, 1), help="How alike the units of a cluster are, 0 to 1."
)
@in_json
def power(name: str | None, outcome: str, json: bool, **more: Any) -> None:
    """How many units per arm show a difference of --effect, in the plan NAME or without one.

    With neither NAME, --baseline nor --sd, your own sessions say how an outcome goes and how many come in a week: then
    it also says how long it takes.
    """
    from afterglow.experiment.analysis.power import ANY_TIME

    choices = {key: value for key, value in more.items() if value not in (None, ())}
    if name is None and choices.keys() <= {"effect", "alpha", "power"}:
        _forecast(outcome or PRIMARY, json, choices)
        return
    sizes = flow.power(config.load(), name, outcome=outcome, **choices)
    if json:
        print_json(sizes)
        return
    assumptions = sizes.assumptions
    paired = assumptions.get("paired", False)
    where = (
        "tasks, each run in both arms"
        if paired
        else "units in each of the two arms, or in the smaller one"
    )
    spread = ", ".join(
        f"{key} {assumptions[key]:.3g}"
        for key in ("baseline", "sd")
        if key in assumptions
    )
    click.echo(
        f"To show a difference of {sizes.effect:g}{f' ({spread})' if spread else ''} against the control:"
    )
    for arm, units in sizes.needed.items():
        click.echo(f"  {arm}: about {number(units)} {where}")
    click.echo(
        f"That is for a size that is planned and read once; to read at any time takes {ANY_TIME:g} times as many."
    )


def _forecast(outcome: str, json: bool, choices: dict[str, Any]) -> None:
    """By one's own sessions, for two arms of the same size."""
    from afterglow.experiment.report.forecast import forecast_sentences

    arms = ("cold", "both")
    forecast = flow.forecast(config.load(), outcome, arms=arms, **choices)
    if json:
        print_json(forecast)
        return
    for sentence in forecast_sentences(forecast, OUTCOMES):
        click.echo(paragraph(sentence))


@click.command()
@click.argument("name")
@click.option(
    "--format",
    "format",
    type=click.Choice(["csv", "jsonl"]),
    default="csv",
    show_default=True,
)
@click.option(
    "--output",
    "folder",
    type=to_file("folder"),
    help="A folder for rows, assignments, plan and hashes.",
)
def export(name: str, format: str, folder: Path | None) -> None:
    """The rows of NAME with their plan and hashes: rows on the screen, or everything into a folder.

    `afterglow experiment record --file` reads the rows again.
    """
    files = flow.export(config.load(), name, format)
    if folder is None:
        click.echo(files[f"trials.{format}"], nl=False)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        put(folder / file, text)
    click.echo(f"{len(files)} files written to {folder}", err=True)


def _span(interval: Interval) -> str:
    if math.isinf(interval.low) and math.isinf(interval.high):
        return "no bound yet"
    return f"{interval.low:+.3g} to {interval.high:+.3g}"


def _head(plan: Plan, hash: str) -> str:
    return f"{plan.name}, version {plan.version}, plan {hash[:12]} of {local_day(plan.created)}\n"

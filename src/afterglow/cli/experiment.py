"""`afterglow experiment ...`: does it help to tell sessions what was learned, and when? From the plan to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from afterglow import config
from afterglow.cli.experiment_results import (
    Shares,
    Words,
    analyse,
    export,
    in_json,
    power,
    report,
    status,
    to_file,
)
from afterglow.cli.experiment_runs import from_runs
from afterglow.cli.experiment_standing import start, stop
from afterglow.cli.experiment_tasks import run
from afterglow.cli.options import Finite, output
from afterglow.cli.output import deliver, print_json, put
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES, PRIMARY, USUAL
from afterglow.experiment.plan import described
from afterglow.flows import experiment as flow
from afterglow.records.experiment import Plan
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable
from afterglow.text.numbers import local_day, local_time, number


@click.group(
    commands=[status, analyse, report, power, export, from_runs, run, start, stop]
)
def experiment() -> None:
    """Does it help to tell sessions what was learned, and when? Plan it, run it, read it whenever you like.

    A plan is written before any data (`new`). Units get their arm (`assign`, or by themselves after `start`), and what
    came of them is recorded; `analyse` and `report` may be asked at any time.
    """


@experiment.command()
@click.argument("name")
@click.option(
    "--arms",
    type=Words(),
    default="cold,both,placebo",
    show_default=True,
    help="The first is the control. Told lessons by moment: cold never, start, failure, both; by form: context, template, "
    "both, template:examples (one part of it), template:150 (so many tokens of it); placebo text without lessons.",
)
@click.option(
    "--unit",
    type=click.Choice(["session", "task"]),
    default="session",
    show_default=True,
)
@click.option(
    "--design",
    type=click.Choice(["blocked", "paired"]),
    default="blocked",
    show_default=True,
    help="One arm for each unit, or every task in every arm.",
)
@click.option(
    "--outcomes",
    type=Words(),
    default=PRIMARY,
    show_default=True,
    help="The first is the primary one.",
)
@click.option(
    "--allocation",
    type=Shares(),
    default=(),
    help="Shares of the arms; equal if not said.",
)
@click.option(
    "--min-effect",
    type=Finite(0),
    default=0.0,
    help="The smallest difference worth knowing, on its own scale.",
)
@click.option(
    "--planned",
    type=click.IntRange(0),
    default=0,
    help="Units per arm at which the fixed-sample result is read.",
)
@click.option("--hypothesis", default="", help="What you expect, in a sentence.")
@click.option(
    "--exclude",
    "exclusions",
    type=Words(),
    help=f"Rules that leave units out [for sessions: {','.join(USUAL)}].",
)
@click.option(
    "--strata",
    type=Words(),
    help="What assignment is blocked by: repo,agent unless said.",
)
@click.option(
    "--separate",
    is_flag=True,
    help="Keep knowledge harvested in one arm out of the others.",
)
@click.option("--alpha", type=Finite(0, 1), default=0.05, show_default=True)
@click.option("--power", type=Finite(0, 1), default=0.8, show_default=True)
@click.option("--notes", default="")
@click.option(
    "--simulated", is_flag=True, help="No real session takes part; everything says so."
)
@in_json
def new(
    name: str, json: bool, exclusions: tuple[str, ...] | None, **choices: Any
) -> None:
    """Write the plan of experiment NAME, before there is any data.

    It is kept with its hash and never changed; while nothing was assigned or recorded, another plan of the same name
    becomes its next version. `--outcomes` and `--exclude` know the names that `afterglow experiment outcomes` lists.
    """
    usual = USUAL if choices["unit"] == "session" else ()
    chosen = usual if exclusions is None else exclusions
    written = flow.new(config.load(), name, exclusions=chosen, **choices)
    if json:
        print_json(written)
        return
    word = "was there already, word for word" if not written.new else "is written"
    click.echo(
        f"{name} {word} (version {written.plan.version}).\n\n{_described(written.plan, written.hash)}"
    )
    if written.changed:
        changes = ", ".join(written.changed)
        click.echo(f"\nchanged since version {written.plan.version - 1}: {changes}")
    if written.plan.unit == "session":
        click.echo(f"\nNothing is given an arm yet: afterglow experiment start {name}")
    if not written.plan.min_effect:
        click.echo(
            'note: without --min-effect it can never say "no difference that matters"',
            err=True,
        )


@experiment.command()
@in_json
def outcomes(json: bool) -> None:
    """What can be measured, and which rules can leave units out."""
    if json:
        print_json({"outcomes": list(OUTCOMES.values()), "exclusions": EXCLUSIONS})
        return
    rows = [
        (
            outcome.name,
            outcome.scale,
            outcome.direction if outcome.direction != "none" else "–",
            outcome.words + " (proxy)" * outcome.proxy,
        )
        for outcome in OUTCOMES.values()
    ]
    click.echo(table(("outcome", "scale", "better", "what it is"), rows))
    click.echo(
        "\n" + table(("exclusion", "what it leaves out"), list(EXCLUSIONS.items()))
    )


@experiment.command()
@click.argument("name")
@click.option("--version", type=int, help="An earlier version of the plan.")
@click.option("--output", "file", type=to_file("file"), help="Write it to a file.")
@output("text", "json", "md", default="text")
def show(name: str, version: int | None, file: Path | None, format: str) -> None:
    """Print the plan of NAME. `sha256sum` of the JSON form is its hash."""
    from afterglow.experiment.plan import plan_text

    plan, hash = flow.show(config.load(), name, version)
    if format == "json":
        text = plan_text(plan).decode()  # as it was hashed, to the byte
        click.echo(text, nl=False) if file is None else put(file, text)
        return
    deliver(
        _markdown(plan, hash) if format == "md" else _described(plan, hash),
        file,
        f"plan {hash[:12]}",
    )


@experiment.command()
@click.argument("name")
@click.argument("unit")
@click.option("--repo", default="", metavar="NAME")
@click.option("--agent", default="", metavar="NAME")
@click.option(
    "--task",
    default="",
    metavar="NAME",
    help="The task a session of a paired plan works on.",
)
@in_json
def assign(name: str, unit: str, repo: str, agent: str, task: str, json: bool) -> None:
    """Give UNIT its arm, and print it; the same arm whenever it is asked.

    A task of a paired plan is run in every arm: they are printed in the order in which to run them.
    """
    assignments = flow.assign(
        config.load(), name, unit, repo=repo, agent=agent, task=task
    )
    print_json(assignments) if json else click.echo(
        "\n".join(assignment.arm for assignment in assignments)
    )


@experiment.command()
@click.argument("name")
@click.argument("unit", required=False)
@click.option(
    "--arm", help="The arm it was run in; that it was assigned to if not said."
)
@click.option(
    "--outcome",
    "outcome_words",
    multiple=True,
    metavar="NAME=VALUE",
    help="May be given several times.",
)
@click.option(
    "--before",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Something known before the start.",
)
@click.option("--task", metavar="NAME")
@click.option("--repo", metavar="NAME")
@click.option("--agent", metavar="NAME")
@click.option("--model", metavar="NAME", help="The model it was run with.")
@click.option("--session", metavar="ID", help="The session it was read from.")
@click.option(
    "--exclude",
    "excluded",
    metavar="RULE",
    help="A rule of the plan that leaves it out.",
)
@click.option(
    "--file", type=to_file("file"), help="Many units: .csv with a header, or .jsonl."
)
@click.option(
    "--correct",
    "why",
    default="",
    metavar="WHY",
    help="Take the place of earlier records, and say why.",
)
@in_json
def record(
    name: str,
    unit: str | None,
    outcome_words: tuple[str, ...],
    before: tuple[str, ...],
    file: Path | None,
    why: str,
    json: bool,
    **words: str | None,
) -> None:
    """Keep what came of UNIT, or of all units of a file: all of it or nothing.

    With neither, takes the assigned sessions that ended since from the ledger and the catalogue (scan first).
    """
    row: dict[str, Any] = {
        key: value for key, value in words.items() if value is not None
    }
    row |= _pairs("--outcome", outcome_words)
    row |= {f"before.{key}": value for key, value in _pairs("--before", before).items()}
    if unit is None and row:
        raise UsageError("name the unit these words are about, or give --file")
    if unit is not None and file is not None:
        raise UsageError("give one unit or a --file, not both")
    recorded = flow.record(
        config.load(),
        name,
        {"unit": unit, **row} if unit is not None else None,
        file=file,
        why=why,
    )
    if json:
        print_json(recorded)
    else:
        click.echo(
            f"{number(recorded.recorded)} recorded; nothing is known yet of {number(recorded.waiting)} that were assigned."
        )


@experiment.command("list")
@in_json
def list_(json: bool) -> None:
    """All experiments."""
    experiments = flow.list_experiments(config.load())
    if json:
        print_json(experiments)
    elif experiments:
        rows = [
            (
                listed.plan.name,
                listed.plan.version,
                local_day(listed.plan.created),
                ", ".join(listed.plan.arms),
                listed.plan.primary,
                number(listed.assigned),
                number(listed.recorded),
                listed.hash[:12],
            )
            for listed in experiments
        ]
        headers = (
            "name",
            "version",
            "written",
            "arms",
            "primary",
            "assigned",
            "recorded",
            "hash",
        )
        click.echo(table(headers, rows, right="version assigned recorded"))
    else:
        click.echo(
            "There is no experiment yet; `afterglow experiment new NAME` plans one.",
            err=True,
        )


def _described(plan: Plan, hash: str) -> str:
    rows = [
        *described(plan, OUTCOMES, EXCLUSIONS),
        ("written", local_time(plan.created)),
        ("hash", hash),
    ]
    space = max(len(label) for label, _ in rows) + 2
    return "\n".join(
        paragraph(printable(words), bullet=label.ljust(space)) for label, words in rows
    )


def _markdown(plan: Plan, hash: str) -> str:
    rows = [
        *described(plan, OUTCOMES, EXCLUSIONS),
        ("written", local_time(plan.created)),
        ("hash", f"`{hash}`"),
    ]
    lines = [
        f"| {label} | {printable(words).replace('|', chr(92) + '|')} |"
        for label, words in rows
    ]
    return "\n".join(
        [f"# {plan.name}, version {plan.version}", "", "| | |", "|---|---|", *lines]
    )


def _pairs(option: str, options: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    names: list[str] = []
    for text in options:
        key, sign, value = text.partition("=")
        name = key.strip()
        if not sign or not name:
            raise UsageError(f"{option} {key}: NAME=VALUE would work, like success=yes")
        names.append(name)
        pairs[name] = value
    if len(pairs) < len(names):
        raise UsageError(f"{option} names {max(names, key=names.count)} twice")
    return pairs

"""`afterglow experiment run`: an agent works on tasks in every arm of a plan."""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.experiment_results import in_json
from afterglow.cli.options import Finite
from afterglow.cli.output import print_json
from afterglow.environment import key_in, search_path
from afterglow.flows import tasks as flow
from afterglow.records.task_run import RunLimits, TaskRun
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count

MAX_TROUBLE_CHARACTERS = 300


@click.command("run")
@click.argument("name")
@click.option(
    "--tasks",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A folder of tasks: each a folder with request.md and check.sh, perhaps project/, setup.sh and task.toml.",
)
@click.option(
    "--agent",
    metavar="NAME",
    required=True,
    help="mini-swe, hermes, claude-code, codex, or command.",
)
@click.option(
    "--command",
    "line",
    default="",
    help="For --agent command: a line; {request} is a file.",
)
@click.option("--model", default="", help="Which model the agent asks.")
@click.option(
    "--base-url",
    default="",
    help="Where it is: OpenAI-compatible; Anthropic's for claude-code.",
)
@click.option(
    "--key",
    "variable",
    metavar="VARIABLE",
    default="",
    help="The variable that holds its key.",
)
@click.option("--minutes", type=Finite(0), help="Begin no run after so many.")
@click.option("--max-runs", type=click.IntRange(1), help="Runs of this call, at most.")
@click.option(
    "--max-tokens",
    type=Finite(0),
    help="Of the experiment; the plan has `tokens` as an outcome.",
)
@click.option("--max-cost", type=Finite(0), help="The same for `cost`.")
@click.option(
    "--no-sandbox", is_flag=True, help="Run the agent as you, with nothing around it."
)
@click.option(
    "--keep", is_flag=True, help="Keep the folders of runs: runs/ in the home."
)
@in_json
def run(
    name: str,
    folder: Path,
    agent: str,
    line: str,
    model: str,
    base_url: str,
    variable: str,
    minutes: float | None,
    max_runs: int | None,
    max_tokens: float | None,
    max_cost: float | None,
    no_sandbox: bool,
    keep: bool,
    json: bool,
) -> None:
    """Run every task in every arm of the plan NAME, in random order, and record what came of it.

    Each run has a room of its own: a copy of the task's project, an empty home for the agent, and what was known here
    when the study began, told as the arm says. Stop it whenever you like: the same command goes on where it was.
    """
    settings = config.load()
    report = flow.run_tasks(
        settings,
        name,
        folder,
        agent=agent,
        command=line,
        path=search_path(),
        endpoint=flow.Endpoint(base_url, model, key_in(variable)),
        limits=RunLimits(
            minutes=minutes, runs=max_runs, tokens=max_tokens, cost=max_cost
        ),
        sandbox=not no_sandbox,
        keep_rooms=keep,
        progress=lambda run, number, total: _say(run, number, total, quiet=json),
    )
    if json:
        print_json(report)
        return
    if report.stopped:
        click.echo(f"Stopped: {report.stopped}.")
    recorded = report.planned - report.remaining
    click.echo(f"{recorded} of {count(report.planned, 'run')} are recorded.")
    if report.remaining:
        click.echo("The same command goes on with the others.")
    else:
        click.echo(f"What it says: afterglow experiment analyse {name}")


def _say(run: TaskRun, number: int, total: int, *, quiet: bool) -> None:
    if quiet:
        return
    state = "done" if run.success else "not done"
    if run.exit_code is None and not run.trouble:
        state += ", its time was up"
    if run.trouble:
        state = f"could not be run: {clip(run.trouble, MAX_TROUBLE_CHARACTERS)}"
    words = f"{number}/{total}  {run.task} · {run.arm}: {state} ({run.seconds:.0f} s)"
    click.echo(printable(words))

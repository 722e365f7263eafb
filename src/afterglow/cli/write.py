"""`afterglow write`: somebody reads what keeps going wrong and writes down what to do, within a cap."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import click
from msgspec.structs import replace

from afterglow import config
from afterglow.cli import write_by_hand, write_windows
from afterglow.cli.breaking_off import breaking_off, exit_code
from afterglow.cli.options import Finite, filters, output, worker_processes
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.cli.show import writing as show
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows import harvest as flow
from afterglow.flows.model_client import named_writer, writer_of
from afterglow.harvest.lessons.prompts import prompt, read_prompt
from afterglow.records.selection import Selection


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "--with",
    "--model",
    "writer",
    metavar="NAME",
    default="",
    help="Who writes: an agent of yours (claude, codex, gemini, hermes, auto) or a model; that of config.toml if not said.",
)
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    help="Where it answers, as OpenAI's API does.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(0),
    help="The most tokens to use, in and out.",
)
@click.option("--max-cost", type=Finite(0), help="The most money to spend.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show what would be sent and the most it can cost; send nothing.",
)
@click.option(
    "--full", is_flag=True, help="With --dry-run: every word that would be sent."
)
@click.option(
    "--in",
    "places",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Only what is found in this file or folder; scanned first.",
)
@filters
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    help="How many problems to ask about, at most.  [default: 60]",
)
@click.option(
    "--tokens",
    type=click.IntRange(300),
    help="Of what is read in one question, at most.  [default: 16000; 6000 with --windows]",
)
@click.option("--prompt-file", type=click.Path(path_type=Path), help="Your own prompt.")
@click.option(
    "--again", is_flag=True, help="Also problems that have been answered before."
)
@click.option(
    "--by-hand",
    is_flag=True,
    help="Write the answer to one problem yourself, in your editor.",
)
@click.option(
    "--answers",
    type=click.File("rb"),
    metavar="FILE",
    help="Take answers that were written elsewhere, as JSON lines; - reads stdin.",
)
@click.option(
    "--by",
    default="",
    metavar="NAME",
    help="With --answers or --by-hand: who wrote them.",
)
@click.option(
    "--windows",
    is_flag=True,
    help="Have stretches of sessions read instead of problems.",
)
@click.option("--session", metavar="ID", help="With --windows: of this session only.")
@click.option(
    "--compare",
    is_flag=True,
    help="With --windows: rules, model and both on the same sessions; keeps nothing.",
)
@worker_processes
@output("table", "json")
def write(
    ids: tuple[str, ...],
    selection: Selection,
    writer: str,
    base_url: str,
    max_tokens: int | None,
    max_cost: float | None,
    dry_run: bool,
    full: bool,
    places: tuple[Path, ...],
    limit: int | None,
    tokens: int | None,
    prompt_file: Path | None,
    again: bool,
    by_hand: bool,
    answers: BinaryIO | None,
    by: str,
    windows: bool,
    session: str | None,
    compare: bool,
    jobs: int | None,
    format: str,
) -> None:
    """Have lessons written about the problems that keep coming back.

    Harvests first, which costs nothing. Then the problems nobody has answered yet are sent to the writer as dossiers,
    redacted, within the cap (--max-tokens, --max-cost, that of a day; without one nothing is asked). Each answer is
    checked against what happened in all sessions: what two of them show becomes active, the rest waits and says for
    what. With IDs (`afterglow problems` lists them) only those problems.

    Nobody is asked with --by-hand and --answers: what you or somebody else wrote passes the same checks.
    """
    settings = config.load()
    asks_windows = windows or compare or bool(session)
    if by_hand or answers is not None:
        of_writers = {"--with": writer, "--dry-run": dry_run, "--windows": asks_windows}
        _refuse(of_writers, "with --by-hand or --answers")
        return _written_elsewhere(settings, ids, by_hand, answers, by, format)
    _refuse({"--by": by}, "without --by-hand or --answers")
    selection = replace(selection, paths=places)
    options = _given(limit=limit, tokens=tokens)
    model = {
        "name": writer,
        "base_url": base_url,
        "max_cost": max_cost,
        "max_tokens": max_tokens,
    }
    if not dry_run:
        _refuse({"--full": full}, "without --dry-run")
    if asks_windows:
        _refuse({"ID": ids}, "with --windows, --session or --compare")
        options |= _given(session=session)
        if prompt_file is not None:
            options["text"] = prompt(prompt_file)
        return _windows(
            settings,
            selection,
            options,
            model,
            format,
            dry_run=dry_run,
            full=full,
            compare=compare,
            again=again,
            jobs=jobs,
        )
    if prompt_file is not None:
        options["text"] = read_prompt(prompt_file)
    options |= {"ids": ids, "again": again}
    if dry_run:
        return _show_plan(settings, selection, options, model, format, full=full)
    return _write(settings, selection, options, model, format, jobs or settings.cores)


def _written_elsewhere(
    settings: Config,
    ids: tuple[str, ...],
    by_hand: bool,
    answers: BinaryIO | None,
    by: str,
    format: str,
) -> None:
    if answers is not None:
        _refuse({"ID": ids, "--by-hand": by_hand}, "with --answers, which names them")
        return write_by_hand.hand_in(settings, answers, by, format)
    if len(ids) != 1:
        raise UsageError(
            "--by-hand takes the id of one problem; `afterglow problems` lists them"
        )
    return write_by_hand.write_by_hand(settings, ids[0], by, format)


def _windows(
    settings: Config,
    selection: Selection,
    options: dict[str, Any],
    model: dict[str, Any],
    format: str,
    *,
    dry_run: bool,
    full: bool,
    compare: bool,
    again: bool,
    jobs: int | None,
) -> None:
    if compare:
        refused = {
            "--dry-run": dry_run,
            "--again": again,
            "--session": options.get("session"),
        }
        _refuse(refused, "with --compare")
    if dry_run:
        name, base_url = model["name"], model["base_url"]
        return write_windows.show_plan(
            settings, selection, options, name, base_url, format, full=full
        )
    options["jobs"] = jobs or settings.cores
    if compare:
        return write_windows.compare_ways(settings, selection, options, model, format)
    options["again"] = again
    return write_windows.write_windows(settings, selection, options, model, format)


def _refuse(options: Mapping[str, object], why: str) -> None:
    wrong = [name for name, value in options.items() if value]
    if wrong:
        raise UsageError(f"{', '.join(wrong)} cannot go {why}")


def _given(**options: Any) -> dict[str, Any]:
    """Those that were said: the flow knows what the others are."""
    return {name: value for name, value in options.items() if value is not None}


def _show_plan(
    settings: Config,
    selection: Selection,
    options: dict[str, Any],
    model: dict[str, Any],
    format: str,
    *,
    full: bool,
) -> None:
    """What would be sent, and the most it can cost."""
    writer = named_writer(settings, model["name"], model["base_url"])
    writing = flow.plan_writing(settings, selection, **options)
    outline = flow.outline_of(writing, writer.name, writer.price)
    added = writer.overhead * len(outline.messages)
    outline = replace(outline, input=outline.input + added)
    if format == "json":
        print_json(outline)
    else:
        click.echo(show.every_word(outline) if full else show.plan(outline))


def _write(
    settings: Config,
    selection: Selection,
    options: dict[str, Any],
    endpoint: dict[str, Any],
    format: str,
    jobs: int,
) -> None:
    with (
        breaking_off(),
        writer_of(settings, **endpoint) as model,
        ExitStack() as reading,
    ):
        progress = reading.enter_context(progress_bar("harvesting sessions"))
        rules = flow.harvest(settings, selection, jobs=jobs, progress=progress)
        reading.close()
        writing = flow.plan_writing(settings, selection, **options)

        bar = progress_bar(f"asking {model.name}", ticking=True)
        asking = reading.enter_context(bar)
        report = flow.write_lessons(settings, model, writing, on_question=asking)
    report = replace(report, rules=rules)
    print_json(report) if format == "json" else click.echo(show.report(report))
    sys.exit(exit_code(report))

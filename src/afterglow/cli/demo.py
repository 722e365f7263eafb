"""`afterglow demo`"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.harvest import describe as describe_harvest
from afterglow.cli.measure import render as render_measured
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.cli.profile import render as render_profile
from afterglow.cli.replay import brief
from afterglow.cli.replay import render as render_replay
from afterglow.cli.sample import render as render_sample
from afterglow.cli.scan import describe
from afterglow.cli.show.items import rows
from afterglow.cli.show.templates import warmed
from afterglow.errors import UsageError
from afterglow.profile.page import page
from afterglow_demo.closed_loop import NAME as LOOP
from afterglow_demo.closed_loop import Loop
from afterglow_demo.closed_loop import page as loop_page
from afterglow_demo.loop_text import describe as describe_loops
from afterglow_demo.show_loop import REPO, TASK, Demo
from afterglow_demo.show_loop import demo as run

MARKER = ".afterglow-demo"


@click.command()
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep everything in this folder.",
)
@click.option(
    "--sessions", type=click.IntRange(10, 100_000), default=300, show_default=True
)
@click.option("--seed", type=int, default=7, show_default=True)
@output("table", "json")
def demo(folder: Path | None, sessions: int, seed: int, format: str) -> None:
    """Run the whole loop on a simulated fleet.

    Writes it, scans, profiles, ranks and harvests it, makes the context of the next session, and shows on its own
    history what such contexts would have held. Then some weeks of agents that read their contexts, as an experiment:
    does it find what was planted, and nothing where nothing was?

    The sessions are invented; numbers from them say nothing about real agents.
    """
    jobs = config.load().cores
    if folder is not None:
        make_room(folder)
        show(run(folder, seed=seed, sessions=sessions, jobs=jobs), format, keep=folder)
        return
    with tempfile.TemporaryDirectory(prefix="afterglow-demo-") as place:
        show(
            run(Path(place), seed=seed, sessions=sessions, jobs=jobs), format, keep=None
        )


def make_room(folder: Path) -> None:
    """An earlier demo makes room for this one; anything else is left alone."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARKER).exists():
            raise UsageError(
                f"{folder} is not empty and not an earlier demo; name a new folder"
            )
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKER).write_text(
        "made by afterglow demo; safe to delete\n", encoding="utf-8"
    )


def show(result: Demo, format: str, keep: Path | None) -> None:
    pages = {} if keep is None else _pages(result)
    if keep is not None:
        for name, html in pages.items():
            (keep / f"{name}.html").write_text(html, encoding="utf-8")
    if format == "json":
        print_json(_as_json(result))
        return
    title = click.style("SIMULATED FLEET", bold=True)
    sessions, plants = len(result.truth.sessions), len(result.truth.plants)
    click.echo(f"{title}: {sessions} invented sessions, {plants} planted lessons")
    for command, text in _acts(result):
        click.echo(f"\n{click.style(f'afterglow {command}', bold=True)}\n{text}")
    if keep is not None:
        files = ", ".join(str(keep / f"{name}.html") for name in pages)
        click.echo(
            f"\nSimulated. Fleet and truth: {keep / 'fleet'}; pages with figures: {files}"
        )


def _acts(result: Demo) -> list[tuple[str, str]]:
    """Each step as a person would run it, and what it says."""
    context, template = result.context, result.template
    return [
        ("scan", describe(result.scan)),
        ("profile", render_profile(result.profile, "table", None)),
        ("sample", render_sample(result.sample, "table", explain=True)),
        ("harvest", describe_harvest(result.harvest)),
        ("knowledge list", rows(result.learned)),
        (
            f'bootstrap --repo {REPO} --task "{TASK}"',
            f"{context.text}\n({context.reason})",
        ),
        (f'warm test {template.id} "{TASK}"', warmed(template, result.warm)),
        ("measure", render_measured(result.measured, "table")),
        ("replay", brief(result.replay)),
        (f"experiment analyse {LOOP}", _loops_as_text(result.loops)),
    ]


def _pages(result: Demo) -> dict[str, str]:
    pages = {
        "profile": page(result.profile),
        "replay": render_replay(result.replay, "html"),
        "measure": render_measured(result.measured, "html"),
    }
    if not isinstance(result.loops, str):
        heeded, ignored = result.loops
        pages["experiment"] = loop_page(heeded)
        pages["experiment-ignored"] = loop_page(ignored)
    return pages


def _as_json(result: Demo) -> dict[str, object]:
    return {
        "simulated": True,
        "scan": result.scan,
        "profile": result.profile,
        "sample": result.sample,
        "harvest": result.harvest,
        "learned": result.learned,
        "context": result.context,
        "warm": result.warm,
        "replay": result.replay,
        "measure": result.measured,
        "experiment": _loops_as_json(result.loops),
    }


def _loops_as_json(loops: tuple[Loop, Loop] | str) -> object:
    if isinstance(loops, str):
        return {"skipped": loops}
    return [
        {"heeded": loop.heeded, "truth": loop.effects, "analysis": loop.analysis}
        for loop in loops
    ]


def _loops_as_text(loops: tuple[Loop, Loop] | str) -> str:
    return f"left out: {loops}" if isinstance(loops, str) else describe_loops(*loops)

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
from afterglow.cli.show.closed_loop import describe as describe_loops
from afterglow.cli.show.items import rows
from afterglow.cli.show.templates import warmed
from afterglow.errors import UsageError
from afterglow.profile.page import page
from afterglow_demo.closed_loop import NAME as LOOP
from afterglow_demo.closed_loop import Loop
from afterglow_demo.closed_loop import page as loop_page
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
        _clear(folder)
        show(run(folder, seed=seed, sessions=sessions, jobs=jobs), format, keep=folder)
        return
    with tempfile.TemporaryDirectory(prefix="afterglow-demo-") as place:
        show(
            run(Path(place), seed=seed, sessions=sessions, jobs=jobs), format, keep=None
        )


def _clear(folder: Path) -> None:
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


def show(found: Demo, format: str, keep: Path | None) -> None:
    if keep is not None:
        (keep / "profile.html").write_text(page(found.profile), encoding="utf-8")
        (keep / "replay.html").write_text(
            render_replay(found.replay, "html"), encoding="utf-8"
        )
        (keep / "measure.html").write_text(
            render_measured(found.measured, "html"), encoding="utf-8"
        )
        for one in found.loops if isinstance(found.loops, tuple) else ():
            name = "experiment" if one.heeded else "experiment-ignored"
            (keep / f"{name}.html").write_text(loop_page(one), encoding="utf-8")
    if format == "json":
        print_json(
            {
                "simulated": True,
                "scan": found.scan,
                "profile": found.profile,
                "sample": found.sample,
            }
            | {
                "harvest": found.harvest,
                "learned": found.learned,
                "context": found.context,
                "warm": found.warm,
            }
            | {
                "replay": found.replay,
                "measure": found.measured,
                "experiment": _told(found.loops),
            }
        )
        return
    planted = len(found.truth.sessions)
    click.echo(
        click.style("SIMULATED FLEET", bold=True)
        + f": {planted} invented sessions, {len(found.truth.plants)} planted lessons"
    )
    for name, text in (
        ("scan", describe(found.scan)),
        ("profile", render_profile(found.profile, "table", None)),
        ("sample", render_sample(found.sample, "table", explain=True)),
        ("harvest", describe_harvest(found.harvest)),
        ("knowledge list", rows(found.learned)),
        (
            f'bootstrap --repo {REPO} --task "{TASK}"',
            f"{found.context.text}\n({found.context.reason})",
        ),
        (f'warm test {found.template.id} "{TASK}"', warmed(found.template, found.warm)),
        ("measure", render_measured(found.measured, "table")),
        ("replay", brief(found.replay)),
        (f"experiment analyse {LOOP}", _told_in_words(found.loops)),
    ):
        click.echo(f"\n{click.style(f'afterglow {name}', bold=True)}\n{text}")
    if keep is not None:
        pages = ", ".join(str(keep / f"{name}.html") for name in _pages(found))
        click.echo(
            f"\nSimulated. Fleet and truth: {keep / 'fleet'}; pages with figures: {pages}"
        )


def _pages(found: Demo) -> tuple[str, ...]:
    return (
        "profile",
        "replay",
        "measure",
        *(("experiment",) if isinstance(found.loops, tuple) else ()),
    )


def _told(loops: tuple[Loop, Loop] | str) -> object:
    if isinstance(loops, str):
        return {"skipped": loops}
    return [
        {"heeded": one.heeded, "truth": one.effects, "analysis": one.analysis}
        for one in loops
    ]


def _told_in_words(loops: tuple[Loop, Loop] | str) -> str:
    return f"left out: {loops}" if isinstance(loops, str) else describe_loops(*loops)

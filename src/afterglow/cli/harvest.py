"""`afterglow harvest`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import filters, output
from afterglow.cli.scan import progress_bar
from afterglow.cli.tables import number, paragraph, print_json, size, table
from afterglow.errors import UsageError
from afterglow.flows.harvest import harvest as run
from afterglow.profile.words import count
from afterglow.records.knowledge import STATUSES, HarvestReport

SHOWN = 5  # sources with trouble that are named


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@filters
@click.option("--again", is_flag=True, help="Mine sessions anew that have not changed.")
@click.option("--dry-run", is_flag=True, help="Show what would be found and what would be redacted; write nothing.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; as many as there are cores if not said.")
@click.option("--windows", is_flag=True, help="Mine nothing: show stretches of sessions for a model to learn from.")
@click.option("--session", metavar="ID", help="With --windows: of this session only.")
@click.option("--limit", type=click.IntRange(1, 100), help="With --windows: how many, at most.  [default: 5]")
@click.option("--tokens", type=click.IntRange(300), help="With --windows: how long in all, at most.  [default: 6000]")
@click.option("--done", metavar="WINDOW", multiple=True, help="With --windows: this one was read; not offered again.")
@click.option("--prompt", is_flag=True, help="With --windows: what to tell an agent that is to do it.")
@output("table", "json")
def harvest(
    paths: tuple[Path, ...], repo: str | None, agent: str | None, since: float | None, again: bool, dry_run: bool,
    jobs: int | None, format: str, windows: bool, session: str | None, limit: int | None, tokens: int | None,
    done: tuple[str, ...], prompt: bool,
) -> None:  # fmt: skip
    """Turn finished sessions into knowledge worth keeping.

    Without PATHS, what the catalogue holds (`afterglow scan` finds it); with PATHS, what is found there. No model, no
    key, no network. Sessions that have not changed since are not read again; harvesting twice changes nothing.
    """
    told = {"--session": session, "--limit": limit, "--tokens": tokens, "--done": done, "--prompt": prompt}
    mined = {"PATHS": paths, "--agent": agent, "--since": since, "--again": again, "--dry-run": dry_run, "--jobs": jobs}
    if wrong := [name for name, value in (mined if windows else told).items() if value]:
        raise UsageError(f"{', '.join(wrong)} cannot go {'with' if windows else 'without'} --windows")
    if windows:
        return _windows(repo, session, limit, tokens, done, prompt, format)
    settings = config.load()
    with progress_bar() as progress:
        report = run(
            settings, paths, repo=repo, agent=agent, since=since, again=again, dry=dry_run,
            jobs=jobs or settings.cores, progress=progress,
        )  # fmt: skip
    print_json(report) if format == "json" else click.echo(describe(report, paths))
    if report.interrupted:
        sys.exit(130)
    sys.exit(3 if report.troubles and not report.mined and report.sessions else 0)


def _windows(
    repo: str | None, session: str | None, limit: int | None, tokens: int | None, done: tuple[str, ...], prompt: bool,
    format: str,
) -> None:  # fmt: skip
    from afterglow.cli import windows as shown
    from afterglow.flows import windows as flow

    if prompt:
        return click.echo(flow.prompt(), nl=False)
    found = flow.windows(
        config.load(), repo=repo, session=session, limit=limit or flow.LIMIT, tokens=tokens or flow.TOKENS, done=done
    )
    return print_json(found) if format == "json" else click.echo(shown.describe(found))


def describe(report: HarvestReport, paths: Sequence[Path] = ()) -> str:
    """What each miner made of it, what was taken out, and what there is now."""
    if not report.sessions and paths:
        asked = " ".join(map(str, paths))
        return f"No finished session fits in {asked}. `afterglow scan {asked}` says what is there."
    if not report.sessions:
        return "No finished session fits. `afterglow scan` finds sessions; `afterglow sessions list` shows them."
    speed = f", {report.bytes / 1e6 / report.seconds:,.0f} MB/s" if report.bytes and report.seconds else ""
    lines = [
        f"{count(report.mined, 'session')} mined of {number(report.sessions)} finished"
        f" ({size(report.bytes)} in {report.seconds:.1f} s{speed})"
    ]
    if report.active:
        lines.append(f"{count(report.active, 'session')} still active: left for later")
    if report.mined:
        headers = ("miner", "findings", "topics", "items", "active", "refused, and why")
        rows = [
            (m.miner, number(m.findings), number(m.topics), number(m.items), number(m.active), _why(m.refused))
            for m in report.miners
        ]
        lines += ["", table(headers, rows, right="findings topics items active"), ""]
    if report.redacted:
        found = ", ".join(f"{rule} {number(times)}" for rule, times in list(report.redacted.items())[:12])
        lines.append(paragraph(f"Redacted before anything was kept: {found}."))
    now = ", ".join(f"{number(report.statuses[name])} {name}" for name in STATUSES if report.statuses.get(name))
    made = f"{count(report.created, 'item')} new, {number(report.changed)} changed"
    lines.append(f"{'Would be' if report.dry else 'Knowledge'}: {made}; {'' if report.dry else 'now '}{now or 'none'}")
    for path, reason in report.troubles[:SHOWN]:
        lines.append(f"could not mine {path}: {reason}")
    if len(report.troubles) > SHOWN:
        lines.append(f"... and {number(len(report.troubles) - SHOWN)} more (--json names them)")
    if report.interrupted:
        lines.append("interrupted: what is done is kept; harvest again to go on")
    elif not report.dry and report.statuses.get("active"):
        lines.append("`afterglow knowledge list` shows it, `afterglow knowledge explain ID` where it comes from")
    return "\n".join(lines)


def _why(refused: dict[str, int]) -> str:
    return ", ".join(f"{times} {reason}" for reason, times in list(refused.items())[:3]) or "–"

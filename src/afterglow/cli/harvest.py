"""`afterglow harvest`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import engine_options, filters, output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.cli.promises import tell_promises
from afterglow.flows.forget import keep_promises
from afterglow.flows.harvest import harvest as run
from afterglow.records.engine import Engine
from afterglow.records.knowledge import STATUSES, HarvestReport
from afterglow.records.selection import Selection
from afterglow.sessions.remote_files import address_of
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import count, number, size

# A report is to fit on a screen; --json has the rest.
MAX_SOURCES_NAMED = 5
MAX_RULES_NAMED = 12
MAX_REASONS_NAMED = 3


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@filters
@click.option("--again", is_flag=True, help="Mine sessions anew that have not changed.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show what would be found and what would be redacted; write nothing.",
)
@engine_options
@output("table", "json")
def harvest(
    selection: Selection,
    again: bool,
    dry_run: bool,
    jobs: int | None,
    engine: Engine,
    format: str,
) -> None:
    """Turn finished sessions into knowledge worth keeping.

    Without PATHS, what the catalogue holds (`afterglow scan` finds it); with PATHS, what is found there. No model, no
    key, no network (`afterglow write` asks a model). Sessions that have not changed since are not read again;
    harvesting twice changes nothing.
    """
    settings = config.load()
    with progress_bar("harvesting sessions") as progress:
        report = run(
            settings,
            selection,
            again=again,
            dry=dry_run,
            jobs=jobs or engine.jobs(settings.cores),
            engine=engine,
            progress=progress,
        )
    if format == "json":
        print_json(report)
    else:
        click.echo(describe(report, selection.paths))
    if not report.dry:
        tell_promises(keep_promises(settings))
    if report.interrupted:
        sys.exit(130)
    sys.exit(3 if report.troubles and not report.mined and report.sessions else 0)


def describe(report: HarvestReport, paths: Sequence[Path] = ()) -> str:
    """What each miner made of it, what was taken out, and what there is now."""
    if not report.sessions:
        return _nothing(paths)
    lines = [_mined(report)]
    if report.active:
        lines.append(f"{count(report.active, 'session')} still active: left for later")
    if report.mined:
        lines += ["", _miners(report), ""]
    if report.redacted:
        lines.append(_redacted(report))
    lines.append(_knowledge(report))
    lines += _troubles(report)
    if report.interrupted:
        lines.append("interrupted: what is done is kept; harvest again to go on")
    elif not report.dry and report.statuses.get("active"):
        lines.append(
            "`afterglow knowledge list` shows it, `afterglow knowledge explain ID` where it comes from"
        )
    return "\n".join(lines)


def _nothing(paths: Sequence[Path]) -> str:
    if not paths:
        return "No finished session fits. `afterglow scan` finds sessions; `afterglow sessions list` shows them."
    places = " ".join(map(address_of, paths))
    return f"No finished session fits in {places}. `afterglow scan {places}` says what is there."


def _mined(report: HarvestReport) -> str:
    speed = ""
    if report.bytes and report.seconds:
        speed = f", {report.bytes / 1e6 / report.seconds:,.0f} MB/s"
    how_much = f"{size(report.bytes)} in {report.seconds:.1f} s{speed}"
    mined = count(report.mined, "session")
    return f"{mined} mined of {number(report.sessions)} finished ({how_much})"


def _miners(report: HarvestReport) -> str:
    headers = ("miner", "findings", "topics", "items", "active", "refused, and why")
    rows = [
        (
            miner.miner,
            number(miner.findings),
            number(miner.topics),
            number(miner.items),
            number(miner.active),
            _why(miner.refused),
        )
        for miner in report.miners
    ]
    return table(headers, rows, right="findings topics items active")


def _why(refused: dict[str, int]) -> str:
    reasons = list(refused.items())[:MAX_REASONS_NAMED]
    return ", ".join(f"{times} {reason}" for reason, times in reasons) or "–"


def _redacted(report: HarvestReport) -> str:
    rules = list(report.redacted.items())[:MAX_RULES_NAMED]
    counts = ", ".join(f"{rule} {number(times)}" for rule, times in rules)
    return paragraph(f"Redacted before anything was kept: {counts}.")


def _knowledge(report: HarvestReport) -> str:
    statuses = [
        f"{number(report.statuses[name])} {name}"
        for name in STATUSES
        if report.statuses.get(name)
    ]
    now = ", ".join(statuses) or "none"
    changes = f"{count(report.created, 'item')} new, {number(report.changed)} changed"
    if report.dry:
        return f"Would be: {changes}; {now}"
    return f"Knowledge: {changes}; now {now}"


def _troubles(report: HarvestReport) -> list[str]:
    lines = []
    if report.stumbled:
        left_out = count(report.stumbled, "session")
        lines.append(f"{left_out} could not be mined; the next harvest tries again:")
    lines += [
        f"could not mine {path}: {reason}"
        for path, reason in report.troubles[:MAX_SOURCES_NAMED]
    ]
    more = len(report.troubles) - MAX_SOURCES_NAMED
    if more > 0:
        lines.append(f"... and {number(more)} more (--json names them)")
    return lines

"""`afterglow harvest`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import Finite, filters, output
from afterglow.cli.output import print_json
from afterglow.cli.scan import progress_bar
from afterglow.errors import UsageError
from afterglow.flows.harvest import Worked, work_off
from afterglow.flows.harvest import harvest as run
from afterglow.records.knowledge import STATUSES, HarvestReport
from afterglow.records.selection import Selection
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import count, number, size

SHOWN = 5  # sources with trouble that are named

_RULES, _MODEL = "rules --model --compare", "--model --compare"
GOES_WITH = {
    "PATHS": _RULES, "--repo": f"{_RULES} --windows", "--agent": _RULES, "--since": _RULES, "--again": "rules --model",
    "--dry-run": "rules --model", "--jobs": _RULES, "--session": "--windows --model",
    "--limit": f"--windows {_MODEL}", "--tokens": f"--windows {_MODEL}", "--done": "--windows",
    "--prompt": "--windows", "--base-url": _MODEL, "--max-cost": _MODEL, "--max-tokens": _MODEL,
    "--prompt-file": _MODEL,
}  # fmt: skip


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@filters
@click.option("--again", is_flag=True, help="Mine sessions anew that have not changed.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show what would be found and what would be redacted; write nothing.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="Worker processes; as many as there are cores if not said.",
)
@click.option(
    "--queue",
    is_flag=True,
    help="Only what hooks told of and waits, also what was left aside.",
)
@click.option(
    "--windows",
    is_flag=True,
    help="Mine nothing: show stretches of sessions for a model to learn from.",
)
@click.option(
    "--session", metavar="ID", help="With --windows, --model: of this session only."
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    help="How many windows, at most.  [default: 5; --model: 20]",
)
@click.option(
    "--tokens",
    type=click.IntRange(300),
    help="Of windows in all, at most; --model: in one ask.  [default: 6000; 3000]",
)
@click.option(
    "--done",
    metavar="WINDOW",
    multiple=True,
    help="With --windows: this one was read; not offered again.",
)
@click.option(
    "--prompt",
    is_flag=True,
    help="With --windows: what to tell an agent that is to do it.",
)
@click.option(
    "--model",
    metavar="NAME",
    is_flag=False,
    flag_value="",
    help="Then ask this model; that of config.toml.",
)
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    help="With --model: where it answers, as OpenAI's API does.",
)
@click.option(
    "--max-cost", type=Finite(0), help="With --model: the most money to spend."
)
@click.option(
    "--max-tokens",
    type=click.IntRange(0),
    help="With --model: the most tokens to use, in and out.",
)
@click.option(
    "--prompt-file",
    type=click.Path(path_type=Path),
    help="With --model: your own prompt.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="Rules, model and both on the same sessions; keeps nothing.",
)
@output("table", "json")
def harvest(
    selection: Selection, again: bool, dry_run: bool,
    jobs: int | None, format: str, queue: bool, windows: bool, session: str | None, limit: int | None,
    tokens: int | None, done: tuple[str, ...], prompt: bool, model: str | None, base_url: str, max_cost: float | None,
    max_tokens: int | None, prompt_file: Path | None, compare: bool,
) -> None:  # fmt: skip
    """Turn finished sessions into knowledge worth keeping.

    Without PATHS, what the catalogue holds (`afterglow scan` finds it); with PATHS, what is found there. No model, no
    key, no network, unless --model is given. Sessions that have not changed since are not read again; harvesting twice
    changes nothing.

    With --model, the windows that hold most of what rules cannot tell are sent to it, redacted, within the cap
    (--max-tokens or --max-cost); --dry-run shows every word of it first.
    """
    given = {
        "PATHS": selection.paths, "--repo": selection.repo, "--agent": selection.agent, "--since": selection.since,
        "--again": again, "--dry-run": dry_run,
        "--jobs": jobs, "--session": session, "--limit": limit, "--tokens": tokens, "--done": done, "--prompt": prompt,
        "--base-url": base_url, "--max-cost": max_cost is not None, "--max-tokens": max_tokens is not None,
        "--prompt-file": prompt_file,
    }  # fmt: skip
    asked = model is not None or compare
    modes = {
        "--windows": windows,
        "--queue": queue,
        "--compare": compare,
        "--model": asked and not compare,
    }
    mode = _mode(
        [name for name, value in modes.items() if value],
        [name for name, value in given.items() if value],
    )
    if mode == "--windows":
        return _windows(selection, session, limit, tokens, done, prompt, format)
    settings = config.load()
    if mode == "--queue":
        return _queue(settings, format)
    if asked:
        from afterglow.cli.show import model_harvest

        wanted = {"limit": limit, "tokens": tokens, "session": session,
                  "text": model_harvest.own_prompt(prompt_file)}  # fmt: skip
        which = {name: value for name, value in wanted.items() if value is not None}
        endpoint = {
            "name": model or "",
            "base_url": base_url,
            "max_cost": max_cost,
            "max_tokens": max_tokens,
        }
        jobs = jobs or settings.cores
        if compare:
            return model_harvest.run_comparison(
                settings, selection, endpoint, format, jobs=jobs, **which
            )
        if dry_run:
            return model_harvest.show_plan(
                settings, selection, model or "", base_url, format, **which
            )
        return model_harvest.run_model(
            settings, selection, endpoint, format, again=again, jobs=jobs, **which
        )
    with progress_bar() as progress:
        report = run(
            settings, selection, again=again, dry=dry_run,
            jobs=jobs or settings.cores, progress=progress,
        )  # fmt: skip
    print_json(report) if format == "json" else click.echo(
        describe(report, selection.paths)
    )
    if report.interrupted:
        sys.exit(130)
    sys.exit(3 if report.troubles and not report.mined and report.sessions else 0)


def _mode(modes: Sequence[str], given: Sequence[str]) -> str:
    """The one mode that was asked for, if all other words go with it."""
    if len(modes) > 1:
        raise UsageError(f"{', '.join(modes[1:])} cannot go with {modes[0]}")
    mode = modes[0] if modes else "rules"
    if wrong := [name for name in given if mode not in GOES_WITH[name].split()]:
        fits = dict.fromkeys(
            one for name in wrong for one in GOES_WITH[name].split() if one != "rules"
        )
        how = f"with {mode}" if modes else f"without {' or '.join(fits)}"
        raise UsageError(f"{', '.join(wrong)} cannot go {how}")
    return mode


def _queue(settings: config.Config, format: str) -> None:
    with progress_bar() as progress:
        worked = work_off(settings, progress=progress, again=True)
    print_json(worked) if format == "json" else click.echo(describe_work(worked))
    sys.exit(3 if worked.failed or worked.stopped else 0)


def _windows(
    selection: Selection, session: str | None, limit: int | None, tokens: int | None, done: tuple[str, ...], prompt: bool,
    format: str,
) -> None:  # fmt: skip
    from afterglow.cli import windows as shown
    from afterglow.flows import harvest as flow

    if prompt:
        return click.echo(flow.prompt(), nl=False)
    found = flow.windows(
        config.load(),
        selection,
        session=session,
        limit=limit or flow.WINDOW_LIMIT,
        tokens=tokens or flow.WINDOW_TOKENS,
        done=done,
    )
    return print_json(found) if format == "json" else click.echo(shown.describe(found))


def describe_work(worked: Worked) -> str:
    """What became of the sessions that waited."""
    if worked.busy:
        return "Another process is at the queue already; `afterglow status` says what still waits."
    lines = [
        f"{count(worked.harvested, 'session')} harvested, {count(worked.created, 'item')} new"
    ]
    for how_many, text in ((worked.gone, "had no transcript any more"), (worked.failed, "could not be harvested"),
                          (worked.left, "in the queue still: they go on, or were left aside")):  # fmt: skip
        lines += [f"{count(how_many, 'session')} {text}"] * bool(how_many)
    return "\n".join([*lines, *[f"stopped: {worked.stopped}"] * bool(worked.stopped)])


def describe(report: HarvestReport, paths: Sequence[Path] = ()) -> str:
    """What each miner made of it, what was taken out, and what there is now."""
    if not report.sessions and paths:
        asked = " ".join(map(str, paths))
        return f"No finished session fits in {asked}. `afterglow scan {asked}` says what is there."
    if not report.sessions:
        return "No finished session fits. `afterglow scan` finds sessions; `afterglow sessions list` shows them."
    speed = (
        f", {report.bytes / 1e6 / report.seconds:,.0f} MB/s"
        if report.bytes and report.seconds
        else ""
    )
    lines = [
        f"{count(report.mined, 'session')} mined of {number(report.sessions)} finished"
        f" ({size(report.bytes)} in {report.seconds:.1f} s{speed})"
    ]
    if report.active:
        lines.append(f"{count(report.active, 'session')} still active: left for later")
    if report.mined:
        headers = ("miner", "findings", "topics", "items", "active", "refused, and why")
        rows = [
            (
                m.miner,
                number(m.findings),
                number(m.topics),
                number(m.items),
                number(m.active),
                _why(m.refused),
            )
            for m in report.miners
        ]
        lines += ["", table(headers, rows, right="findings topics items active"), ""]
    if report.redacted:
        found = ", ".join(
            f"{rule} {number(times)}"
            for rule, times in list(report.redacted.items())[:12]
        )
        lines.append(paragraph(f"Redacted before anything was kept: {found}."))
    now = ", ".join(
        f"{number(report.statuses[name])} {name}"
        for name in STATUSES
        if report.statuses.get(name)
    )
    made = f"{count(report.created, 'item')} new, {number(report.changed)} changed"
    lines.append(
        f"{'Would be' if report.dry else 'Knowledge'}: {made}; {'' if report.dry else 'now '}{now or 'none'}"
    )
    for path, reason in report.troubles[:SHOWN]:
        lines.append(f"could not mine {path}: {reason}")
    if len(report.troubles) > SHOWN:
        lines.append(
            f"... and {number(len(report.troubles) - SHOWN)} more (--json names them)"
        )
    if report.interrupted:
        lines.append("interrupted: what is done is kept; harvest again to go on")
    elif not report.dry and report.statuses.get("active"):
        lines.append(
            "`afterglow knowledge list` shows it, `afterglow knowledge explain ID` where it comes from"
        )
    return "\n".join(lines)


def _why(refused: dict[str, int]) -> str:
    return (
        ", ".join(f"{times} {reason}" for reason, times in list(refused.items())[:3])
        or "–"
    )

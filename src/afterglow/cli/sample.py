"""`afterglow sample`"""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from afterglow import config
from afterglow.cli.options import Finite, filters, output, output_file
from afterglow.cli.output import as_json, deliver
from afterglow.errors import UsageError
from afterglow.flows.read import sample as run
from afterglow.records.sample import Sample
from afterglow.records.selection import Selection
from afterglow.show.tables import table
from afterglow.text.numbers import local_day, number, short_id


@click.command()
@click.option(
    "--count",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many at most.",
)
@filters
@click.option(
    "--min-score", type=int, default=0, help="Only sessions with at least this score."
)
@click.option(
    "--top-percent",
    type=Finite(0, 100, min_open=True),
    help="Only the best so many percent.",
)
@click.option(
    "--sessions-dir",
    type=click.Path(path_type=Path),
    help="Scan this folder and choose from it alone.",
)
@output_file
@click.option("--explain", is_flag=True, help="Show the points each criterion gave.")
@output("table", "json", "paths")
def sample(
    selection: Selection,
    count: int,
    min_score: int,
    top_percent: float | None,
    sessions_dir: Path | None,
    output: Path | None,
    explain: bool,
    format: str,
) -> None:
    """Rank the sessions worth learning from, best first.

    Points: recency (7 days 3, 30 days 2, older 1), length (over 50 messages 3, over 20 2, else 1), the first session
    of a repo 5 (others 1, none without a repo), failure 3 / success 2 / unknown 1, more than 10 tool calls 2.
    """
    if sessions_dir is not None and not sessions_dir.exists():
        raise UsageError(
            f"--sessions-dir {sessions_dir} is not there; give a folder that holds session files"
        )
    if sessions_dir is not None:
        selection = replace(selection, paths=(sessions_dir,))
    chosen = run(
        config.load(),
        selection,
        count=count,
        min_score=min_score,
        top_percent=top_percent,
    )
    deliver(
        render(chosen, format, explain=explain), output, f"{len(chosen.picks)} sessions"
    )


def render(chosen: Sample, format: str, *, explain: bool) -> str:
    if format == "json":
        return as_json(chosen)
    if format == "paths":
        return "\n".join(dict.fromkeys(pick.source for pick in chosen.picks))
    if not chosen.picks:
        considered = f"No session fits ({number(chosen.considered)} considered)."
        return f"{considered} `afterglow scan` finds sessions; a lower --min-score shows more."
    criteria = list(chosen.picks[0].why) if explain else []
    headers = (
        "session",
        "score",
        *criteria,
        "agent",
        "repo",
        "ended",
        "messages",
        "calls",
        "failed",
        "outcome",
        "title",
    )
    rows = [
        (
            short_id(p.id),
            p.score,
            *(p.why.values() if explain else ()),
            p.agent,
            p.repo or "–",
            local_day(p.end or p.start),
            number(p.messages),
            number(p.calls),
            number(p.failed),
            p.outcome,
            p.title,
        )
        for p in chosen.picks
    ]
    body = table(
        headers,
        rows,
        right=" ".join(["score", *criteria, "messages", "calls", "failed"]),
        optional="outcome agent messages",
    )
    return f"{body}\n{len(chosen.picks)} of {number(chosen.considered)} sessions"

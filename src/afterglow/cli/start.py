"""`afterglow start`, and `afterglow` alone"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.cli.progress import Advance, progress_bar
from afterglow.config import Config
from afterglow.flows.connect import connected_files, present
from afterglow.flows.overview import FirstInsight, first_insight, overview
from afterglow.show.screen import styled
from afterglow.show.tables import paragraph
from afterglow.text.clip import clip, first_line, printable
from afterglow.text.numbers import count, local_day, number, percent, short_id

MAX_QUOTE_CHARACTERS = 160
MAX_NAMED = 4  # agents, repositories: the largest say enough
NOTHING_FOUND = (
    "No sessions of any agent were found on this machine. If yours lie elsewhere: afterglow start FOLDER. "
    "To see what it would do: afterglow demo."
)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--yes", is_flag=True, help="Connect the agents found, without asking.")
@click.option("--json", "as_json", is_flag=True, help="As JSON; nothing is connected.")
def start(paths: tuple[Path, ...], yes: bool, as_json: bool) -> None:
    """Find your agents' sessions and show in a minute what they hold: the way in.

    What keeps failing and what it cost, what the next session would have been told, the lessons worth most with the
    lines they rest on. Nothing leaves this machine, no model is asked, and no agent is connected before you say so.
    """
    settings = config.load()
    with ExitStack() as steps:

        def step(words: str) -> Advance:
            steps.close()  # the step before has ended, and its line with it
            return steps.enter_context(progress_bar(words))

        insight = first_insight(settings, paths, step=step, jobs=settings.cores)
    if as_json:
        print_json(insight)
        return
    if not insight.sessions:
        click.echo(NOTHING_FOUND)
        return
    for block in _blocks(insight):
        click.echo(f"{block}\n")
    _connect(settings, yes)


def welcome() -> None:
    """`afterglow` alone: the first look where there has been none, else how things stand."""
    settings = config.load()
    if not settings.catalog.exists():
        start.main([], standalone_mode=False)
        return
    for line in _standing(settings):
        click.echo(line)


def _blocks(insight: FirstInsight) -> Iterator[str]:
    yield _history(insight)
    if insight.problems:
        yield _failing(insight)
    if insight.would_tell:
        yield f"{_title('What would have been told')}\n{paragraph(insight.would_tell)}"
    if insight.lessons:
        yield _lessons(insight)
    if insight.read < insight.sessions:
        words = f"Learned from the newest {number(insight.read)} sessions so far; `afterglow harvest` reads the others."
        yield paragraph(words)


def _title(words: str) -> str:
    return styled(words, "strong")


def _history(insight: FirstInsight) -> str:
    agents = _named(insight.agents)
    span = f"{local_day(insight.first)} to {local_day(insight.last)}"
    failed = percent(insight.failed / insight.calls) if insight.calls else "–"
    words = (
        f"{count(insight.sessions, 'session')} ({agents}), {span}, in {_named(insight.repos)}. "
        f"{number(insight.calls)} calls, {failed} of them failed."
    )
    return f"{_title('Your history')}\n{paragraph(words)}"


def _named(counted: dict[str, int]) -> str:
    largest = list(counted.items())[:MAX_NAMED]
    words = ", ".join(f"{printable(name)} {number(n)}" for name, n in largest)
    remaining = len(counted) - len(largest)
    return f"{words} and {remaining} more" if remaining > 0 else words


def _failing(insight: FirstInsight) -> str:
    head = f"What keeps failing ({number(insight.problem_count)} in all)"
    lines = [_title(head)]
    for problem in insight.problems:
        sessions = count(len(problem.sessions), "session")
        lost = count(problem.cost, "call")
        cost = f"{number(problem.times)} times in {sessions}, {lost} lost"
        what = clip(printable(first_line(problem.what, 200)), 200)
        lines.append(paragraph(f"{what} ({problem.repo or '–'}: {cost})", "- "))
    return "\n".join(lines)


def _lessons(insight: FirstInsight) -> str:
    heading = f"{count(insight.active, 'lesson')} found that agents would be told"
    waiting = (
        f", {number(insight.waiting)} more wait for you" if insight.waiting else ""
    )
    lines = [_title(f"{heading}{waiting}; the best:")]
    for lesson in insight.lessons:
        lines.append(paragraph(printable(lesson.item.fact), "- "))
        if lesson.line is not None:
            quote = clip(
                printable(first_line(lesson.line.quote, 300)), MAX_QUOTE_CHARACTERS
            )
            place = f"{short_id(lesson.line.session)} line {lesson.line.line}"
            lines.append(paragraph(f"{place}: “{quote}”", "    "))
    return "\n".join(lines)


def _connect(settings: Config, yes: bool) -> None:
    """Asks before anything is connected; without a terminal it says how."""
    connected = {file.agent for file in connected_files(settings.home)}
    names = [name for name in present(settings) if name not in connected]
    if not names:
        click.echo(_next_steps(is_connected=bool(connected)))
        return
    listed = " ".join(names)
    if not yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(
            paragraph(
                f"Next: `afterglow connect {listed}` has new sessions start with this and learns from them as they "
                "end; `--dry-run` shows every file it would change, `afterglow disconnect` puts them back."
            )
        )
        return
    click.echo(
        paragraph(
            f"Found here: {', '.join(names)}. Connected, new sessions start with this and are learned from as they end. "
            "`afterglow connect --dry-run` shows every file that changes, `afterglow disconnect` puts them back."
        )
    )
    if yes or click.confirm("Connect now?", default=False):
        from afterglow.cli.connect import connect

        connect.main(names, standalone_mode=False)
    click.echo(_next_steps(is_connected=yes))


def _next_steps(*, is_connected: bool) -> str:
    steps = [
        ("afterglow serve --open", "see it, review it, decide"),
        ("afterglow doctor", "is all connected and told?"),
    ]
    if not is_connected:
        steps.insert(0, ("afterglow connect", "have agents start with it"))
    width = max(len(command) for command, _ in steps)
    lines = [f"  {command:<{width}}   {words}" for command, words in steps]
    return "\n".join(["Next:", *lines])


def _standing(settings: Config) -> Iterator[str]:
    look = overview(settings)
    connected = [agent.name for agent in look.agents if agent.is_connected]
    named = ", ".join(connected) if connected else "no agent"
    yield f"{named} connected; {count(look.active, 'lesson')} told where they fit"
    if look.candidates:
        yield f"{count(look.candidates, 'lesson')} to review: afterglow knowledge review, or afterglow serve --open"
    if look.sessions:
        yield f"{count(look.sessions, 'session')} waiting for harvest: afterglow harvest"
    yield ""
    yield _next_steps(is_connected=bool(connected))
    yield "  afterglow --help         everything else"

"""`afterglow problems` and `afterglow problems show ID`"""

from __future__ import annotations

import click

from afterglow import config
from afterglow.cli.options import filters, output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.cli.show.episodes import side_by_side
from afterglow.cli.show.problem_answers import next_step
from afterglow.flows.harvest import (
    EPISODE_LIMIT,
    PROBLEM_LIMIT,
    PROBLEMS_AT_ONCE,
    WAITING_TOKENS,
    answer_words,
    problem_episodes,
    problems_to_write,
)
from afterglow.flows.harvest import problem as find_problem
from afterglow.flows.harvest import problems as list_problems
from afterglow.harvest.dossiers import MAX_TOKENS
from afterglow.records.problems import (
    KnownLesson,
    LessonFilter,
    Problem,
    ProblemKind,
    ProblemList,
)
from afterglow.records.selection import Selection
from afterglow.show.screen import columns
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, day, number, short_id

HEADERS = (
    "problem", "times", "sessions", "cost", "last", "repo", "what fails", "lesson",
)  # fmt: skip
MAX_FACT_CHARACTERS = (
    200  # of a lesson behind a dossier: `knowledge show` has all of it
)
MAX_PLACES = 12  # sessions and lines that are named behind a dossier


@click.group(invoke_without_command=True)
@filters
@click.option(
    "--limit",
    type=click.IntRange(1, 10**9),
    default=PROBLEM_LIMIT,
    show_default=True,
    help="How many at most, the dearest first.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Also what only one session met."
)
@click.option(
    "--lesson",
    type=click.Choice(["with", "waiting", "without"]),
    help="Only those with a lesson that is told, with one that waits, or without one that is told.",
)
@click.option(
    "--kind",
    type=click.Choice(["failed", "hidden", "ci", "person"]),
    help="Only failures, failures that an exit code hid, checks elsewhere, or what people said.",
)
@output("table", "json")
@click.pass_context
def problems(
    ctx: click.Context,
    selection: Selection,
    limit: int,
    everything: bool,
    lesson: LessonFilter | None,
    kind: ProblemKind | None,
    format: str,
) -> None:
    """What keeps happening in your sessions, by what it costs, and whether there is a lesson about it.

    `afterglow harvest` reads the sessions; `afterglow problems show ID` shows one problem with its evidence.
    """
    if ctx.invoked_subcommand is not None:
        return
    with progress_bar("reading problems", ticking=True):
        listed = list_problems(
            config.load(),
            selection,
            limit=limit,
            everything=everything,
            lesson=lesson,
            kind=kind,
        )
    if format == "json":
        print_json(listed)
        return
    if listed.problems:
        click.echo(_table(listed))
    click.echo(paragraph(_summary(listed, everything)))


def _table(listed: ProblemList) -> str:
    rows = [
        (
            each.id,
            number(each.times),
            number(len(each.sessions)),
            number(each.cost),
            day(each.last),
            each.repo or "–",
            each.what,
            _lesson(each),
        )
        for each in listed.problems
    ]
    return table(HEADERS, rows, right="times sessions cost", optional="repo")


def _lesson(each: Problem) -> str:
    active = [lesson for lesson in each.lessons if lesson.status == "active"]
    if active:
        return f"{active[0].item}{_telling(active[0])}"
    if each.answers:
        return answer_words(each.answers[0])
    return "waits for review" if each.lessons else "none"


def _telling(lesson: KnownLesson) -> str:
    if not lesson.deliveries:
        return ""
    return f", told {count(lesson.deliveries, 'time')}"


def _summary(listed: ProblemList, everything: bool) -> str:
    sentences = (_found(listed, everything), _waiting(listed), _unread(listed))
    return " ".join(filter(None, sentences))


def _found(listed: ProblemList, everything: bool) -> str:
    if not listed.total:
        return "No problem came back."
    is_single = listed.total == 1
    if everything:
        verb = "was met" if is_single else "were met"
    else:
        verb = "keeps coming back" if is_single else "keep coming back"
    return f"{count(listed.total, 'problem')} {verb}; {_without_lesson(listed)}."


def _without_lesson(listed: ProblemList) -> str:
    if not listed.without_lesson:
        return "each has a lesson"
    verb = "has" if listed.without_lesson == 1 else "have"
    return f"{listed.without_lesson} {verb} no lesson"


def _waiting(listed: ProblemList) -> str:
    if not listed.waiting:
        return ""
    verb = "waits" if listed.waiting == 1 else "wait"
    ways = "`afterglow write --with auto`, or `afterglow write ID --by-hand`"
    return f"{listed.waiting} {verb} for somebody who writes: {ways}."


def _unread(listed: ProblemList) -> str:
    if not listed.unread:
        return ""
    return f"Not read yet: {count(listed.unread, 'session')} (`afterglow harvest`)."


@problems.command("to-write")
@filters
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=PROBLEMS_AT_ONCE,
    show_default=True,
    help="How many at most, the dearest first.",
)
@click.option(
    "--tokens",
    type=click.IntRange(MAX_TOKENS),
    default=WAITING_TOKENS,
    show_default=True,
    help="Of all of them, at most.",
)
@click.option("--again", is_flag=True, help="Also those that have been answered.")
@output("table", "json")
def to_write(
    selection: Selection, limit: int, tokens: int, again: bool, format: str
) -> None:
    """The dossiers that nobody has answered, for an agent that writes lessons itself.

    Redacted, the dearest first. What it answers goes to `afterglow write --answers`, which checks it.
    """
    waiting = problems_to_write(
        config.load(), selection, again=again, limit=limit, tokens=tokens
    )
    if format == "json":
        print_json(waiting)
        return
    texts = [each.text for each in waiting.problems]
    rest = f"{waiting.remaining} more wait." if waiting.remaining else ""
    none = "" if texts else f"None: {waiting.reason}."
    note = waiting.note if texts else ""
    click.echo("\n\n".join(filter(None, (note, *texts, rest, none))))


@problems.command()
@click.argument("id")
@click.option(
    "--episodes",
    is_flag=True,
    help="How the last sessions that met it went about it, side by side.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=EPISODE_LIMIT,
    show_default=True,
    help="With --episodes: how many sessions.",
)
@output("table", "json")
def show(id: str, episodes: bool, limit: int, format: str) -> None:
    """One problem as a dossier: when, what failed, what was tried, what worked, who said what. ID may be shortened."""
    settings = config.load()
    with progress_bar("reading problems", ticking=True):
        report = find_problem(settings, id)
    if episodes:
        met = problem_episodes(settings, report.problem, limit=limit)
        if format == "json":
            print_json(met)
        else:
            click.echo(side_by_side(met, columns()))
        return
    if format == "json":
        print_json(report)
        return
    click.echo(report.dossier.text)
    click.echo()
    click.echo("Where it stands (session:line):")
    places = [
        f"{short_id(event.session)}:{event.line}"
        for event in reversed(report.problem.events)
    ]
    more = len(places) - MAX_PLACES
    click.echo(
        "  "
        + "  ".join(places[:MAX_PLACES])
        + (f"  and {more} more" if more > 0 else "")
    )
    for lesson in report.problem.lessons:
        fact = clip(lesson.fact, MAX_FACT_CHARACTERS)
        click.echo(f"{lesson.status} lesson {lesson.item}{_telling(lesson)}: {fact}")
    for answer in report.problem.answers:
        words = printable(answer_words(answer))
        click.echo(f"Answered by {answer.by} on {day(answer.time)}: {words}")
    if not report.problem.lessons and not report.problem.answers:
        click.echo("Nobody has written down what to do.")
    if step := next_step(report):
        click.echo(f"Next: {step}")

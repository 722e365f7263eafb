"""`afterglow problems` and `afterglow problems show ID`"""

from __future__ import annotations

import click

from afterglow import config
from afterglow.cli.options import filters, output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.flows.harvest import (
    PROBLEM_LIMIT,
    answer_words,
)
from afterglow.flows.harvest import problems as list_problems
from afterglow.records.problems import (
    KnownLesson,
    LessonFilter,
    Problem,
    ProblemKind,
    ProblemList,
)
from afterglow.records.selection import Selection
from afterglow.show.tables import paragraph, table
from afterglow.text.numbers import count, day, number

HEADERS = (
    "problem", "times", "sessions", "cost", "last", "repo", "what fails", "lesson",
)  # fmt: skip
# Dossiers are shown by other modules, loaded on use: a list opens without them.
ELSEWHERE = ("show", "to-write")


class Contents(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(ELSEWHERE)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        from afterglow.cli import problem_dossiers

        return {
            "show": problem_dossiers.show,
            "to-write": problem_dossiers.to_write,
        }.get(name)


@click.group(cls=Contents, invoke_without_command=True)
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
        return f"{active[0].item}{times_told(active[0])}"
    if each.answers:
        return answer_words(each.answers[0])
    return "waits for review" if each.lessons else "none"


def times_told(lesson: KnownLesson) -> str:
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

"""`afterglow research`"""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output, output_file, report_filters, worker_processes
from afterglow.cli.output import as_json, deliver, put, require_folder
from afterglow.cli.progress import progress_bar
from afterglow.flows import research as flow
from afterglow.measure.research.words import cell_words, head
from afterglow.records.research import ResearchAnswer, ResearchTable
from afterglow.records.selection import Selection
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.show.screen import styled
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable

MAX_CELL_CHARACTERS = 48  # longer ones are sentences, and go on in the next line


@click.command()
@click.argument("question", required=False)
@report_filters
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Also write a page with figures that opens offline.",
)
@output_file
@worker_processes
@output("table", "json")
def research(
    question: str | None,
    selection: Selection,
    page: Path | None,
    output: Path | None,
    jobs: int | None,
    format: str,
) -> None:
    """Questions about warm sessions, answered on your own history.

    Without a QUESTION, lists those there are. Each answer is one sentence with its numbers, tables and a figure, what it
    cannot say, and how it was computed. Sessions are walked in time order, and each is held against what was known
    before it began: what would have been in view, never what would have been prevented. No model is asked.
    """
    require_folder(page, output)
    if question is None:
        deliver(_questions(format), output, "questions")
        return
    settings = config.load()
    with progress_bar("reading your sessions") as progress:
        answer = flow.research(
            settings,
            question,
            selection,
            jobs=jobs or settings.cores,
            progress=progress,
        )
    if page is not None:
        from afterglow.measure.research.page import page as written

        put(page, written(answer))
        click.echo(f"page written to {page}", err=True)
    deliver(render(answer, format), output, f"answer to {question!r}")


def _questions(format: str) -> str:
    every = flow.questions()
    if format == "json":
        return as_json(every)
    rows = [(question.name, question.title) for question in every]
    return table(("question", "in words"), rows, whole="question")


def render(answer: ResearchAnswer, format: str) -> str:
    if format == "json":
        return as_json(answer)
    parts = [
        styled(answer.title, "strong"),
        paragraph(printable(answer.answer)),
        paragraph(printable(head(answer))),
    ]
    parts += [paragraph(printable(sentence)) for sentence in answer.findings]
    parts += [_table(research_table) for research_table in answer.tables]
    parts += _list("What this cannot say", answer.limits)
    parts += [paragraph(answer.next_step)] if answer.next_step else []
    parts += _list("How it was computed", (*answer.method, f"{HOW_TO_READ}."))
    parts += _list("Could not be read", [f"{a}: {b}" for a, b in answer.troubles])
    return "\n\n".join(parts)


def _table(research_table: ResearchTable) -> str:
    rows = [tuple(map(cell_words, row)) for row in research_table.rows]
    lines = [styled(research_table.title, "strong")]
    if research_table.about:
        lines.append(paragraph(research_table.about))
    numbers, prose = [], []
    for at, name in enumerate(research_table.heads):
        if not any(isinstance(row[at], str) for row in research_table.rows):
            numbers.append(name)
        elif any(len(row[at]) > MAX_CELL_CHARACTERS for row in rows):
            prose.append(name)
    drawn = table(
        research_table.heads, rows, right=" ".join(numbers), wrapped=" ".join(prose)
    )
    return "\n".join([*lines, drawn])


def _list(title: str, sentences: tuple[str, ...] | list[str]) -> list[str]:
    if not sentences:
        return []
    points = [paragraph(printable(words), bullet="- ") for words in sentences]
    return ["\n".join([styled(title, "strong"), *points])]

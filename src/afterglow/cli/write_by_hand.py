"""`afterglow write ID --by-hand` and `afterglow write --answers FILE`: answers that no writer of ours was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, BinaryIO

import click
import msgspec

from afterglow.cli.output import print_json
from afterglow.cli.show import writing as show
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows import harvest as flow
from afterglow.harvest.writing.form import form, read_form
from afterglow.records.writing import WriterReport, WrittenAnswer

ELSEWHERE = "elsewhere"  # who wrote, where nobody says it
MAX_INPUT_BYTES = 4 << 20  # answers are sentences; more is a mistake

Editor = Callable[[str], str | None]


def hand_in(settings: Config, file: BinaryIO, by: str, format: str) -> None:
    """Answers of any other writer; exit code 1 if one of them was refused."""
    text = file.read(MAX_INPUT_BYTES + 1)
    if len(text) > MAX_INPUT_BYTES:
        raise UsageError("that is more than 4 MB; hand over some answers at a time")
    report = flow.hand_in_json(settings, text, by=by or ELSEWHERE)
    _show(report, format)
    sys.exit(1 if report.counts.get("refused") else 0)


def write_by_hand(settings: Config, id: str, by: str, format: str) -> None:
    """One problem in the person's own editor."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(f"no terminal to edit in; {_instead(id)}")
    if not settings.editor:
        raise UsageError(
            f"no editor: `EDITOR=nano afterglow write {id} --by-hand` names one; {_instead(id)}"
        )
    report = fill_in(settings, id, _editor(settings), by=by or settings.person)
    if report is None:
        click.echo("The form is empty: nothing changed.", err=True)
        return
    _show(report, format)
    sys.exit(1 if report.counts.get("refused") else 0)


def fill_in(settings: Config, id: str, edit: Editor, *, by: str) -> WriterReport | None:
    """What became of a form that was filled in; none where it was left empty. What is refused may be edited again."""
    about = flow.problem(settings, id)
    dossier = about.dossier
    text = form(dossier, flow.earlier_answer(settings, about.problem, by))
    while True:
        row = read_form(edit(text) or "", dossier)
        if row is None:
            return None
        report = flow.hand_in(settings, [row], by=by)
        refusals = [each for each in report.outcomes if each.outcome == "refused"]
        if not refusals:
            return report
        click.echo(f"Not kept: {refusals[0].reason}", err=True)
        if not click.confirm("Edit it again?", default=True, err=True):
            return report
        text = form(dossier, _as_answer(row), refusals[0].reason)


def _instead(id: str) -> str:
    example = msgspec.json.encode(
        {"problem": id, "answer": "lesson", "situation": "…", "remedy": "…"}
    ).decode()
    return f"an answer as JSON would work: `afterglow write --answers FILE` (- reads it from stdin) with {example}"


def _editor(settings: Config) -> Editor:
    def edit(text: str) -> str | None:
        try:
            return click.edit(text, editor=settings.editor, extension=".md")
        except UnicodeDecodeError as error:
            raise UsageError(f"what was saved is no UTF-8: {error}") from error

    return edit


def _as_answer(row: dict[str, Any]) -> WrittenAnswer:
    """A form's own words, also where they are no answer: nobody has to write them twice."""
    return WrittenAnswer(**{**row, "cites": tuple(row["cites"])})


def _show(report: WriterReport, format: str) -> None:
    print_json(report) if format == "json" else click.echo(show.handed_in(report))

"""What an experiment says, for people: a report, and the draft of a paper.

view, outcome_units                  how numbers are written, each with its place in the analysis
answer, nulls, methods, arm_words, study, limits, moments, task_by_task, sections
                                     what is said, as blocks of `show`, which writes them as HTML or Markdown
figures, unit_flow                   drawings; text_figures: the same without pictures
paper, references, appendix          the manuscript, and where each of its numbers comes from
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from afterglow.experiment.report import paper, sections
from afterglow.experiment.report.answer import also, answer, cautions, harms, tiles
from afterglow.experiment.report.limits import limitations
from afterglow.experiment.report.methods import (
    hypothesis,
    outcome_words,
    paragraphs,
    rule_words,
)
from afterglow.experiment.report.moments import moments
from afterglow.experiment.report.nulls import nulls
from afterglow.experiment.report.study import task_table, told_and_run
from afterglow.experiment.report.task_by_task import task_by_task
from afterglow.experiment.report.view import View, view_of
from afterglow.records.experiment import Analysis, OutcomeSpec
from afterglow.show.blocks import Block, Figure, Heading, Para, Points, say
from afterglow.show.html import page
from afterglow.show.markdown import markdown
from afterglow.show.svg import standalone
from afterglow.text.clip import printable
from afterglow.text.numbers import moment

Specs = Mapping[str, OutcomeSpec]


def titled(analysis: Analysis, specs: Specs) -> tuple[str, Iterator[Block]]:
    """The title, and what stands below it, for a page that has its own frame."""
    view = view_of(analysis, specs)
    return title(view), sections_of(view)


def as_html(analysis: Analysis, specs: Specs) -> str:
    """The report as one file for a browser."""
    view = view_of(analysis, specs)
    return page(report(view), title(view), simulated=view.simulated)


def as_markdown(analysis: Analysis, specs: Specs, *, folder: str = "") -> str:
    """The report as Markdown. Figures are characters; with a `folder` they are the files of `figures` in it."""
    view = view_of(analysis, specs)
    return markdown(report(view), simulated=view.simulated, folder=folder)


def as_paper(analysis: Analysis, specs: Specs, *, html: bool, folder: str = "") -> str:
    """The draft of a manuscript, as HTML ready for printing or as Markdown. Every number leads to its computation."""
    view = view_of(analysis, specs)
    return paper.as_html(view) if html else paper.as_markdown(view, folder)


def figures(analysis: Analysis, specs: Specs) -> dict[str, str]:
    """Name of a file -> the figure as SVG that stands alone."""
    view = view_of(analysis, specs)
    stamp = "Simulated: " if view.simulated else ""
    return {
        f"{block.name}.svg": standalone(
            block.drawing, stamp + block.title, [block.caption]
        )
        for block in report(view)
        if isinstance(block, Figure)
    }


def title(view: View) -> str:
    stamp = "Simulated: " if view.simulated else ""
    arm = view.question[1].arm if view.question else view.plan.arms[-1]
    return printable(f"{stamp}Does {arm} beat {view.plan.control}? ({view.plan.name})")


def report(view: View) -> Iterator[Block]:
    yield Heading(title(view), 1)
    yield from sections_of(view)


def sections_of(view: View) -> Iterator[Block]:
    """Section by section, the answer first."""
    yield Para(answer(view), "lead")
    for words in cautions(view):
        yield Para(words, "warning")
    for words in also(view):
        yield Para(words)
    yield Para(
        say(hypothesis(view), f" Analysed {moment(view.analysis.time)}."), "mute"
    )
    yield tiles(view)
    yield from harms(view)
    yield from nulls(view)
    yield from sections.section("All outcomes", sections.outcomes(view))
    yield from moments(view)
    yield from task_by_task(view)
    yield from sections.section("Evidence over time", sections.evidence(view))
    yield from sections.section("Strata", sections.strata(view))
    yield from sections.section("From assignment to analysis", sections.flows(view))
    yield from sections.section("Was it fair?", sections.checks(view))
    yield Heading("How it was done")
    for words in paragraphs(view):
        yield Para(words)
    yield from told_and_run(view)
    yield Heading("What the outcomes mean", 3)
    yield outcome_words(view)
    for rules in rule_words(view):
        yield Heading("What is left out, in every arm alike", 3)
        yield rules
    yield Heading("Limitations")
    yield Points(tuple(limitations(view)))
    if view.analysis.tasks:
        yield from sections.section("Every task", task_table(view))
    yield from sections.section("The plan", sections.plan(view))
    yield Heading("Fingerprints")
    yield sections.hashes(view)

"""The draft of a manuscript: it says what the analysis says, and nothing else. Whoever signs it adds the rest."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.experiment.report import sections
from afterglow.experiment.report.answer import also, answer, cautions, harms
from afterglow.experiment.report.appendix import appendix, links
from afterglow.experiment.report.limits import limitations
from afterglow.experiment.report.methods import (
    assignment,
    carry_over,
    computed,
    counted,
    decides,
    hypothesis,
    measured,
    outcome_words,
    rule_words,
    worth_knowing,
)
from afterglow.experiment.report.moments import in_short as moments_in_short
from afterglow.experiment.report.moments import moments
from afterglow.experiment.report.nulls import nulls, tally
from afterglow.experiment.report.references import cite, references, related
from afterglow.experiment.report.study import (
    in_short,
    task_table,
    timeline,
    told_and_run,
)
from afterglow.experiment.report.task_by_task import task_by_task
from afterglow.experiment.report.view import View
from afterglow.show.blocks import Block, Break, Heading, Num, Para, Points, Strong, say
from afterglow.show.html import page
from afterglow.show.markdown import markdown
from afterglow.text.clip import printable
from afterglow.text.numbers import moment

DRAFT = "A draft written by afterglow from one analysis. Authors and discussion are for people to add."
RELATED = (
    "What afterglow knows of, looked up when this version of it was made; what each says is no more than what was read of "
    "it, and later work is not here. None of it was run for this study."
)


def as_html(view: View) -> str:
    body = list(manuscript(view))
    return page(
        [*body, *ending(view, body)],
        title(view),
        simulated=view.simulated,
        sheet="paper",
        links=links(body),
    )


def as_markdown(view: View, folder: str = "") -> str:
    body = list(manuscript(view))
    return markdown(
        [*body, *ending(view, body)],
        simulated=view.simulated,
        folder=folder,
        links=links(body),
    )


def title(view: View) -> str:
    treatments = view.plan.arms[1:]
    stamp = "Simulated: " if view.simulated else ""
    kind = "a randomised comparison" if view.analysis.drawn else "a comparison"
    return printable(
        f"{stamp}{' and '.join(treatments)} against {view.plan.control}: {kind} of ways to start an "
        f"agent, measured by {view.label(view.plan.primary)}"
    )


def manuscript(view: View) -> Iterator[Block]:
    yield Heading(title(view), 1)
    yield Para(say(DRAFT), "mute")
    yield from abstract(view)
    yield Break()
    yield from introduction(view)
    yield from related_work(view)
    yield from methods(view)
    yield from results(view)
    yield Heading("Limitations")
    yield Points(tuple(limitations(view)))
    yield from data_statement(view)


def abstract(view: View) -> Iterator[Block]:
    yield Heading("Abstract")
    yield Para(say(Strong("Question."), " ", hypothesis(view)))
    yield Para(
        say(
            Strong("Methods."),
            " ",
            assignment(view),
            " ",
            in_short(view),
            " ",
            measured(view),
        )
    )
    size = say(
        view.total("analysed"),
        " of ",
        view.total("assigned"),
        f" {view.unit}s {view.given} were analysed. ",
    )
    rest = [say(" ", words) for words in also(view)]
    yield Para(
        say(
            Strong("Results."),
            " ",
            size,
            answer(view),
            *rest,
            moments_in_short(view),
            " ",
            tally(view),
        )
    )
    paragraphs = [block for block in harms(view) if isinstance(block, Para)]
    yield Para(say(Strong("Harms."), " ", paragraphs[0].words))
    for words in cautions(view):
        yield Para(words, "warning")


def introduction(view: View) -> Iterator[Block]:
    yield Heading("Introduction")
    yield Para(say(hypothesis(view), " ", worth_knowing(view)))
    if view.plan.notes:
        yield Para(say(printable(view.plan.notes)))
    yield Para(
        say(
            timeline(view),
            " Version ",
            Num(str(view.plan.version), "plan.version"),
            " of the plan is the one in force; it is in Appendix B, with the text its hash is of.",
        )
    )


def related_work(view: View) -> Iterator[Block]:
    entries = related()
    if not entries:
        return
    yield Heading("Related work")
    yield Para(say(RELATED), "mute")
    yield Points(
        tuple(
            say(f"{entry.short}: {entry.says}", *cite(view, key))
            for key, entry in entries.items()
        )
    )


def methods(view: View) -> Iterator[Block]:
    yield Heading("Methods")
    yield Heading("Design and assignment", 3)
    yield Para(say(assignment(view), " ", carry_over(view)))
    yield Para(
        say(
            counted(view),
            " The flow is reported as CONSORT asks.",
            *cite(view, "consort"),
        )
    )
    yield from rule_words(view)
    yield from told_and_run(view)
    yield Heading("Outcomes", 3)
    yield Para(measured(view))
    yield outcome_words(view)
    yield Heading("Analysis", 3)
    yield Para(
        say(
            computed(view),
            *cite(
                view,
                "welch",
                "newcombe",
                "boschloo",
                "mcnemar",
                "agresti",
                "cluster",
                "adjusted",
                "holm",
            ),
        )
    )
    yield Heading("Stopping rule", 3)
    yield Para(say(decides(view), *cite(view, "anytime", "sequence", "mixture")))


def results(view: View) -> Iterator[Block]:
    yield Heading("Results")
    yield Heading("From assignment to analysis", 3)
    yield from sections.flows(view)
    yield Heading("Primary outcome", 3)
    for words in (answer(view), *also(view)):
        yield Para(words)
    for block in harms(view):
        yield Heading(block.text, 3) if isinstance(block, Heading) else block
    yield from nulls(view, 3)
    for name, part in (
        ("All outcomes", sections.outcomes),
        ("Evidence over time", sections.evidence),
        ("Strata", sections.strata),
        ("Checks", sections.checks),
    ):
        yield Heading(name, 3)
        yield from part(view)
    yield from moments(view, 3)
    yield from task_by_task(view, 3)


def data_statement(view: View) -> Iterator[Block]:
    yield Heading("Data statement")
    origin = (
        "The data were simulated; no person and no real session is behind them. "
        if view.simulated
        else ""
    )
    yield Para(
        say(
            f"{origin}The numbers of this paper are those of one analysis, made on {moment(view.analysis.time)} from "
            "data whose hash is below. Each is linked to the appendix, which names its place in the analysis, the "
            "method and the function that computed it. The rows can be written with ",
            f"afterglow experiment export {printable(view.plan.name)}.",
        )
    )
    yield sections.hashes(view)


def ending(view: View, body: list[Block]) -> Iterator[Block]:
    yield Heading("References")
    yield references(view)
    yield Break()
    yield Heading("Appendix A: where every number comes from")
    yield appendix(view, body)
    yield Break()
    yield Heading("Appendix B: the plan")
    yield from sections.plan(view)
    if view.analysis.tasks:
        yield Break()
        yield Heading("Appendix C: every task")
        yield from task_table(view)

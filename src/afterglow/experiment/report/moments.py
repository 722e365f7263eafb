"""The section about moments or forms: arms that are told lessons at different times, or in different shapes, compared
with each other."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.experiment.moments import is_by_form
from afterglow.experiment.report.outcome_units import (
    e_value,
    p_value,
    sentence_of,
)
from afterglow.experiment.report.view import TONES, View, verdict, versus
from afterglow.records.experiment import Estimate
from afterglow.show.blocks import (
    Block,
    Grid,
    Heading,
    Num,
    Para,
    Points,
    Small,
    Words,
    say,
)
from afterglow.text.numbers import number


def moments(view: View, level: int = 2) -> Iterator[Block]:
    """Nothing, not even its heading, where the plan has no two such arms."""
    between = view.analysis.between
    if not between:
        return
    by_form = is_by_form(view.plan.arms)
    ways = "forms" if by_form else "moments"
    yield Heading(f"The {ways} against each other", level)
    yield Para(
        say(
            f"On {view.label(view.plan.primary)} alone. Verdicts and Holm's p are corrected for the number of pairs."
        ),
        "mute",
    )
    yield Grid(
        f"Arms told lessons {'in' if by_form else 'at'} different {ways}, each pair",
        (
            "pair",
            "mean",
            f"difference, {view.level} at any time",
            f"{view.level} read once",
            "p",
            "e",
            "verdict",
        ),
        "lRrRRRl",
        tuple(_row(view, at, estimate) for at, estimate in enumerate(between)),
        tuple(TONES.get(estimate.verdict, "calls") for estimate in between),
    )
    yield Points(
        tuple(
            say(
                f"{versus(estimate)}: {estimate.verdict}: ",
                Num(sentence_of(estimate), f"between[{at}].says"),
            )
            for at, estimate in enumerate(between)
        )
    )


def in_short(view: View) -> Words:
    """The verdict on each pair, in a sentence for an abstract; nothing where there is no pair."""
    between = view.analysis.between
    if not between:
        return ()
    pairs = "; ".join(f"{versus(pair)}, {pair.verdict}" for pair in between)
    return say(f" Against each other: {pairs}.")


def _row(view: View, at: int, estimate: Estimate) -> tuple[Words, ...]:
    measure = view.measure(estimate.outcome)

    def shown(field: str, text: str) -> Num:
        return Num(text, f"between[{at}].{field}")

    sizes = f"n = {number(estimate.n)} and {number(estimate.n_control)}"
    mean_control = shown("mean_control", measure.level(estimate.mean_control))
    corrected = shown("holm", p_value(1.0 if estimate.holm is None else estimate.holm))
    return (
        say(versus(estimate), Small((sizes,))),
        say(
            shown("mean", measure.level(estimate.mean)),
            Small(("against ", mean_control)),
        ),
        say(
            shown("difference", measure.change(estimate.difference)),
            Small((shown("sequence", measure.span(estimate.sequence)),)),
        ),
        say(shown("interval", measure.span(estimate.interval))),
        say(shown("p", p_value(estimate.p)), Small(("Holm ", corrected))),
        say(shown("e", e_value(estimate.e))),
        verdict(estimate),
    )

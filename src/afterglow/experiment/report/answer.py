"""The first screen: the question answered in one sentence, what speaks against it, and what got worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterglow.experiment.report.outcome_units import sentence_of
from afterglow.experiment.report.view import View, verdict, versus
from afterglow.records.experiment import PLACEBO, Estimate
from afterglow.show.blocks import (
    Block,
    Grid,
    Heading,
    Num,
    Para,
    Strong,
    Tile,
    Tiles,
    Words,
    listed,
    say,
)
from afterglow.text.clip import printable
from afterglow.text.numbers import count, number


def answer(view: View) -> Words:
    """One sentence. It says no more than the verdict does."""
    if view.question is None:
        return say(
            f"There is nothing to compare yet on {view.label(view.plan.primary)}."
        )
    at, estimate = view.question
    return _sentence(view, at, estimate)


def _sentence(view: View, at: int, estimate: Estimate) -> Words:
    arm, control, outcome = (
        printable(estimate.arm),
        printable(estimate.control),
        view.label(estimate.outcome),
    )
    sentence = Num(sentence_of(estimate), f"estimates[{at}].says")
    if estimate.verdict == "better":
        return say(
            Strong("Yes"), f", on {outcome} {arm} did better than {control}: ", sentence
        )
    if estimate.verdict == "worse":
        return say(
            Strong("No"), f", on {outcome} {arm} did worse than {control}: ", sentence
        )
    if estimate.verdict == "no difference that matters":
        return say(
            Strong("No difference that matters"),
            f" between {arm} and {control} on {outcome}: ",
            sentence,
        )
    return say(
        Strong("Could not tell"),
        f" whether {arm} does better or worse than {control} on {outcome}: ",
        sentence,
    )


def also(view: View) -> Iterator[Words]:
    """The other arms on the primary outcome, in a sentence each."""
    for at, estimate in view.primary:
        if view.question is not None and at != view.question[0]:
            yield _sentence(view, at, estimate)


def cautions(view: View) -> Iterator[Words]:
    """What a reader must know before believing the answer."""
    for at, check in enumerate(view.analysis.checks):
        if check.ok is False:
            yield say(
                Strong("Read with care"),
                f": the check of {printable(check.name)} failed: ",
                Num(printable(check.says), f"checks[{at}].says"),
            )
    if view.question is None:
        return
    question = view.question[1]
    placebo = next(
        (
            estimate
            for _, estimate in view.primary
            if estimate.arm == PLACEBO != question.arm
        ),
        None,
    )
    if placebo and placebo.verdict == question.verdict == "better":
        yield say(
            f"The placebo did better than {printable(question.control)} too, so it need not have been the lessons that "
            "made the difference."
        )


def tiles(view: View) -> Tiles:
    """Primary comparisons, harms, and how much stands behind them."""
    primary = [_comparison(view, at, estimate) for at, estimate in view.primary]
    return Tiles((*primary, _harm_tile(view), _size_tile(view), _check_tile(view)))


def _comparison(view: View, at: int, estimate: Estimate) -> Tile:
    measure = view.measure(estimate.outcome)
    big, _, unit = view.change(at).text.partition(" ")
    label = f"{view.label(estimate.outcome)}, {versus(estimate)}: {estimate.verdict}"
    small = (
        f"any time: {measure.span(estimate.sequence)}",
        f"read once: {measure.span(estimate.interval)}",
        f"{view.level}; n = {number(estimate.n)} and {number(estimate.n_control)}",
    )
    return Tile(big, unit, label, small)


def _harm_tile(view: View) -> Tile:
    worse, open_, _ = _harms(view)
    small = (f"{count(len(open_), 'comparison')} could not be told",)
    return Tile(str(len(worse)), "shown", "harms, over all outcomes and arms", small)


def _size_tile(view: View) -> Tile:
    assigned = sum(view.analysis.assigned.values())
    analysed = sum(view.analysis.analysed.values())
    small = (f"of {number(assigned)} {view.given}",)
    return Tile(number(analysed), f"{view.unit}s", "analysed", small)


def _check_tile(view: View) -> Tile:
    checks = view.analysis.checks
    failed = sum(check.ok is False for check in checks)
    unknown = sum(check.ok is None for check in checks)
    small = [f"of {count(len(checks), 'check')} of fairness"]
    if unknown:
        small.append(f"{unknown} cannot be told")
    return Tile(str(failed), "failed", "of what could make it unfair", tuple(small))


def harms(view: View) -> Iterator[Block]:
    """What got worse, what may have, and what was shown not to matter."""
    worse, open_, fine = _harms(view)
    leaning = [comparison for comparison in open_ if _looks_worse(view, comparison[1])]
    unknown = [comparison for comparison in open_ if comparison not in leaning]
    yield Heading("Harms")
    if worse:
        yield Para(say("Shown to be worse: ", _named(view, worse), "."))
    else:
        yield Para(
            say(
                "No outcome was shown to be worse. That is not proof that none is: see what could not be told."
            )
        )
    if leaning:
        yield Para(
            say(
                "Looks worse, and is not shown: ",
                _named(view, leaning),
                ". The interval read once lies on the worse "
                "side, but that does not hold at any time, or not for so many outcomes.",
            )
        )
    if unknown:
        yield Para(
            say(
                "Could not be told, so a harm is not ruled out: ",
                _named(view, unknown),
                ".",
            ),
            "mute",
        )
    if fine:
        yield Para(
            say("Shown to differ by less than matters: ", _named(view, fine), "."),
            "mute",
        )
    if worse or leaning:
        yield Grid(
            "Outcomes that got worse, or look so",
            (
                "outcome",
                "arm's mean",
                "control's mean",
                "difference",
                f"{view.level}, any time",
                "verdict",
            ),
            "lRRrRl",
            tuple(
                (
                    say(_title(view, comparison)),
                    say(view.mean(at)),
                    say(view.mean(at, control=True)),
                    say(view.change(at)),
                    say(view.span(at, "sequence")),
                    verdict(comparison),
                )
                for at, comparison in [*worse, *leaning]
            ),
            ("within",) * len(worse) + ("calls",) * len(leaning),
        )


def _looks_worse(view: View, estimate: Estimate) -> bool:
    spec = view.specs.get(estimate.outcome)
    if spec is None or spec.direction == "none":
        return False
    return (
        estimate.interval.low > 0
        if spec.direction == "lower"
        else estimate.interval.high < 0
    )


def _harms(
    view: View,
) -> tuple[
    list[tuple[int, Estimate]], list[tuple[int, Estimate]], list[tuple[int, Estimate]]
]:
    """Comparisons that are worse, that could not be told, and that do not matter; outcomes that only describe apart."""
    directed = [
        (at, estimate)
        for at, estimate in view.estimates
        if view.directed(estimate.outcome)
    ]
    return (
        [comparison for comparison in directed if comparison[1].verdict == "worse"],
        [
            comparison
            for comparison in directed
            if comparison[1].verdict == "could not tell"
        ],
        [
            comparison
            for comparison in directed
            if comparison[1].verdict == "no difference that matters"
        ],
    )


def _named(view: View, comparisons: Sequence[tuple[int, Estimate]]) -> Words:
    """By outcome, with the arms: `tokens (warm, placebo)`."""
    arms: dict[str, list[str]] = {}
    for _, estimate in comparisons:
        arms.setdefault(view.label(estimate.outcome), []).append(
            printable(estimate.arm)
        )
    return listed(
        [say(f"{outcome} ({', '.join(names)})") for outcome, names in arms.items()]
    )


def _title(view: View, estimate: Estimate) -> str:
    return f"{view.label(estimate.outcome)}, {versus(estimate)}"

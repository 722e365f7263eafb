"""What the numbers themselves say against the result. Each limitation follows from a field of the analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from afterglow.experiment.moments import arms_with_lessons, begin_alike, is_arm
from afterglow.experiment.report.unit_flow import streams
from afterglow.experiment.report.view import View, apart, versus
from afterglow.records.experiment import PLACEBO, Estimate
from afterglow.show.blocks import Num, Strong, Words, listed, say
from afterglow.text.clip import printable
from afterglow.text.numbers import count, number, round_percent

FEW_CLUSTERS = 20
FEW_UNITS = 30
LOST = 0.05  # more than this share without a result, or this much more in one arm than in another


def limitations(view: View) -> list[Words]:
    return [words for rule in RULES for words in rule(view)]


def _simulated(view: View) -> Iterator[Words]:
    if view.simulated:
        yield say(
            Strong("Simulated."),
            f" These {view.unit}s were generated. They can show whether the method finds what "
            "was planted; they say nothing about real work.",
        )


def _size(view: View) -> Iterator[Words]:
    planned, fewest = view.plan.planned, min(view.analysis.analysed.values(), default=0)
    smallest = Num(number(fewest), "analysed")
    if planned and fewest < planned:
        yield say(
            "The planned size is not reached: ",
            smallest,
            " of ",
            Num(number(planned), "plan.planned"),
            " in the smallest arm. Until then the interval read once decides nothing.",
        )
    if fewest < FEW_UNITS:
        yield say(
            "The smallest arm has ",
            smallest,
            f" {view.unit}s; intervals lean on approximations that like more.",
        )


def _made_of(view: View) -> Iterator[Words]:
    """What the study was made of, where that narrows what it can say or is not known."""
    analysis = view.analysis
    models = {worker.model for worker in analysis.workers}
    if view.simulated:
        return
    if models <= {""}:
        yield say(
            "Which model worked is not recorded; models differ, and so may the result."
        )
    elif len(models) == 1:
        yield say(
            f"One model worked ({printable(min(models))}); another may need lessons less, or use them better."
        )
    elif _is_uneven(view):
        yield say(
            "Agents and models are not spread over the arms alike, so a difference of arms may be one of models."
        )
    if analysis.tasks and not any(task.source for task in analysis.tasks):
        yield say(
            "Where the tasks come from is not recorded. Tasks that were written with the lessons in mind flatter them."
        )
    if analysis.times.planned is None or analysis.times.first is None:
        yield say(
            "Times are missing, so it cannot be shown that the plan came before the data."
        )


def _told(view: View) -> Iterator[Words]:
    """Arms that were told less often than their name says, or something although it says nothing."""
    for at, arm_told in enumerate(view.analysis.told_by_arm):
        arm = printable(arm_told.arm)
        is_told = arm_told.arm == PLACEBO or arm_told.arm in arms_with_lessons(
            view.plan.arms
        )
        share = Num(
            f"{number(arm_told.told_trials)} of {number(arm_told.trials)}",
            f"told_by_arm[{at}].told_trials",
        )
        if is_told and arm_told.told_trials < arm_told.trials:
            yield say(
                f"In the arm {arm} only ",
                share,
                f" {view.unit}s were told anything: nothing fitted the others, or nothing failed in a known way. They count "
                "in their arm all the same, which makes the arms look more alike.",
            )
        if not is_told and is_arm(arm_told.arm) and arm_told.told_trials:
            yield say(
                Strong("An arm that is to be told nothing was told something"),
                f": {arm}, in ",
                share,
                f" {view.unit}s.",
            )


def _is_uneven(view: View) -> bool:
    """Whether one agent with its model did a larger share of one arm than of another."""
    totals: Counter[str] = Counter()
    for worker in view.analysis.workers:
        totals.update(worker.trials)
    for worker in view.analysis.workers:
        shares = [worker.trials.get(arm, 0) / totals[arm] for arm in +totals]
        if max(shares) - min(shares) > LOST:
            return True
    return False


def _open(view: View) -> Iterator[Words]:
    open_ = [
        estimate
        for _, estimate in view.estimates
        if estimate.verdict == "could not tell"
    ]
    if open_:
        every = count(len(view.analysis.estimates), "comparison")
        many = Num(f"{len(open_)} of {every}", "estimates")
        yield say(many, " could not be told. That does not mean no difference.")
    early = [estimate for _, estimate in view.estimates if _read_early(view, estimate)]
    if early:
        why = "No size was planned, so"
        if view.plan.planned:
            why = "Before the planned size"
        yield say(
            f"On {_names(view, early)} the interval read once leaves out zero and the one valid at any time does not. "
            f"{why} only the second counts."
        )
    corrected = [
        estimate
        for estimate in open_
        if apart(estimate.sequence) and view.directed(estimate.outcome)
    ]
    if corrected:
        yield say(
            f"On {_names(view, corrected)} the interval leaves out zero, but not once corrected for the number of "
            "outcomes."
        )


def _read_early(view: View, estimate: Estimate) -> bool:
    """Its interval read once says more than the one valid at any time, and the planned size is not reached."""
    if not apart(estimate.interval) or apart(estimate.sequence):
        return False
    return not 0 < view.plan.planned <= min(estimate.n, estimate.n_control)


def _names(view: View, estimates: Iterable[Estimate]) -> str:
    names = (
        f"{view.label(estimate.outcome)} ({printable(estimate.arm)})"
        for estimate in estimates
    )
    return ", ".join(dict.fromkeys(names))


def _lost(view: View) -> Iterator[Words]:
    arms = [stream for stream in streams(view) if stream.assigned]
    lost = {stream.arm: 1 - stream.analysed / stream.assigned for stream in arms}
    if lost and max(lost.values()) > LOST:
        parts = [
            say(f"{printable(arm)} ", Num(round_percent(part), f"lost.{arm}"))
            for arm, part in lost.items()
        ]
        yield say(
            "Not all that were assigned are analysed; missing or left out: ",
            listed(parts),
            ".",
        )
    if lost and max(lost.values()) - min(lost.values()) > LOST:
        yield say(
            "The arms lost different shares, so those who are left may differ in more than their arm."
        )


def _unmeasured(view: View) -> Iterator[Words]:
    for name in dict.fromkeys(estimates.outcome for _, estimates in view.estimates):
        estimates = [
            (at, estimate)
            for at, estimate in view.estimates
            if estimate.outcome == name
        ]
        at, worst = max(
            estimates,
            key=lambda estimate: estimate[1].missing / max(_asked(estimate[1]), 1),
        )
        if worst.missing > LOST * _asked(worst):
            part = Num(
                f"{number(worst.missing)} of {number(_asked(worst))}",
                f"estimates[{at}].missing",
            )
            paired = ", or there is nothing to pair them with" if worst.pairs else ""
            yield say(
                f"{view.label(name)} could not be computed for ",
                part,
                f"{paired} ({versus(worst)}).",
            )


def _asked(estimate: Estimate) -> int:
    return estimate.missing + estimate.n + estimate.n_control


def _clusters(view: View) -> Iterator[Words]:
    cluster_counts = [
        (estimate.clusters, at) for at, estimate in view.estimates if estimate.clusters
    ]
    if cluster_counts and min(cluster_counts)[0] < FEW_CLUSTERS:
        few = Num(
            f"{number(min(cluster_counts)[0])} clusters",
            f"estimates[{min(cluster_counts)[1]}].clusters",
        )
        yield say(
            f"The {view.unit}s come from few groups that are alike inside (",
            few,
            "); what holds for them need not "
            "hold for others, and intervals over few clusters are rough.",
        )
    if len({estimate.stratum for estimate in view.analysis.strata}) == 1:
        yield say("All of it comes from one stratum; nothing is known about others.")


def _proxies(view: View) -> Iterator[Words]:
    names = [
        name
        for name in view.plan.outcomes
        if (spec := view.specs.get(name)) and spec.proxy
    ]
    if names:
        verb = "is a proxy" if len(names) == 1 else "are proxies"
        primary = (
            " The primary outcome is one of them." if view.plan.primary in names else ""
        )
        yield say(
            f"{', '.join(map(printable, names))} {verb}: what it stands for was not measured.{primary}"
        )


def _conditional(view: View) -> Iterator[Words]:
    names = [
        name
        for name in view.plan.outcomes
        if (spec := view.specs.get(name)) and spec.conditional
    ]
    if names and not begin_alike(view.plan.arms):
        verb = "is" if len(names) == 1 else "are"
        yield say(
            f"{', '.join(map(view.label, names))} {verb} there only for {view.unit}s in which a known problem came up. "
            "What was told at the start may have kept it from coming up, so there arms that begin differently hold "
            f"different {view.unit}s."
        )


def _placebo(view: View) -> Iterator[Words]:
    if PLACEBO not in view.plan.arms:
        yield say(
            "There was no placebo arm, so lessons cannot be told from the mere presence of more text."
        )
    elif view.plan.control != PLACEBO and len(view.plan.arms) > 2:
        pairs = ", not with one another"
        if view.analysis.between:
            pairs = "; with one another only those that are told lessons"
        yield say(
            f"Verdicts compare each arm with {printable(view.plan.control)}{pairs}."
        )
    if not view.plan.separate and not view.ran_here:
        yield say(
            "What one arm learned could reach the others, which would make the arms look more alike."
        )


def _checks(view: View) -> Iterator[Words]:
    for at, check in enumerate(view.analysis.checks):
        if check.ok is not True:
            word = "failed" if check.ok is False else "could not be made"
            yield say(
                f"The check of {printable(check.name)} {word}: ",
                Num(printable(check.says), f"checks[{at}].says"),
            )


def _several(view: View) -> Iterator[Words]:
    total = len(view.analysis.estimates)
    if total > 1 and all(estimate.holm is None for estimate in view.analysis.estimates):
        yield say(
            Num(number(total), "estimates"),
            " comparisons are shown at once, without a correction for their number.",
        )
    if view.analysis.strata:
        yield say(
            "Effects by stratum were looked at, not tested; some would stand out by chance."
        )


RULES = (
    _simulated,
    _size,
    _made_of,
    _told,
    _open,
    _lost,
    _unmeasured,
    _clusters,
    _proxies,
    _conditional,
    _checks,
    _placebo,
    _several,
)

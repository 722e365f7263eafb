"""How it was done, in plain words: what was assigned how, what was measured, and what decides."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.experiment.outcomes import EXCLUSIONS
from afterglow.experiment.report.outcome_units import better
from afterglow.experiment.report.study import timeline
from afterglow.experiment.report.view import View
from afterglow.show.blocks import Definitions, Num, Words, listed, say
from afterglow.text.clip import printable
from afterglow.text.numbers import number, short_percent

# What `experiment run` measures itself, whatever the agent's transcript says.
BY_THE_RUNNER = {
    "success": "the task's own check said so, run in the project's folder when the agent was gone",
    "seconds": "time from the start of the agent's program to its end, cut off where the task's time was up",
}


def hypothesis(view: View) -> Words:
    sentence = printable(view.plan.hypothesis).strip()
    if not sentence:
        return say("No hypothesis was written down.")
    return say(f"The hypothesis was: {sentence}{'' if sentence[-1] in '.?!' else '.'}")


def assignment(view: View) -> Words:
    plan = view.plan
    arms = [
        say(
            f"{printable(arm)} (",
            Num(short_percent(part), f"plan.allocation[{at}]"),
            ")",
        )
        for at, (arm, part) in enumerate(zip(plan.arms, plan.allocation, strict=True))
    ]
    if plan.every_arm:  # shares say nothing where every task has them all
        arms = [say(printable(arm)) for arm in plan.arms]
    control = f"; {printable(plan.control)} is the control."
    if not view.analysis.drawn:
        control += " Who was given which arm was not kept, so that arms were drawn at random is only what was planned."
    verb = "was" if view.analysis.drawn else "was to be"
    if plan.design == "paired":
        how = (
            f"Each task {verb} run in every arm"
            if plan.every_arm
            else f"Each {plan.unit} {verb} given one arm within its task"
        )
        return say(
            f"{how}, in random order: ",
            listed(arms),
            f"{control} Arms are compared task by task.",
        )
    blocks = (
        f", in blocks by {' and '.join(map(printable, plan.strata))}"
        if plan.strata
        else ""
    )
    return say(
        f"Each {plan.unit} {verb} given one arm at random{blocks}: ",
        listed(arms),
        control,
    )


def counted(view: View) -> Words:
    """Intention to treat, and what is left out."""
    rule = f"Every {view.unit} is counted in the arm it was given, whatever became of the context it should have got."
    rules = view.plan.exclusions
    if not rules:
        return say(rule, " The plan leaves nothing out by rule.")
    return say(
        rule,
        f" Rules fixed in the plan, the same for every arm, leave out: {', '.join(map(printable, rules))}.",
    )


def measured(view: View) -> Words:
    plan = view.plan
    also = (
        f" Besides it: {', '.join(view.label(name) for name in plan.outcomes[1:])}."
        if plan.outcomes[1:]
        else ""
    )
    return say(
        f"The primary outcome, named in the plan, is {view.label(plan.primary)}.{also}"
    )


def decides(view: View) -> Words:
    """What makes a verdict."""
    plan = view.plan
    rate = Num(short_percent(plan.alpha), "plan.alpha")
    always = say(
        "The evidence may be read at any time: the interval shown as valid at any time, and the e-value, keep their "
        "promise however often one looks (at most ",
        rate,
        " false alarms). ",
    )
    if plan.planned:
        size = Num(number(plan.planned), "plan.planned")
        units = "tasks" if plan.design == "paired" else f"{plan.unit}s"
        once = say(
            "The interval read once, and its p-value, count only at the planned size of ",
            size,
            f" {units} per arm, over the first so many; tables and figures show them over all there are. ",
        )
    else:
        once = say(
            "No size was planned, so the interval read once decides nothing; it is shown beside the other. "
        )
    return say(always, once, worth_knowing(view))


def worth_knowing(view: View) -> Words:
    plan = view.plan
    if not plan.min_effect:
        return say("The plan names no smallest difference worth knowing.")
    least = Num(
        view.measure(plan.primary).change(plan.min_effect).lstrip("+"),
        "plan.min_effect",
    )
    return say(
        "The smallest difference of the primary outcome worth knowing is ", least, "."
    )


def computed(view: View) -> Words:
    """The methods that were in fact used, each with the outcomes it was used for."""
    used: dict[str, dict[str, None]] = {}
    for _, estimate in view.estimates:
        used.setdefault(printable(estimate.method), {})[
            view.label(estimate.outcome)
        ] = None
    if not used:
        return say("Nothing could be computed.")
    methods = "; ".join(
        f"{method} ({', '.join(names)})" for method, names in used.items()
    )
    extra = []
    if any(estimate.holm is not None for _, estimate in view.primary):
        extra.append(
            "on the primary outcome the arms that are told lessons are corrected for being several, the other outcomes for "
            "all outcomes of an arm (Holm)"
        )
    elif any(estimate.holm is not None for estimate in view.analysis.estimates):
        extra.append(
            "the primary outcome is judged on its own, the others corrected for being several (Holm)"
        )
    if any(estimate.adjusted is not None for estimate in view.analysis.estimates):
        extra.append(
            "differences are also given adjusted for what was known before the start"
        )
    if view.analysis.pair_tables:
        extra.append(
            "every pair of arms is also told task by task, by McNemar's exact test"
        )
    return say(f"Computed by: {methods}.{' ' + _sentence(extra) if extra else ''}")


def carry_over(view: View) -> Words:
    if view.ran_here:
        return say(
            "Every run began with a copy of what was known when the study began, in a folder and a home of its own, and "
            "taught no other."
        )
    if view.plan.separate:
        return say(
            "Knowledge harvested from the sessions of one arm was kept out of the others."
        )
    return say(
        "Knowledge harvested from the sessions of one arm could reach the others."
    )


def paragraphs(view: View) -> Iterator[Words]:
    yield timeline(view)
    yield assignment(view)
    yield say(counted(view), " ", carry_over(view))
    yield measured(view)
    yield decides(view)
    yield computed(view)


def outcome_words(view: View) -> Definitions:
    """Every outcome with its definition and which way is better."""
    entries = []
    for name in dict.fromkeys(
        [
            *view.plan.outcomes,
            *(estimate.outcome for estimate in view.analysis.estimates),
        ]
    ):
        spec = view.specs.get(name)
        words = printable(spec.words) if spec else "Not described in this version."
        if view.ran_here:
            words = BY_THE_RUNNER.get(name, words)
        proxy = (
            " It stands for something that was not measured itself."
            if spec and spec.proxy
            else ""
        )
        primary = "Primary: " if name == view.plan.primary else ""
        entries.append(
            (
                view.label(name),
                say(f"{primary}{words.rstrip('.')}; {better(spec)}.{proxy}"),
            )
        )
    return Definitions(tuple(entries))


def rule_words(view: View) -> Iterator[Definitions]:
    """Every rule of the plan that leaves out, with what it means."""
    if view.plan.exclusions:
        rules = (
            (name, EXCLUSIONS.get(name, "not described in this version"))
            for name in view.plan.exclusions
        )
        yield Definitions(
            tuple((printable(name), say(f"{words}.")) for name, words in rules)
        )


def _sentence(parts: list[str]) -> str:
    joined = "; ".join(parts)
    return f"{joined[:1].upper()}{joined[1:]}."

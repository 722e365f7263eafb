"""The sections with tables and figures, from the effects to the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import structs

from afterglow.experiment.plan import plan_text
from afterglow.experiment.report import evidence_figure, figures, text_figures
from afterglow.experiment.report.arm_figure import arm_figure
from afterglow.experiment.report.outcome_units import (
    better,
    e_value,
    p_value,
    plain_span,
)
from afterglow.experiment.report.unit_flow import flow, narrow_flow, streams
from afterglow.experiment.report.view import TONES, View, verdict, versus
from afterglow.show.blocks import (
    Block,
    Code,
    Definitions,
    Figure,
    Grid,
    Heading,
    Listing,
    Num,
    Para,
    Small,
    Words,
    say,
)
from afterglow.text.clip import printable
from afterglow.text.numbers import moment, number

VERDICTS = {
    True: ("fine", ""),
    False: ("failed", "within"),
    None: ("cannot be told", "calls"),
}


def outcomes(view: View) -> Iterator[Block]:
    """All of them, with nulls and harms; what only describes is among them."""
    if not view.analysis.estimates:
        yield Para(say("There is nothing to compare yet."))
        return
    yield from arm_figure(view)
    level = view.level
    yield Figure(
        "outcomes",
        "Every outcome, each arm against the control",
        f"Dots are differences from {printable(view.plan.control)}; right is better. Thick bars: {level} interval read "
        f"once. Thin lines: {level} interval valid at any time, with its numbers. Each outcome has its own axis; an "
        "arrow says that an interval goes on. Shaded: too small to matter, by the plan.",
        figures.forest(view),
        text_figures.forest(view),
        "estimates",
        figures.forest(view, figures.PHONE),
    )
    yield Grid(
        "Every outcome that was planned, whatever it says",
        (
            "outcome",
            "mean",
            f"difference, {level} at any time",
            f"{level} read once",
            "p",
            "e",
            "verdict",
        ),
        "lRrRRRl",
        tuple(_outcome(view, at) for at, _ in view.estimates),
        tuple(
            TONES.get(estimate.verdict, "calls")
            if view.directed(estimate.outcome)
            else "calls"
            for _, estimate in view.estimates
        ),
    )
    yield _further(view)
    lacking = [
        name
        for name in view.plan.outcomes
        if name not in {estimate.outcome for estimate in view.analysis.estimates}
    ]
    if lacking:
        yield Para(
            say(
                f"Planned, and not computed from these data: {', '.join(map(view.label, lacking))}."
            )
        )


def _outcome(view: View, at: int) -> tuple[Words, ...]:
    estimate = view.analysis.estimates[at]
    holm = (
        say(Small(("Holm ", view.p(at, "holm")))) if estimate.holm is not None else ()
    )
    return (
        say(
            view.label(estimate.outcome),
            Small((f"{versus(estimate)}; {better(view.specs.get(estimate.outcome))}",)),
        ),
        say(view.mean(at), Small(("control ", view.mean(at, control=True)))),
        say(view.change(at), Small((view.span(at, "sequence"),))),
        say(view.span(at, "interval")),
        say(view.p(at), holm),
        say(view.e(at)),
        verdict(estimate) if view.directed(estimate.outcome) else say("only describes"),
    )


def _further(view: View) -> Grid:
    """The rest of what was computed; columns that are empty throughout are left out."""
    columns: dict[str, Callable[[View, int], Words]] = {
        "n": _counts,
        "missing": lambda view, at: view.other(at, "missing"),
        "ratio": _ratio,
        "effect size": lambda view, at: view.other(at, "effect_size"),
        "adjusted difference": _adjusted,
        "clusters": lambda view, at: view.counted(at, "clusters"),
        "pairs": lambda view, at: view.counted(at, "pairs"),
        "yes in one alone": _discordant,
        "needed per arm": lambda view, at: view.other(at, "needed"),
    }
    cells = {
        head: [cell(view, at) for at, _ in view.estimates]
        for head, cell in columns.items()
    }
    filled = {head: column for head, column in cells.items() if set(column) != {("–",)}}
    names = [
        say(view.label(estimate.outcome), Small((versus(estimate),)))
        for _, estimate in view.estimates
    ]
    return Grid(
        "What else was computed",
        ("outcome", *filled),
        "l" + "r" * len(filled),
        tuple(zip(names, *filled.values(), strict=True)),
    )


def _counts(view: View, at: int) -> Words:
    control = Small(("control ", *view.counted(at, "n_control")))
    return say(view.other(at, "n"), control)


def _discordant(view: View, at: int) -> Words:
    """The tasks by which the arms differ; the others say nothing about them."""
    discordant = view.analysis.estimates[at].discordant
    if discordant is None:
        return ("–",)
    arm, control = discordant
    path = f"estimates[{at}].discordant"
    return say(
        Num(number(arm), f"{path}[0]"),
        Small(("control ", Num(number(control), f"{path}[1]"))),
    )


def _ratio(view: View, at: int) -> Words:
    interval = view.analysis.estimates[at].ratio_interval
    if interval is None:
        return view.other(at, "ratio")
    return say(
        view.other(at, "ratio"),
        Small((Num(plain_span(interval), f"estimates[{at}].ratio_interval"),)),
    )


def _adjusted(view: View, at: int) -> Words:
    estimate = view.analysis.estimates[at]
    if estimate.adjusted is None:
        return say("–")
    value = Num(
        view.measure(estimate.outcome).change(estimate.adjusted),
        f"estimates[{at}].adjusted",
    )
    return say(value, Small((view.span(at, "adjusted_interval"),)))


def evidence(view: View) -> Iterator[Block]:
    if not view.analysis.evidence:
        yield Para(say("There are no looks to show yet."), "mute")
        return
    name = view.label(view.plan.primary)
    yield Figure(
        "evidence",
        f"The evidence as it grew: {name}",
        f"What would have been read after each {view.unit}: the difference, and the {view.level} interval that is "
        "valid at any time. It may be read at every point. Dashed: no difference, and the smallest worth knowing.",
        evidence_figure.evidence(view),
        text_figures.evidence(view),
        "evidence",
        evidence_figure.evidence(view, figures.PHONE),
    )
    measure = view.measure(view.plan.primary)
    for arm in figures.arms_with_evidence(view):
        steps = [step for step in view.analysis.evidence if step.arm == arm]
        last, since = steps[-1], figures.settled(steps)
        at = view.analysis.evidence.index(last)
        since_when = say("It has not left out zero until now.")
        if since:
            first = Num(
                number(since.n), f"evidence[{view.analysis.evidence.index(since)}].n"
            )
            since_when = say("It has left out zero since n = ", first, ".")
        yield Para(
            say(
                f"{printable(arm)}, after ",
                Num(f"{number(last.n)} {view.unit}s", f"evidence[{at}].n"),
                ": ",
                Num(measure.change(last.difference), f"evidence[{at}].difference"),
                " (",
                Num(measure.span(last.sequence), f"evidence[{at}].sequence"),
                "), evidence ",
                Num(f"{e_value(last.e)} to 1", f"evidence[{at}].e"),
                ". ",
                since_when,
            ),
            "mute",
        )


def strata(view: View) -> Iterator[Block]:
    effects = view.analysis.strata
    if not effects:
        paired = "Arms are compared task by task, so there are no other strata."
        alone = "There are not two strata with enough in both arms."
        yield Para(say(paired if view.plan.design == "paired" else alone), "mute")
        return
    hidden = len(effects) - len(figures.largest_strata(view))
    yield Figure(
        "strata",
        f"By stratum: {view.label(view.plan.primary)}",
        f"Differences from {printable(view.plan.control)} with {view.level} intervals read once; right is better. "
        f"Looked at, not tested.{f' The {hidden} smallest are in the table only.' if hidden else ''}",
        figures.strata(view),
        text_figures.strata(view),
        "strata",
        figures.strata(view, figures.PHONE),
    )
    if hidden:
        measure = view.measure(view.plan.primary)
        yield Grid(
            "Every stratum",
            ("stratum", "arm", "n", "control's n", "difference", view.level),
            "llrRrr",
            tuple(
                (
                    say(printable(effect.stratum)),
                    say(printable(effect.arm)),
                    say(Num(number(effect.n), f"strata[{at}].n")),
                    say(Num(number(effect.n_control), f"strata[{at}].n_control")),
                    say(
                        Num(
                            measure.change(effect.difference),
                            f"strata[{at}].difference",
                        )
                    ),
                    say(Num(measure.span(effect.interval), f"strata[{at}].interval")),
                )
                for at, effect in enumerate(effects)
            ),
        )


def flows(view: View) -> Iterator[Block]:
    yield Figure(
        "flow",
        f"From assignment to analysis, in {view.unit}s",
        "Rules that leave out are those of the plan and the same for every arm. Without a record: assigned, and "
        "nothing came of it yet.",
        flow(view),
        text_figures.flow(view),
        "assigned",
        narrow_flow(view),
    )
    yield Grid(
        f"How many were {view.given}, left out and analysed",
        ("arm", view.given, "left out", "without a record", "analysed"),
        "lrrrr",
        tuple(
            (
                say(printable(stream.arm)),
                say(Num(number(stream.assigned), f"assigned.{stream.arm}")),
                say(
                    Num(number(sum(stream.excluded.values())), f"excluded.{stream.arm}")
                ),
                say(Num(number(stream.lost), f"lost.{stream.arm}")),
                say(Num(number(stream.analysed), f"analysed.{stream.arm}")),
            )
            for stream in streams(view)
        ),
    )


def checks(view: View) -> Iterator[Block]:
    if not view.analysis.checks:
        yield Para(say("No checks were made."), "mute")
        return
    yield Grid(
        "What could make the comparison unfair",
        ("check", "what was found", "p", "verdict"),
        "llRl",
        tuple(
            (
                say(printable(check.name)),
                say(Num(printable(check.says), f"checks[{at}].says")),
                say(Num(p_value(check.p), f"checks[{at}].p"))
                if check.p is not None
                else say("–"),
                say(VERDICTS[check.ok][0]),
            )
            for at, check in enumerate(view.analysis.checks)
        ),
        tuple(VERDICTS[check.ok][1] for check in view.analysis.checks),
    )


def plan(view: View) -> Iterator[Block]:
    """Every field of it, and the text its hash is of."""
    entries = [
        (field, say(_decided(field, value)))
        for field, value in structs.asdict(view.plan).items()
    ]
    yield Definitions(tuple(entries))
    yield Para(say("The same as text; its SHA-256 is the hash of the plan."), "mute")
    yield Listing(plan_text(view.plan).decode())


def hashes(view: View) -> Block:
    analysis = view.analysis
    return Definitions(
        (
            (
                "plan",
                say(
                    Code(printable(analysis.plan_hash)),
                    f" (written {moment(analysis.plan.created)})",
                ),
            ),
            ("data", say(Code(printable(analysis.data_hash)))),
            ("analysed", say(moment(analysis.time))),
        )
    )


def _decided(field: str, value: object) -> str:
    """A field of the plan as people read it."""
    if field == "created" and isinstance(value, float | int):
        return moment(value)
    if isinstance(value, tuple):
        return ", ".join(map(_decided_part, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return printable(str(value)) or "none"


def _decided_part(part: object) -> str:
    return f"{part:.4g}" if isinstance(part, float) else printable(str(part))


def section(title: str, blocks: Iterator[Block]) -> Iterator[Block]:
    yield Heading(title)
    yield from blocks

"""Where every number of a paper comes from: its place in the analysis, what it was computed from, and by what."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from afterglow.experiment.report.view import View
from afterglow.records.experiment import Estimate
from afterglow.show.blocks import Anchor, Block, Grid, Num, Small, numbers, say
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number

ANALYSE = "afterglow.experiment.analysis.analyse"
PLAN = "afterglow.experiment.plan.make_plan"
STREAMS = "afterglow.experiment.report.unit_flow.streams"
DRAWN = {
    "arms": "arm_figure.arm_figure",
    "outcomes": "figures.forest",
    "evidence": "evidence_figure.evidence",
    "strata": "figures.strata",
    "flow": "unit_flow.flow",
}
MEANINGS = {
    "mean": "mean of the arm", "mean_control": "mean of the control", "difference": "arm less control",
    "interval": "interval read once", "sequence": "interval valid at any time", "p": "p-value, read once",
    "holm": "p-value corrected for all outcomes", "e": "e-value", "n": "units", "n_control": "units of the control",
    "ratio": "arm over control", "ratio_interval": "interval of the ratio", "effect_size": "effect size",
    "adjusted": "difference after covariates", "adjusted_interval": "its interval", "says": "the sentence",
    "needed": "units per arm for the planned power", "missing": "units without this outcome", "clusters": "clusters",
    "pairs": "pairs", "assigned": "units assigned", "excluded": "units left out by a rule",
    "analysed": "units analysed", "lost": "assigned, less left out, less analysed", "estimates": "comparisons",
}  # fmt: skip
_PLACE = re.compile(r"(?P<list>\w+)\[(?P<at>\d+)\](?:\.(?P<field>\w+))?")


class Source(NamedTuple):
    """What stands behind a number."""

    meaning: str
    about: str
    method: str
    inputs: str
    function: str


def links(blocks: Iterable[Block]) -> dict[str, str]:
    """Place in the analysis -> id of its row in the appendix."""
    return {figure.path: f"v{at}" for at, figure in enumerate(numbers(blocks), start=1)}


def appendix(view: View, blocks: Iterable[Block]) -> Grid:
    rows = []
    for at, figure in enumerate(numbers(blocks), start=1):
        source, data_hash = (
            source_of(view, figure),
            printable(view.analysis.data_hash)[:12],
        )
        place = printable(figure.path)
        rows.append(
            (
                say(Anchor(f"v{at}", clip(figure.text, 60)), Small((place,))),
                say(source.meaning, Small((source.about,))),
                say(source.method, Small((source.inputs,))),
                say(source.function, Small((f"data {data_hash}",))),
            )
        )
    return Grid(
        "Every number with its place in the analysis, and what it was computed from",
        (
            "number and its place",
            "what it is, of what",
            "method and inputs",
            "computed by, from the data of this hash",
        ),
        "llll",
        tuple(rows),
    )


def source_of(view: View, origin: Num) -> Source:
    place = _PLACE.fullmatch(origin.path)
    if origin.path.startswith("plan."):
        field = origin.path.removeprefix("plan.").partition("[")[0]
        return Source(f"decided: {field.replace('_', ' ')}", "the plan", "–", "–", PLAN)
    if origin.text in DRAWN:
        about = view.label(view.plan.primary)
        if origin.text == "outcomes":
            about = "all outcomes"
        function = f"afterglow.experiment.report.{DRAWN[origin.text]}"
        return Source("a figure", about, "–", "all of this list", function)
    if place and place["list"] == "estimates":
        estimate = view.analysis.estimates[int(place["at"])]
        return _estimate(view, estimate, place["field"] or "")
    if place and place["list"] == "between":
        pair = view.analysis.between[int(place["at"])]
        return _estimate(view, pair, place["field"] or "")
    if place:
        return _listed(view, place["list"], int(place["at"]), place["field"] or "")
    name, _, arm = origin.path.partition(".")
    function = STREAMS if name == "lost" else ANALYSE
    return Source(
        MEANINGS.get(name, name),
        printable(arm) or "all arms",
        "counted",
        "assignments and records",
        function,
    )


def _estimate(view: View, estimate: Estimate, field: str) -> Source:
    about = f"{view.label(estimate.outcome)}, {printable(estimate.arm)} against {printable(estimate.control)}"
    method = printable(estimate.method)
    if field in ("sequence", "e"):
        method = "confidence sequence and e-value"
    elif field in (
        "mean",
        "mean_control",
        "difference",
        "n",
        "n_control",
        "missing",
        "clusters",
        "pairs",
    ):
        method = "counted"
    inputs = f"n = {number(estimate.n)} and {number(estimate.n_control)}; {number(estimate.missing)} missing"
    return Source(MEANINGS.get(field, field), about, method, inputs, ANALYSE)


def _listed(view: View, name: str, at: int, field: str) -> Source:
    if name == "evidence":
        step = view.analysis.evidence[at]
        about = f"{view.label(view.plan.primary)}, {printable(step.arm)}"
        return Source(
            MEANINGS.get(field, field),
            about,
            "confidence sequence",
            f"the first {number(step.n)}",
            ANALYSE,
        )
    if name == "strata":
        part = view.analysis.strata[at]
        about = f"{view.label(view.plan.primary)}, {printable(part.arm)} in {printable(part.stratum)}"
        return Source(
            MEANINGS.get(field, field),
            about,
            "interval read once",
            f"n = {number(part.n)} and {number(part.n_control)}",
            ANALYSE,
        )
    check = view.analysis.checks[at]
    return Source(
        "the finding" if field == "says" else MEANINGS.get(field, field),
        printable(check.name),
        "check",
        "assignments and records",
        ANALYSE,
    )

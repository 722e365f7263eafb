"""Where every number of a paper comes from: its place in the analysis, what it was computed from, and by what."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from afterglow.experiment.report.view import View
from afterglow.records.experiment import Estimate, PairTable
from afterglow.show.blocks import Anchor, Block, Grid, Num, Small, numbers, say
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import number

ANALYSE = "afterglow.experiment.analysis.analyse"
PLAN = "afterglow.experiment.plan.make_plan"
STREAMS = "afterglow.experiment.report.unit_flow.streams"
FACTS = "afterglow.experiment.analysis.study_facts"
PAIR_TABLES = "afterglow.experiment.analysis.pair_tables.pair_tables"
RECORDS = "assignments and records"
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
    "discordant": "tasks with a yes in one arm alone", "both": "tasks with a yes in both arms",
    "only_arm": "tasks with a yes in the first arm alone", "only_control": "tasks with a yes in the second alone",
    "neither": "tasks with a yes in neither", "tasks": "tasks, and families of them", "trials": "trials counted",
    "told_trials": "trials that were told something", "tokens": "mean of the tokens told",
    "units": "units of this repository", "families": "families of this repository",
    "planned": "when the plan was written", "first": "the time of the first trial", "last": "the time of the last",
}  # fmt: skip
_PLACE = re.compile(
    r"(?P<list>\w+)\[(?P<at>\d+)\](?:\.(?P<field>\w+))?(?:[.\[](?P<part>.*))?"
)


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
    name, _, part = origin.path.partition(".")
    if name == "times":
        meaning = MEANINGS | {"assigned": "when the first unit was assigned"}
        return Source(meaning[part], "the study", "–", RECORDS, f"{FACTS}.study_times")
    function = {"lost": STREAMS, "tasks": f"{FACTS}.tasks"}.get(name, ANALYSE)
    return Source(
        MEANINGS.get(name, name),
        printable(part) or "all arms",
        "counted",
        RECORDS,
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
        "discordant",
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
    if name == "pair_tables":
        return _pair_table(view, view.analysis.pair_tables[at], field)
    if name == "told_by_arm":
        about, inputs = (
            printable(view.analysis.told_by_arm[at].arm),
            "what each trial was told",
        )
        return Source(MEANINGS[field], about, "counted", inputs, f"{FACTS}.told_by_arm")
    if name in ("workers", "repos"):
        about = _worker_or_repo(view, name, at)
        return Source(MEANINGS[field], about, "counted", RECORDS, f"{FACTS}.{name}")
    check = view.analysis.checks[at]
    return Source(
        "the finding" if field == "says" else MEANINGS.get(field, field),
        printable(check.name),
        "check",
        RECORDS,
        ANALYSE,
    )


def _pair_table(view: View, table: PairTable, field: str) -> Source:
    about = f"{view.label(table.outcome)}, {printable(table.arm)} against {printable(table.control)}"
    method = "exact McNemar test" if field in ("p", "holm") else "counted"
    meaning = MEANINGS[field]
    if field == "holm":
        meaning = "p-value corrected for all pairs of arms"
    tasks = table.both + table.only_arm + table.only_control + table.neither
    return Source(meaning, about, method, f"{number(tasks)} tasks", PAIR_TABLES)


def _worker_or_repo(view: View, name: str, at: int) -> str:
    if name == "repos":
        return printable(view.analysis.repos[at].repo) or "no repository"
    worker = view.analysis.workers[at]
    return printable(f"{worker.agent} {worker.model}").strip() or "not recorded"

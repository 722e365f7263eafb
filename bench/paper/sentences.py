"""Sentences made of numbers, so that words follow the numbers and not the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from afterglow.show.blocks import Code, Num, Piece
from afterglow.text.numbers import (
    percent,
    percent_range,
    points,
    points_range,
)
from bench.paper.formats import changes, p_value, to_the_second
from bench.paper.results import Results

NO_INTERVAL = "no interval"
SHARES = ("success",)  # outcomes that are a yes or a no; the others are means


def comparison(plan: str, outcome: str, arm: str, against: str) -> str:
    """The address of a comparison; `plan` is a file and a plan of it: `loop:moments`."""
    name, _, plan_name = plan.partition(":")
    chosen = f"outcome={outcome},arm={arm},against={against}"
    return f"{name}:plans.{plan_name}.comparisons[{chosen}]"


def compare(
    results: Results, plan: str, outcome: str, arm: str, against: str
) -> Sequence[Piece]:
    """`+20.8 points (95 % interval +3.0 to +38.0; p = 0.022; tasks solved by warm alone 20, by cold alone 0)`"""
    address = comparison(plan, outcome, arm, against)
    found = results.value(address)
    difference, interval = differences(found, outcome)
    pieces: list[Piece] = [
        Num(difference, f"{address}.estimate"),
        " (95 % interval ",
        Num(interval, f"{address}.low"),
    ]
    if found.get("p") is not None:
        pieces += ["; ", Num(p_value(found["p"]), f"{address}.p")]
    if found.get("discordant"):
        only_arm, only_against = found["discordant"]
        pieces += [
            "; tasks solved by ",
            Code(arm),
            " alone ",
            Num(str(only_arm), f"{address}.discordant[0]"),
            ", by ",
            Code(against),
            " alone ",
            Num(str(only_against), f"{address}.discordant[1]"),
        ]
    return [*pieces, ")"]


def differences(found: dict[str, Any], outcome: str) -> tuple[str, str]:
    """A difference and its interval as they are written; values that are all the same have none."""
    low, high = found["low"], found["high"]
    if low is None or high is None:
        estimate = found["estimate"]
        written = points(estimate) if outcome in SHARES else changes(estimate)[0]
        return written, NO_INTERVAL
    if outcome in SHARES:
        return points(found["estimate"]), points_range(low, high)
    estimate, low, high = changes(found["estimate"], low, high)
    return estimate, f"{low} to {high}"


def verdict(
    results: Results, plan: str, outcome: str, arm: str, against: str
) -> Sequence[Piece]:
    """The study's own verdict, which is corrected for several arms: `better`, `could not tell`. A file without verdicts
    gives `higher`, `lower` or `not told apart`, by whether the interval has zero in it."""
    address = comparison(plan, outcome, arm, against)
    found = results.value(address)
    if found.get("verdict"):
        return [Num(found["verdict"], f"{address}.verdict")]
    word = "not told apart"
    if found["low"] > 0:
        word = "higher"
    elif found["high"] < 0:
        word = "lower"
    return [Num(word, f"{address}.low")]


def rate(results: Results, *words: str) -> Sequence[Piece]:
    """`45.2 % (40.1–50.3 %)`: a share with its interval, wherever a result file has value, low and high."""
    address = " ".join(words)
    found = results.value(address)
    return [
        Num(percent(found["value"]), f"{address}.value"),
        " (",
        Num(percent_range(found["low"], found["high"]), f"{address}.low"),
        ")",
    ]


def change(results: Results, *words: str) -> Sequence[Piece]:
    """`+0.4 points (−0.2 to +1.0)`: a difference of shares with its interval."""
    address = " ".join(words)
    found = results.value(address)
    return [
        Num(points(found["value"]), f"{address}.value"),
        " (",
        Num(points_range(found["low"], found["high"]), f"{address}.low"),
        ")",
    ]


def solved(results: Results, plan: str, kind: str, arm: str) -> Sequence[Piece]:
    """`2 of 5`: tasks of a kind of family that an arm of a plan solved."""
    name, _, plan_name = plan.partition(":")
    address = f"{name}-counted:plans.{plan_name}[kind={kind}].arms.{arm}"
    counts = results.value(address)
    return [Num(f"{counts['solved']} of {counts['tasks']}", f"{address}.solved")]


def times(results: Results, plan: str) -> Sequence[Piece]:
    """`written 2026-11-16 16:20 UTC, first run begun 16:21, last ...`: whether a plan was there before its data."""
    name, _, plan_name = plan.partition(":")
    address = f"{name}:plans.{plan_name}"
    pieces: list[Piece] = []
    for words, key in (
        ("written ", "planned_at"),
        (", first run begun ", "first_run"),
        (", last ", "last_run"),
    ):
        time = results.value(f"{address}.{key}")
        pieces += [words, Num(to_the_second(time), f"{address}.{key}")]
    return pieces


SENTENCES = {
    "compare": compare,
    "verdict": verdict,
    "rate": rate,
    "change": change,
    "solved": solved,
    "times": times,
}

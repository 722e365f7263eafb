"""Numbers of an experiment as people read them. All numbers of one outcome have one unit and as many digits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from afterglow.records.experiment import Analysis, Estimate, Interval, OutcomeSpec
from afterglow.text.clip import printable
from afterglow.text.numbers import MINUS, NONE, number, with_sign

NO_BOUND = "no bound yet"
MAX_DECIMALS = 4  # more cannot be read at a glance
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


class Measure(NamedTuple):
    """How the values of one outcome are written: times `factor`, with so many decimals, and a unit for levels and one
    for differences."""

    factor: float = 1.0
    decimals: int = 2
    unit: str = ""
    change_unit: str = ""

    def level(self, value: float) -> str:
        return _with(self.bare(value), self.unit)

    def change(self, value: float) -> str:
        return _with(self.signed(value), self.change_unit)

    def span(self, interval: Interval) -> str:
        if math.isnan(interval.low) or math.isnan(interval.high):
            return NONE
        if math.isinf(interval.low) and math.isinf(interval.high):
            return NO_BOUND
        return f"{self.signed(interval.low)} to {self.signed(interval.high)}"

    def bare(self, value: float) -> str:
        if not math.isfinite(value):
            return _unbounded(value)
        text = f"{abs(self.factor * value):,.{self.decimals}f}"
        return text if value >= 0 or not text.strip("0.,") else MINUS + text

    def signed(self, value: float) -> str:
        if not math.isfinite(value):
            return _unbounded(value)
        return with_sign(value, f"{abs(self.factor * value):,.{self.decimals}f}")


def measures(
    analysis: Analysis, specs: Mapping[str, OutcomeSpec]
) -> dict[str, Measure]:
    """Outcome -> how to write it."""
    names = dict.fromkeys(
        [
            *analysis.plan.outcomes,
            *(estimate.outcome for estimate in analysis.estimates),
        ]
    )
    return {
        name: _measure(
            specs.get(name),
            [estimate for estimate in analysis.estimates if estimate.outcome == name],
        )
        for name in names
    }


def _measure(spec: OutcomeSpec | None, estimates: list[Estimate]) -> Measure:
    means = [mean for e in estimates for mean in (e.mean, e.mean_control)]
    reach = _largest(means)
    return measure_of(spec, reach, _narrowest_half(estimates) or reach or 1.0)


def measure_of(spec: OutcomeSpec | None, reach: float, precision: float) -> Measure:
    """How values up to `reach` are written whose differences of `precision` are to be seen."""
    scale, unit = (spec.scale, printable(spec.unit)) if spec else ("amount", "")
    if scale in ("yes-no", "rate"):
        return Measure(100.0, max(_decimals(100 * precision), 1), "%", "points")
    factor = 1.0
    if scale == "seconds":
        factor, unit = _time_unit(reach)
    return Measure(factor, _decimals(factor * precision), unit, unit)


def _narrowest_half(estimates: Iterable[Estimate]) -> float:
    """Half the width of the narrowest interval: digits finer than it say nothing."""
    widths = [estimate.interval.high - estimate.interval.low for estimate in estimates]
    bounded = [abs(width) / 2 for width in widths if math.isfinite(width) and width]
    return min(bounded, default=0.0)


def _time_unit(seconds: float) -> tuple[float, str]:
    """What seconds are multiplied with, and the unit they have then."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return 1 / size, unit
    return 1.0, "s"


def _decimals(precision: float) -> int:
    """So many that a number is written with two digits of its precision, and at most four."""
    return min(max(1 - math.floor(math.log10(precision)), 0), MAX_DECIMALS)


def label(name: str, specs: Mapping[str, OutcomeSpec]) -> str:
    """What an outcome is called; a proxy is called so wherever it is shown."""
    spec = specs.get(name)
    return printable(name) + (" (proxy)" if spec and spec.proxy else "")


def better(spec: OutcomeSpec | None) -> str:
    if spec is None or spec.direction == "none":
        return "only describes"
    return f"{spec.direction} is better"


def typed_unit(spec: OutcomeSpec) -> tuple[float, str]:
    """How people type a difference of an outcome: times this factor, in this unit."""
    if spec.scale in ("yes-no", "rate"):
        return 100.0, "points"
    return 1.0, spec.unit or "units"


def p_value(p: float | None) -> str:
    if p is None or math.isnan(p):
        return NONE
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def e_value(e: float) -> str:
    if math.isnan(e):
        return NONE
    if e > 1e6:
        return "over 1 million"
    if e >= 100:
        return number(round(e))
    return f"{e:.1f}" if e >= 10 else f"{e:.2f}"


def plain_number(value: float | None) -> str:
    """Any other number, in three digits."""
    return (
        NONE
        if value is None or math.isnan(value)
        else f"{value:.2f}".replace("-", MINUS)
    )


def plain_span(interval: Interval) -> str:
    return f"{plain_number(interval.low)} to {plain_number(interval.high)}"


def sentence_of(estimate: Estimate) -> str:
    """The sentence of an estimate without its verdict, which stands before it already."""
    return _MINUS.sub(
        MINUS, printable(estimate.says).removeprefix(f"{estimate.verdict}: ")
    )


def _with(text: str, unit: str) -> str:
    return text if not unit or not text[-1:].isdigit() else f"{text} {unit}"


def _unbounded(value: float) -> str:
    return NONE if math.isnan(value) else "∞" if value > 0 else f"{MINUS}∞"


def _largest(values: Iterable[float]) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)

"""How numbers of the paper are written. `{{loop:plans.moments.tasks}}` is a count; `{{... | percent}}` a share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from afterglow.text.numbers import (
    number,
    percent,
    points,
    round_percent,
    signed,
    with_sign,
)

SMALLEST_P = 0.001  # a smaller one is written as smaller than this


def p_value(value: float) -> str:
    """`p < 0.001`, `p = 0.022`; three digits behind the point say enough."""
    if value < SMALLEST_P:
        return f"p < {SMALLEST_P}"
    return f"p = {value:.3f}" if value < 0.1 else f"p = {value:.2f}"


def bare_p(value: float) -> str:
    """The same below a head that says p."""
    return p_value(value).removeprefix("p ").removeprefix("= ")


def decimal(value: float) -> str:
    return f"{value:,.2f}"


def one_decimal(value: float) -> str:
    return f"{value:,.1f}"


def rounded(value: float) -> str:
    return f"{value:,.0f}"


def changes(*values: float) -> list[str]:
    """A difference of means and its interval, with signs and with as many digits: `−0.5`, or `+300` and `−34`."""
    decimals = 0 if max(map(abs, values)) >= 100 else 1
    return [with_sign(value, f"{abs(value):,.{decimals}f}") for value in values]


def whole(value: float) -> str:
    """A difference of shares in whole points, where its file has no more digits: `+21`."""
    return with_sign(value, f"{abs(100 * value):.0f}")


def to_the_second(time: float) -> str:
    """`2026-11-16 16:20:31 UTC`: a plan and its first run may be less than a minute apart."""
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S} UTC"


FORMATS: dict[str, Callable[[Any], str]] = {
    "count": number,
    "percent": percent,
    "rough": round_percent,
    "points": points,
    "signed": signed,
    "whole": whole,
    "decimal": decimal,
    "one": one_decimal,
    "rounded": rounded,
    "p": p_value,
    "time": to_the_second,
}


def default(value: Any) -> str:
    """A text is itself, a number a count."""
    return value if isinstance(value, str) else number(value)

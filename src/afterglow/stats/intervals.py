"""The quantiles and intervals everything else is made of, without a library: importing scipy takes most of a second."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

Z = NormalDist().inv_cdf(0.975)  # all intervals are 95 %
MIN_FREEDOM = 4  # below it the expansion of Student's t is off by more than 0.01


def student(freedom: float) -> float:
    """The 97.5 % point of Student's t by its expansion around the normal; right to 0.01 from 4 degrees on."""
    z = Z
    return (
        z
        + (z**3 + z) / 4 / freedom
        + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / freedom**2
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / freedom**3
    )


def wilson(value: float, n: float, quantile: float = Z) -> tuple[float, float]:
    """Wilson's score interval of a share; `n` may be an effective sample size."""
    square = quantile * quantile / n
    middle = (value + square / 2) / (1 + square)
    spread = math.sqrt(value * (1 - value) / n + square / (4 * n))
    half = quantile / (1 + square) * spread
    low = max(middle - half, 0.0) if value else 0.0
    high = min(middle + half, 1.0) if value < 1 else 1.0
    return low, high


def mean_and_half(values: Sequence[float]) -> tuple[float, float]:
    """The mean of two values or more, and half its interval's width; of fewer than five the width is only rough."""
    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    quantile = student(n - 1) if n > MIN_FREEDOM else 2 * Z
    return mean, quantile * math.sqrt(variance / n)


def middle_of(ordered: Sequence[float]) -> float:
    """The median of values in order."""
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2

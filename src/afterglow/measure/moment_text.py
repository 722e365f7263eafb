"""What came of telling sessions something, by the moment, as people read it: the same on screen, page and dashboard."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.told_and_untold import TOO_FEW
from afterglow.records.reading import Average, Measured, MomentReading
from afterglow.text.numbers import NONE, count, number, with_sign

BY_MOMENT = "By the moment"
MOMENT_HEADS = (
    "moment",
    "told",
    "arrived",
    "used",
    "ignored",
    "failures",
    "solved",
    "repeated",
    "calls until solved",
)
_MOMENTS = {
    "start": "at the start",
    "compaction": "after a compaction",
    "subagent": "to a sub-agent",
    "call": "before a call",
    "failure": "on failure",
}
DEFINITIONS = (
    ("told, arrived", "Contexts and hints given out; those that a transcript shows."),
    (
        "used, ignored",
        "A remedy shows in a later call; one could have shown and did not. Of the rest nobody can tell.",
    ),
    (
        "failures, solved, repeated",
        "The failure that a hint was about, or the first known error that came after a context all the same; those "
        "whose goal a later call reached; those where the same call came again before anything had changed.",
    ),
    (
        "calls until solved",
        "From the failure to the call that reached its goal, counted up to 17, compared with sessions of the same "
        "repository that met the same problem again and were told nothing: problem by problem, the first failure of "
        "each session, each problem weighted by how often it was told. What was not solved has no such number. "
        "Observational: told sessions are later ones.",
    ),
)


def moment_rows(measured: Measured) -> list[tuple[str, ...]]:
    return [
        (
            _MOMENTS[reading.when],
            number(reading.deliveries),
            number(reading.proved),
            number(reading.used),
            number(reading.ignored),
            number(reading.failures),
            number(reading.solved),
            number(reading.repeated),
            average(reading.calls),
        )
        for reading in measured.moments
    ]


def moment_sentences(measured: Measured) -> Iterator[str]:
    """The calls until solved of each moment against those of untold repeats."""
    for reading in measured.moments:
        if reading.verdict:
            yield f"{_MOMENTS[reading.when].capitalize()}: {_comparison(reading)}."


def _comparison(reading: MomentReading) -> str:
    """`solved in 2.1 calls [1.6–2.6, n = 34]; untold repeats of the same 5 problems in 3.9 [3.1–4.7, n = 88]: ...`"""
    if reading.untold is None or reading.difference is None:
        repeats = count(reading.untold_failures, "untold repeat")
        return f"{reading.verdict} ({repeats} of the same problems)"
    problems = count(reading.problems, "problem")
    solved = f"{reading.untold_solved} of {count(reading.untold_failures, 'untold repeat')} solved"
    told_calls = f"solved in {average(reading.calls)} calls"
    untold_calls = f"untold repeats of the same {problems} in {average(reading.untold)}"
    verdict = reading.verdict
    if verdict != TOO_FEW:  # a number nobody can rely on would be read as one
        verdict = f"{verdict}, {_difference(reading.difference)}"
    return f"{told_calls}; {untold_calls} ({solved}): {verdict}"


def average(reading: Average | None) -> str:
    """`2.1 [1.6–2.6, n = 34]`"""
    if reading is None:
        return NONE
    n = f"n = {number(reading.n)}"
    if reading.low is None or reading.high is None:
        return f"{reading.value:.1f} [{n}]"
    return f"{reading.value:.1f} [{reading.low:.1f}–{reading.high:.1f}, {n}]"


def _difference(gap: Average) -> str:
    value = with_sign(gap.value, f"{abs(gap.value):.1f}")
    if gap.low is None or gap.high is None:
        return value
    low = with_sign(gap.low, f"{abs(gap.low):.1f}")
    high = with_sign(gap.high, f"{abs(gap.high):.1f}")
    return f"{value} [{low} to {high}]"

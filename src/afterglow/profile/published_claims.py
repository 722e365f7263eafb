"""What others published about sessions, tested on these: the report of one fleet of agents, which names no data, so that
only its numbers can be held against these sessions.

A claim is reproduced when the interval leaves out zero on the claimed side; not reproduced when it leaves out zero on
the other side, or leaves out the published effect; otherwise the sessions cannot tell. Published effects are compared
in proportion, because what counts as an error differs from place to place.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.profile.compare import LONG, MIDDLE, SHORT
from afterglow.records.profile_report import Claim, Difference, Effects, Row, Verdict
from afterglow.text.numbers import change, count, number, percent, points, rate_words

CLAIMS = "What one fleet reported of its own agents, tested on these sessions"

BY_LENGTH = {SHORT: 0.072, MIDDLE: 0.090, LONG: 0.057}
HALVES_OF_LONG = (0.268, 0.327)


def claims(lengths: Sequence[Row], effects: Effects) -> tuple[Claim, ...]:
    """`lengths` are the rows of the table by length."""
    return (
        _levels(lengths),
        _order(effects),
        _late(effects.within[f"second vs first half, {LONG}"]),
        _start("code", -1, "running code", effects.by_start["code"]),
        _start("file", 1, "file edits", effects.by_start["file"]),
    )


def judge(difference: Difference, side: int, published: float | None = None) -> Verdict:
    """`side` is the claimed sign, `published` the claimed difference on our scale where one was given."""
    if difference.sign is None:
        return "cannot tell"
    if difference.sign == side:
        return "reproduced"
    ruled_out = (
        published is not None and not difference.low <= published <= difference.high
    )
    return "not reproduced" if difference.sign == -side or ruled_out else "cannot tell"


def _levels(lengths: Sequence[Row]) -> Claim:
    """The three numbers themselves. An interval that holds two of them cannot tell them apart."""
    outside, blurred, sentences = [], [], []
    for row in lengths:
        rate, published = row.rate, BY_LENGTH[row.name]
        sentences.append(f"{row.name}: {rate_words(rate)} against {percent(published)}")
        if rate.value is None or rate.few:
            blurred.append(row.name)
        elif not rate.low <= published <= rate.high:
            outside.append(row.name)
        elif (
            sum(rate.low <= published <= rate.high for published in BY_LENGTH.values())
            > 1
        ):
            blurred.append(row.name)
    verdict: Verdict = (
        "not reproduced" if outside else "cannot tell" if blurred else "reproduced"
    )
    why = {
        "not reproduced": f"The published number lies outside the interval for {_and(outside)} messages.",
        "cannot tell": f"The sessions with {_and(blurred)} messages are too few to tell the published numbers apart.",
        "reproduced": "Every published number lies inside its interval, and no other does.",
    }[verdict]
    return Claim(
        claim="Sessions of 0–50 messages have 7.2 % errors, 51–100 have 9.0 %, over 100 have 5.7 %",
        effect="between sessions",
        verdict=verdict,
        sentence=f"{why} {'; '.join(sentences)}.",
    )


def _order(effects: Effects) -> Claim:
    verdicts, sentences = [], []
    for first, second in ((SHORT, MIDDLE), (SHORT, LONG)):
        difference = effects.between[f"{second} vs {first}"]
        proportion = BY_LENGTH[second] / BY_LENGTH[first] - 1
        published = (
            None
            if difference.first.value is None
            else difference.first.value * proportion
        )
        verdicts.append(judge(difference, 1 if proportion > 0 else -1, published))
        here = "nothing to compare"
        if difference.value is not None:
            n = number(difference.first.n + difference.second.n)
            here = f"{change(difference)}, n = {n}, where the claim would mean {points(published)} in proportion"
        sentences.append(f"{second} against {first} messages: {here}")
    verdict: Verdict = "cannot tell"
    if "not reproduced" in verdicts:
        verdict = "not reproduced"
    elif set(verdicts) == {"reproduced"}:
        verdict = "reproduced"
    why = {
        "reproduced": "The middle group is clearly highest and the longest clearly lowest.",
        "not reproduced": "The order of the three groups is not as published.",
        "cannot tell": "The intervals are too wide to put the three groups in order.",
    }[verdict]
    return Claim(
        claim="Long sessions have the lowest error rate, middle ones the highest",
        effect="between sessions",
        verdict=verdict,
        sentence=f"{why} {'; '.join(sentences)}.",
    )


def _late(difference: Difference) -> Claim:
    first, second = HALVES_OF_LONG
    published = (
        None
        if difference.first.value is None
        else difference.first.value * (second / first - 1)
    )
    verdict = judge(difference, 1, published)
    meant = (
        ""
        if published is None
        else f"; the claim would mean {points(published)} in proportion"
    )
    why = {
        "reproduced": "Inside long sessions the second half has clearly more errors.",
        "not reproduced": "Inside long sessions the second half does not have as many more errors as published.",
        "cannot tell": "Inside long sessions the difference between the halves is not clear.",
    }[verdict]
    return Claim(
        claim="Inside long sessions errors rise from 26.8 % in the first half to 32.7 % in the second",
        effect="within sessions",
        verdict=verdict,
        sentence=f"{why} {_halves(difference)}{meant}.",
    )


def _start(kind: str, side: int, what: str, difference: Difference) -> Claim:
    verdict = judge(difference, side)
    verb = "improve" if side < 0 else "degrade"
    why = {
        "reproduced": f"Their error rate clearly {'falls' if side < 0 else 'rises'} along the session.",
        "not reproduced": f"Their error rate clearly {'rises' if side < 0 else 'falls'} along the session.",
        "cannot tell": "Neither a fall nor a rise stands out from chance.",
    }[verdict]
    what_else = (
        " File work here is reading and searching as well as editing."
        if kind == "file"
        else ""
    )
    return Claim(
        claim=f"Sessions that start with {what} {verb} as they go on",
        effect="within sessions",
        verdict=verdict,
        sentence=f"{why} {_halves(difference)}.{what_else}",
    )


def _halves(difference: Difference) -> str:
    if difference.value is None:
        return "There is no such session long enough to be cut in two"
    sentence = f"First half {rate_words(difference.first)}, second half {rate_words(difference.second)}"
    few = ", too few to say" if difference.sign is None else ""
    return f"{sentence}: {change(difference)} over {count(difference.sessions, 'session')}{few}"


def _and(names: Sequence[str]) -> str:
    return (
        " and ".join(names)
        if len(names) < 3
        else f"{', '.join(names[:-1])} and {names[-1]}"
    )

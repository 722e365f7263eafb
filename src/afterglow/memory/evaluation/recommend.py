"""Which backend to choose, in sentences that follow from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.records.evaluation import Evaluation, Quality
from afterglow.text.clip import printable

CLOSE = 5  # points: less than a step of latency makes on another day
GRAVE = (
    "deletion",
    "users",
    "update",
    "durability",
    "concurrency",
)  # who fails here is not recommended over one who does not


def recommendation(evaluations: Sequence[Evaluation]) -> str:
    """What to use and why; what it lacks; what comes close; and a warning where data leaves the machine."""
    usable = sorted(
        (one for one in evaluations if one.available and one.keeps), key=_rank
    )
    if not usable:
        return _nothing(evaluations)
    best, *others = usable
    said = [_choice(best)]
    said += _quality(best.quality, best.baselines)
    said += _weaknesses(best)
    close = [
        one for one in others if not _grave(one) and best.total - one.total <= CLOSE
    ]
    for one in close:
        said.append(
            f"{one.backend} is close ({one.total}): so few points do not decide"
            + ("." if one.is_cloud == best.is_cloud else ", where the data lives may.")
        )
    for one in (best, *others):
        if one.is_cloud:
            said.append(
                f"Warning: with {one.backend} what you store leaves this machine."
            )
    return " ".join(said)


def _rank(one: Evaluation) -> tuple[int, int, bool, float, str]:
    found = one.quality.recall[max(one.quality.recall)].value if one.quality else 0.0
    return len(_grave(one)), -one.total, one.is_cloud, -found, one.backend


def _grave(one: Evaluation) -> list[str]:
    return [
        check.name
        for check in one.checks
        if check.state == "failed" and check.name in GRAVE
    ]


def _choice(best: Evaluation) -> str:
    slowest = max(best.times.items(), key=lambda row: row[1].median, default=None)
    why = [
        f"{best.total} of 100 points",
        "elsewhere" if best.is_cloud else "on this machine",
    ]
    if slowest:
        why.append(
            f"{slowest[0]} takes {milliseconds(slowest[1].median)}, the slowest of its calls"
        )
    return f"Use {best.backend} (AFTERGLOW_MEMORY_BACKEND={best.backend}): {', '.join(why)}."


def _quality(found: Quality | None, baselines: Sequence[Quality]) -> list[str]:
    if found is None:
        return []
    cut = max(found.recall)
    mine = found.recall[cut]
    said = [
        f"Of what {found.questions} questions ask for it has {mine.value:.0%} ({mine.low:.0%} to {mine.high:.0%}) "
        f"among its first {cut}"
    ]
    for other in baselines:
        gap = found.ahead[other.name]
        verdict = (
            "clearly less"
            if gap.low > 0
            else "clearly more"
            if gap.high < 0
            else "no clear difference"
        )
        said.append(f"{other.name} has {other.recall[cut].value:.0%} ({verdict})")
    return ["; ".join(said) + "."]


def _weaknesses(best: Evaluation) -> list[str]:
    said = []
    for state, words in (
        ("failed", "But it fails at"),
        ("unsupported", "It cannot do"),
    ):
        names = [check.name for check in best.checks if check.state == state]
        if names:
            said.append(f"{words} {', '.join(names)}.")
    untried = [check.name for check in best.checks if check.state == "untried"]
    if untried:
        said.append(f"Not tried: {', '.join(untried)}.")
    if best.left_behind:
        said.append(f"{best.left_behind} test entries could not be deleted again.")
    return said


def _nothing(evaluations: Sequence[Evaluation]) -> str:
    missing = [
        printable(f"{one.backend}: {one.reason}")
        for one in evaluations
        if not one.available
    ]
    said = "None of them keeps anything here, so there is none to recommend."
    if missing:
        said += f" Not available: {'; '.join(missing)}."
    if not any(one.backend == "local" for one in evaluations):
        said += " AFTERGLOW_MEMORY_BACKEND=local keeps entries on this machine."
    return said


def milliseconds(value: float) -> str:
    return f"{value:.2g} ms" if value < 10 else f"{value:,.0f} ms"

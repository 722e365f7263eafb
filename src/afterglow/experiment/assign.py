"""Which arm a unit gets: permuted blocks within each stratum, the same on every machine for the same plan and history.

A block holds each arm as often as its share says, in an order that only the plan's salt knows; when it is used up the
next one begins. So the arms keep their shares at any time, in every repository and for every agent. In a paired design
the stratum is the task and the block holds each arm once: the task is run in every arm, in random order.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from afterglow.errors import UsageError
from afterglow.records.experiment import Assignment, Plan
from afterglow.text.clip import clip, printable

SMALLEST = (
    4  # units of a block, at least: the last of a shorter one is too easily guessed
)
LARGEST = 100  # and at most
_NEAR = 1e-6
NAME = 200  # characters of a name


def check_name(what: str, name: str) -> None:
    """Names are printed, exported and read again: a short line of letters that show."""
    if len(name) > NAME or not name.isprintable():
        raise UsageError(
            f"{what} {clip(printable(name), 40)!r}: a name is one line of at most {NAME} characters"
        )


def block_of(allocation: Sequence[float]) -> tuple[int, ...] | None:
    """How often each arm stands in the smallest block that has these shares exactly; None if there is no small one."""
    whole = sum(allocation)
    for size in range(1, LARGEST + 1):
        counts = [share / whole * size for share in allocation]
        if all(
            abs(count - round(count)) < _NEAR * size and round(count)
            for count in counts
        ):
            return tuple(round(count) for count in counts)
    return None


def stratum_of(plan: Plan, *, repo: str = "", agent: str = "", task: str = "") -> str:
    """The block a unit falls into: its task in a paired design, else what the plan names."""
    if plan.design == "paired":
        return task
    features = {"repo": repo, "agent": agent, "task": task}
    parts = [features[name] for name in plan.strata]
    return " · ".join(part or "–" for part in parts) if any(parts) else ""


def arm_of(plan: Plan, unit: str, stratum: str, before: Sequence[Assignment]) -> str:
    """The arm of the next unit of a stratum, after those that were assigned before it (others are not looked at)."""
    counts = block_of(plan.allocation)
    assert counts, (
        f"{plan.name} has no block of at most {LARGEST} units"
    )  # the plan was checked when it was made
    times = 1 if plan.design == "paired" else -(-SMALLEST // sum(counts))
    block = [
        arm
        for arm, count in zip(plan.arms, counts, strict=True)
        for _ in range(count * times)
    ]
    number, place = divmod(
        sum(assignment.stratum == stratum for assignment in before), len(block)
    )
    shuffled = sorted(
        range(len(block)), key=lambda slot: _draw(plan.salt, stratum, number, slot)
    )
    return block[shuffled[place]]


def _draw(salt: str, stratum: str, block: int, slot: int) -> bytes:
    """A number nobody can guess without the salt."""
    words = f"{stratum}\0{block}\0{slot}".encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=16, key=blake2b(salt.encode()).digest()).digest()

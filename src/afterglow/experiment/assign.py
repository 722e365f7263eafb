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

# The last unit of a shorter block is too easily guessed.
MIN_BLOCK_UNITS = 4
# In a longer block arms drift from their shares for too long; whole percents fit into it.
MAX_BLOCK_UNITS = 100
# Shares are read from decimal numbers: a count this near to a whole one is whole.
COUNT_TOLERANCE = 1e-6
# A name stands in one line; benchmarks call their tasks by whole lists of what is wrong.
MAX_NAME_CHARACTERS = 500


def check_name(what: str, name: str) -> None:
    """Names are printed, exported and read again: a short line of letters that show."""
    if len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise UsageError(
            f"{what} {clip(printable(name), 40)!r}: a name is one line of at most {MAX_NAME_CHARACTERS} characters"
        )


def block_of(allocation: Sequence[float]) -> tuple[int, ...] | None:
    """How often each arm stands in the smallest block that has these shares exactly; None if there is no small one."""
    whole = sum(allocation)
    for size in range(1, MAX_BLOCK_UNITS + 1):
        counts = [share / whole * size for share in allocation]
        if all(_is_whole(count, COUNT_TOLERANCE * size) for count in counts):
            return tuple(round(count) for count in counts)
    return None


def _is_whole(count: float, tolerance: float) -> bool:
    return round(count) > 0 and abs(count - round(count)) < tolerance


def stratum_of(plan: Plan, *, repo: str = "", agent: str = "", task: str = "") -> str:
    """The block a unit falls into: its task in a paired design, else what the plan names."""
    if plan.design == "paired":
        return task
    features = {"repo": repo, "agent": agent, "task": task}
    parts = [features[name] for name in plan.strata]
    if not any(parts):
        return ""
    return " · ".join(part or "–" for part in parts)


def arm_of(plan: Plan, unit: str, stratum: str, before: Sequence[Assignment]) -> str:
    """The arm of the next unit of a stratum, after those that were assigned before it (others are not looked at)."""
    block = _block(plan)
    assigned = sum(assignment.stratum == stratum for assignment in before)
    number, place = divmod(assigned, len(block))
    shuffled = sorted(
        range(len(block)), key=lambda slot: _draw(plan.salt, stratum, number, slot)
    )
    return block[shuffled[place]]


def _block(plan: Plan) -> list[str]:
    """The arms of a block in the order of the plan, each as often as its share says."""
    counts = block_of(plan.allocation)
    # the plan was checked when it was made
    assert counts, f"{plan.name} has no block of at most {MAX_BLOCK_UNITS} units"
    times = 1 if plan.design == "paired" else -(-MIN_BLOCK_UNITS // sum(counts))
    block: list[str] = []
    for arm, count in zip(plan.arms, counts, strict=True):
        block += [arm] * (count * times)
    return block


def _draw(salt: str, stratum: str, block: int, slot: int) -> bytes:
    """A number nobody can guess without the salt."""
    words = f"{stratum}\0{block}\0{slot}".encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=16, key=blake2b(salt.encode()).digest()).digest()

"""A miner of another package, that falls over one session."""

from __future__ import annotations

NAME = "clumsy"
VERSION = 1


def mine(trail):
    if any("the clumsy one" in turn.text for turn in trail.turns):
        raise LookupError("no berth for token ghp_" + "a1B2" * 9)
    return iter(())


def tell(findings):
    return "never told"

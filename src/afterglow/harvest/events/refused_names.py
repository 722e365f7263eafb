"""What a program refused by its name (a field, a skill, a key), and the later call that got it by another command."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct

from afterglow.harvest.events.call_text import plain_call
from afterglow.harvest.events.goals import is_similar
from afterglow.harvest.trail import Step

MAX_REACH = 40  # calls behind the refusal in which it is looked for

# Letters alone: a flag or a path is looked for otherwise.
_QUOTED_NAME = re.compile(r"['\"`‘]([A-Za-z][A-Za-z_]{4,40})['\"`’]")
_NAME = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z_]{4,40}(?![\w/])")


class GotOtherwise(Struct, frozen=True):
    """The call, and the name of what it got."""

    step: Step
    name: str


def got_otherwise(
    steps: Sequence[Step], message: str, ended_well: Callable[[Step], bool]
) -> GotOtherwise | None:
    """The first call behind the refused one, which `steps` begin with, that asks for the same by another command."""
    refused = steps[0]
    names = frozenset(_QUOTED_NAME.findall(message))
    names = names & _names_in(refused) if names else names
    if not names:
        return None
    for later in islice(steps, 1, 1 + MAX_REACH):
        named = names & _names_in(later)
        if named and ended_well(later) and not is_similar(refused, later):
            return GotOtherwise(later, min(named))
    return None


def _names_in(step: Step) -> frozenset[str]:
    return frozenset(_NAME.findall(plain_call(step)))

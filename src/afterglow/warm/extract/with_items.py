"""A seed that was read out of a session alone, with what harvest made of the same session at some time: for walking
through the past, where the same session's seed is wanted with what was known then, and reading it again would take long."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.template import SessionSeed
from afterglow.warm.extract.learned import learned
from afterglow.warm.extract.recoveries import patterns_of_items
from afterglow.warm.extract.user_style import with_stated


def with_items(seed: SessionSeed, items: Sequence[KnowledgeItem]) -> SessionSeed:
    """As `SessionExtractor.extract` would have it with these items; what items say was redacted when they were kept."""
    if not items:
        return seed
    own_lines = seed.system_context.splitlines()
    lines = dict.fromkeys([*learned(items), *own_lines])
    patterns = tuple(patterns_of_items(items)) or seed.recovery_patterns
    person = seed.user_patterns
    return replace(
        seed,
        system_context="\n".join(lines),
        recovery_patterns=patterns,
        user_patterns=replace(
            person, conventions=with_stated(items, person.conventions)
        ),
    )

"""Each shape of call once, each error once, each sentence once; the better supported stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from afterglow.calls import shape_of
from afterglow.harvest.duplicates import Twins
from afterglow.records.template import RecoveryPattern, ToolCallExample, WarmTemplate
from afterglow.text.fingerprint import fingerprint
from afterglow.warm.compress.pieces import fitted

NAME = "merged-duplicates"
ABOUT = "each shape of call, error and sentence once"
Supported = TypeVar("Supported", ToolCallExample, RecoveryPattern)


def shrink(template: WarmTemplate, budget: int, model: object) -> WarmTemplate:
    return fitted(merged(template), budget)


def merged(template: WarmTemplate) -> WarmTemplate:
    seed = template.seed
    patterns = seed.user_patterns
    return replace(
        template,
        seed=replace(
            seed,
            tool_examples=_distinct(
                seed.tool_examples,
                lambda example: shape_of(example.tool_name, example.arguments),
            ),
            recovery_patterns=_distinct(
                seed.recovery_patterns, lambda pattern: fingerprint(pattern.error)
            ),
            user_patterns=replace(
                patterns,
                conventions=_distinct_sentences(patterns.conventions),
                corrections=_distinct_sentences(patterns.corrections),
            ),
        ),
    )


def _distinct(
    candidates: Iterable[Supported], key: Callable[[Supported], str]
) -> tuple[Supported, ...]:
    """The first of each key stays in its place, unless a later one has more support."""
    best: dict[str, Supported] = {}
    for candidate in candidates:
        before = best.get(key(candidate))
        if before is None or candidate.support > before.support:
            best[key(candidate)] = candidate
    return tuple(best.values())


def _distinct_sentences(sentences: Iterable[str]) -> tuple[str, ...]:
    twins = Twins()
    distinct: list[str] = []
    for sentence in sentences:
        if twins.find(sentence) is None:
            twins.add(str(len(distinct)), sentence)
            distinct.append(sentence)
    return tuple(distinct)

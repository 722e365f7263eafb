"""Each shape of call once, each error once, each sentence once; the better supported stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from afterglow.harvest.duplicates import Twins
from afterglow.records.template import RecoveryPattern, ToolCallExample, WarmTemplate
from afterglow.text.fingerprint import fingerprint
from afterglow.warm.compress.pieces import fitted
from afterglow.warm.extract.call_shape import shape_of

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
            tool_examples=_once(
                seed.tool_examples, lambda one: shape_of(one.tool_name, one.arguments)
            ),
            recovery_patterns=_once(
                seed.recovery_patterns, lambda one: fingerprint(one.error)
            ),
            user_patterns=replace(
                patterns,
                conventions=_said(patterns.conventions),
                corrections=_said(patterns.corrections),
            ),
        ),
    )


def _once(
    some: Iterable[Supported], key: Callable[[Supported], str]
) -> tuple[Supported, ...]:
    """The first of each key stays in its place, unless a later one has more support."""
    best: dict[str, Supported] = {}
    for one in some:
        before = best.get(key(one))
        if before is None or one.support > before.support:
            best[key(one)] = one
    return tuple(best.values())


def _said(sentences: Iterable[str]) -> tuple[str, ...]:
    twins = Twins()
    kept: list[str] = []
    for sentence in sentences:
        if twins.find(sentence) is None:
            twins.add(str(len(kept)), sentence)
            kept.append(sentence)
    return tuple(kept)

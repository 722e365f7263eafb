"""Only the example calls, with their results as they are: what is said about the work is left out."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.records.template import SessionSeed, WarmTemplate
from afterglow.warm.compress.pieces import fitted

NAME = "examples-only"
ABOUT = "only the example calls, the most supported first"


def shrink(template: WarmTemplate, budget: int, model: object) -> WarmTemplate:
    return fitted(
        replace(template, seed=SessionSeed(tool_examples=template.seed.tool_examples)),
        budget,
    )

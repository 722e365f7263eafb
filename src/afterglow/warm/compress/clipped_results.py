"""Everything is kept, but of results only so much that the whole fits: how a call is made matters more than its output.

Results are cut at ever shorter lengths; what does not fit even without results goes by worth.
"""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.records.template import ToolCallExample, WarmTemplate
from afterglow.text.clip import clip
from afterglow.warm.compress.pieces import fitted
from afterglow.warm.compress.size import tokens

NAME = "clipped-results"
ABOUT = "everything, with results cut until it fits"
RESULT_CHARACTERS = (
    800,
    400,
    200,
    100,
    50,
    20,
)  # tried in turn; 20 still show what kind of result it was


def shrink(template: WarmTemplate, budget: int, model: object) -> WarmTemplate:
    small = template
    for length in RESULT_CHARACTERS:
        if tokens(small) <= budget:
            break
        examples = tuple(
            clipped(example, length) for example in template.seed.tool_examples
        )
        small = replace(template, seed=replace(template.seed, tool_examples=examples))
    return fitted(small, budget)


def clipped(example: ToolCallExample, length: int) -> ToolCallExample:
    return replace(example, result=clip(example.result, length))

"""What is said about the work, told shorter by a model; examples stay as they are: arguments must be exact."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from afterglow.errors import AfterglowError, UsageError
from afterglow.harvest.screen import danger
from afterglow.records.template import SessionSeed, WarmTemplate
from afterglow.text.tokens import count
from afterglow.warm.compress import Model
from afterglow.warm.compress.pieces import fitted

NAME = "model"
ABOUT = "context, rules and recoveries told shorter by a model (needs one)"
SHARE = 0.5  # of the budget, for what the model writes
PROMPT = """Below, as JSON, is what sessions of a coding agent taught. Tell it again as short lines for the next
session, in at most {limit} tokens: first what a person asked for, then each error with what worked. Keep commands,
flags, paths and names to the letter. Add nothing. Answer with the lines only.

{taught}
"""


def shrink(template: WarmTemplate, budget: int, model: Model | None) -> WarmTemplate:
    if model is None:
        raise UsageError("the strategy 'model' needs a model and none is configured; the others need none")
    seed = template.seed
    taught = msgspec.json.encode(replace(seed, tool_examples=())).decode()
    told = model(PROMPT.format(limit=int(SHARE * budget), taught=taught)).strip()
    if not told or count(told) >= count(taught):
        raise AfterglowError(f"the model's summary takes {count(told)} tokens of {count(taught)}: nothing was gained")
    if threat := danger(told, "external"):
        raise AfterglowError(f"the model's summary was refused: {threat}")
    styles = replace(seed.user_patterns, conventions=(), corrections=())
    return fitted(
        replace(template, seed=SessionSeed(told, seed.tool_examples, user_patterns=styles)),
        budget,
    )

"""Smaller templates, several ways. A strategy is one module with

    NAME      the word it is called by
    ABOUT     what it does, in a line
    shrink    (template, budget in tokens, model or None) -> a smaller template

    STRATEGIES.names()                                 the words below, and those other packages add
    compress(template, strategy, budget, model=None)   -> WarmTemplate; UsageError for an unknown strategy
    tokens(template)                                   -> int, what its words take

What comes out is made_by "compress", fits the budget, has never been used, and says in `notes` how it was made
("strategy", "budget", "of": id and version of the whole); it keeps the id, and who keeps it gives it one of its own.
The strategy `model` needs a `Model` and raises UsageError without; who calls redacts the template before and the result
afterwards. What a strategy loses is for `warm.coverage.compare` to say.
"""

from __future__ import annotations

from typing import Protocol, cast

from msgspec.structs import replace

from afterglow.errors import UsageError
from afterglow.records.model import Model
from afterglow.records.template import REJECTED, WarmTemplate
from afterglow.registry import Table
from afterglow.warm.compress.size import tokens

__all__ = ["BUDGET", "STRATEGIES", "Strategy", "compress", "tokens"]

BUDGET = 1000  # tokens: a third of what a warm session may take


class Strategy(Protocol):
    NAME: str
    ABOUT: str

    def shrink(
        self, template: WarmTemplate, budget: int, model: Model | None
    ) -> WarmTemplate: ...


STRATEGIES = Table(
    "afterglow.compressions",
    {
        name: f"afterglow.warm.compress.{name.replace('-', '_')}"
        for name in (
            "examples-only",
            "clipped-results",
            "merged-duplicates",
            "knapsack",
            "model",
        )
    },
)


def compress(
    template: WarmTemplate,
    strategy: str,
    budget: int = BUDGET,
    *,
    model: Model | None = None,
) -> WarmTemplate:
    if strategy not in STRATEGIES.names():
        raise UsageError(
            f"no strategy named {strategy!r}; there are {', '.join(STRATEGIES.names())}"
        )
    if budget <= 0:
        raise UsageError(
            f"a budget of {budget} tokens holds nothing; say how many a template may take"
        )
    small = cast(Strategy, STRATEGIES.load(strategy)).shrink(template, budget, model)
    origin = {
        "strategy": strategy,
        "budget": str(budget),
        "of": f"{template.id} version {template.version}",
    }
    notes = {key: note for key, note in small.notes.items() if key != REJECTED}
    return replace(
        small,
        made_by="compress",
        version=1,
        uses=0,
        successes=0,
        failures=0,
        notes={**notes, **origin},
    )

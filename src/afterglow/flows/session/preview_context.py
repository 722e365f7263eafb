"""explain_context: the context a session would start with, why each line stands in it, and why each other item does not.

Nothing changes by it: no item is doubted, nothing is noted in the ledger, nobody is told anything.
"""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow import context as stage
from afterglow.config import Config
from afterglow.context.in_words import omission_in_words, worth_in_words
from afterglow.flows.session.build_context import (
    MAX_ITEMS_OF_A_PLACE,
    ContextAsk,
    ContextChoice,
    chosen_context,
    nothing_known,
    root_of,
)
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.context import Context, LeftOut, Need
from afterglow.records.knowledge import (
    STATUSES,
    KnowledgeItem,
    waits_for_approval,
)
from afterglow.store.knowledge import Knowledge

# As long as the id of a context that is given out, and no delivery has it.
PREVIEW_ID = "ag-0123456789"
MAX_OMITTED_OF_A_STATUS = 50  # of a place, beside those that were weighed
MAX_OMITTED_BY_WORDS = 10  # items of any place that speak of the task
# What a person could change first: what was nearly told before what was never meant for here.
OMISSION_WORDS = {
    "budget": "no room left",
    "worth": "not worth a line",
    "similar": "said already",
    "check": "doubted in this checkout",
    "confidence": "not sure enough",
    "stale": "past its date",
    "rank": "behind many stronger ones",
    "moment": "told on failure only",
    "candidate": "candidates",
    "risky": "risky, not approved",
    "quarantined": "held back",
    "scope": "not for this place",
    "superseded": "replaced by a newer one",
    "retired": "rejected or retired",
}
RISKY = "risky"  # in place of the status of what a person's approval would let pass
WAITING = frozenset({"active", "candidate"})
NOT_WEIGHED = f"not among the {MAX_ITEMS_OF_A_PLACE} strongest of its place"


class ExplainedLine(Struct, frozen=True):
    """A line of a context with its item, its share of the tokens, the calls it is expected to save, and why."""

    item: KnowledgeItem
    line: str
    tokens: int
    worth: float
    why: str


class Omission(Struct, frozen=True):
    """An item that is not in a context; `group` is the reason in a word, `why` in a sentence."""

    item: KnowledgeItem
    group: str
    why: str


class ExplainedContext(Struct, frozen=True):
    """A context as it would be given. `omitted` are the strongest items that are not in it, by reason. `template` is
    what would be told beside it, where the settings give templates to sessions."""

    context: Context
    need: Need
    lines: tuple[ExplainedLine, ...] = ()
    omitted: tuple[Omission, ...] = ()
    checked: str = ""  # the checkout in which items were looked at, if any
    template: Context | None = None

    @property
    def groups(self) -> dict[str, list[Omission]]:
        """By reason, the strongest first in each."""
        groups: dict[str, list[Omission]] = {name: [] for name in OMISSION_WORDS}
        for omission in self.omitted:
            groups[omission.group].append(omission)
        return {name: group for name, group in groups.items() if group}


def explain_context(
    config: Config,
    *,
    cwd: Path,
    repo: str | None = None,
    is_checked: bool | None = None,
    agent: str = "",
    task: str = "",
    task_type: str = "",
    budget: int = stage.BUDGET,
    min_confidence: float = stage.CONFIDENCE,
    now: float | None = None,
) -> ExplainedContext:
    """As `bootstrap` would choose it. Items are looked at in the checkout of `cwd` unless a `repo` is named;
    `is_checked` says otherwise."""
    checks_here = repo is None if is_checked is None else is_checked
    ask = ContextAsk(
        cwd=cwd,
        repo=repo,
        root=root_of(cwd) if checks_here else None,
        agent=agent,
        task=task,
        task_type=task_type,
        budget=budget,
        min_confidence=min_confidence,
        now=time.time() if now is None else now,
        id=PREVIEW_ID,
    )
    if not config.knowledge.exists():
        context, need = nothing_known(config, ask)
        return ExplainedContext(context, need, template=_template(config, need))
    with told_knowledge(config) as knowledge:
        choice = chosen_context(config, knowledge, ask)
        not_considered = _not_considered(knowledge, choice)
    return ExplainedContext(
        choice.context,
        choice.need,
        tuple(_explained_lines(choice)),
        tuple(_omissions(choice, not_considered, ask)),
        str(ask.root) if ask.root else "",
        _template(config, choice.need),
    )


def _template(config: Config, need: Need) -> Context | None:
    if not config.hooks.templates or config.hub is not None:
        return None
    from afterglow.flows.warm import template_for

    return template_for(config, need, id=PREVIEW_ID)


def _explained_lines(choice: ContextChoice) -> list[ExplainedLine]:
    lines = []
    for line in choice.context.shown:
        item = choice.items[line.item]
        why = worth_in_words(item, line.why, choice.need)
        lines.append(ExplainedLine(item, line.line, line.tokens, line.worth, why))
    return lines


def _not_considered(
    knowledge: Knowledge, choice: ContextChoice
) -> dict[str, KnowledgeItem]:
    """The strongest of each status that a start does not even look at, and what speaks of the task anywhere."""
    items: dict[str, KnowledgeItem] = {}
    for place in dict.fromkeys((choice.need.repo, "")):
        for status in STATUSES:
            strongest = knowledge.items(
                status=(status,), repo=place, limit=_most(status)
            )
            items |= {item.id: item for item in strongest}
    if choice.need.task:
        hits = knowledge.search(
            choice.need.task, status=STATUSES, limit=MAX_OMITTED_BY_WORDS
        )
        items |= {hit.item.id: hit.item for hit in hits}
    return {id: item for id, item in items.items() if id not in choice.items}


def _most(status: str) -> int:
    """Active items are weighed up to a number; those behind it are shown, too."""
    is_weighed = status == "active"
    return MAX_OMITTED_OF_A_STATUS + (MAX_ITEMS_OF_A_PLACE if is_weighed else 0)


def _omissions(
    choice: ContextChoice, not_considered: dict[str, KnowledgeItem], ask: ContextAsk
) -> list[Omission]:
    items = choice.items | not_considered
    left_out = [*choice.context.left_out, *_not_weighed(choice, not_considered, ask)]
    omitted = [_omission(omission, items[omission.item], ask) for omission in left_out]
    return sorted(omitted, key=lambda omission: _rank(omission.item))


def _omission(omission: LeftOut, item: KnowledgeItem, ask: ContextAsk) -> Omission:
    if omission.why != "status":
        group: str = omission.why
    elif waits_for_approval(item) and item.status in WAITING:
        group = RISKY
        omission = replace(omission, detail=RISKY)
    else:
        group = omission.detail
    why = omission_in_words(
        omission, item, budget=ask.budget, min_confidence=ask.min_confidence
    )
    return Omission(item, group, why)


def _not_weighed(
    choice: ContextChoice, not_considered: dict[str, KnowledgeItem], ask: ContextAsk
) -> list[LeftOut]:
    left_out = []
    for item in not_considered.values():
        why, detail = stage.unfit(item, choice.need, ask.min_confidence)
        left_out.append(LeftOut(item.id, why or "rank", detail or NOT_WEIGHED))
    return left_out


def _rank(item: KnowledgeItem) -> tuple[float, int, str]:
    return -item.confidence, -item.source_count, item.id

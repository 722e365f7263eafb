"""The texts a session begins with: a context of lessons, a template, or the placebo that stands in for them."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.session.build_context import bootstrap, repo_of
from afterglow.flows.session.permission import Permission
from afterglow.records.context import Context, Need
from afterglow.records.delivery import When
from afterglow.records.form import CONTEXT_FORM, TEMPLATE_FORM, Form
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.template import TEMPLATE_CONFIDENCE

# a context with too many characters is chosen again for this share of its tokens:
# once or twice is enough, and little room is lost
SHRINK = 0.8
BETWEEN = "\n\n"  # two texts that a session begins with


class Ask(Struct, frozen=True):
    """What a session that starts is to be given: at most `budget` tokens of context, and `characters` in all."""

    cwd: Path
    agent: str
    task: str
    budget: int
    characters: int | None
    session: str
    now: float
    when: When = "start"


class Part(Struct, frozen=True):
    """One text, what it was chosen for, and what the ledger is to know of its items. It may be empty."""

    form: Form
    context: Context
    need: Need
    items: Sequence[KnowledgeItem] = ()


def session_parts(config: Config, ask: Ask, allowed: Permission) -> list[Part]:
    """A part for each form the session is told in, the context first; at least one. Of a placebo, what the arms
    beside it are told."""
    in_arm: frozenset[Form] = frozenset().union(*allowed.forms)
    told_forms = in_arm or usual_forms(config, ask)
    parts: list[Part] = []
    if CONTEXT_FORM in told_forms:
        parts.append(_context(config, ask, allowed.without))
    need = parts[0].need if parts else _need(config, ask)
    taken = sum(len(part.context.text) + len(BETWEEN) for part in parts)
    for form in sorted(told_forms - {CONTEXT_FORM}, key=_in_order):
        parts.append(_template(config, ask, form, need, allowed.without, taken))
    return parts


def _in_order(form: Form) -> tuple[str, int]:
    return form.part, form.tokens


def usual_forms(config: Config, ask: Ask) -> frozenset[Form]:
    """What a session outside of experiments begins with. A sub-agent's task is too small for a template."""
    if config.hooks.templates and ask.when == "start":
        return frozenset({CONTEXT_FORM, TEMPLATE_FORM})
    return frozenset({CONTEXT_FORM})


def placebo_part(parts: Sequence[Part], arms: Sequence[Collection[Form]]) -> Part:
    """The placebo for what would be told, as long as the longest of the arms, each of which is told in some forms."""
    from afterglow.context.placebo import disguised
    from afterglow.text.tokens import estimate

    first = parts[0]
    texts = [
        BETWEEN.join(part.context.text for part in parts if part.form in arm_forms)
        for arm_forms in arms
    ]
    longest = max(texts, key=estimate)
    id = first.context.id or _new_id()
    sham, items = disguised(replace(first.context, id=id, text=longest), first.need)
    return Part(first.form, sham, first.need, items)


def _context(config: Config, ask: Ask, without: Collection[str]) -> Part:
    """The context, chosen again for fewer tokens as long as it has too many characters."""
    budget = ask.budget
    while True:
        context, need, items = bootstrap(
            config,
            cwd=ask.cwd,
            agent=ask.agent,
            task=ask.task,
            budget=budget,
            now=ask.now,
            without=without,
        )
        if ask.characters is None or len(context.text) <= ask.characters:
            return Part(CONTEXT_FORM, context, need, items)
        budget = int(min(budget, context.tokens) * SHRINK)


def _template(
    config: Config,
    ask: Ask,
    form: Form,
    need: Need,
    without: Collection[str],
    taken: int,
) -> Part:
    """The template that fits, or what the form says of it, within the characters that are not `taken`."""
    from afterglow.flows.warm import template_for

    room = None if ask.characters is None else max(ask.characters - taken, 0)
    context = template_for(config, need, form=form, characters=room, without=without)
    items = [_unjudged(line.item) for line in context.shown]
    return Part(form, context, need, items)


def _unjudged(id: str) -> KnowledgeItem:
    """A template as the ledger knows it: there is nothing in it that could be looked for in calls."""
    return KnowledgeItem(
        id=id, fact="", category="fact", confidence=TEMPLATE_CONFIDENCE
    )


def _need(config: Config, ask: Ask) -> Need:
    repo = repo_of(ask.cwd, config)
    return Need(now=ask.now, repo=repo, agent=ask.agent, task=ask.task)


def _new_id() -> str:
    return f"ag-{os.urandom(5).hex()}"

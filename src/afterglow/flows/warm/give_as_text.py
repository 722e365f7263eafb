"""The template a session begins with, as text: chosen by repository and task while an agent waits, or told again."""

from __future__ import annotations

import os
from collections.abc import Collection

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, UnreadableSource
from afterglow.flows.warm.start_session import Target, select
from afterglow.records.context import Context, ContextLine, Need
from afterglow.records.form import TEMPLATE_FORM, Form
from afterglow.records.template import given_name, given_template
from afterglow.store.templates.folder import Templates
from afterglow.text.tokens import estimate
from afterglow.warm.as_text import as_text
from afterglow.warm.parts import part_alone

# seconds that a session which is about to start waits for the ledger: hooks have 0.8 in all
CHOICE_PATIENCE = 0.2
# a text with too many characters is made again for this share of its tokens
SHRINK = 0.8


def template_for(
    config: Config,
    need: Need,
    *,
    form: Form = TEMPLATE_FORM,
    characters: int | None = None,
    without: Collection[str] = (),
    id: str = "",
) -> Context:
    """The template that fits, as the form says, of at most `characters` and of `hooks.template_budget` tokens where the
    form says no other number; or an empty context whose `reason` says why there is none. What only the sessions
    `without` taught is not told. It has a new `id` unless one is given. Nothing is noted."""
    if config.hub is not None:  # what lies in its home is of whoever runs it
        return _nothing("a hub has no templates")
    if not config.hooks.template_budget:
        return _nothing("hooks.template_budget is 0")
    budget = form.tokens or config.hooks.template_budget
    choice, _ = select(
        config,
        need.task,
        Target(repo=need.repo, agent=need.agent),
        now=need.now,
        without=without,
        patience=CHOICE_PATIENCE,
    )
    if choice.best is None:
        return _nothing(f"no template: {choice.reason}")
    id = id or f"ag-{os.urandom(5).hex()}"
    name = given_name(choice.best.id, form.part)
    text = same_template(config, name, id, budget)
    while characters is not None and len(text.text) > characters:
        text = same_template(config, name, id, int(text.tokens * SHRINK))
    return text if text.text else _nothing("nothing of the template fits")


def same_template(config: Config, name: str, id: str, budget: int) -> Context:
    """A template, or the part of it that `name` says, under the id of a delivery: word for word the same as long as the
    person approves the same version. Empty where there is none any more."""
    template_id, part = given_template(name)
    try:
        template = Templates(config.templates).approved(template_id)
    except (NotFound, UnreadableSource) as error:
        return _nothing(str(error))
    if template is None:
        return _nothing(f"{template_id} is not approved any more")
    if part:
        template = replace(template, seed=part_alone(template.seed, part))
    rendered = as_text(template, id, budget=budget, count=estimate)
    if not rendered.text:
        return _nothing("nothing of the template fits")
    line = ContextLine(name, rendered.text, 0.0, {}, rendered.tokens)
    return Context(
        id=id, text=rendered.text, tokens=rendered.tokens, budget=budget, shown=(line,)
    )


def _nothing(reason: str) -> Context:
    return Context(id="", text="", tokens=0, budget=0, reason=reason)

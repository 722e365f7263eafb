"""warm select, warm test, and a session that starts: a template chosen, tried, or given out and noted.

Choosing and trying are done while somebody waits, so what they need is loaded on use.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError, UsageError
from afterglow.flows.warm.template_records import PATIENCE
from afterglow.flows.warm.templates import BUDGET, list_templates, tidy
from afterglow.records.template import (
    TEMPLATE_CONFIDENCE,
    TemplatePart,
    WarmTemplate,
)
from afterglow.records.tools import TaskType
from afterglow.store.templates.entries import Glance, Record
from afterglow.store.templates.folder import Templates, Trouble
from afterglow.warm.parts import part_alone

if TYPE_CHECKING:
    from afterglow.warm.choose import Choice
    from afterglow.warm.inject import Warm

TEXT = "text"  # the format of hooks, which no API takes
TRIED_ID = "ag-0000000000"  # of what is only tried: no delivery has it


class Target(Struct, frozen=True, kw_only=True):
    """The session that is to start: for which API, with how many tokens at most, which tools it has (None: not known),
    in which repository, by which agent, in which folder; and which part of a template it is to have, if not all."""

    format: str = "openai"
    budget: int = BUDGET
    tools: Collection[str] | None = None
    repo: str = ""
    agent: str = ""
    root: str = ""
    part: TemplatePart | Literal[""] = ""


class Delivered(Struct, frozen=True):
    """What a session starts with. `unnoted` says why the ledger does not know of it, if it does not."""

    warm: Warm
    template: str
    unnoted: str = ""


ANY_TARGET = Target()


def select(
    config: Config,
    task: str,
    target: Target = ANY_TARGET,
    *,
    task_type: TaskType | None = None,
    tags: Sequence[str] = (),
    now: float | None = None,
    without: Collection[str] = (),
    patience: float = PATIENCE,
) -> tuple[Choice, tuple[Trouble, ...]]:
    """The best template for a task, or none, and why; and the files that could not be considered. What only the
    sessions `without` taught is left out."""
    from afterglow.warm.choose import NewSession, choose

    listing = list_templates(config, patience=patience)
    session = NewSession(
        task=task,
        now=time.time() if now is None else now,
        task_type=task_type,
        tags=tidy(tags),
        repo=target.repo,
        agent=target.agent,
        tools=None if target.tools is None else tuple(target.tools),
    )
    folder = Templates(config.templates)
    candidates: list[tuple[Glance, Record]] = []
    for listed in listing.templates:
        glance = folder.approved_glance(listed.template)
        sources = set(glance.source_sessions)
        if not sources or not sources <= set(without):
            candidates.append((glance, listed.record))
    return choose(candidates, session), listing.troubles


def try_out(
    config: Config,
    name: str,
    message: str,
    target: Target = ANY_TARGET,
    *,
    even_unapproved: bool = False,
) -> tuple[WarmTemplate, Warm]:
    """Exactly what a session would start with: nothing, if no version is approved, unless what it would be is asked
    for. In the format `text` it is what hooks give, within `hooks.template_budget`. Nothing is noted: trying is not
    using."""
    folder = Templates(config.templates)
    id = folder.find(name)
    template = folder.get(id)
    if even_unapproved:
        given_template = replace(template, approved=True)
    else:
        template = given_template = folder.approved(id) or template
    if target.part:
        seed = part_alone(given_template.seed, target.part)
        given_template = replace(given_template, seed=seed)
    if target.format == TEXT:
        most = min(target.budget, config.hooks.template_budget)
        return template, _text_start(given_template, target, most)
    return template, _start(given_template, message, target)


def deliver(
    config: Config,
    name: str,
    message: str,
    target: Target = ANY_TARGET,
    *,
    messages: Sequence[dict[str, Any]] = (),
    now: float | None = None,
) -> Delivered:
    """What a session starts with, noted in the ledger as given out. Of a template the newest version that a person
    approved is given; one nobody approved is not given to anyone;
    one that adds nothing leaves no trace in a transcript, so nothing is noted. A ledger that cannot be written does not
    keep a session from starting."""
    import secrets

    from afterglow.flows.session import DELIVERY_PATIENCE
    from afterglow.records.delivery import Delivery, Given
    from afterglow.store.ledger import Ledger

    folder = Templates(config.templates)
    template_id = folder.find(name)
    template = folder.approved(template_id)
    if template is None:
        raise UsageError(
            f"{template_id} is not approved; read it with `afterglow warm show {template_id}`, then "
            f"`afterglow warm approve {template_id}`"
        )
    delivery_id = f"ag-{secrets.token_hex(5)}"
    warm = _start(template, message, target, messages=messages, id=delivery_id)
    if not warm.id:
        return Delivered(warm, template.id, "the template added nothing")
    delivery = Delivery(
        id=warm.id,
        time=time.time() if now is None else now,
        repo=target.repo or template.repo,
        agent=target.agent,
        budget=target.budget,
        tokens=warm.tokens,
        items=(Given(template.id, TEMPLATE_CONFIDENCE),),
    )
    try:
        with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
            ledger.add(delivery)
    except StoreError as error:
        return Delivered(warm, template.id, str(error))
    return Delivered(warm, template.id)


def _text_start(template: WarmTemplate, target: Target, budget: int) -> Warm:
    """As hooks tell it: before the person has typed anything."""
    from afterglow.text.tokens import estimate
    from afterglow.warm.as_text import as_text
    from afterglow.warm.inject import Warm

    text = as_text(
        template, TRIED_ID, budget=budget, count=estimate, tools=target.tools
    )
    if not text.text:
        return Warm([], notes=("nothing of the template is in it",))
    return Warm([{"role": "system", "content": text.text}], text.tokens, id=TRIED_ID)


def _start(
    template: WarmTemplate,
    message: str,
    target: Target,
    *,
    messages: Sequence[dict[str, Any]] = (),
    id: str = "",
) -> Warm:
    from afterglow.warm.inject import WarmSessionBootstrapper

    return WarmSessionBootstrapper(budget=target.budget).bootstrap(
        _signed(template),
        message,
        messages=messages,
        tools=target.tools,
        format=target.format,
        id=id,
        root=target.root,
    )


def _signed(template: WarmTemplate) -> WarmTemplate:
    """With its id in the context: a transcript proves a delivery only where both ids stand in one text."""
    context = f"template {template.id}\n{template.seed.system_context}".rstrip()
    return replace(template, seed=replace(template.seed, system_context=context))

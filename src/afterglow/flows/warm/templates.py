"""warm: make templates from sessions, keep them, choose one, and start a session with it.

Listing and testing are done while somebody waits, so what only making needs is loaded on use.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError, UsageError
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.store.templates.entries import Glance, Record, encode
from afterglow.store.templates.folder import Templates, Trouble

if TYPE_CHECKING:
    from afterglow.records.knowledge import KnowledgeItem
    from afterglow.warm.choose import Choice
    from afterglow.warm.inject import Warm

EXAMPLES = 8
BUDGET = 3000  # tokens
PREFIX = "warm_"  # what tells a template's deliveries from a context's


class Listed(Struct, frozen=True):
    template: Glance
    record: Record


class Listing(Struct, frozen=True):
    """Templates that fit, how many there are, and the files that cannot be read."""

    templates: tuple[Listed, ...]
    total: int
    troubles: tuple[Trouble, ...] = ()


class TypeCount(Struct, frozen=True):
    """Templates of one type: how many, their examples, and their record together."""

    templates: int
    examples: int
    record: Record


class Stats(Struct, frozen=True):
    types: dict[str, TypeCount]
    all: TypeCount
    unapproved: int
    versions: int
    troubles: tuple[Trouble, ...] = ()


class Delivered(Struct, frozen=True):
    """What a session starts with. `unnoted` says why the ledger does not know of it, if it does not."""

    warm: Warm
    template: str
    unnoted: str = ""


def extract(
    config: Config,
    session: str,
    *,
    name: str = "",
    description: str = "",
    task_type: TaskType | None = None,
    tags: Sequence[str] = (),
    max_examples: int = EXAMPLES,
    now: float | None = None,
) -> WarmTemplate:
    """A new template from one session of the catalogue. Its words were redacted and screened on the way."""
    from afterglow.flows.read import open_session
    from afterglow.flows.redactor import redactor_of
    from afterglow.flows.warm.share_templates import redaction
    from afterglow.records.tools import family
    from afterglow.records.tools import task_type as dominant
    from afterglow.store.templates.importing import clean
    from afterglow.warm.extract import SessionExtractor

    entry, whole = open_session(config, session)
    redactor = redactor_of(config)
    seed = SessionExtractor(redactor, max_examples=max_examples).extract(
        whole, entry.repo, items_of(config, entry.id)
    )
    if not seed.tool_examples:
        raise UsageError(
            f"{entry.id} has no successful call worth imitating; `afterglow sample` ranks sessions"
        )
    families = Counter(family(call.tool) for turn in whole.turns for call in turn.calls)
    now = time.time() if now is None else now
    template = WarmTemplate(
        id="",
        name=" ".join(name.split())
        or " ".join(entry.title.split())[:80]
        or f"{entry.agent} session {entry.id[:13]}",
        description=" ".join(description.split()),
        task_type=task_type or dominant(families),
        tags=tidy(tags),
        source_sessions=(entry.id,),
        agent=entry.agent,
        repo=entry.repo,
        seed=seed,
        notes={"outcome": f"{entry.outcome} (by {entry.outcome_by})"},
    )
    return Templates(config.templates).add(
        clean(template, redaction(redactor)).template, now
    )


def list_templates(
    config: Config, *, task_type: TaskType | None = None, tags: Sequence[str] = ()
) -> Listing:
    """Those of a type, with all of the tags; the newest last."""
    found, troubles = Templates(config.templates).glances()
    wanted = {tag.casefold() for tag in tidy(tags)}
    fitting = [
        one
        for one in found
        if task_type in (None, one.task_type) and wanted <= {tag.casefold() for tag in one.tags}
    ]  # fmt: skip
    records, trouble = _known(config)
    listed = tuple(Listed(one, records.get(one.id, Record())) for one in fitting)
    return Listing(listed, len(found), (*troubles, *trouble))


def show(
    config: Config, name: str, *, version: int | None = None
) -> tuple[WarmTemplate, list[int], Record]:
    """A template, which versions of it there are, and its record."""
    kept = Templates(config.templates)
    id = kept.find(name)
    template = kept.get(id, version)
    known = _known(config, [id])[0].get(id, Record())
    with_record = replace(
        template, uses=known.uses, successes=known.successes, failures=known.failures
    )
    return with_record, kept.versions(id), known


def diff(
    config: Config, name: str, *, before: int | None = None, after: int | None = None
) -> str:
    """What changed between two versions, as a unified diff of their files; the last two unless said."""
    from difflib import unified_diff

    kept = Templates(config.templates)
    id = kept.find(name)
    there = kept.versions(id)
    after = there[-1] if after is None else after
    if before is None:
        older = [number for number in there if number < after]
        if not older:
            raise UsageError(
                f"{id} has no version before {after}; a template that is made again gets one"
            )
        before = older[-1]
    one, other = (
        encode(kept.get(id, number)).decode().splitlines() for number in (before, after)
    )
    changes = unified_diff(
        one, other, f"{id} version {before}", f"{id} version {after}", lineterm="", n=2
    )
    return "\n".join(line for line in changes if not line[1:].startswith(' "checksum"'))


def try_out(
    config: Config,
    name: str,
    message: str,
    *,
    format: str = "openai",
    budget: int = BUDGET,
    tools: Collection[str] | None = None,
    root: str = "",
) -> tuple[WarmTemplate, Warm]:
    """Exactly what a session would start with. Nothing is noted: trying is not using."""
    from afterglow.warm.inject import WarmSessionBootstrapper

    kept = Templates(config.templates)
    template = kept.get(kept.find(name))
    made = WarmSessionBootstrapper(budget=budget).bootstrap(
        _signed(template), message, tools=tools, format=format, root=root
    )
    return template, made


def deliver(
    config: Config,
    name: str,
    message: str,
    *,
    messages: Sequence[dict[str, Any]] = (),
    format: str = "openai",
    budget: int = BUDGET,
    tools: Collection[str] | None = None,
    repo: str = "",
    agent: str = "",
    root: str = "",
    now: float | None = None,
) -> Delivered:
    """What a session starts with, noted in the ledger as given out. A template nobody approved is not given to anyone;
    one that adds nothing leaves no trace in a transcript, so nothing is noted. A ledger that cannot be written does not
    keep a session from starting."""
    import secrets

    from afterglow.flows.session import DELIVERY_PATIENCE
    from afterglow.records.delivery import Delivery, Given
    from afterglow.store.ledger import Ledger
    from afterglow.warm.inject import WarmSessionBootstrapper

    kept = Templates(config.templates)
    template = kept.get(kept.find(name))
    if not template.approved:
        raise UsageError(
            f"{template.id} came from elsewhere and is not approved; read it, then `warm approve` it"
        )
    warm = WarmSessionBootstrapper(budget=budget).bootstrap(
        _signed(template),
        message,
        messages=messages,
        tools=tools,
        format=format,
        id=f"ag-{secrets.token_hex(5)}",
        root=root,
    )
    if not warm.id:
        return Delivered(warm, template.id, "the template added nothing")
    delivery = Delivery(
        id=warm.id, time=time.time() if now is None else now, repo=repo or template.repo, agent=agent, budget=budget,
        tokens=warm.tokens, items=(Given(template.id, 0.5),),
    )  # fmt: skip
    try:
        with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
            ledger.add(delivery)
    except StoreError as error:
        return Delivered(warm, template.id, str(error))
    return Delivered(warm, template.id)


def select(
    config: Config,
    task: str,
    *,
    task_type: TaskType | None = None,
    tags: Sequence[str] = (),
    repo: str = "",
    agent: str = "",
    tools: Sequence[str] | None = None,
    now: float | None = None,
) -> tuple[Choice, tuple[Trouble, ...]]:
    """The best template for a task, or none, and why; and the files that could not be considered."""
    from afterglow.warm.choose import NewSession, choose

    listing = list_templates(config)
    wanted = NewSession(
        task=task, now=time.time() if now is None else now, task_type=task_type, tags=tidy(tags), repo=repo,
        agent=agent, tools=None if tools is None else tuple(tools),
    )  # fmt: skip
    return choose(
        [(one.template, one.record) for one in listing.templates], wanted
    ), listing.troubles


def titles(config: Config, names: Sequence[str]) -> list[str]:
    """Id and name of each, for asking about them; a damaged one has an id only."""
    kept = Templates(config.templates)
    known = {one.id: one.name for one in kept.glances()[0]}
    return [
        f"{id}  {known.get(id, '(cannot be read)')}"
        for id in dict.fromkeys(kept.find(name) for name in names)
    ]


def delete(config: Config, names: Sequence[str]) -> list[Path]:
    """Moves templates to the trash, where nothing is ever deleted. All of them are found first, or none is moved."""
    kept = Templates(config.templates)
    return [
        kept.delete(id) for id in dict.fromkeys([kept.find(name) for name in names])
    ]


def approve(config: Config, names: Sequence[str]) -> list[WarmTemplate]:
    """A person has read them: sessions may start from them."""
    kept = Templates(config.templates)
    found = [kept.get(id) for id in dict.fromkeys([kept.find(name) for name in names])]
    return [
        one if one.approved else kept.amend(replace(one, approved=True))
        for one in found
    ]


def stats(config: Config) -> Stats:
    listing = list_templates(config)
    by_type: dict[str, list[Listed]] = defaultdict(list)
    for one in listing.templates:
        by_type[one.template.task_type.value].append(one)
    return Stats(
        {
            kind.value: _counted(by_type[kind.value])
            for kind in TaskType
            if kind.value in by_type
        },
        _counted(listing.templates),
        sum(not one.template.approved for one in listing.templates),
        sum(one.template.version for one in listing.templates),
        listing.troubles,
    )


def record(config: Config, ids: Collection[str] | None = None) -> dict[str, Record]:
    """What the ledger and the catalogue know of templates that were given out. A delivery that no transcript proves is
    a use without an outcome; so is one whose session's outcome is not known."""
    if not config.ledger.exists():
        return {}
    from afterglow.store.ledger import Ledger

    with Ledger(config.ledger) as ledger:
        given = [
            one
            for one in ledger.led_by(PREFIX)
            if ids is None or one.items[0].item in ids
        ]
    ended = _outcomes(
        config, {one.session for one in given if one.state == "delivered"}
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in given:
        of = counts[one.items[0].item]
        outcome, by = (
            ended.get(one.session, ("unknown", "none"))
            if one.state == "delivered"
            else ("unproved", "none")
        )
        of.update(["uses", outcome, *(["guessed"] if by == "ending" else [])])
        of["proved"] += one.state == "delivered"
    return {
        id: Record(
            of["uses"], of["proved"], of["success"], of["failure"], of["guessed"]
        )
        for id, of in counts.items()
    }


def _known(
    config: Config, ids: Collection[str] | None = None
) -> tuple[dict[str, Record], list[Trouble]]:
    """The record, or why it cannot be had: what templates hold can be read without it."""
    try:
        return record(config, ids), []
    except StoreError as error:
        return {}, [Trouble(config.ledger.name, str(error))]


def tidy(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are kept: each once, without commas and blanks around them."""
    split = (part.strip() for tag in tags for part in tag.split(","))
    return tuple(dict.fromkeys(" ".join(part.split()) for part in split if part))


def _signed(template: WarmTemplate) -> WarmTemplate:
    """With its id in the context: a transcript proves a delivery only where both ids stand in one text."""
    context = f"template {template.id}\n{template.seed.system_context}".rstrip()
    return replace(template, seed=replace(template.seed, system_context=context))


def _outcomes(config: Config, sessions: Collection[str]) -> dict[str, tuple[str, str]]:
    """How sessions ended, and what that was read from."""
    if not sessions or not config.catalog.exists():
        return {}
    from afterglow.store.catalog import Catalog

    with Catalog(config.catalog) as catalog:
        return catalog.outcomes(sessions)


def items_of(config: Config, session: str) -> list[KnowledgeItem]:
    """The active items that rest on a session."""
    if not config.knowledge.exists():
        return []
    from afterglow.store.knowledge import Knowledge

    with Knowledge(config.knowledge) as knowledge:
        ids = knowledge.of_sessions([session]).get(session, [])
        return [
            item for item in knowledge.find(ids).values() if item.status == "active"
        ]


def _counted(some: Sequence[Listed]) -> TypeCount:
    names = Record.__struct_fields__
    record = Record(*(sum(getattr(one.record, name) for one in some) for name in names))
    return TypeCount(len(some), sum(len(one.template.tools) for one in some), record)

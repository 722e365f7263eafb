"""warm list, show, diff, stats: the templates that are kept.

Listing is done while somebody waits, so what only making and giving needs lies in other modules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.warm.decide_templates import template_ids
from afterglow.flows.warm.template_records import PATIENCE, readable_records
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.store.templates.entries import Glance, Record, encode
from afterglow.store.templates.folder import Templates, Trouble

EXAMPLES = 8  # of a new template: what fits into its budget
BUDGET = 3000  # tokens a warm session starts with, at most
DIFF_CONTEXT_LINES = 2  # enough to see which example a line is of


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


class Stats(Struct, frozen=True, rename={"total": "all"}):
    types: dict[str, TypeCount]
    total: TypeCount
    unapproved: int
    versions: int
    troubles: tuple[Trouble, ...] = ()


def list_templates(
    config: Config,
    *,
    task_type: TaskType | None = None,
    tags: Sequence[str] = (),
    patience: float = PATIENCE,
) -> Listing:
    """Those of a type that have one of the tags in each text of `tags` ("a,b"); the newest last. `patience` is how many
    seconds it waits for the ledger."""
    glances, troubles = Templates(config.templates).glances()
    required_tags = [_folded(tidy([text])) for text in tags if tidy([text])]
    fitting = [
        glance
        for glance in glances
        if task_type in (None, glance.task_type)
        and all(either & _folded(glance.tags) for either in required_tags)
    ]
    records, ledger_troubles = readable_records(config, patience=patience)
    listed = tuple(
        Listed(glance, records.get(glance.id, Record())) for glance in fitting
    )
    return Listing(listed, len(glances), (*troubles, *ledger_troubles))


def approved_templates(config: Config) -> list[Listed]:
    """What sessions may start from: of each template the newest version that a person approved."""
    folder = Templates(config.templates)
    listed = (
        Listed(folder.approved_glance(entry.template), entry.record)
        for entry in list_templates(config).templates
    )
    return [entry for entry in listed if entry.template.approved]


def approved_template(config: Config, name: str) -> WarmTemplate:
    """The newest approved version, with its record."""
    folder = Templates(config.templates)
    id = folder.find(name)
    template = folder.approved(id)
    if template is None:
        raise UsageError(
            f"{id} is not approved; a person reads it, then `afterglow warm approve`s it"
        )
    return show(config, id, version=template.version)[0]


def show(
    config: Config, name: str, *, version: int | None = None
) -> tuple[WarmTemplate, list[int], Record]:
    """A template, which versions of it there are, and its record."""
    folder = Templates(config.templates)
    id = folder.find(name)
    template = folder.get(id, version)
    records, _ = readable_records(config, [id])
    record = records.get(id, Record())
    with_record = replace(
        template, uses=record.uses, successes=record.successes, failures=record.failures
    )
    return with_record, folder.versions(id), record


def diff(
    config: Config, name: str, *, before: int | None = None, after: int | None = None
) -> str:
    """What changed between two versions, as a unified diff of their files; the last two unless said."""
    from difflib import unified_diff

    folder = Templates(config.templates)
    id = folder.find(name)
    versions = folder.versions(id)
    after = versions[-1] if after is None else after
    if before is None:
        older = [number for number in versions if number < after]
        if not older:
            raise UsageError(
                f"{id} has no version before {after}; a template that is made again gets one"
            )
        before = older[-1]
    changes = unified_diff(
        encode(folder.get(id, before)).decode().splitlines(),
        encode(folder.get(id, after)).decode().splitlines(),
        f"{id} version {before}",
        f"{id} version {after}",
        lineterm="",
        n=DIFF_CONTEXT_LINES,
    )
    return "\n".join(line for line in changes if not line[1:].startswith(' "checksum"'))


def titles(config: Config, names: Sequence[str]) -> list[str]:
    """Id and name of each, for asking about them; a damaged one has an id only."""
    folder = Templates(config.templates)
    readable = {glance.id: glance.name for glance in folder.glances()[0]}
    return [
        f"{id}  {readable.get(id, '(cannot be read)')}"
        for id in template_ids(folder, names)
    ]


def stats(config: Config) -> Stats:
    listing = list_templates(config)
    by_type: dict[str, list[Listed]] = defaultdict(list)
    for listed in listing.templates:
        by_type[listed.template.task_type.value].append(listed)
    types = [kind.value for kind in TaskType if kind.value in by_type]
    glances = [listed.template for listed in listing.templates]
    return Stats(
        types={kind: _counted(by_type[kind]) for kind in types},
        total=_counted(listing.templates),
        unapproved=sum(not glance.approved for glance in glances),
        versions=sum(glance.version for glance in glances),
        troubles=listing.troubles,
    )


def tidy(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are kept: each once, without commas and blanks around them."""
    parts = ",".join(tags).split(",")
    tidied = (" ".join(part.split()) for part in parts)
    return tuple(dict.fromkeys(filter(None, tidied)))


def _folded(tags: Iterable[str]) -> set[str]:
    return {tag.casefold() for tag in tags}


def _counted(listed: Sequence[Listed]) -> TypeCount:
    records = [template.record for template in listed]
    sums = {
        field: sum(getattr(record, field) for record in records)
        for field in Record.__struct_fields__
    }
    examples = sum(len(template.template.tools) for template in listed)
    return TypeCount(len(listed), examples, Record(**sums))

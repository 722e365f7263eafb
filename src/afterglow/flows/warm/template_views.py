"""Templates as a person decides about them: what waits, what sessions get, and one of them with all that it tells."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.warm.decide_templates import template_mark
from afterglow.flows.warm.template_text import (
    TemplatePart,
    TemplateVersion,
    template_parts,
    usage_words,
    version_before,
)
from afterglow.flows.warm.templates import Listed, list_templates, show
from afterglow.records.template import WarmTemplate
from afterglow.store.templates.entries import Glance, Record
from afterglow.store.templates.folder import Templates, Trouble

# What a person said about the newest version.
TemplateState = Literal["waiting", "approved", "rejected"]
ORDER: tuple[TemplateState, ...] = ("waiting", "approved", "rejected")


class TemplateRow(Struct, frozen=True):
    """A template in a list. `given_version` is the one that sessions get; 0: none."""

    template: Glance
    state: TemplateState
    given_version: int
    usage: str


class TemplateRows(Struct, frozen=True):
    """What waits first, the newest of each first; how many of each state; files that cannot be read."""

    rows: tuple[TemplateRow, ...]
    counts: dict[TemplateState, int]
    troubles: tuple[Trouble, ...] = ()


class TemplateView(Struct, frozen=True):
    """One version of a template. `mark` stands for the newest one, about which is decided; `older` is what it is held
    against."""

    template: WarmTemplate
    state: TemplateState
    parts: tuple[TemplatePart, ...]
    versions: tuple[int, ...]
    given_version: int
    usage: str
    mark: str
    older: TemplateVersion | None = None

    @property
    def is_newest(self) -> bool:
        return self.template.version == self.versions[-1]


def template_rows(config: Config) -> TemplateRows:
    listing = list_templates(config)
    folder = Templates(config.templates)
    rows = [_row(folder, listed) for listed in listing.templates]
    rows.sort(key=lambda row: (ORDER.index(row.state), -row.template.updated))
    counts = {state: sum(row.state == state for row in rows) for state in ORDER}
    return TemplateRows(tuple(rows), counts, listing.troubles)


def _row(folder: Templates, listed: Listed) -> TemplateRow:
    glance = listed.template
    approved = folder.approved_glance(glance)
    version = approved.version if approved.approved else 0
    return TemplateRow(glance, _state(glance), version, _usage(listed.record))


def _usage(record: Record) -> str:
    return usage_words(record).removeprefix("Usage: ") if record.uses else "never used"


def _state(template: Glance | WarmTemplate) -> TemplateState:
    if template.approved:
        return "approved"
    return "rejected" if template.rejected else "waiting"


def template_view(
    config: Config, name: str, *, version: int | None = None
) -> TemplateView:
    """Raises `NotFound` where there is no such template or version."""
    template, versions, record = show(config, name, version=version)
    approved = Templates(config.templates).approved(template.id)
    is_first = template.version == versions[0]
    older = None if is_first else version_before(config, template.id, template.version)
    return TemplateView(
        template=template,
        state=_state(template),
        parts=tuple(template_parts(template.seed)),
        versions=tuple(versions),
        given_version=approved.version if approved else 0,
        usage=_usage(record),
        mark=template_mark(config, template.id),
        older=older,
    )

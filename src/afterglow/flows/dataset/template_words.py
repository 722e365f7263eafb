"""What templates say, made ready to leave: redacted, without names and places, without what is risky."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.dataset.table import SharedContents
from afterglow.dataset.tables.template_contents import parts_of
from afterglow.dataset.texts import without_names
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm import redaction, without_risks
from afterglow.harvest.trail import home_owner
from afterglow.records.catalog import Entry
from afterglow.records.template import WarmTemplate
from afterglow.store.templates.importing import CleanMany, clean


def shared_contents(
    config: Config, templates: Iterable[WarmTemplate], entries: Iterable[Entry]
) -> tuple[SharedContents, ...]:
    """The contents that may leave. What a person rejected is not among them."""
    to_share = [template for template in templates if not template.rejected]
    hide = without_names(_names(to_share, entries))
    redact = redaction(redactor_of(config))
    return tuple(_safe(template, redact, hide) for template in to_share)


def _names(
    templates: Iterable[WarmTemplate], entries: Iterable[Entry]
) -> frozenset[str]:
    """What people and repositories of this home are called."""
    names = {template.repo for template in templates}
    for entry in entries:
        names |= {entry.repo, home_owner(entry.cwd)}
    return frozenset(names - {""})


def _safe(
    template: WarmTemplate, redact: CleanMany, hide: Callable[[str], str]
) -> SharedContents:
    """Risk is judged by the words as they are, so names are taken out last; then the redactor has the last word."""
    places_dropped = replace(template.seed.context_markers, urls=(), repos=())
    seed = replace(template.seed, context_markers=places_dropped)
    plain = replace(template, seed=seed)

    def hide_many(texts: Sequence[str]) -> list[tuple[str, dict[str, int]]]:
        return list(redact([hide(text) for text in texts]))

    safe = clean(without_risks(plain, redact).template, hide_many).template.seed
    left_out = len(list(parts_of(seed))) - len(list(parts_of(safe)))
    return SharedContents(replace(template, seed=safe), left_out)

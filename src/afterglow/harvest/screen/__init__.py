"""Screens a finding before it is kept: orders to agents are held back, copied words get the trust of their source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from afterglow.harvest.screen.injection import danger
from afterglow.harvest.screen.lineage import traced
from afterglow.harvest.screen.vagueness import vague
from afterglow.harvest.trail import QUOTE, Trail
from afterglow.records.knowledge import Evidence, Finding

__all__ = ["danger", "screen", "screen_all", "vague"]


def screen(finding: Finding, trail: Trail) -> Finding:
    """The finding with the trust its words deserve, and with the reason why it is held back, if there is one."""
    return next(screen_all([finding], trail))


def screen_all(findings: Sequence[Finding], trail: Trail) -> Iterator[Finding]:
    """All findings of a session, with one look through its texts."""
    refused = {step.call.line for step in trail.steps if step.blocked}
    for finding, spans in zip(findings, traced(findings, trail), strict=True):
        yield _judged(finding, spans, refused)


def _judged(
    finding: Finding, spans: Sequence[tuple[Evidence, str]], refused: Collection[int]
) -> Finding:
    pairs = zip(finding.evidence, spans, strict=True)
    judged_spans = [
        (_situated(finding, before, after, refused), words)
        for before, (after, words) in pairs
    ]
    judged = replace(finding, evidence=tuple(evidence for evidence, _ in judged_spans))
    threat = next(
        (
            why
            for evidence, words in judged_spans
            if (why := danger(words[:QUOTE], evidence.trust))
        ),
        "",
    )
    if not threat:
        typed = [words for evidence, words in judged_spans if evidence.trust == "user"]
        threat = next(
            (
                why
                for slot in judged.slots.values()
                if (why := _danger_of_slot(slot, judged, typed))
            ),
            "",
        )
    return replace(judged, danger=threat) if threat else judged


def _situated(
    finding: Finding, before: Evidence, after: Evidence, refused: Collection[int]
) -> Evidence:
    """A call that a person refused or spoke of is the situation and not a source: it may quote this project's files
    without making their words less theirs."""
    if after.trust != "file" or after is before:
        return after
    of_person = finding.first.trust == "user" and before is not finding.first
    return (
        before
        if of_person or (before.part == "arguments" and before.line in refused)
        else after
    )


def _danger_of_slot(slot: str, finding: Finding, typed: list[str]) -> str:
    """A slot is as trusted as the worst of its evidence, unless a person typed just these words."""
    return danger(
        slot, "user" if any(slot in words for words in typed) else finding.trust
    )

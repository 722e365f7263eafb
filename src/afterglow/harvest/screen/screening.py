"""The findings of a session, each with the trust its words deserve, and held back where they are orders to agents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from afterglow.harvest.screen.injection import danger
from afterglow.harvest.screen.lineage import traced
from afterglow.harvest.trail import QUOTE, Trail
from afterglow.records.knowledge import Evidence, Finding


def screen(finding: Finding, trail: Trail) -> Finding:
    """The finding with the trust its words deserve, and with the reason why it is held back, if there is one."""
    return next(screen_all([finding], trail))


def screen_all(findings: Sequence[Finding], trail: Trail) -> Iterator[Finding]:
    """All findings of a session, with one look through its texts."""
    refused = {step.call.line for step in trail.steps if step.refused}
    for finding, spans in zip(findings, traced(findings, trail), strict=True):
        yield _judged(finding, spans, refused)


def _judged(
    finding: Finding, spans: Sequence[tuple[Evidence, str]], refused: Collection[int]
) -> Finding:
    evidence = tuple(
        _situated(finding, before, after, refused)
        for before, (after, _) in zip(finding.evidence, spans, strict=True)
    )
    judged = replace(finding, evidence=evidence)
    words = [words for _, words in spans]
    threat = next(filter(None, _threats(judged, words)), "")
    return replace(judged, danger=threat) if threat else judged


def _threats(finding: Finding, words_of_spans: Sequence[str]) -> Iterator[str]:
    """Why each span and each slot is dangerous; empty where it is not. A slot is as trusted as the worst of its
    evidence, unless a person typed just these words."""
    typed: list[str] = []
    for evidence, words in zip(finding.evidence, words_of_spans, strict=True):
        yield danger(words[:QUOTE], evidence.trust)
        if evidence.trust == "user":
            typed.append(words)
    for slot in finding.slots.values():
        was_typed = any(slot in words for words in typed)
        yield danger(slot, "user" if was_typed else finding.trust)


def _situated(
    finding: Finding, before: Evidence, after: Evidence, refused: Collection[int]
) -> Evidence:
    """A call that a person refused or spoke of is the situation and not a source: it may quote this project's files
    without making their words less theirs."""
    if after.trust != "file":
        return after
    if finding.first.trust == "user" and before is not finding.first:
        return before
    was_refused = before.part == "arguments" and before.line in refused
    return before if was_refused else after

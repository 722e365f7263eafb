"""What machines send is looked at again at the hub's door: whoever holds a token may send anything.

A finding is taken only as the miners of an honest machine could have made it: about the session and repository it is
sent for, of bounded size, not from the future, told by its miner without stumbling. Its words pass the redactor and the
screen for orders once more. Who said it is not asked here: that is who sent it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from afterglow.harvest.screen import danger
from afterglow.harvest.supersession import SPEECH
from afterglow.records.knowledge import (
    NOWHERE,
    Evidence,
    Finding,
    KnowledgeItem,
    Trust,
)

Redact = Callable[[list[str]], list[str]]

MAX_FINDINGS = 4000  # of a session: as many as all miners together may make
MAX_SPANS = 60  # of a finding; miners point at a handful
MAX_SLOTS = 40
MAX_SLOT = 4000  # characters
MAX_QUOTE = 1000  # miners keep 300
MAX_NAME_BYTES = 1000  # of what is indexed: topic, fingerprint, session
MAX_LINE = 1 << 40
MAX_AHEAD = 86400.0  # seconds: clocks differ, and a word from the future would overrule all others
WIDE_MINER = "state"  # the one whose findings may hold in every repository


def objection(finding: Finding, session: str, repo: str, now: float) -> str:
    """Why a finding is not taken, or nothing."""
    if not finding.evidence:
        return "a finding without evidence"
    if not _is_bounded(finding):
        return "larger than any finding of a session"
    if not _is_placed(finding, repo):
        return "its topic is of another repository"
    for span in finding.evidence:
        if reason := _span_objection(span, session, repo, now):
            return reason
    return ""


def lesson_objection(item: KnowledgeItem, repo: str, now: float) -> str:
    """The same of a lesson, whose evidence is of several sessions of one repository."""
    if item.repo != repo or repo in {"", NOWHERE}:
        return "it holds in another repository than the one it is sent for"
    if not item.evidence:
        return "a lesson without evidence"
    if len(item.tags) > MAX_SLOTS or len(item.fingerprints) > MAX_SLOTS:
        return "larger than any lesson"
    for span in item.evidence:
        if reason := _span_objection(span, span.session, repo, now):
            return reason
    return ""


def screened(findings: Sequence[Finding], redact: Redact) -> list[Finding]:
    """With every word redacted, and held back where one reads like an order to an agent."""
    texts = [text for finding in findings for text in _texts(finding)]
    clean = iter(redact(texts))
    return [_held_back(_with_texts(finding, clean)) for finding in findings]


def _is_bounded(finding: Finding) -> bool:
    names = (
        finding.topic,
        finding.fingerprint,
        finding.miner,
        finding.danger,
        *finding.slots,
    )
    return (
        len(finding.evidence) <= MAX_SPANS
        and len(finding.slots) <= MAX_SLOTS
        and all(
            len(name.encode("utf-8", "replace")) <= MAX_NAME_BYTES for name in names
        )
        and all(len(slot) <= MAX_SLOT for slot in finding.slots.values())
        and 0 <= finding.cost <= MAX_LINE
    )


def _is_placed(finding: Finding, repo: str) -> bool:
    """Whether nobody of another repository has findings of that topic; what is about agents' tools is everybody's."""
    if repo in {"", NOWHERE}:
        return False
    topic = finding.topic
    if topic.startswith(f"{repo}|") or topic.endswith(f" @ {repo}"):
        return True
    is_wide = finding.slots.get("agent_wide") == "yes" and finding.miner == WIDE_MINER
    check = finding.slots.get("check", "")
    names_no_repo = "/" not in check and " @ " not in topic
    return is_wide and bool(check) and names_no_repo and topic.startswith(f"{check}|")


def _span_objection(span: Evidence, session: str, repo: str, now: float) -> str:
    if span.session != session or not session:
        return "its evidence is of another session"
    if span.repo != repo:
        return "its evidence is of another repository"
    numbers = (span.line, span.start, span.length)
    if not all(0 <= number <= MAX_LINE for number in numbers):
        return "its evidence points at no line"
    names = (span.session, span.hash, span.agent)
    if any(len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES for name in names):
        return "larger than any evidence"
    if len(span.quote) > MAX_QUOTE:
        return "it quotes too much"
    if span.time is not None and not 0 <= span.time <= now + MAX_AHEAD:
        return "it is of the future"
    return ""


def _texts(finding: Finding) -> list[str]:
    quotes = (span.quote for span in finding.evidence)
    names = (finding.topic, finding.fingerprint, finding.danger)
    return [*names, *finding.slots.values(), *quotes]


def _with_texts(finding: Finding, texts: Iterable[str]) -> Finding:
    clean = iter(texts)
    topic, fingerprint, threat = next(clean), next(clean), next(clean)
    slots = {name: next(clean) for name in finding.slots}
    evidence = tuple(
        replace(span, quote=next(clean), author="") for span in finding.evidence
    )
    return replace(
        finding,
        topic=topic,
        fingerprint=fingerprint,
        danger=threat,
        slots=slots,
        evidence=evidence,
    )


def _held_back(finding: Finding) -> Finding:
    """What a machine held back stays so; quotes and slots are judged by the trust it states for them. What a miner of
    people's words quotes is theirs."""
    if finding.danger:
        return finding
    is_spoken = finding.miner in SPEECH and finding.first.trust == "user"
    trust: Trust = "user" if is_spoken else finding.trust
    threats = (
        *(danger(span.quote, span.trust) for span in finding.evidence),
        *(danger(slot, trust) for slot in finding.slots.values()),
    )
    return replace(finding, danger=next(filter(None, threats), ""))

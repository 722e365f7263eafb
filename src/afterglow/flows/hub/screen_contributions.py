"""What a row of a machine says about topics, screened; or why it is not taken."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from afterglow.errors import Refused, Stumbled
from afterglow.flows.isolation import isolated
from afterglow.harvest import MINERS
from afterglow.harvest.contributed_findings import (
    MAX_FINDINGS,
    MAX_NAME_BYTES,
    MAX_SLOT,
    Redact,
    lesson_objection,
    objection,
    screened,
)
from afterglow.harvest.shared_lessons import (
    LESSON_MINERS,
    lesson_findings,
    tell_lesson,
)
from afterglow.records.contributions import (
    DECISION,
    LESSON,
    SESSION,
    Contribution,
    SharedDecision,
)
from afterglow.records.knowledge import Finding, KnowledgeItem, approval_mark
from afterglow.store.hub.contribution_rows import TopicRow

MAX_BODY = 4 << 20  # bytes: a session of days has less than a tenth of it
MAX_TOPICS = 10  # of an item that somebody decided about
APPROVING = ("approved", "edited")

_findings = msgspec.json.Decoder(list[Finding])
_lesson = msgspec.json.Decoder(KnowledgeItem)
_decision = msgspec.json.Decoder(SharedDecision)


def topics_of_row(row: Contribution, redact: Redact, now: float) -> list[TopicRow]:
    """What it says, by topic. Raises `Refused` where nothing of it may be taken."""
    body = bytes(row.body)
    if len(body) > MAX_BODY:
        raise Refused(f"larger than {MAX_BODY >> 20} MB")
    try:
        return _READERS[row.kind](row, body, redact, now)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(f"not a {row.kind} as this hub knows it") from error


def _of_session(
    row: Contribution, body: bytes, redact: Redact, now: float
) -> list[TopicRow]:
    findings = _findings.decode(body)
    if len(findings) > MAX_FINDINGS:
        raise Refused(f"more than {MAX_FINDINGS} findings")
    return _accepted(
        findings,
        [objection(finding, row.key, row.repo, now) for finding in findings],
        redact,
    )


def _of_lesson(
    row: Contribution, body: bytes, redact: Redact, now: float
) -> list[TopicRow]:
    item = _lesson.decode(body)
    if item.miner not in LESSON_MINERS:
        raise Refused("not a lesson that somebody wrote")
    if reason := lesson_objection(item, row.repo, now):
        raise Refused(reason)
    findings = list(lesson_findings(item))
    objections = [
        objection(finding, finding.first.session, row.repo, now) for finding in findings
    ]
    return _accepted(findings, objections, redact)


def _of_decision(
    row: Contribution, body: bytes, redact: Redact, now: float
) -> list[TopicRow]:
    decision = _decision.decode(body)
    topics = decision.topics[:MAX_TOPICS]
    texts = (decision.why, decision.fact, decision.situation, decision.remedy)
    if not topics or any(len(text) > MAX_SLOT for text in texts):
        raise Refused("a decision about nothing, or with too many words")
    if any(len(topic.encode("utf-8", "replace")) > MAX_NAME_BYTES for topic in topics):
        raise Refused("a decision about a topic that is too long")
    why, fact, situation, remedy, *names = redact([*texts, *topics])
    if decision.what == "edited" and not fact.strip():
        raise Refused("an edit without words")
    clean = msgspec.structs.replace(
        decision, why=why, fact=fact, situation=situation, remedy=remedy, topics=()
    )
    if decision.what == "edited":
        clean = msgspec.structs.replace(clean, mark=_mark_of(clean))
    mark = clean.mark if clean.what in APPROVING else ""
    encoded = msgspec.json.encode(clean).decode()
    return [TopicRow(name, encoded, mark) for name in names]


def _mark_of(decision: SharedDecision) -> str:
    """Of the words as they are kept, whatever the sender says."""
    return approval_mark(
        KnowledgeItem(
            id="edited",
            category=decision.category,
            fact=decision.fact,
            situation=decision.situation,
            remedy=decision.remedy,
        )
    )


_READERS = {SESSION: _of_session, LESSON: _of_lesson, DECISION: _of_decision}
KINDS = tuple(_READERS)


def _accepted(
    findings: Sequence[Finding], objections: Sequence[str], redact: Redact
) -> list[TopicRow]:
    """Those that nothing speaks against: one that is odd does not take the others with it."""
    sound = [
        finding
        for finding, reason in zip(findings, objections, strict=True)
        if not reason
    ]
    readable = [finding for finding in screened(sound, redact) if _is_told(finding)]
    if findings and not readable:
        reasons = [*filter(None, objections), "its miner cannot read it"]
        raise Refused(reasons[0])
    return [
        TopicRow(finding.topic, msgspec.json.encode(finding).decode())
        for finding in readable
    ]


def _is_told(finding: Finding) -> bool:
    """Whether its miner can read it: one that cannot would keep everybody's findings of that topic from being told.
    What a newer machine's miner found waits for a newer hub."""
    try:
        with isolated(f"the miner {finding.miner}"):
            if finding.miner in LESSON_MINERS:
                tell_lesson([finding])
            elif finding.miner in MINERS.names():
                MINERS.load(finding.miner).tell([finding])
    except Stumbled:
        return False
    return True

"""Somebody else's index.json -> items of ours. Their text is screened like anything from outside.

Without a person's word for the source, new items are candidates of the lowest trust, and nothing is added to items that
are known here: forged evidence must not make anything look corroborated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.knowledge import Evidence, KnowledgeItem, Trust, lowest
from afterglow.store.folder.plan import IMPORTED
from afterglow.store.knowledge_rows import fact_mark

Clean = Callable[
    [str], tuple[str, dict[str, int]]
]  # text -> without secrets, and how many of which kind
Danger = Callable[
    [str, Trust], str
]  # text and where it comes from -> why it must not become active

LONGEST = 2000  # characters of a fact

_TEXTS = (
    "fact",
    "situation",
    "remedy",
    "domain",
    "reason",
    "key",
    "value",
    "repo",
    "agent",
)
_LISTS = ("tags", "fingerprints", "topics")


class Skipped(Struct, frozen=True):
    id: str
    why: str


class Incoming(Struct):
    """What an import does: items to save, who is new, who grew, who stayed outside, and what was taken out of texts."""

    saves: list[KnowledgeItem] = []
    created: list[str] = []
    merged: list[str] = []
    quarantined: list[str] = []
    skipped: list[Skipped] = []
    redacted: Counter[str] = Counter()


def take_in(
    theirs: Collection[KnowledgeItem],
    known: Mapping[str, KnowledgeItem],
    buried: Collection[str],
    *,
    trusted: bool,
    clean: Clean,
    danger: Danger,
) -> Incoming:
    """`buried` are those of their names that a person deleted here."""
    incoming = Incoming(redacted=Counter())
    for item in sorted(theirs, key=lambda item: item.id):
        ours = known.get(item.id)
        if any(name in buried for name in names_of(item)):
            incoming.skipped.append(Skipped(item.id, "deleted here by a person"))
        elif not item.fact.strip() or len(item.fact) > LONGEST:
            incoming.skipped.append(
                Skipped(item.id, f"no words, or more than {LONGEST:,} characters")
            )
        elif ours and not trusted:
            incoming.skipped.append(
                Skipped(item.id, "known here; --trust joins its evidence")
            )
        else:
            _take(
                incoming,
                _redacted(item, clean, incoming.redacted),
                ours,
                trusted,
                danger,
            )
    return incoming


def names_of(item: KnowledgeItem) -> tuple[str, ...]:
    """What a deleted item is known by: its id, what it is about, what it says."""
    return item.id, *item.topics, fact_mark(item.fact)


def _take(
    incoming: Incoming,
    item: KnowledgeItem,
    ours: KnowledgeItem | None,
    trusted: bool,
    danger: Danger,
) -> None:
    threat = danger(
        "\n".join([item.fact, item.situation, item.remedy, *item.tags]), "external"
    )
    if ours is None:
        incoming.created.append(item.id)
        new = item if trusted else _as_candidate(item)
        if threat:
            new = replace(new, status="quarantined", reason=threat, decided=False)
            incoming.quarantined.append(item.id)
        incoming.saves.append(new)
        return
    joined = _joined(ours, item, words=not threat)
    if joined == ours:
        incoming.skipped.append(Skipped(item.id, "nothing new in it"))
    else:
        incoming.merged.append(item.id)
        incoming.saves.append(joined)


def _as_candidate(item: KnowledgeItem) -> KnowledgeItem:
    """Without its topics, so that no session of ours lends its weight to somebody else's words; without its key, so that
    it replaces nothing of ours; and without its counts, which nobody here has seen."""
    evidence = tuple(replace(piece, trust="external") for piece in item.evidence)
    status = (
        item.status
        if item.status in {"retired", "superseded", "quarantined"}
        else "candidate"
    )
    reason = IMPORTED if status == "candidate" else item.reason
    changed: dict[str, Any] = {
        "topics": (),
        "key": "",
        "value": "",
        "decided": False,
        "edited": False,
        "trust": "external",
        "source_count": 0,
        "times": 0,
        "worked": 0,
    }
    return replace(item, status=status, reason=reason, evidence=evidence, **changed)


_WORDS = (
    "fact", "situation", "remedy", "category", "tags", "domain", "edited", "times", "worked",
)  # fmt: skip


def _joined(
    ours: KnowledgeItem, theirs: KnowledgeItem, *, words: bool
) -> KnowledgeItem:
    """Evidence of both. A person's words and decisions stay; otherwise the words that were confirmed last hold."""
    first_seen = _both(ours.first_seen, theirs.first_seen)
    last_confirmed = _both(ours.last_confirmed or None, theirs.last_confirmed or None)
    changed: dict[str, Any] = {
        **_joined_evidence(ours, theirs),
        "first_seen": min(first_seen, default=None),
        "last_confirmed": max(last_confirmed, default=None),
    }
    if words and not ours.edited and _is_newer(theirs, ours):
        changed |= {name: getattr(theirs, name) for name in _WORDS}
    if words and theirs.decided and not ours.decided:
        changed |= {"status": theirs.status, "reason": theirs.reason, "decided": True}
    return replace(ours, **changed)


def _both(ours: float | None, theirs: float | None) -> list[float]:
    return [time for time in (ours, theirs) if time is not None]


def _is_newer(theirs: KnowledgeItem, ours: KnowledgeItem) -> bool:
    return theirs.edited or (theirs.last_confirmed or 0.0) > (
        ours.last_confirmed or 0.0
    )


def _joined_evidence(ours: KnowledgeItem, theirs: KnowledgeItem) -> dict[str, Any]:
    """What changes where they know of something we do not."""
    spans = {
        _span(evidence): evidence for evidence in (*theirs.evidence, *ours.evidence)
    }
    if len(spans) == len({_span(evidence) for evidence in ours.evidence}):
        return {}
    in_order = sorted(
        spans.values(), key=lambda evidence: (evidence.time or 0.0, _span(evidence))
    )
    sessions = len({evidence.session for evidence in in_order})
    return {
        "evidence": tuple(in_order),
        "source_count": max(ours.source_count, theirs.source_count, sessions),
        "trust": lowest([ours.trust, theirs.trust]),
        "topics": tuple(dict.fromkeys([*ours.topics, *theirs.topics])),
        "fingerprints": tuple(sorted({*ours.fingerprints, *theirs.fingerprints})),
    }


def _redacted(item: KnowledgeItem, clean: Clean, counts: Counter[str]) -> KnowledgeItem:
    def cleaned(text: str) -> str:
        safe, rules = clean(text) if text else ("", {})
        counts.update(rules)
        return safe

    fields: dict[str, Any] = {name: cleaned(getattr(item, name)) for name in _TEXTS}
    fields |= {name: tuple(map(cleaned, getattr(item, name))) for name in _LISTS}
    spans = tuple(replace(piece, quote=cleaned(piece.quote)) for piece in item.evidence)
    return replace(item, **fields, evidence=spans)


def _span(evidence: Evidence) -> tuple[str, int, str, int, int]:
    return (
        evidence.session,
        evidence.line,
        evidence.part,
        evidence.start,
        evidence.length,
    )

"""What the store keeps is redacted again when the rules, or the words a person wants hidden, have changed.

Sessions that are still there are mined anew when the rules change; this is for what outlives them: items whose
transcripts are gone, and words that people or models wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.redactor import redactor_of
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_writes import blanked_past
from afterglow.text.redact import RULES, Redactor

NOTED = "redaction rules"  # a fact of the store: what it was last redacted by
WORDS = ("fact", "situation", "remedy", "value")


def redact_again(config: Config, *, now: float) -> int:
    """How many items lost something. Nothing is looked at while the rules are those it was last redacted by."""
    if not config.knowledge.exists():
        return 0
    rules = _rules(config)
    with Knowledge(config.knowledge) as knowledge:
        if knowledge.fact(NOTED) == rules:
            return 0
        redactor = redactor_of(config)
        items = knowledge.items(evidence=True)
        changed = list(_changed(items, redactor))
        if changed:
            with knowledge.transaction():  # the words before stand in no history
                knowledge.save(changed, by="upgrade", now=now)
                for item in changed:
                    knowledge.run(blanked_past(item.id))
        knowledge.set_fact(NOTED, rules)
    return len(changed)


def _rules(config: Config) -> str:
    """The rules and a mark of the person's own words, which are not written down a second time."""
    names = "\0".join(sorted(config.names))
    return f"{RULES} {blake2b(names.encode(), digest_size=8).hexdigest()}"


def _changed(items: list[KnowledgeItem], redactor: Redactor) -> Iterator[KnowledgeItem]:
    for item in items:
        clean = _redacted(item, redactor)
        if clean != item:
            yield clean


def _redacted(item: KnowledgeItem, redactor: Redactor) -> KnowledgeItem:
    quotes = [evidence.quote for evidence in item.evidence]
    texts = [*(getattr(item, name) for name in WORDS), *quotes]
    cleaned = [redacted.text for redacted in redactor.redact_many(texts)]
    if cleaned == texts:
        return item
    words = dict(zip(WORDS, cleaned, strict=False))
    evidence = tuple(
        replace(each, quote=quote)
        for each, quote in zip(item.evidence, cleaned[len(WORDS) :], strict=True)
    )
    return replace(item, evidence=evidence, **words)

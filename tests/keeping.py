"""Makes and keeps items for tests: an item in a few words, with evidence in real sessions where one is asked for."""

from __future__ import annotations

from pathlib import Path

from afterglow.config import Config
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import KnowledgeItem
from afterglow.sessions import load
from afterglow.store.knowledge import Knowledge

NOW = 1_795_000_000.0
DAY = 86400.0


def item(number: int = 1, **fields) -> KnowledgeItem:
    """An active pitfall of the repo `harbor`, confirmed yesterday, unless said otherwise."""
    told = {
        "id": f"k{number:07d}",
        "fact": f"`make ship` in harbor fails until pier {number} is built",
        "category": "pitfall",
        "status": "active",
        "repo": "harbor",
        "confidence": 0.8,
        "source_count": 2,
        "first_seen": NOW - 10 * DAY,
        "last_confirmed": NOW - DAY,
        "trust": "tool",
        "miner": "recoveries",
        "topics": (f"topic {number}",),
    }
    return KnowledgeItem(**{**told, **fields})


def home_with_rules(folder: Path, compiled_rules: Path) -> Path:
    """A new home in which no process compiles the redaction rules first."""
    folder.mkdir()
    (folder / "cache").symlink_to(compiled_rules)
    return folder


def keep(config: Config, *items: KnowledgeItem) -> None:
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        knowledge.save(items, by="harvest", now=NOW)


def kept(config: Config, id: str) -> KnowledgeItem:
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.get(id)


def proof(path: Path, words: str, *, repo: str = "harbor"):
    """Evidence for the first result, or what was said, that has `words`."""
    trail = Trail(load(path)[0], repo)
    for step in trail.steps:
        if words in (step.call.result or ""):
            return trail.got_words(step, words)
        if words in step.call.arguments:
            return trail.asked(step)
    turn = next(turn for turn in trail.turns if words in turn.text)
    at = turn.text.index(words)
    return trail.said(turn, at, at + len(words))

"""What is known of a repository when lessons about it are taken in: its items, its people, what its instructions say."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from afterglow.config import Config
from afterglow.flows.instruction_files import OF_ANY_AGENT
from afterglow.flows.instruction_files import instruction_text as text_of
from afterglow.harvest.trail import author_of
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge


def items_by_repo(config: Config) -> dict[str, tuple[KnowledgeItem, ...]]:
    """What is active, by the repositories it holds in."""
    if not config.knowledge.exists():
        return {}
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(status=("active",))
    by_repo: dict[str, list[KnowledgeItem]] = defaultdict(list)
    for item in items:
        by_repo[item.repo].append(item)
    everywhere = by_repo.pop("", [])
    return {repo: (*local, *everywhere) for repo, local in by_repo.items()}


def people_of(config: Config, repo: str) -> dict[str, str]:
    """Whose home each session of a repository ran in."""
    with Catalog(config.catalog) as catalog:
        entries = [entry for entry in catalog.entries() if entry.repo == repo]
    return {entry.id: author_of(entry.cwd) for entry in entries if entry.cwd}


def instruction_text(config: Config, repo: str) -> str:
    """What the instruction files of a repository say, where one of its checkouts is on this machine."""
    with Catalog(config.catalog) as catalog:
        folders = Counter(
            entry.cwd for entry in catalog.entries() if entry.repo == repo and entry.cwd
        )
    for folder, _ in folders.most_common(3):
        texts = [text_of(Path(folder) / name) for name in OF_ANY_AGENT]
        if any(texts):
            return "\n\n".join(texts)
    return ""

"""A placebo for templates: other repositories', so that what any template would show can be taken off."""

from __future__ import annotations

from collections import Counter

from afterglow.flows.research.walk import Walk
from afterglow.records.template import WarmTemplate


def foreign_templates(walk: Walk, repo: str) -> list[WarmTemplate]:
    """Of the other repositories as they are in the end, those with most sessions first."""
    sizes = Counter((entry.repo, entry.agent) for entry in walk.history.entries)
    kinds = [kind for kind in walk.templates if kind[0] != repo]
    kinds.sort(key=lambda kind: (-sizes[kind], kind))
    return [walk.templates[kind] for kind in kinds]


def placebo_repos(walk: Walk) -> dict[str, str]:
    """By repository, whose template comes first among its placebos; empty where there is none."""
    repos = {moment.entry.repo for moment in walk.moments if moment.template}
    first = {repo: next(iter(foreign_templates(walk, repo)), None) for repo in repos}
    return {repo: each.repo if each else "" for repo, each in first.items()}

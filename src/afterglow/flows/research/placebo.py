"""A placebo for templates: another repository's, so that what any template would show can be taken off."""

from __future__ import annotations

from collections import Counter

from afterglow.flows.research.walk import Walk
from afterglow.records.template import WarmTemplate


def foreign_template(walk: Walk, repo: str) -> WarmTemplate | None:
    """A placebo: of the other repository with most sessions that has a template, as it is in the end."""
    sizes = Counter((entry.repo, entry.agent) for entry in walk.history.entries)
    kinds = [kind for kind in walk.templates if kind[0] != repo]
    if not kinds:
        return None
    return walk.templates[max(kinds, key=lambda kind: (sizes[kind], kind))]


def placebo_repos(walk: Walk) -> dict[str, str]:
    """By repository, whose template its placebo is; empty where there is none."""
    repos = {moment.entry.repo for moment in walk.moments if moment.template}
    placebos = {repo: foreign_template(walk, repo) for repo in repos}
    return {repo: each.repo if each else "" for repo, each in placebos.items()}

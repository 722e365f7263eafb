"""Where an item holds: never wider than where it was shown.

What sessions of one repository show holds in that repository. What no repository shows holds nowhere else. Only what is
about an agent's own tools holds everywhere, and only where repositories of unrelated owners show it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from afterglow.harvest.independence import independent
from afterglow.records.knowledge import FOLDERLESS_AGENTS, NOWHERE, Evidence, Finding

MAX_TOPIC = 300  # characters of what a finding is about, beside where


def topic_in(finding: Finding, repo: str) -> Finding:
    """The finding with a topic of its repository: the same words said in two of them are two items, each told where it
    was said. What is about an agent's tools is one matter everywhere."""
    topic = finding.topic[:MAX_TOPIC]
    is_placed = topic.startswith(f"{repo}|") or finding.slots.get("agent_wide") == "yes"
    return replace(finding, topic=topic if is_placed else f"{topic} @ {repo}")


def scope_of(spans: Sequence[Evidence], *, agent_wide: bool) -> tuple[str, str]:
    """Repository and agent. Of several repositories that are nobody's in common the one with most sessions."""
    repos = {span.repo for span in spans} - {""}
    agent = _single(span.agent for span in spans) if agent_wide else ""
    if agent_wide and are_unrelated(repos):
        return "", agent
    if len(repos) == 1:
        return repos.pop(), agent
    if repos:
        return max(sorted(repos), key=lambda repo: _sessions_in(repo, spans)), agent
    return place_of(_single(span.agent for span in spans))


def place_of(agent: str) -> tuple[str, str]:
    """Where holds what no repository shows: with the agent that has no folders, or nowhere."""
    return ("", agent) if agent in FOLDERLESS_AGENTS else (NOWHERE, "")


def are_unrelated(repos: Collection[str]) -> bool:
    """Whether they are of two owners at least. A folder that names no owner may be anybody's."""
    owners = {repo.partition("/")[0].casefold() for repo in repos if "/" in repo}
    return len(owners) > 1


def _sessions_in(repo: str, spans: Iterable[Evidence]) -> int:
    return independent([span for span in spans if span.repo == repo])


def _single(names: Iterable[str]) -> str:
    """The name, where there are no two."""
    distinct = set(names)
    return distinct.pop() if len(distinct) == 1 else ""

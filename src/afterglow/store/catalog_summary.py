"""What a catalogue holds under some roots, counted: agents, repositories, copies, damage and what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from afterglow.records.catalog import AgentCount, HistoryOutline, Summary, Trouble
from afterglow.records.session import Damage
from afterglow.store.catalog import PLACED, USED, Catalog, below

MAX_TROUBLES = 1000  # more nobody reads; their number is told all the same

_damage = msgspec.json.Decoder(tuple[Damage, ...])


def summary(catalog: Catalog, roots: Sequence[str]) -> Summary:
    """Remembered in the catalogue until something in it changes."""
    name = f"summary of {msgspec.json.encode(roots).decode()}"
    if remembered := catalog.fact(name):
        return msgspec.json.decode(remembered, type=Summary)
    clause, values = below(roots, "path")
    hurt = f"damaged > 0 AND state <> 'gone' AND {clause}"
    query = f"SELECT count(*), coalesce(sum(damaged), 0) FROM sources WHERE {hurt}"
    damaged_files, damaged = catalog.rows(query, values)[0]
    counted = Summary(
        agents=_agents(catalog, roots),
        copies=_copies(catalog, roots),
        repos=_repos(catalog, roots),
        not_sessions=_not_sessions(catalog, roots),
        damaged=damaged,
        damaged_files=damaged_files,
        troubles=_troubles(catalog, roots),
    )
    catalog.rows(
        "INSERT OR REPLACE INTO facts VALUES (?, ?)",
        (name, msgspec.json.encode(counted).decode()),
    )
    return counted


def history_outline(catalog: Catalog) -> HistoryOutline:
    """How many sessions there are, and of which repositories and agents, the largest first."""
    query = (
        f"SELECT repo, agent, count(*) FROM {PLACED} WHERE {USED} GROUP BY repo, agent"
    )
    repos, agents = Counter[str](), Counter[str]()
    for repo, agent, sessions in catalog.rows(query):
        repos[repo] += sessions
        agents[agent] += sessions
    return HistoryOutline(
        sessions=agents.total(),
        repos=tuple(repo for repo, _ in repos.most_common() if repo),
        agents=tuple(agent for agent, _ in agents.most_common() if agent),
    )


def _copies(catalog: Catalog, roots: Sequence[str]) -> int:
    clause, values = below(roots)
    query = f"SELECT count(*) FROM sessions WHERE copy AND NOT gone AND {clause}"
    return int(catalog.rows(query, values)[0][0])


def _not_sessions(catalog: Catalog, roots: Sequence[str]) -> int:
    clause, values = below(roots, "path")
    query = f"SELECT count(*) FROM sources WHERE state = 'other' AND {clause}"
    return int(catalog.rows(query, values)[0][0])


def _agents(catalog: Catalog, roots: Sequence[str]) -> tuple[AgentCount, ...]:
    clause, values = below(roots)
    counted = (
        "agent, sum(NOT empty), sum(empty), sum(NOT empty AND origin <> 'main'), sum(calls), sum(failed), "
        "count(DISTINCT nullif(repo, '')), min(start), max(end)"
    )
    query = f"SELECT {counted} FROM {PLACED} WHERE NOT copy AND NOT gone AND {clause} GROUP BY agent"
    return tuple(AgentCount(*row) for row in catalog.rows(query, values))


def _repos(catalog: Catalog, roots: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many used sessions each repo has, by how it was recognised; the largest first."""
    clause, values = below(roots)
    query = f"SELECT repo, repo_by, count(*) FROM {PLACED} WHERE {USED} AND {clause} GROUP BY 1, 2"
    sessions: dict[str, dict[str, int]] = {}
    for repo, recognised_by, count in catalog.rows(query, values):
        sessions.setdefault(repo or "(none)", {})[recognised_by] = count
    return dict(sorted(sessions.items(), key=lambda item: -sum(item[1].values())))


def _troubles(catalog: Catalog, roots: Sequence[str]) -> tuple[Trouble, ...]:
    """Sources with something to report, unreadable ones first."""
    clause, values = below(roots, "path")
    query = (
        "SELECT path, state, reason, damaged, damage FROM sources "
        f"WHERE (state IN ('unreadable', 'busy') OR damaged > 0) AND state <> 'gone' AND {clause} "
        "ORDER BY state = 'ok', path LIMIT ?"
    )
    rows = catalog.rows(query, [*values, MAX_TROUBLES])
    return tuple(
        Trouble(path, state, why, damaged, _damage.decode(lines))
        for path, state, why, damaged, lines in rows
    )

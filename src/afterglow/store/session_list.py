"""Looking through the sessions of a catalogue: a page of those that fit, and how many each further choice would leave.

Which sessions were given something, and which taught something, other stores know: their ids come in from there.
Everything is counted in one pass over narrow rows, in as many groups as there are combinations of choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.catalog import Entry
from afterglow.records.session_list import MARKS, SessionFacets, SessionFilter
from afterglow.store.catalog import ENTRY, PLACED, Catalog, chosen, entry_of
from afterglow.text.numbers import week_span

MAX_CHILDREN = 20  # of a session: a fleet of sub-agents is looked through in the list

# Each condition speaks of `sessions` alone, so that an index can answer it without the rows.
_HAS_HIDDEN = "(masked > 0 OR key IN (SELECT key FROM events WHERE hidden > 0))"
_IS_LISTED = "id IN (SELECT value FROM json_each(?))"
_IN_REPO = "place IN (SELECT place FROM places WHERE ? IN (repo, substr(repo, instr(repo, '/') + 1)))"
_SAYS = "(instr(words, ?) OR place IN (SELECT place FROM places WHERE instr(lower(repo), ?)))"
_LATEST_FIRST = "coalesce(end, start, 0) DESC, id, source"


class SessionIds(Struct, frozen=True):
    """Ids of the sessions that received something, and of those that taught something."""

    receiving: Collection[str] = ()
    teaching: Collection[str] = ()


class _Clause(Struct, frozen=True):
    """A condition in SQL with its values; `choice` is what a person chose by it, empty for what no facet offers."""

    text: str
    values: tuple[Any, ...] = ()
    choice: str = ""


def sessions_page(
    catalog: Catalog, filter: SessionFilter, ids: SessionIds, *, limit: int, offset: int
) -> list[tuple[Entry, int]]:
    """Those that fit, newest first, each with how many failures of it no exit code shows."""
    clauses = list(_clauses(filter, ids))
    where, values = _joined(clauses)
    keys = f"SELECT key FROM sessions WHERE {where} ORDER BY {_LATEST_FIRST} LIMIT ? OFFSET ?"
    query = (
        f"SELECT max(masked, coalesce(hidden, 0)), {ENTRY} FROM {PLACED} LEFT JOIN events USING (key) "
        f"WHERE key IN ({keys}) ORDER BY {_LATEST_FIRST}"
    )
    rows = catalog.rows(query, [*values, limit, offset])
    return [(entry_of(row[1:]), row[0]) for row in rows]


def children_of(catalog: Catalog, entry: Entry) -> list[Entry]:
    """The first sessions that a session led to, in time order."""
    query = (
        f"SELECT {ENTRY} FROM {PLACED} WHERE parent = ? AND parent <> '' AND agent = ? AND NOT copy "
        "ORDER BY coalesce(start, end, 0) LIMIT ?"
    )
    rows = catalog.rows(query, [entry.id, entry.agent, MAX_CHILDREN])
    return [entry_of(row) for row in rows]


def session_facets(
    catalog: Catalog, filter: SessionFilter, ids: SessionIds
) -> tuple[SessionFacets, int]:
    """What each choice would leave, and how many fit all that were made."""
    clauses = list(_clauses(filter, ids))
    where, values = _joined([clause for clause in clauses if not clause.choice])
    query = (
        f"SELECT place, agent, outcome, failed > 0, {_HAS_HIDDEN}, {_IS_LISTED}, {_IS_LISTED}, count(*) "
        f"FROM sessions WHERE {where} GROUP BY 1, 2, 3, 4, 5, 6, 7"
    )
    listed = (_packed(ids.receiving), _packed(ids.teaching))
    repos = dict(catalog.rows("SELECT place, repo FROM places"))
    groups = [
        _Group(repos.get(place, ""), agent, outcome, tuple(flags), count)
        for place, agent, outcome, *flags, count in catalog.rows(
            query, [*listed, *values]
        )
    ]
    return _counted(groups, filter)


class _Group(Struct, frozen=True):
    """Sessions that are alike in all that can be chosen; `flags` are those of MARKS, in that order."""

    repo: str
    agent: str
    outcome: str
    flags: tuple[int, ...]
    sessions: int


def _counted(
    groups: Sequence[_Group], filter: SessionFilter
) -> tuple[SessionFacets, int]:
    """Each group counts for a choice if it fits all the others."""
    repos: Counter[str] = Counter()
    agents: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    total = 0
    for group in groups:
        misfits = set(_misfits(filter, group))
        total += 0 if misfits else group.sessions
        for choice, counter, value in (
            ("repo", repos, group.repo),
            ("agent", agents, group.agent),
            ("outcome", outcomes, group.outcome),
        ):
            if misfits <= {choice}:
                counter[value] += group.sessions
        for mark, is_set in zip(MARKS, group.flags, strict=True):
            if is_set and misfits <= {mark}:
                marks[mark] += group.sessions
    facets = SessionFacets(
        repos=dict(repos.most_common()),
        agents=dict(agents.most_common()),
        outcomes=dict(outcomes.most_common()),
        marks={mark: marks[mark] for mark in MARKS},
    )
    return facets, total


def _misfits(filter: SessionFilter, group: _Group) -> Iterator[str]:
    """The choices that a group does not fit."""
    if filter.selection.repo not in (None, group.repo, group.repo.partition("/")[2]):
        yield "repo"
    if filter.selection.agent not in (None, group.agent):
        yield "agent"
    if filter.outcome not in (None, group.outcome):
        yield "outcome"
    for mark, is_set in zip(MARKS, group.flags, strict=True):
        if mark in filter.marks and not is_set:
            yield mark


def _clauses(filter: SessionFilter, ids: SessionIds) -> Iterator[_Clause]:
    chosen_by = filter.selection
    anywhere = msgspec.structs.replace(chosen_by, repo=None, agent=None)
    text, values = chosen(anywhere, everything=filter.everything)
    yield _Clause(text, tuple(values))
    if filter.model is not None:
        yield _Clause("model = ?", (filter.model,))
    if filter.tool is not None:
        yield _Clause("instr(tools, ?)", (f"\n{filter.tool}\n",))
    if filter.week is not None:
        yield _Clause("start >= ? AND start < ?", week_span(filter.week))
    for word in filter.words.casefold().split():
        yield _Clause(_SAYS, (word, word))
    if chosen_by.repo is not None:
        yield _Clause(_IN_REPO, (chosen_by.repo,), "repo")
    if chosen_by.agent is not None:
        yield _Clause("agent = ?", (chosen_by.agent,), "agent")
    if filter.outcome is not None:
        yield _Clause("outcome = ?", (filter.outcome,), "outcome")
    if "failures" in filter.marks:
        yield _Clause("failed > 0", (), "failures")
    if "hidden" in filter.marks:
        yield _Clause(_HAS_HIDDEN, (), "hidden")
    if "given" in filter.marks:
        yield _Clause(_IS_LISTED, (_packed(ids.receiving),), "given")
    if "taught" in filter.marks:
        yield _Clause(_IS_LISTED, (_packed(ids.teaching),), "taught")


def _joined(clauses: Sequence[_Clause]) -> tuple[str, list[Any]]:
    where = " AND ".join(clause.text for clause in clauses)
    return where, [value for clause in clauses for value in clause.values]


def _packed(ids: Collection[str]) -> str:
    return msgspec.json.encode(list(ids)).decode()

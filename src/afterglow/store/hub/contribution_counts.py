"""How much each machine contributed, and when it last did: one's own, for an admin everybody's. Never what it said."""

from __future__ import annotations

from msgspec import Struct

from afterglow.store.databases import Database
from afterglow.store.hub.layout import Layout

# Nobody reads another's contributions, so an admin is told numbers by the owner of the table.
FUNCTION = """
CREATE FUNCTION contribution_counts(OUT person text, OUT machine text, OUT kind text, OUT repo text,
  OUT rows bigint, OUT withdrawn bigint, OUT last float8)
RETURNS SETOF record LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  SELECT p.name, c.machine, c.kind, c.repo, count(*) FILTER (WHERE c.withdrawn = 0),
    count(*) FILTER (WHERE c.withdrawn = 1), max(c.time)
  FROM asking() a JOIN contributions c ON c.org = a.org AND (c.person = a.person OR a.admin)
    JOIN people p ON p.org = c.org AND p.id = c.person
  GROUP BY 1, 2, 3, 4
$$;
"""


class ContributionCount(Struct, frozen=True):
    """Of one machine, kind and repository; `withdrawn` were taken back."""

    person: str
    machine: str
    kind: str
    repo: str
    rows: int
    withdrawn: int
    last: float


def contribution_counting(layout: Layout) -> None:
    layout.run(FUNCTION)
    layout.let_call("contribution_counts()")


def contribution_counts(db: Database) -> list[ContributionCount]:
    """The latest machine first."""
    rows = db.execute(
        "SELECT person, machine, kind, repo, rows, withdrawn, last FROM contribution_counts() "
        "ORDER BY last DESC, person, machine, kind, repo"
    )
    return [ContributionCount(*row) for row in rows]

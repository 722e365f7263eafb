"""What teams and people may do in which repositories; and what was done at the hub."""

from __future__ import annotations

from afterglow.records.hub_people import AuditLine, Grant
from afterglow.store.databases import Database


def grants(db: Database) -> list[Grant]:
    """Those that can be seen: one's own, or everybody's."""
    rows = db.execute(
        "SELECT g.id, coalesce(t.name, p.name), g.team IS NOT NULL, g.pattern, g.allows FROM grants g "
        "LEFT JOIN teams t ON t.org = g.org AND t.id = g.team "
        "LEFT JOIN people p ON p.org = g.org AND p.id = g.person "
        "WHERE g.org = my_org() ORDER BY 2, g.pattern"
    )
    return [Grant(*row) for row in rows]


def add_grant(
    db: Database,
    *,
    team: int | None,
    person: int | None,
    pattern: str,
    allows: str,
) -> int:
    """In the place of what the same had for the same pattern."""
    remove_grant(db, team=team, person=person, pattern=pattern)
    row = db.execute(
        "INSERT INTO grants (team, person, pattern, allows) VALUES (?, ?, ?, ?) RETURNING id",
        [team, person, pattern, allows],
    ).fetchone()
    if "*" not in pattern:
        db.execute(
            "INSERT INTO repositories (name) VALUES (?) ON CONFLICT DO NOTHING",
            [pattern],
        )
    return int(row[0])


def remove_grant(
    db: Database, *, team: int | None, person: int | None, pattern: str
) -> bool:
    rows = db.execute(
        "DELETE FROM grants WHERE org = my_org() AND team IS NOT DISTINCT FROM ?::bigint "
        "AND person IS NOT DISTINCT FROM ?::bigint AND pattern = ?",
        [team, person, pattern],
    )
    return rows.rowcount > 0


def repositories(db: Database) -> list[str]:
    """Those that can be seen."""
    rows = db.execute(
        "SELECT name FROM repositories WHERE org = my_org() ORDER BY name"
    )
    return [name for (name,) in rows]


def note(db: Database, what: str, about: str = "") -> None:
    """Who and when, the database says."""
    db.execute("INSERT INTO audit (what, about) VALUES (?, ?)", [what, about])


def audit(
    db: Database, *, since: float = 0.0, before: int | None = None, most: int = 100
) -> list[AuditLine]:
    """Newest first; `before` is the number of the last line of the page before."""
    earlier = "" if before is None else "AND n < ? "
    rows = db.execute(
        'SELECT n, extract(epoch FROM time)::float8, "by", what, about FROM audit '
        f"WHERE org = my_org() AND time >= to_timestamp(?) {earlier}ORDER BY n DESC LIMIT ?",
        [since, *([] if before is None else [before]), most],
    )
    return [AuditLine(*row) for row in rows]

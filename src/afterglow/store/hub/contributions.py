"""What machines contribute to a hub: the tables, and who may see and change their rows.

A contribution is one row of one machine: a session with its findings, a lesson, a decision, and what the books hold. It
is replaced only by a higher `seq` of the same machine, so rows may come in any order and twice. What was taken back
stays as an empty row: a request that was under way does not bring it in again. Findings are the contributions of
sessions, taken apart, so that those of a topic are found at once; `pending` says what the merger has to look at.

Nobody reads another's contributions: the items made of them are what people share. The merger reads all of its
organisation. A member's rows are theirs by the database: `person` is who asks, whatever a statement says.
"""

from __future__ import annotations

TABLES = (
    """
    CREATE TABLE afterglow.contributions (
        org bigint NOT NULL DEFAULT afterglow.my_org(),
        person bigint NOT NULL DEFAULT afterglow.me(),
        machine text NOT NULL,
        kind text NOT NULL,
        key text NOT NULL,
        repo text NOT NULL DEFAULT '',
        seq bigint NOT NULL,
        mark text NOT NULL DEFAULT '',
        body text NOT NULL DEFAULT '',
        withdrawn integer NOT NULL DEFAULT 0,
        time double precision NOT NULL DEFAULT extract(epoch FROM now()),
        PRIMARY KEY (org, person, machine, kind, key)
    )
    """,
    "CREATE INDEX contributions_by_key ON afterglow.contributions (org, kind, key)",
    """
    CREATE TABLE afterglow.findings (
        org bigint NOT NULL DEFAULT afterglow.my_org(),
        person bigint NOT NULL DEFAULT afterglow.me(),
        machine text NOT NULL,
        session text NOT NULL,
        place integer NOT NULL,
        topic text NOT NULL,
        repo text NOT NULL DEFAULT '',
        body text NOT NULL,
        PRIMARY KEY (org, person, machine, session, place)
    )
    """,
    "CREATE INDEX findings_by_topic ON afterglow.findings (org, topic)",
    """
    CREATE TABLE afterglow.pending (
        org bigint NOT NULL DEFAULT afterglow.my_org(),
        kind text NOT NULL,
        name text NOT NULL,
        PRIMARY KEY (org, kind, name)
    )
    """,
)

# Whose rows: the member's own; an admin may take back anybody's, and reads none of them.
POLICIES = (
    """
    CREATE POLICY own ON afterglow.contributions TO {app}
    USING (org = (SELECT afterglow.my_org()) AND person = (SELECT afterglow.me()))
    WITH CHECK (
        org = (SELECT afterglow.my_org()) AND person = (SELECT afterglow.me())
        AND (withdrawn = 1 OR repo = ANY ((SELECT afterglow.my_repos('contribute'))::text[]))
    )
    """,
    """
    CREATE POLICY own ON afterglow.findings TO {app}
    USING (org = (SELECT afterglow.my_org()) AND person = (SELECT afterglow.me()))
    WITH CHECK (
        org = (SELECT afterglow.my_org()) AND person = (SELECT afterglow.me())
        AND repo = ANY ((SELECT afterglow.my_repos('contribute'))::text[])
    )
    """,
    """
    CREATE POLICY organisation ON afterglow.pending TO {app}
    USING (org = (SELECT afterglow.my_org()) AND (SELECT afterglow.me()) IS NOT NULL)
    WITH CHECK (org = (SELECT afterglow.my_org()) AND (SELECT afterglow.me()) IS NOT NULL)
    """,
    "CREATE POLICY merging ON afterglow.contributions FOR SELECT TO {merge} USING (org = (SELECT afterglow.my_org()))",
    "CREATE POLICY merging ON afterglow.findings FOR SELECT TO {merge} USING (org = (SELECT afterglow.my_org()))",
    "CREATE POLICY merging ON afterglow.pending TO {merge} USING (org = (SELECT afterglow.my_org()))",
)

GRANTS = (
    "GRANT SELECT, INSERT, UPDATE ON afterglow.contributions TO {app}",
    "GRANT SELECT, INSERT, DELETE ON afterglow.findings TO {app}",
    "GRANT SELECT, INSERT, UPDATE ON afterglow.pending TO {app}",
    "GRANT SELECT ON afterglow.contributions, afterglow.findings TO {merge}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON afterglow.pending TO {merge}",
)

SECURED = ("contributions", "findings", "pending")


def contribution_tables(app: str, merge: str) -> list[str]:
    """What a migration runs, with the names of the two roles as they stand in statements."""
    forced = [
        f"ALTER TABLE afterglow.{table} {word} ROW LEVEL SECURITY"
        for table in SECURED
        for word in ("ENABLE", "FORCE")
    ]
    named = [
        statement.format(app=app, merge=merge) for statement in (*POLICIES, *GRANTS)
    ]
    return [*TABLES, *forced, *named]

"""The tables of what machines contribute to a hub, and who may see and change their rows.

A contribution is one row of one machine: a session with its findings, a lesson, a decision, a row of the books. It is
replaced only by a higher `seq` of the same machine, so rows may come in any order and twice. What was taken back stays
as an empty row: a request that was under way does not bring it in again. What sessions, lessons and decisions say lies
in `findings`, by topic; `pending` are the topics that the merger has to look at; `machines` say when each last sent
something, and keep two requests of one machine apart.

Nobody reads another's contributions: the items made of them are what people share. An admin may take back anybody's.
The merger reads all of its organisation. Whose a row is says the database: `person` is who asks.
"""

from __future__ import annotations

_OWN = "org = (SELECT afterglow.my_org()) AND person = (SELECT afterglow.me())"
_THERE = "repo = ANY ((SELECT afterglow.my_repos('contribute'))::text[])"
_MINE_OR_ADMIN = (
    "org = (SELECT afterglow.my_org()) "
    "AND (person = (SELECT afterglow.me()) OR (SELECT afterglow.is_admin()))"
)
_ORG = "org = (SELECT afterglow.my_org())"
_WHOSE = """
        org bigint NOT NULL DEFAULT afterglow.my_org(),
        person bigint NOT NULL DEFAULT afterglow.me(),
        machine text COLLATE "C" NOT NULL"""

TABLES = (
    f"""
    CREATE TABLE afterglow.machines ({_WHOSE},
        time double precision NOT NULL DEFAULT extract(epoch FROM now()),
        PRIMARY KEY (org, person, machine)
    )
    """,
    f"""
    CREATE TABLE afterglow.contributions ({_WHOSE},
        kind text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        repo text COLLATE "C" NOT NULL DEFAULT '',
        seq bigint NOT NULL,
        mark text NOT NULL DEFAULT '',
        withdrawn integer NOT NULL DEFAULT 0,
        time double precision NOT NULL DEFAULT extract(epoch FROM now()),
        PRIMARY KEY (org, person, machine, kind, key)
    )
    """,
    # `mark` of a decision is of the words that somebody approved.
    f"""
    CREATE TABLE afterglow.findings ({_WHOSE},
        kind text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        place integer NOT NULL,
        topic text COLLATE "C" NOT NULL,
        repo text COLLATE "C" NOT NULL,
        mark text NOT NULL DEFAULT '',
        body text NOT NULL,
        PRIMARY KEY (org, person, machine, kind, key, place)
    )
    """,
    "CREATE INDEX findings_by_topic ON afterglow.findings (org, topic)",
    "CREATE INDEX findings_by_mark ON afterglow.findings (org, mark) WHERE mark <> ''",
    """
    CREATE TABLE afterglow.pending (
        org bigint NOT NULL DEFAULT afterglow.my_org(),
        topic text COLLATE "C" NOT NULL,
        PRIMARY KEY (org, topic)
    )
    """,
)

FUNCTIONS = (
    # For admins: how much each member contributes, and nothing of what.
    """
    CREATE FUNCTION afterglow.contributed() RETURNS TABLE (
      person bigint, machine text, kind text, repo text, "rows" bigint, withdrawn bigint, last double precision
    ) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
      SELECT c.person, c.machine, c.kind, c.repo, count(*) FILTER (WHERE c.withdrawn = 0),
        count(*) FILTER (WHERE c.withdrawn = 1), max(c.time)
      FROM contributions c WHERE c.org = member_org() AND (c.person = me() OR is_admin())
      GROUP BY c.person, c.machine, c.kind, c.repo
    $$
    """,
    # Topics are words of sessions, so members say which are to be merged and read none of them.
    """
    CREATE FUNCTION afterglow.make_pending(topics json) RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER
    SET search_path = afterglow, pg_temp AS $$
      INSERT INTO pending (org, topic) SELECT member_org(), value FROM json_array_elements_text(topics)
      WHERE me() IS NOT NULL ORDER BY 2
      ON CONFLICT (org, topic) DO UPDATE SET topic = excluded.topic
    $$
    """,
    """
    CREATE FUNCTION afterglow.pending_topics() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = afterglow, pg_temp AS $$ SELECT count(*) FROM pending WHERE org = member_org() $$
    """,
    "GRANT EXECUTE ON FUNCTION afterglow.contributed(), afterglow.make_pending(json), "
    "afterglow.pending_topics() TO {app}",
)

POLICIES = (
    f"CREATE POLICY own ON afterglow.machines TO {{app}} USING ({_OWN}) WITH CHECK ({_OWN})",
    # A row that is there is changed by who brought it; an admin can only empty it.
    f"CREATE POLICY reading ON afterglow.contributions FOR SELECT TO {{app}} USING ({_MINE_OR_ADMIN})",
    f"""
    CREATE POLICY adding ON afterglow.contributions FOR INSERT TO {{app}}
    WITH CHECK ({_OWN} AND (withdrawn = 1 OR {_THERE}))
    """,
    f"""
    CREATE POLICY changing ON afterglow.contributions FOR UPDATE TO {{app}} USING ({_MINE_OR_ADMIN})
    WITH CHECK ({_MINE_OR_ADMIN} AND (withdrawn = 1 OR ({_OWN} AND {_THERE})))
    """,
    f"CREATE POLICY reading ON afterglow.findings FOR SELECT TO {{app}} USING ({_MINE_OR_ADMIN})",
    f"CREATE POLICY adding ON afterglow.findings FOR INSERT TO {{app}} WITH CHECK ({_OWN} AND {_THERE})",
    f"CREATE POLICY removing ON afterglow.findings FOR DELETE TO {{app}} USING ({_MINE_OR_ADMIN})",
    *(
        f"CREATE POLICY merging ON afterglow.{table} FOR SELECT TO {{merge}} USING ({_ORG})"
        for table in ("machines", "contributions", "findings")
    ),
    f"CREATE POLICY merging ON afterglow.pending TO {{merge}} USING ({_ORG}) WITH CHECK ({_ORG})",
)

GRANTS = (
    "GRANT SELECT, INSERT, UPDATE ON afterglow.machines, afterglow.contributions TO {app}",
    "GRANT SELECT (org, person, machine, kind, key, topic, place), INSERT, DELETE ON afterglow.findings TO {app}",
    "GRANT SELECT ON afterglow.machines, afterglow.contributions, afterglow.findings TO {merge}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON afterglow.pending TO {merge}",
)

SECURED = ("machines", "contributions", "findings", "pending")


def contribution_tables(app: str, merge: str) -> list[str]:
    """What a migration runs, with the names of the two roles as they stand in statements."""
    forced = [
        f"ALTER TABLE afterglow.{table} {word} ROW LEVEL SECURITY"
        for table in SECURED
        for word in ("ENABLE", "FORCE")
    ]
    named = [
        statement.format(app=app, merge=merge)
        for statement in (*FUNCTIONS, *POLICIES, *GRANTS)
    ]
    return [*TABLES, *forced, *named]

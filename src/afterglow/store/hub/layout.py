"""What a migration of a hub's database is handed: a way to run its statements, and the one way to make a table of
members reachable: with row-level security that binds everybody, its owner too.

The owner has a policy that lets it see everything; without that, its own foreign keys and functions would see nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import psycopg
from psycopg import sql

from afterglow.store.hub.roles import HubRoles

MY_ORG = "org = (SELECT afterglow.my_org())"
NOBODY = "false"
EVERYONE = "true"


def in_my_repos(right: str) -> str:
    """Rows of the repositories in which the member has that right. Computed once a query, so that indexes are used."""
    return f"repo = ANY ((SELECT afterglow.my_repos('{right}'))::text[])"


OPEN_TABLES = """
SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'afterglow'::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'owner')
"""


class Layout:
    """A database that is being laid out, as its owner."""

    def __init__(self, db: psycopg.Connection[Any], roles: HubRoles) -> None:
        self._db = db
        self.roles = roles

    def run(self, statements: str, **names: str) -> None:
        """{app}, {merge}, {owner} and {names} are filled in as quoted names, {app_name} and its like as texts. Braces
        that are meant are doubled."""
        roles = {
            "app": self.roles.app,
            "merge": self.roles.merge,
            "owner": self.roles.owner,
        }
        quoted = {key: sql.Identifier(name) for key, name in (roles | names).items()}
        texts = {f"{key}_name": sql.Literal(name) for key, name in roles.items()}
        self._db.execute(sql.SQL(statements).format(**quoted, **texts))

    def run_plain(self, statements: Iterable[str]) -> None:
        """As they stand."""
        for statement in statements:
            self._db.execute(sql.SQL(statement))

    def quoted(self, name: str) -> str:
        return sql.Identifier(name).as_string(self._db)

    def let_call(self, functions: str, *, merge: bool = False) -> None:
        """Members may call these ("me(), may(text, text)"), and the merger if said: without it nobody may."""
        self.run(f"GRANT EXECUTE ON FUNCTION {functions} TO {{app}}")
        if merge:
            self.run(f"GRANT EXECUTE ON FUNCTION {functions} TO {{merge}}")

    def secure(
        self,
        table: str,
        *,
        read: str = NOBODY,
        add: str = NOBODY,
        change: str = NOBODY,
        remove: str = NOBODY,
        merge: str = "",
        border: str = MY_ORG,
    ) -> None:
        """Members (the app's role) may do to a row what the conditions say, within their organisation; the merger may
        do what `merge` lists ("SELECT, INSERT") within the one it works for. Whom nothing is granted sees nothing."""
        self.close(table)
        for action, condition in (
            ("SELECT", read),
            ("INSERT", add),
            ("UPDATE", change),
            ("DELETE", remove),
        ):
            if condition != NOBODY:
                self._allow(
                    table, action, self.roles.app, f"{border} AND ({condition})"
                )
            if action in merge:
                self._allow(table, action, self.roles.merge, border)

    def close(self, table: str) -> None:
        """Nobody but the owner, unless policies and grants say more."""
        for statement in (
            "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
            "DROP POLICY IF EXISTS owner ON {table}",
            "CREATE POLICY owner ON {table} TO {owner} USING (true) WITH CHECK (true)",
        ):
            self.run(statement, table=table)

    def close_all(self) -> None:
        """Tables that no `secure` has seen, too."""
        for (table,) in self._db.execute(OPEN_TABLES).fetchall():
            self.close(table)

    def _allow(self, table: str, action: str, role: str, condition: str) -> None:
        """A changed row must lie within the border too."""
        rules = {
            "SELECT": f"USING ({condition})",
            "INSERT": f"WITH CHECK ({condition})",
            "UPDATE": f"USING ({condition}) WITH CHECK ({condition})",
            "DELETE": f"USING ({condition})",
        }[action]
        self.run(f"GRANT {action} ON {{table}} TO {{role}}", table=table, role=role)
        policy = f"{role}_{action}".lower()[-60:]
        self.run(
            f"CREATE POLICY {{policy}} ON {{table}} FOR {action} TO {{role}} {rules}",
            table=table,
            role=role,
            policy=policy,
        )

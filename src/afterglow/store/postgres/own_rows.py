"""Rows that belong to the member who wrote them: how tables say so, and the policies that hold everybody to it."""

from __future__ import annotations

# The first columns of a table: whose row it is, by the token, whatever a statement says.
OWNER = (
    "org bigint NOT NULL DEFAULT afterglow.my_org(), "
    "person bigint NOT NULL DEFAULT afterglow.me()"
)
# Computed once for a statement, not for each row.
IN_ORG = "org = (SELECT afterglow.my_org())"
OWN = f"{IN_ORG} AND person = (SELECT afterglow.me())"
READABLE = "repo = ANY ((SELECT afterglow.my_repos('read'))::text[])"
_CONTRIBUTES = "(SELECT cardinality(afterglow.my_repos('contribute'))) > 0"
WRITABLE = f"(repo = ANY ((SELECT afterglow.my_repos('contribute'))::text[]) OR repo = '' AND {_CONTRIBUTES})"


def forced(table: str) -> list[str]:
    """Row-level security, for the owner of the table too."""
    return [
        f"ALTER TABLE afterglow.{table} {word} ROW LEVEL SECURITY"
        for word in ("ENABLE", "FORCE")
    ]


def own_policies(table: str, app: str, *, by_repository: bool) -> list[str]:
    """A member writes only their own rows, where they may contribute, and may always take them back. They read those
    of others where they may read the repository, if rows have one."""
    may_write = WRITABLE if by_repository else _CONTRIBUTES
    may_read = OWN
    if by_repository:
        may_read = f"{IN_ORG} AND (person = (SELECT afterglow.me()) OR {READABLE})"
    head = f"ON afterglow.{table} FOR"
    return [
        f"CREATE POLICY reading {head} SELECT TO {app} USING ({may_read})",
        f"CREATE POLICY adding {head} INSERT TO {app} WITH CHECK ({OWN} AND {may_write})",
        f"CREATE POLICY changing {head} UPDATE TO {app} USING ({OWN}) WITH CHECK ({OWN} AND {may_write})",
        f"CREATE POLICY taking_back {head} DELETE TO {app} USING ({OWN})",
    ]

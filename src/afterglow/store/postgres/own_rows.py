"""Rows that belong to the member who wrote them: the columns that say so, and the conditions that hold everybody to it."""

from __future__ import annotations

from afterglow.store.hub.layout import in_my_repos

# The first columns of a table: whose row it is, by the token, whatever a statement says.
OWNER = (
    "org bigint NOT NULL DEFAULT afterglow.my_org(), "
    "person bigint NOT NULL DEFAULT afterglow.me()"
)
OWN = "person = (SELECT afterglow.me())"
# A row without a repository is nobody else's concern. Books are counted over many rows: names are looked up in a hash,
# where `= ANY` would compare each row with every name.
_READABLE = "repo IN (SELECT unnest(afterglow.my_repos('read')))"
OWN_OR_READABLE = f"{OWN} OR repo <> '' AND {_READABLE}"
OWN_AND_WRITABLE = f"{OWN} AND {in_my_repos('contribute')}"
# Where rows have no repository: who contributes anywhere.
OWN_OF_CONTRIBUTOR = f"{OWN} AND (SELECT afterglow.may('contribute', ''))"

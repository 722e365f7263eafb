"""recoveries: failures and how they ended, one row each. Errors are pseudonyms: the same error has the same one."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.table import Column, Draft, Material, SharedRows, Table
from afterglow.dataset.tables.sessions import session_key
from afterglow.dataset.vocabulary import TOOLS, rough
from afterglow.records.tools import family

TABLE = Table(
    "recoveries",
    "One row a failure: which kind of tool, how many attempts failed, after how many calls it worked.",
    (
        Column("session", "id", "the session; the same as in `sessions`"),
        Column(
            "error", "id", "the error's fingerprint; the same error has the same one"
        ),
        Column("tool", "word", "the family of the tool", TOOLS),
        Column("attempts", "whole", "failed calls"),
        Column(
            "calls",
            "whole",
            "calls from the first failure to the success, or to the end",
        ),
        Column("recovered", "yes-no", "whether the same goal succeeded later"),
    ),
)


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    """Of sessions that are shared; what a session is recognised by stands only in `sessions`."""
    for entry in material.entries:
        row = shared_rows["sessions"].get(session_key(entry))
        if entry.profile is None:
            continue
        for number, recovery in enumerate(
            (*entry.profile.recoveries, *entry.profile.pending)
        ):
            yield Draft(
                values={
                    "session": row["session"] if row else "",
                    "error": ids.of("error", recovery.error),
                    "tool": family(recovery.tool),
                    "attempts": rough(recovery.attempts),
                    "calls": rough(recovery.calls),
                    "recovered": recovery.recovered,
                },
                source=f"{session_key(entry)}\0{number}",
                behind=frozenset({session_key(entry)}),
                people=material.people([entry.id]),
                lost=row is None,
            )

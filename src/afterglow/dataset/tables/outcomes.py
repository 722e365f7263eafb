"""outcomes: what came of each trial, one row a number."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.table import Column, Draft, Material, SharedRows, Table
from afterglow.dataset.tables.trials import trial_key
from afterglow.dataset.vocabulary import rough_number

BEFORE, AFTER = "before", "after"

TABLE = Table(
    "outcomes",
    "One row a number that was measured of a trial. No number: it could not be computed.",
    (
        Column("trial", "id", "the trial; the same as in `trials`"),
        Column(
            "moment",
            "word",
            "whether it was known at the start or is an outcome",
            frozenset({BEFORE, AFTER}),
        ),
        Column(
            "name", "named", "what was measured; a name of one's own is a pseudonym"
        ),
        Column("value", "number", "the number"),
    ),
)


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    """Of trials that are shared."""
    for trial in material.trials:
        row = shared_rows["trials"].get(trial_key(trial))
        numbers = [(BEFORE, name, value) for name, value in trial.before.items()]
        for moment, name, value in [
            *numbers,
            *((AFTER, name, value) for name, value in trial.outcomes.items()),
        ]:
            yield Draft(
                values={
                    "trial": row["trial"] if row else "",
                    "moment": moment,
                    "name": name if name in material.outcomes else ids.of("name", name),
                    "value": rough_number(value),
                },
                source=f"{trial_key(trial)}\0{moment}\0{name}",
                behind=frozenset({f"{trial.experiment}\0{trial.unit}"}),
                people=material.people([trial.session]),
                lost=row is None,
            )

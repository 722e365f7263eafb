"""trials: what an experiment compared, one row a trial. It never tells more of its session than `sessions` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.table import (
    ANY,
    OTHER,
    Column,
    Draft,
    Kept,
    Material,
    Row,
    Table,
)
from afterglow.dataset.tables.sessions import session_key
from afterglow.dataset.vocabulary import periods
from afterglow.records.experiment import COLD, PLACEBO, WARM, Trial

ARMS = frozenset({COLD, WARM, PLACEBO})

TABLE = Table(
    "trials",
    "One row a trial of an experiment, in the arm it was assigned to.",
    (
        Column("trial", "id", "the trial"),
        Column("experiment", "id", "the experiment"),
        Column("unit", "id", "the session or task that was given an arm"),
        Column("arm", "named", "the arm; one of another name is a pseudonym", ARMS),
        Column("period", "period", "when it began"),
        Column("stratum", "id", "the block it was assigned in"),
        Column(
            "cluster",
            "id",
            "what it shares with others: a repository, a family of tasks",
        ),
        Column("pair", "id", "the task, where each is run in every arm"),
        Column("session", "id", "its session, where that is in `sessions`"),
        Column(
            "simulated", "yes-no", "whether the experiment was run on a simulated fleet"
        ),
        Column(
            "excluded", "named", "the planned rule that leaves it out; empty: it counts"
        ),
    ),
    quasi=("stratum", "cluster", "period"),
)


def drafts(material: Material, ids: Pseudonyms, kept: Kept) -> Iterator[Draft]:
    times = Counter(entry.id for entry in material.entries)
    shared = {
        entry.id: kept["sessions"][session_key(entry)]
        for entry in material.entries
        if times[entry.id] == 1 and session_key(entry) in kept["sessions"]
    }
    for one in material.trials:
        week, month, year = periods(one.time)
        values: Row = {
            "trial": ids.of("trial", trial_key(one)),
            "experiment": ids.of("experiment", one.experiment),
            "unit": ids.of("unit", f"{one.experiment}\0{one.unit}"),
            "arm": one.arm if one.arm in ARMS else ids.of("arm", one.arm),
            "period": week,
            "stratum": ids.of("stratum", one.stratum),
            "cluster": ids.of("cluster", one.cluster),
            "pair": ids.of("pair", one.pair),
            "session": "",
            "simulated": one.experiment in material.simulated,
            "excluded": one.excluded
            if one.excluded in material.exclusions
            else ids.of("rule", one.excluded),
        }
        less: tuple[Row, ...] = (
            {"stratum": OTHER},
            {"period": month},
            {"cluster": OTHER},
            {"period": year},
        )
        session = shared.get(one.session)
        if session is not None:
            values |= {"session": session["session"], "period": session["period"]}
            if session["repo"] == OTHER:
                values |= {"stratum": OTHER, "cluster": OTHER}
            less = ({"stratum": OTHER}, {"cluster": OTHER})
        people = material.people([one.session])
        behind = frozenset({f"{one.experiment}\0{one.unit}"})
        yield Draft(
            values=values, source=trial_key(one), behind=behind, people=people, steps=(*less, {"period": ANY})
        )  # fmt: skip


def trial_key(one: Trial) -> str:
    return f"{one.experiment}\0{one.unit}\0{one.arm}"

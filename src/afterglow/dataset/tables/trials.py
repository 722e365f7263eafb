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
    Material,
    Row,
    SharedRows,
    Table,
)
from afterglow.dataset.tables.sessions import session_key
from afterglow.dataset.vocabulary import periods
from afterglow.records.experiment import (
    BOTH,
    COLD,
    CONTEXT,
    FAILURE,
    PLACEBO,
    START,
    TEMPLATE,
    WARM,
    Trial,
)
from afterglow.records.template import PARTS

# Sizes of a template that many compare; one that only a single person would think of is a pseudonym.
SIZES = (100, 150, 300, 600, 1200)
ARMS = frozenset(
    {COLD, WARM, START, FAILURE, BOTH, CONTEXT, TEMPLATE, PLACEBO}
    | {f"{TEMPLATE}:{cut}" for cut in (*PARTS, *SIZES)}
)

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


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    times = Counter(entry.id for entry in material.entries)
    shared = {
        entry.id: shared_rows["sessions"][session_key(entry)]
        for entry in material.entries
        if times[entry.id] == 1 and session_key(entry) in shared_rows["sessions"]
    }
    for trial in material.trials:
        week, month, year = periods(trial.time)
        values: Row = {
            "trial": ids.of("trial", trial_key(trial)),
            "experiment": ids.of("experiment", trial.experiment),
            "unit": ids.of("unit", f"{trial.experiment}\0{trial.unit}"),
            "arm": trial.arm if trial.arm in ARMS else ids.of("arm", trial.arm),
            "period": week,
            "stratum": ids.of("stratum", trial.stratum),
            "cluster": ids.of("cluster", trial.cluster),
            "pair": ids.of("pair", trial.pair),
            "session": "",
            "simulated": trial.experiment in material.simulated,
            "excluded": trial.excluded
            if trial.excluded in material.exclusions
            else ids.of("rule", trial.excluded),
        }
        less: tuple[Row, ...] = (
            {"stratum": OTHER},
            {"period": month},
            {"cluster": OTHER},
            {"period": year},
        )
        session = shared.get(trial.session)
        if session is not None:
            values |= {"session": session["session"], "period": session["period"]}
            if session["repo"] == OTHER:
                values |= {"stratum": OTHER, "cluster": OTHER}
            less = ({"stratum": OTHER}, {"cluster": OTHER})
        people = material.people([trial.session])
        behind = frozenset({f"{trial.experiment}\0{trial.unit}"})
        yield Draft(
            values=values,
            source=trial_key(trial),
            behind=behind,
            people=people,
            steps=(*less, {"period": ANY}),
        )


def trial_key(trial: Trial) -> str:
    return f"{trial.experiment}\0{trial.unit}\0{trial.arm}"

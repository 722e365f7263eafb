"""Plans, units and records for tests of experiments, and a program that adds them."""

from __future__ import annotations

import subprocess
import sys

from msgspec.structs import replace

from afterglow.records.experiment import Assignment, Plan, Trial
from afterglow.store.open_store import Place
from store.stores_of_both_kinds import PLACE_IN_PROGRAM, words_of

STUDY = Plan(
    name="study", arms=("cold", "warm"), allocation=(0.5, 0.5), outcomes=("success",), created=1.0, salt="pepper",
)  # fmt: skip
PAIRED = replace(STUDY, name="paired", unit="task", design="paired", strata=("task",))

WRITER = (
    PLACE_IN_PROGRAM
    + """
from itertools import count
from afterglow.experiment.assign import arm_of
from afterglow.records.experiment import Assignment, Trial
from afterglow.store.experiments import Experiments
name, most = sys.argv[3], int(sys.argv[4])
for number in range(most) if most else count():
    with Experiments(place) as kept:
        unit = f"{name}{number}"
        for one in (unit, f"shared{number}"):
            wanted = Assignment(experiment="study", unit=one, arm="", time=1.0, stratum="harbor")
            (given,) = kept.assign(wanted, arm_of)
        kept.record(Trial(experiment="study", unit=unit, arm=given.arm, time=1.0, outcomes={"success": 1.0}), kept=1.0)
    print(unit, flush=True)
"""
)


def wanted(
    unit: str = "s1", stratum: str = "harbor", experiment: str = "study"
) -> Assignment:
    return Assignment(
        experiment=experiment, unit=unit, arm="", time=5.0, stratum=stratum
    )


def trial(
    unit: str = "s1", arm: str = "warm", success: float | None = 1.0, **more
) -> Trial:
    fields = {
        "experiment": "study",
        "time": 9.0,
        "before": {"size": 2.5},
        "cluster": "harbor",
    }
    return Trial(
        unit=unit, arm=arm, outcomes={"success": success}, **{**fields, **more}
    )


def start(place: Place, name: str, most: int) -> subprocess.Popen:
    program = [sys.executable, "-c", WRITER, *words_of(place), name, str(most)]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True)

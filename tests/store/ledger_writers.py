"""Deliveries for tests of the ledger, and a program that writes them."""

from __future__ import annotations

import subprocess
import sys

from afterglow.records.delivery import Delivery, Given
from afterglow.store.open_store import Place
from store.stores_of_both_kinds import PLACE_IN_PROGRAM, words_of

WRITER = (
    PLACE_IN_PROGRAM
    + """
from itertools import count
from afterglow.records.delivery import Delivery, Followed, Given, Reported, Verdict
from afterglow.store.ledger import Ledger
name, most = sys.argv[3], int(sys.argv[4])
for number in range(most) if most else count():
    with Ledger(place) as ledger:
        id = f"ag-{name}-{number}"
        given = Given("k1", 0.8, remedy=f"`make {number}`")
        ledger.add(Delivery(id=id, time=1.0, when="failure", items=(given,)))
        after = Followed(problem="line no pier", solved=True, calls=number)
        ledger.judge(id, f"s{number}", [Verdict("k1", True)], started=1.0, followed=after)
    print(id, flush=True)
"""
)


def delivery(id: str = "ag-1", time: float = 100.0, **more) -> Delivery:
    given = (
        Given(
            "k1",
            0.8,
            situation="`make` fails",
            remedy="`make dock`",
            fingerprints=("no pier <n>", "no quay"),
        ),
        Given("k2", 0.9, remedy="speak plainly: é 漢"),
    )
    fields = {
        "repo": "harbor",
        "agent": "codex",
        "task": "ab12",
        "budget": 2000,
        "tokens": 140,
        "items": given,
    }
    return Delivery(id=id, time=time, **{**fields, **more})


def start(place: Place, name: str, most: int) -> subprocess.Popen:
    program = [sys.executable, "-c", WRITER, *words_of(place), name, str(most)]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True)

"""A hundred machines that sync at once: no error, nothing lost or doubled, the same items as of one machine.
`python -m bench.hub_machines --help`.

Each machine is a thread with a token of its person. It sends its sessions a few at a time, one batch in ten twice (as a
client does whose answer got lost), some rows late and out of order, and pulls what the team knows in between. Then the
same sessions go to a second hub from one machine a person, in order, and the items of both are compared.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import median, quantiles

from msgspec import Struct

from afterglow.errors import AfterglowError
from afterglow.flows.hub.hub_client import HubClient
from afterglow.records.contributions import Contribution, TakenIn
from afterglow.records.team import TeamPage
from bench.hub_room import Hub, SessionRow, contribution, postgres, session_rows

SENT_AGAIN = 0.1  # of the batches
ROWS = (1, 4)  # of a batch: as many sessions as end between two syncs


class Batch(Struct, frozen=True):
    machine: str
    batch: list[Contribution]


class Machine(threading.Thread):
    """Until the time is over; then whatever is left is sent."""

    def __init__(
        self, number: int, hub: Hub, token: str, rows: list[SessionRow], until: float
    ) -> None:
        super().__init__(name=f"machine{number}")
        self._client = HubClient(hub.address, token)
        self._random = random.Random(number)
        self._until = until
        self._cursor = 0
        # A number belongs to its row, whenever that is sent.
        self._waiting = [contribution(row, seq) for seq, row in enumerate(rows, 1)]
        self._random.shuffle(self._waiting)
        self._sent: list[Contribution] = []
        self.seconds: dict[str, list[float]] = {"send": [], "pull": []}
        self.errors: list[str] = []
        self.received = 0

    def run(self) -> None:
        pace = max(self._until - time.monotonic(), 1.0) / (len(self._waiting) or 1)
        while self._waiting or time.monotonic() < self._until:
            try:
                self._sync()
            except AfterglowError as error:
                self.errors.append(str(error))
                if len(self.errors) > 20:
                    return
            time.sleep(self._random.uniform(0.2, 1.8) * pace)

    def _sync(self) -> None:
        number = self._random.randint(*ROWS)
        batch = self._waiting[:number] or self._random.sample(self._sent, min(2, len(self._sent)))  # fmt: skip
        if batch:
            self._send(batch)
            if self._random.random() < SENT_AGAIN:
                self._send(batch)
            del self._waiting[:number]
            self._sent += batch
        started = time.monotonic()
        page = self._client.get("/items", TeamPage, {"after": self._cursor, "limit": 500})  # fmt: skip
        self.seconds["pull"].append(time.monotonic() - started)
        self._cursor = page.change
        self.received += len(page.items)

    def _send(self, batch: list[Contribution]) -> None:
        started = time.monotonic()
        answer = self._client.post("/contributions", Batch(self.name, batch), TakenIn)
        self.seconds["send"].append(time.monotonic() - started)
        self.errors += [f"refused: {row.why}" for row in answer.refused]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--people", type=int, default=25)
    parser.add_argument("--sessions", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder,
        postgres(Path(folder)) as server,
    ):
        room = Path(folder)
        rows = session_rows(room, options.sessions)
        print(f"{len(rows)} sessions with something to tell")
        many = Hub(room / "many", server.database("many"), options.people)
        many.start()
        shares = [rows[n :: options.machines] for n in range(options.machines)]
        until = time.monotonic() + options.seconds
        machines = [
            Machine(number, many, many.tokens[number % options.people], share, until)
            for number, share in enumerate(shares)
        ]
        for machine in machines:
            machine.start()
        for machine in machines:
            machine.join()
        wait_for_merges(many)
        _tell(machines, many, len(rows))
        one = Hub(room / "one", server.database("one"), options.people)
        one.start()
        for person in range(options.people):
            mine = [row for number in range(person, options.machines, options.people) for row in shares[number]]  # fmt: skip
            send_in_order(one, one.tokens[person], mine)
        wait_for_merges(one)
        compare_items(many, one)
        many.stop()
        one.stop()


def send_in_order(hub: Hub, token: str, rows: list[SessionRow]) -> None:
    client = HubClient(hub.address, token)
    for start in range(0, len(rows), 50):
        piece = enumerate(rows[start : start + 50], start + 1)
        batch = [contribution(row, seq) for seq, row in piece]
        client.post("/contributions", Batch("one", batch), TakenIn)


def wait_for_merges(hub: Hub) -> None:
    started = time.monotonic()
    while hub.pending():
        time.sleep(0.2)
    print(f"merged {time.monotonic() - started:.1f} s after the last row")


def _tell(machines: list[Machine], hub: Hub, sessions: int) -> None:
    for kind in ("send", "pull"):
        seconds = [each for machine in machines for each in machine.seconds[kind]]
        tail = quantiles(seconds, n=20)[-1]
        print(
            f"{kind}: {len(seconds)} requests, median {1000 * median(seconds):.0f} ms, 95 % {1000 * tail:.0f} ms"
        )
    errors = Counter(error for machine in machines for error in machine.errors)
    print(f"errors: {sum(errors.values())} {dict(errors.most_common(3)) or ''}")
    held = hub.rows("SELECT count(*), count(DISTINCT key) FROM afterglow.contributions")
    print(f"rows at the hub: {held[0][0]}, sessions {held[0][1]} of {sessions}")
    print(f"items pulled by machines: {sum(m.received for m in machines)}")


def compare_items(many: Hub, one: Hub) -> None:
    ours, reference = many.items(), one.items()
    differing = [id for id in ours.keys() | reference.keys() if ours.get(id) != reference.get(id)]  # fmt: skip
    statuses = Counter(row[3] for row in ours.values())
    print(f"items: {len(ours)} of many, {len(reference)} of one; {dict(statuses)}")
    print(f"differing: {len(differing)} {differing[:3]}")
    for id in differing[:3]:
        print("  many", str(ours.get(id))[:600])
        print("  one ", str(reference.get(id))[:600])


if __name__ == "__main__":
    main()

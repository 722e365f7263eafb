"""kill -9 of the hub and of PostgreSQL in the middle of syncs, again and again: what was acknowledged is never lost.
`python -m bench.hub_kills --help`.

Machines send rows all the while and note each acknowledgement the moment it arrives. Now the hub's process is killed, now
the database, at a random moment; both come back, and every acknowledged row must be there with at least its number. At
the end everything is merged, and the items are those of a hub that nobody killed.
"""

from __future__ import annotations

import argparse
import random
import socket
import tempfile
import threading
import time
from pathlib import Path

from afterglow.errors import AfterglowError
from afterglow.flows.hub.hub_client import HubClient
from afterglow.records.contributions import TakenIn
from bench.hub_machines import Batch, compare_items, send_in_order, wait_for_merges
from bench.hub_room import Hub, Server, SessionRow, contribution, postgres, session_rows

SENDERS = 6
CALM = (0.05, 0.6)  # seconds between two kills, once rows are taken in again
BUSY_ROWS = 12
REVIVAL_SECONDS = 90.0


class Sender(threading.Thread):
    """Sends its rows over and over, with growing numbers, until told to stop. A number is used once: a row that was
    not acknowledged is sent again as it is, as a client does."""

    def __init__(self, number: int, hub: Hub, rows: list[SessionRow]) -> None:
        super().__init__(name=f"sender{number}", daemon=True)
        self._client = HubClient(
            hub.address, hub.tokens[number], timeout=5.0, pause=lambda _: None
        )
        self._rows = rows
        self._stopping = threading.Event()
        self.acknowledged: dict[str, int] = {}
        self.failures = 0
        self.sent = 0

    def stop(self) -> None:
        self._stopping.set()
        self.join(60)

    def run(self) -> None:
        seq = 0
        while not self._stopping.is_set():
            row = self._rows[seq % len(self._rows)]
            seq += 1
            batch = Batch(self.name, [contribution(row, seq)])
            while not self._stopping.is_set():
                try:
                    self._client.post("/contributions", batch, TakenIn)
                except AfterglowError:
                    self.failures += 1
                    time.sleep(0.05)
                    continue
                self.acknowledged[row.key] = seq
                self.sent += 1
                break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=300)
    options = parser.parse_args()
    dice = random.Random(5)
    with (
        tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder,
        postgres(Path(folder)) as server,
    ):
        room = Path(folder)
        rows = session_rows(room, options.sessions)
        hub = Hub(room / "killed", server.database("killed"), SENDERS)
        port = _free_port()
        hub.start(port)
        shares = [rows[number::SENDERS] for number in range(SENDERS)]
        senders = [Sender(number, hub, share) for number, share in enumerate(shares)]
        for sender in senders:
            sender.start()
        lost = 0
        killed = {"hub": 0, "database": 0}
        for number in range(options.kills):
            _work(senders)
            time.sleep(dice.uniform(*CALM))
            what = "hub" if number % 2 else "database"
            _kill(what, hub, server, port)
            killed[what] += 1
            lost += _lost(hub, senders)
        for sender in senders:
            sender.stop()
        wait_for_merges(hub)
        acknowledged = sum(sender.sent for sender in senders)
        failures = sum(sender.failures for sender in senders)
        print(
            f"killed: {killed}; {acknowledged} acknowledgements, {failures} requests failed meanwhile"
        )
        print(f"acknowledged and lost: {lost + _lost(hub, senders)}")
        _finish(hub, senders, shares)
        calm = Hub(room / "calm", server.database("calm"), SENDERS)
        calm.start()
        for number, share in enumerate(shares):
            send_in_order(calm, calm.tokens[number], share)
        wait_for_merges(calm)
        compare_items(hub, calm)
        hub.stop()
        calm.stop()


def _work(senders: list[Sender]) -> None:
    """Until rows are being taken in again: a hub that does nothing has nothing to lose."""
    before = sum(sender.sent for sender in senders)
    until = time.monotonic() + REVIVAL_SECONDS
    while sum(sender.sent for sender in senders) < before + BUSY_ROWS:
        if time.monotonic() > until:
            raise SystemExit("the hub does not take in rows any more")
        time.sleep(0.01)


def _kill(what: str, hub: Hub, server: Server, port: int) -> None:
    if what == "hub":
        hub.kill()
        hub.start(port)
        return
    server.kill()
    server.revive()


def _lost(hub: Hub, senders: list[Sender]) -> int:
    """Acknowledged rows that are not there, or older there."""
    before = [(sender.name, dict(sender.acknowledged)) for sender in senders]
    there = {
        (machine, key): seq
        for machine, key, seq in hub.rows(
            "SELECT machine, key, seq FROM afterglow.contributions"
        )
    }
    return sum(
        there.get((machine, key), 0) < seq
        for machine, acknowledged in before
        for key, seq in acknowledged.items()
    )


def _finish(hub: Hub, senders: list[Sender], shares: list[list[SessionRow]]) -> None:
    """Rows that no sender came to."""
    for number, (sender, share) in enumerate(zip(senders, shares, strict=True)):
        client = HubClient(hub.address, hub.tokens[number])
        missing = [row for row in share if row.key not in sender.acknowledged]
        batch = [contribution(row, 10**6 + place) for place, row in enumerate(missing)]
        if batch:
            client.post("/contributions", Batch(sender.name, batch), TakenIn)
    wait_for_merges(hub)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()

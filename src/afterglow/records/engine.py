"""Which engine spreads the work on many sessions: processes of this machine, or a cluster."""

from __future__ import annotations

from msgspec import Struct


class Engine(Struct, frozen=True):
    """`name` is a row of the table in `flows/workers.py`; `address` is where its cluster answers, nothing for this
    machine."""

    name: str = "local"
    address: str = ""

    @property
    def is_local(self) -> bool:
        return self.name == LOCAL.name


LOCAL = Engine()

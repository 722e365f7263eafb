"""Which engine spreads the work on many sessions: processes of this machine, or a cluster."""

from __future__ import annotations

from msgspec import Struct


class Engine(Struct, frozen=True):
    """`name` is a row of the table in `flows/workers.py`; `address` is where its cluster answers, nothing for this
    machine."""

    name: str = "local"
    address: str = ""

    def jobs(self, cores: int) -> int:
        """How many pieces at once where nobody says: as many as this machine has cores; 0, all there is room for, of a
        cluster elsewhere."""
        return 0 if self.address else cores

    @property
    def is_local(self) -> bool:
        return self.name == LOCAL.name


LOCAL = Engine()

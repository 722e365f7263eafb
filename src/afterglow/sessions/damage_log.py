"""What of a source could not be read."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.records.session import Damage
from afterglow.sessions.joined_parts import MAX_NAMED_DAMAGE


class DamageLog:
    """What could not be read: all of it is counted, the first of it named."""

    __slots__ = ("count", "named")

    def __init__(self, named: Iterable[Damage] = ()) -> None:
        self.named: list[Damage] = list(named)
        self.count = len(self.named)

    def add(self, damage: Damage) -> None:
        self.count += 1
        if len(self.named) < MAX_NAMED_DAMAGE:
            self.named.append(damage)

    def split(self, line: float) -> tuple[DamageLog, DamageLog]:
        """What stood before a line, and what from there on. Damage without a name counts as before."""
        earlier = DamageLog(damage for damage in self.named if damage.line < line)
        later = DamageLog(damage for damage in self.named if damage.line >= line)
        earlier.count = self.count - later.count
        return earlier, later

"""What makes a name in a remedy no stranger."""

from __future__ import annotations

from msgspec import Struct


class Familiar(Struct, frozen=True):
    """Packages that the repository names; programs that the situation speaks of, hosts that it names, the words of its
    calls, and those of its programs that did more than look."""

    packages: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    acting: frozenset[str] = frozenset()


NOTHING_FAMILIAR = Familiar()

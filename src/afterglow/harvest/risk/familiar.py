"""What makes a name in a remedy no stranger."""

from __future__ import annotations

from msgspec import Struct


class Familiar(Struct, frozen=True):
    """Packages that the repository names; programs that the situation speaks of, hosts that it names, the words of its
    calls, and those of its programs that did more than look. `own_words` are the words of the repository's name and of these
    programs: what is called after them is theirs. `spoken` are all words of the situation, `in_calls`
    those of the calls that the remedy tells."""

    packages: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    acting: frozenset[str] = frozenset()
    own_words: frozenset[str] = frozenset()
    spoken: frozenset[str] = frozenset()
    in_calls: frozenset[str] = frozenset()


NOTHING_FAMILIAR = Familiar()

"""Which cues a text hints at: one look for the hints of all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from afterglow.harvest.screen.cue import Cue

START = 3  # letters by which a hint is looked up: a text has few stretches of three letters with which one begins


class HintedCues:
    """Cues, and the hints of all of them by how they begin. Each group of hints has a bit of its own."""

    def __init__(self, cues: Iterable[Cue]) -> None:
        self._bits_of_cues: list[tuple[Cue, int]] = []
        bits_of_hint: dict[str, int] = defaultdict(int)
        bit = 1
        for cue in cues:
            bits_of_cue = 0
            for group in cue.hints:
                for hint in group:
                    bits_of_hint[hint] |= bit
                bits_of_cue |= bit
                bit <<= 1
            self._bits_of_cues.append((cue, bits_of_cue))
        self._short: dict[str, int] = {}
        self._by_start: dict[str, dict[str, int]] = defaultdict(dict)
        for hint, bits in bits_of_hint.items():
            is_short = len(hint) < START
            alike = self._short if is_short else self._by_start[hint[:START]]
            alike[hint] = bits

    def in_text(self, small: str) -> Iterator[Cue]:
        """Those of whose hints a text in small letters holds one of each group, in order."""
        starts = {small[at : at + START] for at in range(len(small))}
        bits = _bits_of(self._short, small)
        for start in starts & self._by_start.keys():
            bits |= _bits_of(self._by_start[start], small)
        for cue, bits_of_cue in self._bits_of_cues:
            if bits & bits_of_cue == bits_of_cue:
                yield cue


def _bits_of(hints: dict[str, int], small: str) -> int:
    bits = 0
    for hint in filter(small.__contains__, hints):
        bits |= hints[hint]
    return bits

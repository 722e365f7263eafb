"""Where runs of words stand first among many texts: one pass over the texts, however many runs are looked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase

Run = tuple[bytes, ...]

TEXT = 1_000_000  # characters of one text that are looked at

# Marks that come and go around the same words; what joins a path, a flag or an address stays inside its word.
_AROUND = "\"'`*()[]{}<>,;!?#|\\\n\r\t"
_SMALL = bytes.maketrans(
    _AROUND.encode() + ascii_uppercase.encode(),
    b" " * len(_AROUND) + ascii_lowercase.encode(),
)


def words_of(text: str) -> Run:
    """Small words without the marks around them."""
    small = text[:TEXT].encode("utf-8", "replace").translate(_SMALL)
    return tuple(small.replace(b". ", b" ").replace(b": ", b" ").rstrip(b" .:").split())


def runs_of(words: Run, size: int) -> list[Run]:
    """All stretches of so many words."""
    return [words[at : at + size] for at in range(len(words) - size + 1)]


def first_places(texts: Iterable[str], wanted: Collection[Run]) -> dict[Run, int]:
    """The number of the first text that holds each run, for those that stand anywhere.

    A run is looked up only where its first two words are met, so the time grows with the texts and not with the runs.
    """
    left = {run for run in wanted if run}
    single = {run[0] for run in left if len(run) == 1}
    sizes: dict[Run, set[int]] = defaultdict(set)
    for run in left:
        if len(run) > 1:
            sizes[run[:2]].add(len(run))
    found: dict[Run, int] = {}
    for number, text in enumerate(texts):
        words = words_of(text)
        for word in single.intersection(words):
            single.discard(word)
            found[(word,)] = number
        starts = [at for at, pair in enumerate(pairwise(words)) if pair in sizes]
        for at in starts:
            for size in sizes[words[at : at + 2]]:
                run = words[at : at + size]
                if run in left:
                    left.discard(run)
                    found[run] = number
    return found

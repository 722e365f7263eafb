"""Whether words are on the matter that a text from outside brought into a session, though they repeat none of it.

An agent puts what it read into words of its own: a note, an instruction file, a message of a commit, a lesson. What then
gives the source away are the words that name the matter. A word belongs to whoever used it first in the session; where
words that are not everybody's were first used by one text from outside, and are much of what is said, it is that
text's matter, whatever else is said about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from afterglow.harvest.human_text import is_term
from afterglow.harvest.user_speech import is_common

Run = tuple[bytes, ...]

MIN_WORDS = 3  # that one text brought in: one or two are met by chance
MIN_NAMES = (
    2  # the same, of names with marks in them: nobody else would call something so
)
MIN_SHARE = 0.3  # of the words of its own in what is said
LETTERS, MARKED_LETTERS = 5, 6  # of a word of its own, and of a name
WORDS = 120  # of one text that are looked for

_WORD = re.compile(rb"[a-z][a-z0-9_./:@+-]*[a-z0-9]")
_MARK = re.compile(rb"[a-z][-_:@.\d]|\d[a-z]")


def matter_of(words: Run) -> set[Run]:
    """The words of a text that name its matter, each as a run of one."""
    telling = dict.fromkeys(word for word in words if _is_telling(word))
    return {(word,) for word in list(telling)[:WORDS]}


def _is_telling(word: bytes) -> bool:
    if _WORD.fullmatch(word) is None:
        return False
    if is_name(word):
        return True
    text = word.decode("ascii")
    return len(word) >= LETTERS and not is_common(text) and not is_term(text)


def is_name(word: bytes) -> bool:
    """A flag, a package, an identifier, a host."""
    return len(word) >= MARKED_LETTERS and _MARK.search(word) is not None


def is_same_matter(matter: set[Run], brought: Iterable[tuple[Run, int]]) -> bool:
    """Whether one text brought the matter in. `brought` are the words of it that texts from outside used first, each
    with the number of that text."""
    words: Counter[int] = Counter()
    names: Counter[int] = Counter()
    for run, place in brought:
        words[place] += 1
        names[place] += is_name(run[0])
    enough = max(MIN_SHARE * len(matter), 1)
    return any(
        count >= enough and (count >= MIN_WORDS or names[place] >= MIN_NAMES)
        for place, count in words.items()
    )

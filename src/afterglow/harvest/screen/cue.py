"""One cue: a mark of an order to an agent, with what it is called and how much it weighs."""

from __future__ import annotations

import re
from functools import cached_property

_CAPITALS = re.compile(r"\\.|[A-Z]+")  # an escape stays as it is: `\S` is not `\s`
# Letters that `re` takes for an ASCII one where capitals do not matter.
_SAME_AS_ASCII = str.maketrans("ıſK", "isk")


class Cue:
    """`hints`: groups of small letters; a text must hold one of each before the pattern is worth trying, or even worth
    compiling."""

    def __init__(
        self,
        name: str,
        weight: int,
        hints: tuple[tuple[str, ...], ...],
        source: str,
        flags: re.RegexFlag,
    ) -> None:
        self.name, self.weight, self.hints = name, weight, hints
        self._source, self._flags = source, flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    @cached_property
    def small_pattern(self) -> re.Pattern[str] | None:
        """The same for text in small letters, of ASCII ones alone: it is looked for in half the time. None where capitals
        matter."""
        if not self._flags & re.IGNORECASE:
            return None
        small = _CAPITALS.sub(_lowered, self._source).translate(_SAME_AS_ASCII)
        return re.compile(small, self._flags & ~re.IGNORECASE)

    @property
    def anchor(self) -> bool:
        """Whether it means something alone; pressing and ordering are how manuals speak."""
        return self.name not in {"presses", "gives an order"}

    def search(
        self, text: str, lowered: str, *, ascii_letters: bool
    ) -> re.Match[str] | None:
        """`ascii_letters`: the text has no others, so it says the same in small letters."""
        if ascii_letters and self.small_pattern is not None:
            return self.small_pattern.search(lowered)
        return self.pattern.search(text)


def _lowered(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("\\") else match[0].lower()


def cue(
    name: str,
    weight: int,
    hints: str,
    *patterns: str,
    flags: re.RegexFlag = re.IGNORECASE,
) -> Cue:
    return Cue(
        name,
        weight,
        tuple(tuple(group.split()) for group in hints.split("&") if group),
        "|".join(patterns),
        flags | re.MULTILINE,
    )

"""One cue: a mark of an order to an agent, with what it is called and how much it weighs."""

from __future__ import annotations

import re
from functools import cached_property


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

    @property
    def anchor(self) -> bool:
        """Whether it means something alone; pressing and ordering are how manuals speak."""
        return self.name not in {"presses", "gives an order"}

    def search(self, text: str, lowered: str) -> re.Match[str] | None:
        for group in self.hints:
            for hint in group:
                if hint in lowered:
                    break
            else:
                return None
        return self.pattern.search(text)


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

"""What a rule is: a short pattern that says where to look, and a function that decides there.

The `anchor` is written so that hyperscan and `re` agree on it: from one start it ends at one place, a *point*. `decide`
gets the text and a point, looks a bounded way round it, and names the spans to hide. It may depend on nothing else, so
every engine that finds the same points gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

Span = tuple[int, int]
Decide = Callable[[str, int], Iterable[Span]]

SHAPED, ASSIGNED, PERSONAL = range(
    3
)  # where two hits overlap, the lower rank names the place


class Rule(NamedTuple):
    name: str
    kind: str  # secret, key, email, phone, card, iban, ssn, ip, home, name
    rank: int
    anchor: str
    starts: tuple[
        str, ...
    ]  # lower-case words: each match of the anchor begins with one; none: search for the anchor
    decide: Decide
    caseless: bool = True
    shown: str = (
        ""  # what stands in the place of the value; made of kind and name when empty
    )

    @property
    def placeholder(self) -> str:
        return self.shown or (
            f"<secret:{self.name}>" if self.kind == "secret" else f"<{self.kind}>"
        )

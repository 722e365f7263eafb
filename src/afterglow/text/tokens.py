"""How many tokens a text takes: exactly where a tokenizer is installed, else by an estimate that errs upward.

    count(text)           by the best counter there is: splintr-rs, then tiktoken with its table on disk, else estimate
    counter("estimate")   one by name
    estimate(text)        offline, no dependency, made never to fall below o200k_base for a whole context

Nothing is ever downloaded. Importing this costs nothing; the first text does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

from afterglow.errors import UsageError

# What tiktoken calls the file it keeps, and how o200k_base cuts a text.
_TABLE = "fb374d419588a4632f3f557e76b4b70aebbca790"
_ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CUT = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_ENDING}|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_ENDING}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Counter(Protocol):
    NAME: str

    def count(self, text: str) -> int: ...


class Counting:
    """A counter out of a function."""

    def __init__(self, name: str, tokens: Callable[[str], int]) -> None:
        self.NAME = name
        self.count = tokens


def count(text: str) -> int:
    """Tokens of a text by the best counter there is."""
    return counter().count(text)


def within(budget: int) -> Callable[[str], int]:
    """Counts no more exactly than a budget asks for: by the estimate where a text fits by it, else by the best counter
    there is. A tokenizer takes longer to load than most contexts take to make."""

    def counted(text: str) -> int:
        roughly = estimate(text)
        return roughly if roughly <= budget else count(text)

    return counted


def estimate(text: str) -> int:
    """Tokens of a text, from above, without a tokenizer."""
    from afterglow.text.token_prices import price

    return price(text)


@cache
def counter(name: str = "auto", *, tables: Path | None = None) -> Counter:
    """The counter of that name. `tables` is where tiktoken keeps its files if not in its usual place."""
    if name == "auto":
        return _splintr() or _tiktoken(tables) or counter("estimate")
    if name == "estimate":
        return Counting("estimate", estimate)
    if name not in {"splintr", "tiktoken"}:
        raise UsageError(
            f"no token counter named {name!r}; there are auto, splintr, tiktoken, estimate"
        )
    found = _splintr() if name == "splintr" else _tiktoken(tables)
    if not found:
        needs = (
            "install splintr-rs"
            if name == "splintr"
            else "install tiktoken and let it load o200k_base once"
        )
        raise UsageError(
            f"the token counter {name!r} is not here: {needs}, or use estimate"
        )
    return found


def _splintr() -> Counter | None:
    try:
        splintr = import_module("splintr")
    except ImportError:
        return None
    encode = splintr.Tokenizer.from_pretrained("o200k_base").encode_ordinary
    return Counting("splintr", lambda text: len(encode(_whole(text))))


def _tiktoken(tables: Path | None) -> Counter | None:
    """From the file itself: tiktoken's own loader would go to the network if it were not there."""
    from base64 import b64decode
    from tempfile import gettempdir

    file = (tables or Path(gettempdir()) / "data-gym-cache") / _TABLE
    if not file.is_file():
        return None
    try:
        tiktoken = import_module("tiktoken")
    except ImportError:
        return None
    rows = (line.split() for line in file.read_bytes().splitlines())
    ranks = {b64decode(token): int(rank) for token, rank in rows}
    encoding = tiktoken.Encoding(
        "o200k_base", pat_str=_CUT, mergeable_ranks=ranks, special_tokens={}
    )
    return Counting(
        "tiktoken", lambda text: len(encoding.encode_ordinary(_whole(text)))
    )


def _whole(text: str) -> str:
    """Half characters, which no tokenizer takes, become the mark for one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

"""How many tokens a text takes: exactly where a tokenizer is installed, else by an estimate that errs upward.

    count(text)           by the best counter there is: splintr-rs, then tiktoken with its table on disk, else estimate
    counter("estimate")   one by name
    estimate(text)        offline, no dependency, made never to fall below o200k_base for a whole context

Nothing is ever downloaded. Importing this costs nothing; the first text does.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple, Protocol

from afterglow.errors import UsageError

# What tiktoken calls the file it keeps, and how o200k_base cuts a text.
_TABLE = sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken", usedforsecurity=False)
_ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CUT = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_ENDING}|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_ENDING}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Counter(Protocol):
    @property
    def NAME(self) -> str: ...

    def count(self, text: str) -> int: ...


class NamedCounter(NamedTuple):
    NAME: str
    count: Callable[[str], int]


def count(text: str) -> int:
    """Tokens of a text by the best counter there is."""
    return counter().count(text)


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
        return NamedCounter("estimate", estimate)
    if name not in {"splintr", "tiktoken"}:
        raise UsageError(f"no token counter named {name!r}; there are auto, splintr, tiktoken, estimate")
    found = _splintr() if name == "splintr" else _tiktoken(tables)
    if not found:
        needs = "install splintr-rs" if name == "splintr" else "install tiktoken and let it load o200k_base once"
        raise UsageError(f"the token counter {name!r} is not here: {needs}, or use estimate")
    return found


def _splintr() -> Counter | None:
    try:
        from splintr import Tokenizer
    except ImportError:
        return None
    encode = Tokenizer.from_pretrained("o200k_base").encode_ordinary
    return NamedCounter("splintr", lambda text: len(encode(_whole(text))))


def _tiktoken(tables: Path | None) -> Counter | None:
    """From the file itself: tiktoken's own loader would go to the network if it were not there."""
    from tempfile import gettempdir

    file = (tables or Path(gettempdir()) / "data-gym-cache") / _TABLE.hexdigest()
    if not file.is_file():
        return None
    try:
        from tiktoken import Encoding
    except ImportError:
        return None
    rows = (line.split() for line in file.read_bytes().splitlines())
    ranks = {b64decode(token): int(rank) for token, rank in rows}
    encode = Encoding("o200k_base", pat_str=_CUT, mergeable_ranks=ranks, special_tokens={}).encode_ordinary
    return NamedCounter("tiktoken", lambda text: len(encode(_whole(text))))


def _whole(text: str) -> str:
    """Half characters, which no tokenizer takes, become the mark for one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

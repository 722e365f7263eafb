"""Ways a session file gets damaged. Each costs nothing but itself: what was whole before is whole after."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

# Behind these the text of a message begins, in one format or another.
_TEXTS = (
    b'"type":"text","text":"',
    b'"type":"output_text","text":"',
    b'"role":"assistant","content":"',
)


def spoil(content: bytes, kind: str, rng: Random) -> bytes:
    """`content` with one damaged line in it."""
    lines = content.splitlines(keepends=True)
    return _KINDS[kind](lines, rng)


def _broken(lines: list[bytes], rng: Random) -> bytes:
    """A line that was cut off and started again."""
    place = rng.randrange(1, len(lines)) if len(lines) > 1 else 1
    torn = lines[place - 1]
    return b"".join([*lines[:place], torn[: len(torn) // 2], b"\n", *lines[place:]])


def _half(lines: list[bytes], rng: Random) -> bytes:
    """A last line that is still being written."""
    return b"".join([*lines, lines[-1][: len(lines[-1]) // 2]])


def _garbage(lines: list[bytes], rng: Random) -> bytes:
    """What a crash of the disk leaves behind."""
    noise = rng.randbytes(200).replace(b"\n", b"\x01")
    place = rng.randrange(1, len(lines) + 1)
    return b"".join([*lines[:place], b"\x00\xff" + noise + b"\n", *lines[place:]])


def _encoding(lines: list[bytes], rng: Random) -> bytes:
    """A word in Latin-1 where everything else is UTF-8."""
    for place, line in enumerate(lines):
        for start in _TEXTS:
            if start in line:
                head, _, tail = line.partition(start)
                return b"".join(
                    [
                        *lines[:place],
                        head,
                        start,
                        b"caf\xe9: ",
                        tail,
                        *lines[place + 1 :],
                    ]
                )
    return _broken(lines, rng)


_KINDS: dict[str, Callable[[list[bytes], Random], bytes]] = {
    "broken": _broken,
    "half": _half,
    "garbage": _garbage,
    "encoding": _encoding,
}

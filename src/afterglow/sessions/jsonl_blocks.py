"""Lines of JSON from a file of any size, in bounded memory, with damage named by line.

Whole blocks are decoded at once, which is twice as fast as line by line; only a block with damage in it is taken apart.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from os import SEEK_END
from typing import BinaryIO, Generic, TypeVar
from zlib import crc32

import msgspec
import stringzilla

from afterglow.records.session import Damage, Mark

BLOCK_BYTES = 4 << 20  # decoded at once: enough to be fast, little enough to hold
MAX_LINE_BYTES = 16 << 20  # a line is held whole; a message with images fits easily
CHECKED_BYTES = 256  # before a mark: must be the same for reading to go on

# Half of a character outside the basic plane, as an agent writes it that cuts a text inside an emoji.
_LONE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)

T = TypeVar("T")


class Block(Generic[T]):
    """Some decoded lines, what was damaged in them, and where they stood in the file: `numbers` beside `values`."""

    __slots__ = (
        "content",
        "count",
        "damage",
        "first",
        "half",
        "numbers",
        "offset",
        "values",
    )

    def __init__(self, content: bytes, offset: int, first: int) -> None:
        self.content, self.offset, self.first = content, offset, first
        self.count = stringzilla.count(content, b"\n")
        self.numbers: Iterable[int] = range(first, first + self.count)
        self.values: list[T] = []
        self.damage: list[Damage] = []
        self.half = False

    @property
    def end(self) -> Mark:
        """Behind the block."""
        return self._mark(len(self.content), self.first - 1 + self.count)

    def mark_after(self, line: int) -> Mark:
        """Just behind `line`, which must be in (or just before) this block."""
        place = 0
        for _ in range(line - self.first + 1):
            place = self.content.index(b"\n", place) + 1
        return self._mark(place, line)

    def _mark(self, place: int, line: int) -> Mark:
        bytes_before = self.content[max(place - CHECKED_BYTES, 0) : place]
        return Mark(self.offset + place, line, checksum(bytes_before))


def without_halves(content: bytes) -> bytes:
    """JSON with the escapes of half characters replaced."""
    return _LONE.sub(rb"\\ufffd", content)


def checksum(content: bytes) -> str:
    return f"{len(content)}:{crc32(content):08x}"


def still_there(file: BinaryIO, mark: Mark) -> bool:
    """Whether the bytes before `mark` are those that were read: a file may have been replaced by a longer one."""
    size = int(mark.check.partition(":")[0] or 0)
    file.seek(max(mark.offset - size, 0))
    return bool(size) and checksum(file.read(size)) == mark.check


def blocks(
    file: BinaryIO, decoder: msgspec.json.Decoder[T], since: Mark = Mark()
) -> Iterator[Block[T]]:
    """Every line after `since`, decoded, in blocks of a few megabytes. A last line without its newline that is not
    whole JSON comes alone, in a block marked `half`."""
    end = file.seek(0, SEEK_END)
    file.seek(since.offset)
    offset, number, rest = since.offset, since.line + 1, b""
    size = min(BLOCK_BYTES, max(end - since.offset, 1))
    while fresh := file.read(size):
        if not offset and not rest and fresh.startswith(BOM_UTF8):
            fresh = b"   " + fresh[len(BOM_UTF8) :]
        cut = fresh.rfind(b"\n") + 1
        if cut:
            block: Block[T] = Block(rest + fresh[:cut], offset, number)
            _decode(block, decoder)
            yield block
            offset += len(block.content)
            number += block.count
            rest = fresh[cut:]
            continue
        rest += fresh
        size = min(max(size * 2, BLOCK_BYTES), MAX_LINE_BYTES)
        if len(rest) > MAX_LINE_BYTES:
            skipped = len(rest) + _skip_line(file)
            yield _too_long(offset, number)
            offset, number, rest, size = offset + skipped, number + 1, b"", BLOCK_BYTES
    if rest.strip():
        yield _last(rest, offset, number, decoder)


def _too_long(offset: int, number: int) -> Block[T]:
    block: Block[T] = Block(b"", offset, number)
    reason = f"line longer than {MAX_LINE_BYTES >> 20} MB, skipped"
    block.damage.append(Damage(number, reason))
    return block


def _last(
    rest: bytes, offset: int, number: int, decoder: msgspec.json.Decoder[T]
) -> Block[T]:
    """A file that does not end in a newline: whole JSON is taken as it is, anything else is still being written."""
    block: Block[T] = Block(rest, offset, number)
    _take_apart(block, [(number, rest)], decoder)
    if not block.values:
        block.damage = [Damage(number, "half-written last line")]
    block.half = True
    return block


def _decode(block: Block[T], decoder: msgspec.json.Decoder[T]) -> None:
    try:
        block.values = decoder.decode_lines(block.content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        block.values = []
    if len(block.values) != block.count:
        lines = block.content.split(b"\n")[:-1]
        _take_apart(block, enumerate(lines, block.first), decoder)


def _take_apart(
    block: Block[T],
    lines: Iterable[tuple[int, bytes]],
    decoder: msgspec.json.Decoder[T],
) -> None:
    """Line by line: what can be read is, and the rest is named. Empty lines are no damage."""
    block.values, block.numbers = [], (numbers := [])
    for number, line in lines:
        if not line.strip():
            continue
        try:
            block.values.append(_decode_line(line, number, block.damage, decoder))
            numbers.append(number)
        except (msgspec.DecodeError, RecursionError) as error:
            block.damage.append(Damage(number, _reason(error)))


def _decode_line(
    line: bytes, number: int, damage: list[Damage], decoder: msgspec.json.Decoder[T]
) -> T:
    try:
        return decoder.decode(line)
    except UnicodeDecodeError:
        damage.append(Damage(number, "not UTF-8: unreadable bytes replaced"))
        return decoder.decode(line.decode("utf-8", "replace"))
    except msgspec.DecodeError:
        whole = without_halves(line)
        if whole == line:
            raise
        value = decoder.decode(whole)
        damage.append(Damage(number, "half a character: replaced"))
        return value


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, msgspec.ValidationError):
        return f"unexpected shape: {error}"
    return f"not JSON: {error}"


def _skip_line(file: BinaryIO) -> int:
    """Reads on to the next newline without keeping anything; how many bytes that was."""
    skipped = 0
    while fresh := file.read(BLOCK_BYTES):
        cut = fresh.find(b"\n") + 1
        if cut:
            file.seek(cut - len(fresh), 1)
            return skipped + cut
        skipped += len(fresh)
    return skipped

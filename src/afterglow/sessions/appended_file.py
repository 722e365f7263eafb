"""Reading files an agent appends to, line by line: in parts, in bounded memory, from where the last reading ended."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from afterglow.records.session import Mark, Session
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.jsonl_blocks import Block, blocks

PART_CHARACTERS = 8 << 20  # a longer session is cut, so that memory stays bounded
# A part with something open waits for its answer, but not for ever.
MAX_PART_CHARACTERS = 4 * PART_CHARACTERS
STILL_SECONDS = 60.0  # without a write for so long, a message is taken as finished

T = TypeVar("T")
MAIN = ""


class Desk:
    """The sessions one file holds, by thread. Nearly always one; sub-agents may be written in between."""

    def __init__(self, facts: dict[str, str]) -> None:
        self.facts = facts
        self.threads: dict[str, Assembly] = {MAIN: Assembly(**facts)}
        self.main = self.threads[MAIN]

    def thread(self, name: str) -> Assembly:
        if name not in self.threads:
            self.threads[name] = Assembly(**self.facts)
        return self.threads[name]

    def forget_copied(self) -> None:
        for thread in self.threads.values():
            thread.forget_copied()


def read_journal(
    path: Path,
    decoder: msgspec.json.Decoder[T],
    translate: Callable[[Desk, int, T], None],
    facts: dict[str, str],
    since: Mark,
) -> Iterator[Session]:
    """Every session of an append-only file, translated line by line. `since` goes on after an earlier reading, or
    behind what was copied; of that only names and the like are learned."""
    desk = Desk(facts)
    desk.main.message_before_mark = since.message
    last: Block[T] | None = None
    half: Block[T] | None = None
    in_copy = since.copied > 0
    with open(path, "rb", buffering=0) as file:
        still = time.time() - os.fstat(file.fileno()).st_mtime > STILL_SECONDS
        for block in blocks(file, decoder, since):
            desk.main.hurt(block.damage)
            for number, line in zip(block.numbers, block.values, strict=True):
                if in_copy and number > since.copied:
                    in_copy = False
                    desk.forget_copied()
                translate(desk, number, line)
            if in_copy:
                desk.forget_copied()
            if block.half:
                half = block
                break
            last = block
            yield from _long_parts(desk)
    yield from _close(desk, last, half, still=still)


def read_single(
    path: Path,
    decoder: msgspec.json.Decoder[T],
    take: Callable[[Assembly, int, T], None],
    facts: dict[str, str],
    since: Mark,
) -> Iterator[Session]:
    """The one session of a file that is named after it; `take` adds a line to it."""
    own_facts = {"id": path.stem, "source": str(path)} | facts
    return read_journal(
        path,
        decoder,
        lambda desk, number, line: take(desk.main, number, line),
        own_facts,
        since,
    )


def _long_parts(desk: Desk) -> Iterator[Session]:
    """What is settled of sessions that have grown long; all of one that has grown far too long."""
    for thread in desk.threads.values():
        if thread.weight <= PART_CHARACTERS:
            continue
        count = thread.settled(still=False)
        if count:
            yield thread.part(Mark(), count)
        elif thread.weight > MAX_PART_CHARACTERS:
            yield thread.part(Mark())


def _close(
    desk: Desk, last: Block[T] | None, half: Block[T] | None, *, still: bool
) -> Iterator[Session]:
    """What is left at the end of the file: a part that is settled, and behind it whatever may still change.

    Only the settled part carries a mark. Where none can be set, the next reading starts at the top.
    """
    if len(desk.threads) > 1:
        for thread in desk.threads.values():
            if thread.items:
                yield thread.part(Mark())
        return
    main = desk.main
    line = _first_loose_line(main, half, still=still)
    if line is None:
        mark = last.end if last is not None and main.items else Mark()
        yield main.part(mark)
        return
    count = sum(item.line < line for item in main.items)
    if last is not None and count and line >= last.first:
        yield main.part(last.mark_after(line - 1), count, before=line)
    yield main.part(Mark(), settled=False)


def _first_loose_line(
    session: Assembly, half: Block[T] | None, *, still: bool
) -> int | None:
    """The first line of what may still change: a turn that may grow, or a line written by half."""
    count = session.settled(still=still)
    lines = [item.line for item in session.items[count : count + 1]]
    if half is not None:
        lines.append(half.first)
    return min(lines, default=None)

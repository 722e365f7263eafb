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

PART = 8 << 20  # characters of text after which a long session is cut
STILL = 60.0  # seconds without a write after which a message is taken as finished

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


def read_journal(
    path: Path,
    decoder: msgspec.json.Decoder[T],
    translate: Callable[[Desk, int, T], None],
    facts: dict[str, str],
    since: Mark,
) -> Iterator[Session]:
    """Every session of an append-only file, translated line by line. `since` goes on after an earlier reading."""
    desk = Desk(facts)
    main = desk.main
    main.message_before_mark = since.message
    last: Block[T] | None = None
    half: Block[T] | None = None
    with open(path, "rb", buffering=0) as file:
        still = time.time() - os.fstat(file.fileno()).st_mtime > STILL
        for block in blocks(file, decoder, since):
            main.hurt(block.damage)
            for number, line in zip(block.numbers, block.values, strict=True):
                translate(desk, number, line)
            if block.half:
                half = block
                break
            last = block
            for thread in desk.threads.values():
                if thread.weight > PART and (
                    thread.settled(still=False) or thread.weight > 4 * PART
                ):
                    yield thread.part(Mark(), thread.settled(still=False) or None)
    yield from _close(desk, last, half, still=still)


def _close(
    desk: Desk, last: Block[T] | None, half: Block[T] | None, *, still: bool
) -> Iterator[Session]:
    """What is left at the end of the file: a part that is settled, and behind it whatever may still change.

    Only the settled part carries a mark. Where none can be set, the next reading starts at the top.
    """
    main = desk.main
    if len(desk.threads) > 1:
        yield from (
            thread.part(Mark()) for thread in desk.threads.values() if thread.items
        )
        return
    count = main.settled(still=still)
    loose = [item.line for item in main.items[count : count + 1]] + (
        [half.first] if half is not None else []
    )
    if not loose:
        yield main.part(last.end if last is not None and main.items else Mark())
        return
    line = min(loose)
    count = sum(item.line < line for item in main.items)
    if last is not None and count and line >= last.first:
        yield main.part(last.mark_after(line - 1), count, before=line)
    yield main.part(Mark(), settled=False)

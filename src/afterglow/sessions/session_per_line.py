"""Files with one or more whole sessions on every line: in memory bounded by a line, with damage named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from afterglow.errors import UnreadableSource
from afterglow.records.session import Damage, Session
from afterglow.sessions.joined_parts import MAX_NAMED_DAMAGE
from afterglow.sessions.jsonl_blocks import blocks

T = TypeVar("T")


def read_each(
    path: Path,
    decoder: msgspec.json.Decoder[T],
    build: Callable[[T], Iterable[Session]],
) -> Iterator[Session]:
    """The sessions of every line. Damage is told by the session behind it, or by the last one of the file."""
    held: Session | None = None
    pending: list[Damage] = []
    unnamed = 0
    # Session -> line; a long one comes in parts from the same line.
    line_of: dict[str, int] = {}
    with path.open("rb") as file:
        for block in blocks(file, decoder):
            pending += block.damage
            unnamed += max(len(pending) - MAX_NAMED_DAMAGE, 0)
            del pending[MAX_NAMED_DAMAGE:]
            for number, value in zip(block.numbers, block.values, strict=True):
                for session in build(value):
                    if line_of.setdefault(session.id, number) != number:
                        again = f"session {session.id} again: only the first is read"
                        pending.append(Damage(number, again))
                        continue
                    if held is not None:
                        yield held
                    held, pending, unnamed = _hurt(session, pending, unnamed), [], 0
    if held is None:
        reason = pending[0].reason if pending else "empty"
        raise UnreadableSource(f"{path}: no session in it could be read: {reason}")
    yield _hurt(held, pending, unnamed)


def _hurt(session: Session, damage: list[Damage], unnamed: int) -> Session:
    if not damage:
        return session
    named = (*session.damage, *damage)[:MAX_NAMED_DAMAGE]
    return replace(
        session, damaged=session.damaged + len(damage) + unnamed, damage=named
    )

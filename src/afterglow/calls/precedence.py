"""How a block falls into chains and pipelines, and which `||` gives up instead of going on."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.calls.grammar import Block, Group, Simple


def split_at(block: Block, operators: str | tuple[str, ...]) -> Iterator[Block]:
    """A block cut behind the parts that one of `operators` follows."""
    current: Block = []
    for part in block:
        current.append(part)
        if part.operator and part.operator in operators:
            yield current
            current = []
    if current:
        yield current


def gives_up(pipeline: Block) -> bool:
    """`|| exit 1`, `|| { echo no; exit 1; }`: the failure before it ends the line."""
    last: Simple | Group | None = pipeline[-1].item
    while isinstance(last, Group):
        last = _last_item(last)
    if last is None or not last.words:
        return False
    first, *rest = [word.text for word in last.words]
    if first in {"exit", "return"}:
        return rest != ["0"]
    return first == "false"


def _last_item(group: Group) -> Simple | Group | None:
    """The item a `{ ...; }` ends with; of other groups nobody knows."""
    if group.kind != "group" or not group.bodies:
        return None
    body = group.bodies[-1]
    return body[-1].item if body else None

"""Where a transcript shows that a session was told something. Pure: a session and deliveries in, places out.

A context is known by its id and one of its items in the same text. A hint is a line without an id: it is known by its
very words, in what the session was told, not in what it said itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from afterglow.records.context import SHORT_ID
from afterglow.records.delivery import REPEATED, Delivery
from afterglow.records.session import Session, Turn
from afterglow.records.template import TEMPLATE_PREFIX, given_template
from afterglow.text.word_marks import marks_in

# Seconds that the transcript's clock may be behind that of the hook: both run on one machine.
REPEAT_SKEW = 5.0

# Seconds between a hint and the turn that holds it: a turn has the time it began at, and its calls may take an hour.
HINT_REACH = 2 * 3600.0


class Proof(Struct, frozen=True):
    """What was found in a transcript: the index of the turn, and which items stood there (a context may be cut)."""

    turn: int
    items: frozenset[str]


def find_proof(session: Session, deliveries: Iterable[Delivery]) -> dict[str, Proof]:
    """Which of these deliveries the session has seen, and where first; of a context that was told again, where it
    stands again."""
    remaining = {delivery.id: delivery for delivery in deliveries}
    proofs: dict[str, Proof] = {}
    for place, turn in enumerate(session.turns):
        for text in _texts(turn):
            contexts = dict(_contexts_in(text, remaining.values()))
            for id, items in contexts.items():
                if _may_stand_here(remaining[id], turn, place, proofs):
                    proofs[id] = Proof(place, items)
        for id, items in _hints_in(turn, remaining.values()):
            proofs[id] = Proof(place, items)
        for id in proofs.keys() & remaining.keys():
            del remaining[id]
    return proofs


def _contexts_in(
    text: str, deliveries: Iterable[Delivery]
) -> Iterator[tuple[str, frozenset[str]]]:
    """The deliveries whose id stands in a text, and which items of each. The id alone is no proof, for a list of
    deliveries has it too."""
    for delivery in deliveries:
        if not delivery.text_id or delivery.text_id not in text:
            continue
        ids = [item.item for item in delivery.items]
        items = frozenset(id for id in ids if _shown_id(id) in text)
        if items:
            yield delivery.id, items


def _shown_id(id: str) -> str:
    """As it stands in a context: of an item its beginning, of a template all of its id, for they all begin alike."""
    if not id.startswith(TEMPLATE_PREFIX):
        return id[:SHORT_ID]
    return given_template(id)[0]


def _may_stand_here(
    delivery: Delivery, turn: Turn, place: int, proofs: dict[str, Proof]
) -> bool:
    """A context that was told again stands behind its first place, and not before the time it was told again."""
    if REPEATED not in delivery.id:
        return True
    first = proofs.get(delivery.text_id)
    if first is not None and first.turn == place:
        return False
    if turn.time is None:
        return first is not None
    return turn.time >= delivery.time - REPEAT_SKEW


def _hints_in(
    turn: Turn, deliveries: Iterable[Delivery]
) -> Iterator[tuple[str, frozenset[str]]]:
    """The hints whose words stand in what a turn tells the session; two with the same words were told one after the
    other, so the first that is not proved yet is."""
    by_words: dict[str, Delivery] = {}
    for delivery in deliveries:
        if delivery.words and _is_its_time(delivery, turn.time):
            by_words.setdefault(delivery.words, delivery)
    if not by_words:
        return
    for text in _told_texts(turn):
        for mark in marks_in(text, by_words.keys()):
            delivery = by_words[mark]
            yield delivery.id, frozenset(item.item for item in delivery.items)


def _is_its_time(delivery: Delivery, time: float | None) -> bool:
    """A hint comes with the call it is about. A message may begin long before the result that holds the hint."""
    return time is None or abs(time - delivery.time) <= HINT_REACH


def _told_texts(turn: Turn) -> Iterator[str]:
    if turn.role != "assistant":
        yield turn.text
    for call in turn.calls:
        yield call.result or ""


def _texts(turn: Turn) -> Iterator[str]:
    yield turn.text
    for call in turn.calls:
        yield call.arguments
        yield call.result or ""

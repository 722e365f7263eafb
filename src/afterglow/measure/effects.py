"""What a delivered context did in the session that got it: which situations came up, which remedies show, which known
errors came all the same. Pure: a session and a delivery in, verdicts out.

It observes and claims no cause: a remedy may show because anyone would have done so. What cannot be seen in calls (a
remedy in plain words, a situation without a command) is unknown, not a no. The rules are told in `docs/ledger.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from msgspec import Struct

from afterglow.harvest import lint_lines
from afterglow.harvest.trail import Step, Trail
from afterglow.measure.remedy_signs import (
    Deed,
    Sign,
    Subject,
    deed_of,
    signs_of,
    subjects_of,
)
from afterglow.records.delivery import Delivery, Given, Verdict
from afterglow.records.session import Outcome, Session, Turn
from afterglow.text.fingerprint import fingerprint

RULES = (
    1  # raised when a session would be judged differently: it is then looked at again
)
MUTE = "no message"  # a fingerprint of nothing: two of them need not be the same error
LINT = "lint: "  # such a fingerprint names a linter; which of its rules is told by the report

_DECIDED = (Outcome.OK, Outcome.FAILED)


class Proof(Struct, frozen=True):
    """A context found in a transcript: the index of the turn, and which items stood there (a context may be cut)."""

    turn: int
    items: frozenset[str]


def find_proof(session: Session, deliveries: Iterable[Delivery]) -> dict[str, Proof]:
    """Which of these contexts the session has seen, and where first. The id alone is no proof, for a list of deliveries
    has it too: one of the items must stand in the same text."""
    wanted = {one.id: [given.item for given in one.items] for one in deliveries}
    found: dict[str, Proof] = {}
    for place, turn in enumerate(session.turns):
        for text in _texts(turn):
            for id in [id for id in wanted if id in text]:
                items = frozenset(item for item in wanted[id] if item in text)
                if items:
                    found[id] = Proof(place, items)
                    del wanted[id]
    return found


def judge(
    session: Session,
    delivery: Delivery,
    proof: Proof,
    clean: Callable[[str], str] = lambda mark: mark,
) -> tuple[Verdict, ...]:
    """What became of each item after the context was in view. `clean` redacts a fingerprint as those of items are."""
    later = _Later(session, proof.turn, delivery.id, clean)
    return tuple(
        _verdict(given, later) if given.item in proof.items else Verdict(given.item)
        for given in delivery.items
    )


def unaided(
    session: Session,
    items: Iterable[Given],
    clean: Callable[[str], str] = lambda mark: mark,
) -> tuple[Verdict, ...]:
    """The same questions asked of a session that was not given the items: how often situations come up, remedies show
    and errors stay away without any help. What a delivery did can only be read against this."""
    later = _Later(session, -1, "", clean)
    return tuple(_verdict(given, later) for given in items)


class _Later:
    """What came after a turn: calls, kinds of errors, broken lint rules, the assistant's words, and for each tool the
    arguments that all its calls have. A call that hands the context on is left out."""

    def __init__(
        self, session: Session, turn: int, id: str, clean: Callable[[str], str]
    ) -> None:
        every = [deed_of(step) for step in Trail(session).steps]
        self.deeds = [
            deed for deed in every if deed.step.turn > turn and not (id and id in deed.step.call.arguments)
        ]  # fmt: skip
        self.marks = {
            deed.step.index: clean(mark)
            for deed in self.deeds
            if deed.step.failed and (mark := fingerprint(deed.step.call.error)) != MUTE
        }
        self.rules = _broken_rules(deed.step for deed in self.deeds)
        self.said = "\n".join(
            turn.text for turn in session.turns[turn + 1 :] if turn.role == "assistant"
        )
        self.always = _always(every)


def _verdict(given: Given, later: _Later) -> Verdict:
    subjects = subjects_of(given.situation)
    touched = [
        deed
        for deed in later.deeds
        if any(subject.comes_up(deed) for subject in subjects)
    ]
    used = _used(given, subjects, bool(touched), later)
    if (
        not given.fingerprints
    ):  # a rule or a preference: only a person's no tells that it was not kept
        met = bool(touched) if subjects else (True if used else None)
        refused = any(deed.step.blocked for deed in touched)
        return Verdict(
            given.item, used, met, False if refused else None, True if refused else None
        )
    if _came(given, later):
        return Verdict(given.item, used, True, False, True)
    if not subjects:
        return Verdict(given.item, used)
    if not touched:
        return Verdict(given.item, used, False, False, False)
    decided = any(deed.step.call.outcome in _DECIDED for deed in touched)
    return Verdict(
        given.item, used, True, True if decided else None, False if decided else None
    )


def _used(
    given: Given, subjects: Collection[Subject], touched: bool, later: _Later
) -> bool | None:
    if given.item in later.said:
        return True
    signs = [
        sign for sign in signs_of(given.remedy, given.situation) if not sign.bare or _tells(sign, subjects, later)
    ]  # fmt: skip
    tried = [
        deed
        for deed in later.deeds
        if later.marks.get(deed.step.index) not in given.fingerprints
    ]
    if any(sign.shows(deed, subjects) for sign in signs for deed in tried):
        return True
    return False if any(touched or not sign.bare for sign in signs) else None


def _tells(sign: Sign, subjects: Collection[Subject], later: _Later) -> bool:
    """Whether a single word can be told from ordinary work: not `ls`, nor a tool's name, nor an argument that all calls
    of a tool have."""
    tools = [
        keys
        for tool, keys in later.always.items()
        if any(subject.name == tool for subject in subjects)
    ]
    taken = sign.everyday or sign.text.lower() in later.always
    return not taken and (not tools or any(sign.text not in keys for keys in tools))


def _came(given: Given, later: _Later) -> bool:
    if any(mark.startswith(LINT) for mark in given.fingerprints):
        return any(f"{rule}:" in given.situation for rule in later.rules)
    return not set(given.fingerprints).isdisjoint(later.marks.values())


def _broken_rules(steps: Iterable[Step]) -> set[str]:
    runs = (
        step
        for step in steps
        if step.command and lint_lines.LINTING.search(step.command)
    )
    return {
        report.rule
        for step in runs
        for report in lint_lines.read(step.call.result or "")
    }


def _always(deeds: Iterable[Deed]) -> dict[str, set[str]]:
    """Tool -> arguments that all its calls have."""
    found: dict[str, set[str]] = {}
    for deed in deeds:
        keys = set(deed.arguments)
        found[deed.step.tool.lower()] = found.get(deed.step.tool.lower(), keys) & keys
    return found


def _texts(turn: Turn) -> Iterable[str]:
    yield turn.text
    for call in turn.calls:
        yield call.arguments
        yield call.result or ""

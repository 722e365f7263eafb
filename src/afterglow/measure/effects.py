"""What a delivered context did in the session that got it: which situations came up, which remedies show, which known
errors came all the same. Pure: a session and a delivery in, verdicts out.

It observes and claims no cause: a remedy may show because anyone would have done so. What cannot be seen in calls (a
remedy in plain words, a situation without a command) is unknown, not a no. The rules are told in `docs/ledger.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from afterglow.harvest import lint_lines
from afterglow.harvest.trail import Step, Trail
from afterglow.measure.proofs import Proof
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

# Raised when a session would be judged differently: it is then looked at again.
RULES = 2
MUTE = "no message"  # a fingerprint of nothing: two of them need not be the same error
LINT = "lint: "  # such a fingerprint names a linter; which of its rules is told by the report

_DECIDED = (Outcome.OK, Outcome.FAILED)


def judge(
    session: Session,
    delivery: Delivery,
    proof: Proof,
    clean: Callable[[str], str] = lambda mark: mark,
) -> tuple[Verdict, ...]:
    """What became of each item after the context was in view. `clean` redacts a fingerprint as those of items are."""
    later = _Later(session, proof.turn, delivery.text_id, clean)
    return tuple(
        _verdict(item, later) if item.item in proof.items else Verdict(item.item)
        for item in delivery.items
    )


class _Later:
    """What came after a turn: calls, kinds of errors, broken lint rules, the assistant's words, and for each tool the
    arguments that all its calls have. A call that hands the context on is left out."""

    def __init__(
        self, session: Session, turn: int, id: str, clean: Callable[[str], str]
    ) -> None:
        every = [deed_of(step) for step in Trail(session).steps]
        self.deeds = [deed for deed in every if deed.step.turn > turn]
        if id:
            self.deeds = [deed for deed in self.deeds if not _hands_on(deed, id)]
        self.marks = dict(_fingerprints(self.deeds, clean))
        self.rules = _broken_rules(deed.step for deed in self.deeds)
        self.assistant_text = _assistant_text(session.turns[turn + 1 :])
        self.always = _always(every)

    def deeds_without(self, fingerprints: Collection[str]) -> list[Deed]:
        """Calls that did not fail with one of these errors."""
        return [
            deed
            for deed in self.deeds
            if self.marks.get(deed.step.index) not in fingerprints
        ]


def _hands_on(deed: Deed, id: str) -> bool:
    return id in deed.step.call.arguments


def _assistant_text(turns: Iterable[Turn]) -> str:
    return "\n".join(turn.text for turn in turns if turn.role == "assistant")


def _fingerprints(
    deeds: Iterable[Deed], clean: Callable[[str], str]
) -> Iterator[tuple[int, str]]:
    """Of the calls that failed, by the place of the call."""
    for deed in deeds:
        if not deed.step.failed:
            continue
        mark = fingerprint(deed.step.call.error)
        if mark != MUTE:
            yield deed.step.index, clean(mark)


def _comes_up(subjects: Iterable[Subject], deed: Deed) -> bool:
    return any(subject.comes_up(deed) for subject in subjects)


def _verdict(item: Given, later: _Later) -> Verdict:
    subjects = subjects_of(item.situation)
    touched = [deed for deed in later.deeds if _comes_up(subjects, deed)]
    used = _used(item, subjects, bool(touched), later)
    if not item.fingerprints:
        return _rule_verdict(item, used, bool(subjects), touched)
    if _came(item, later):
        return Verdict(item.item, used, True, False, True)
    if not subjects:
        return Verdict(item.item, used)
    if not touched:
        return Verdict(item.item, used, False, False, False)
    if any(deed.step.call.outcome in _DECIDED for deed in touched):
        return Verdict(item.item, used, True, True, False)
    return Verdict(item.item, used, True, None, None)


def _rule_verdict(
    item: Given, used: bool | None, has_subject: bool, touched: Sequence[Deed]
) -> Verdict:
    """Of a rule or a preference: only a person's no tells that it was not kept."""
    met = bool(touched) if has_subject else used or None
    if any(deed.step.blocked for deed in touched):
        return Verdict(item.item, used, met, False, True)
    return Verdict(item.item, used, met, None, None)


def _used(
    item: Given, subjects: Collection[Subject], touched: bool, later: _Later
) -> bool | None:
    if item.item in later.assistant_text:
        return True
    tried = later.deeds_without(item.fingerprints)
    visible = False
    for sign in signs_of(item.remedy, item.situation):
        if sign.bare and not _tells(sign, subjects, later):
            continue
        if any(sign.shows(deed, subjects) for deed in tried):
            return True
        if touched or not sign.bare:
            visible = True
    return False if visible else None


def _tells(sign: Sign, subjects: Collection[Subject], later: _Later) -> bool:
    """Whether a single word can be told from ordinary work: not `ls`, nor a tool's name, nor an argument that all calls
    of a tool have."""
    if sign.everyday or sign.text.lower() in later.always:
        return False
    names = {subject.name for subject in subjects}
    tools = names & later.always.keys()
    if not tools:
        return True
    return any(sign.text not in later.always[tool] for tool in tools)


def _came(item: Given, later: _Later) -> bool:
    if any(mark.startswith(LINT) for mark in item.fingerprints):
        return any(f"{rule}:" in item.situation for rule in later.rules)
    return not set(item.fingerprints).isdisjoint(later.marks.values())


def _broken_rules(steps: Iterable[Step]) -> set[str]:
    rules: set[str] = set()
    for step in steps:
        if not step.command or not lint_lines.names_linter(step.command):
            continue
        reports = lint_lines.read(step.call.result or "")
        rules.update(report.rule for report in reports)
    return rules


def _always(deeds: Iterable[Deed]) -> dict[str, set[str]]:
    """Tool -> arguments that all its calls have."""
    shared: dict[str, set[str]] = {}
    for deed in deeds:
        tool = deed.step.tool.lower()
        keys = set(deed.arguments)
        shared[tool] = shared.get(tool, keys) & keys
    return shared

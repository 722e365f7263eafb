"""An answer that passed its checks -> the item to keep.

Two independent sessions that show problem and remedy make it active; with one it waits, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from afterglow.harvest.confidence import (
    DIRECT,
    MIN_WITNESSES,
    OWN_WORD,
    estimate,
    expiry,
)
from afterglow.harvest.failure_kinds import is_mute
from afterglow.harvest.independence import is_obeying, witnesses
from afterglow.harvest.merge import MAX_FINGERPRINTS, MAX_SPANS, id_of
from afterglow.harvest.problem_topics import topics_of
from afterglow.harvest.quotable import quotes_only_reports
from afterglow.harvest.scope import place_of
from afterglow.harvest.screen import danger
from afterglow.harvest.writing.named_by_person import rests_on_own_words
from afterglow.harvest.writing.people import situation_of
from afterglow.harvest.writing.situation import SPOKEN_KINDS, is_met
from afterglow.records.knowledge import (
    ONE_DAY,
    ONE_WITNESS,
    TOLD_TO_DO,
    Category,
    Evidence,
    KnowledgeItem,
    Status,
    lowest,
)
from afterglow.records.problems import Event, Problem
from afterglow.records.writing import MINER, Objection, WrittenAnswer, WrittenCase

# A lesson that rests on what ended the failure says so nearly directly; with one witness it is not yet enough to be told
# at a start, with two it is.
DIRECTNESS = 0.7
QUOTES_SOMEBODY = "its situation quotes sentences that are no report of a program: needs a person's word"
NO_WITNESS = (
    "no session shows that this ended the problem: one that does, or a person's word, "
    "would make it active"
)


def item_of_lesson(
    case: WrittenCase,
    evidence: Sequence[Evidence],
    objections: Sequence[Objection],
    *,
    miner: str = MINER,
) -> KnowledgeItem:
    """The item. `evidence` shows its witnesses; `objections` are what checks have against it, none of which refuses it.

    A lesson rests on what agents and people did and said. What a program printed shows when it applies, and is no
    witness: who wants to be believed prints the same in many places."""
    answer, problem = case.answer, case.problem
    situation = situation_of(case)
    met = events_met(case)
    times_met = [event.time for event in met if event.time is not None]
    last_met = max(times_met, default=problem.last)
    acts = [span for span in evidence if span.part != "result"]
    count = witnesses(acts) if case.witnesses.confirming else 0
    trust = lowest(span.trust for span in acts or evidence)
    is_own_word = _is_own_word(case, acts)
    doubt = _doubt(case, count)
    directness = DIRECT if is_own_word else DIRECTNESS
    confidence = estimate(directness, max(count, 1), doubt, trust)
    status, reason = _status(count, doubt, objections, acts, is_own_word=is_own_word)
    fact = f"{situation}: {answer.remedy}"
    if threat := danger(fact, lowest(span.trust for span in evidence)):
        status, reason = "quarantined", threat
    elif status == "active" and not quotes_only_reports(situation):
        status, reason = "candidate", QUOTES_SOMEBODY
    repo, agent = _scope(answer, problem)
    return KnowledgeItem(
        id=id_of(f"{miner}|{problem.repo}|{problem.key}|{answer.remedy.casefold()}"),
        fact=fact,
        category=_category(answer, problem),
        status=status,
        reason=reason,
        repo=repo,
        agent=agent,
        confidence=confidence,
        tags=("preference",) if answer.scope == "user" else (),
        source_count=len({event.session for event in met}),
        times=len(met),
        worked=case.witnesses.sessions,
        against=_sessions_against(case),
        first_seen=min(times_met, default=problem.first),
        last_confirmed=_last_shown(case, last_met),
        expires=expiry(_category(answer, problem), last_met),
        situation=situation,
        remedy=answer.remedy,
        fingerprints=_fingerprints(met),
        cost=cost_of(met),
        trust=trust,
        miner=miner,
        topics=topics_of(problem),
        evidence=tuple(evidence[:MAX_SPANS]),
    )


def events_met(case: WrittenCase) -> list[Event]:
    """The events of the problem that are the lesson's own situation: those its witnesses met, and those it names. A
    problem may hold several causes; how often a lesson is needed is how often its cause came."""
    witnesses = (*case.witnesses.confirming, *case.witnesses.contradicting)
    places = {(witness.session, witness.line) for witness in witnesses}
    answer = case.answer
    return [
        event
        for event in case.problem.events
        if (event.session, event.line) in places
        or (
            event.kind not in SPOKEN_KINDS
            and is_met(answer.situation, event, answer.remedy)
        )
    ]


def _last_shown(case: WrittenCase, last_met: float | None) -> float | None:
    """When a session last showed the remedy; where none did, when the problem was last met."""
    times = [witness.time for witness in case.witnesses.confirming if witness.time]
    return max(times, default=last_met)


def _scope(answer: WrittenAnswer, problem: Problem) -> tuple[str, str]:
    """Repository and agent. A problem is of one repository: whatever its writer thinks, no other one has shown it."""
    agent = problem.events[-1].agent
    if not problem.repo:
        return place_of(agent)
    return problem.repo, agent if answer.scope == "tool" else ""


def _is_own_word(case: WrittenCase, acts: Sequence[Evidence]) -> bool:
    """A person named the remedy; what they wish may be of the day."""
    answer = case.answer
    return not case.is_wish and rests_on_own_words(
        answer.remedy, answer.situation, acts
    )


def _sessions_against(case: WrittenCase) -> int:
    return len({witness.session for witness in case.witnesses.contradicting})


def _doubt(case: WrittenCase, count: int) -> int:
    """How many sessions are against it for the `count` that are for it: of those that are for it, many are copies or of
    one day, or are not traced."""
    against = _sessions_against(case)
    sessions = max(case.witnesses.sessions, count, 1)
    return round(against * count / sessions) if count else against


def _status(
    count: int,
    against: int,
    objections: Sequence[Objection],
    acts: Sequence[Evidence],
    *,
    is_own_word: bool,
) -> tuple[Status, str]:
    """`count` of the witnesses for it, which `acts` show; a person who named the remedy in their own words is enough."""
    if objections:
        return "candidate", objections[0].reason
    if against and against >= count:
        return "candidate", f"{against} sessions speak against it, {count} for it"
    if count >= MIN_WITNESSES:
        return "active", f"{count} independent sessions show it"
    if count and is_own_word:
        return "active", OWN_WORD
    if not count:
        return "candidate", NO_WITNESS
    if is_obeying(acts):
        return "candidate", TOLD_TO_DO
    sessions = {span.session for span in acts}
    return "candidate", ONE_WITNESS if len(sessions) == 1 else ONE_DAY


def _category(answer: WrittenAnswer, problem: Problem) -> Category:
    if answer.scope == "tool":
        return "tool-quirk"
    if answer.scope == "user" or problem.kind == "person":
        return "pattern"
    return "pitfall"


def _fingerprints(events: Sequence[Event]) -> tuple[str, ...]:
    """Of the errors that say what they are about: an item is found by them."""
    prints = {event.fingerprint for event in events} - {""}
    return tuple(sorted(text for text in prints if not is_mute(text)))[
        :MAX_FINGERPRINTS
    ]


def cost_of(events: Sequence[Event]) -> float:
    """Calls and turns that one meeting takes. Where one run reports several rules, each has its share."""
    costs = [(event.calls + event.turns) / max(len(event.rules), 1) for event in events]
    return round(fmean(costs), 1) if costs else 0.0

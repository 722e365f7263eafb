"""What rules write, after every harvest: lessons that sessions agree on, through the same door as those of any writer.

Only what is new or has grown is checked again. What sessions no longer agree on is retired, unless a person decided
about it, or the sessions it rests on are no longer there to be asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import (
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.count_problems import Counted, count_now
from afterglow.flows.harvest.index_problems import ProblemIndex, with_their_lessons
from afterglow.flows.harvest.merge_rules import may_retire, retired
from afterglow.flows.harvest.take_answers import Taken, refusal_of, take_answers
from afterglow.flows.noise import note_noise
from afterglow.flows.supersession import supersede
from afterglow.harvest import MINERS
from afterglow.harvest.writing.rules import VERSION, dossier_of_rules, written_once
from afterglow.harvest.writing.same_calls import places_of, rests_on
from afterglow.records.knowledge import KnowledgeItem, MinerCount
from afterglow.records.writing import BY_RULES, WrittenAnswer
from afterglow.store.knowledge import Knowledge

BY = "rules"
WRITTEN_WITH = "rules"  # under which the store keeps the version of the rules
# Miners that tell the same better: a state is explained in every session, a place can be looked up before it is told.
TELLING_BETTER = frozenset({"state", "places"})
HOLDING = ("active", "candidate")
NO_LONGER = "the sessions no longer agree on it, or another item says it"


class WrittenByRules(Struct, frozen=True, kw_only=True):
    """What became of it: `count` as for a miner; items that are new, items that changed, and all there are now.
    `counted` are the problems that were read for it."""

    count: MinerCount = MinerCount(BY_RULES)
    created: int = 0
    changed: int = 0
    statuses: dict[str, int] = {}
    counted: Counted | None = None


def write_by_rules(
    config: Config, mined_repos: Collection[str], *, now: float
) -> WrittenByRules:
    """Lessons of rules about the repositories that have new sessions; about all of them where the rules are not those of
    last time."""
    with Knowledge(config.knowledge) as knowledge:
        is_same = knowledge.fact(WRITTEN_WITH) == str(VERSION)
        if is_same and not mined_repos:
            return WrittenByRules(statuses=dict(knowledge.counts().status))
        repos = {*mined_repos, ""} if is_same else None
        items = knowledge.items(miner=BY_RULES, evidence=True)
        mined = [
            item for miner in MINERS.names() for item in _mined(knowledge, miner, repos)
        ]
    counted = count_now(config, repos)
    index = with_their_lessons(config, counted.index.recurring())
    lessons = _Lessons(index, mined)
    taken = lessons.take(config, items, now)
    with Knowledge(config.knowledge) as knowledge:
        note_noise(knowledge, index.history)
        outdated = lessons.outdated(items)
        with knowledge.transaction():
            knowledge.save(outdated, by="harvest", now=now)
            for each in taken:
                older = lessons.mined_from(each.kept_answer.answer)
                newer = each.kept_answer.item
                if newer and older:
                    ids = [item.id for item in older]
                    supersede(knowledge, newer, ids, by=f"written:{BY}", now=now)
        knowledge.set_fact(WRITTEN_WITH, str(VERSION))
        before = {item.id for item in items}
        ids_now = {each.kept_answer.item for each in taken} - {""}
        return WrittenByRules(
            count=_count(knowledge, lessons.answers, taken),
            created=len(ids_now - before),
            changed=len(ids_now & before) + len(outdated),
            statuses=dict(knowledge.counts().status),
            counted=counted,
        )


def _mined(
    knowledge: Knowledge, miner: str, repos: Container[str] | None
) -> Iterable[KnowledgeItem]:
    """What a miner made of these repositories, with its evidence; what holds everywhere is of each."""
    listed = knowledge.items(miner=miner, status=HOLDING)
    here = [item.id for item in listed if repos is None or item.repo in repos]
    whole = knowledge.find(here)
    return [whole[id] for id in here if id in whole]


class _Lessons:
    """What rules say about the problems there are now, but for what the state of a session explains, which the state
    tells, and for sentences of a person that are told as they are: those replace one another."""

    def __init__(self, index: ProblemIndex, mined: Sequence[KnowledgeItem]) -> None:
        self.index, self.mined = index, mined
        self.problems = {problem.id: problem for problem in index.problems}
        self.answers = [
            answer
            for answer in written_once(index.problems)
            if not any(map(_is_told_already, self.mined_from(answer)))
        ]

    def mined_from(self, answer: WrittenAnswer) -> list[KnowledgeItem]:
        """What miners made of the same calls: most of its evidence stands where the answer's does."""
        events = self.problems[answer.problem].events
        places = {
            place for number in answer.cites for place in places_of(events[number - 1])
        }
        return [item for item in self.mined if rests_on(item, places)]

    def take(
        self, config: Config, items: Sequence[KnowledgeItem], now: float
    ) -> list[Taken]:
        """Has those checked and kept whose problems have grown."""
        before = {(item.repo, item.fact): item for item in items}
        fresh = [answer for answer in self.answers if not self._is_as(before, answer)]
        if not fresh:
            return []
        named = {answer.problem for answer in fresh}
        dossiers = {name: dossier_of_rules(self.problems[name]) for name in named}
        answers = [self._replacing(each, before) for each in fresh]
        return take_answers(
            config,
            self.index,
            answers,
            by=BY,
            miner=BY_RULES,
            dossiers=dossiers,
            now=now,
        )

    def _is_as(
        self, before: Mapping[tuple[str, str], KnowledgeItem], answer: WrittenAnswer
    ) -> bool:
        """Nothing came to its problem since it was written down."""
        item = before.get(self._place(answer))
        if item is None:
            return False
        problem = self.problems[answer.problem]
        size = (problem.times, len(problem.sessions))
        return (item.times, item.source_count) == size

    def _replacing(
        self, answer: WrittenAnswer, before: Mapping[tuple[str, str], KnowledgeItem]
    ) -> WrittenAnswer:
        """The answer with the item it replaces: itself as it was, or what a miner made of the same calls."""
        earlier = before.get(self._place(answer))
        replaced = [earlier] if earlier is not None else self.mined_from(answer)
        return replace(answer, item=replaced[0].id) if replaced else answer

    def _place(self, answer: WrittenAnswer) -> tuple[str, str]:
        """Where it is told, and what: by this an item is found again."""
        fact = f"{answer.situation}: {answer.remedy}"
        return self.problems[answer.problem].repo, fact

    def outdated(self, items: Sequence[KnowledgeItem]) -> list[KnowledgeItem]:
        """What rules said before and do not any more, though the sessions are there to be asked."""
        places = {self._place(answer) for answer in self.answers}
        sessions = {
            event.session
            for history in self.index.history.values()
            for session in history
            for event in session.events
        }
        return [
            retired(item, NO_LONGER)
            for item in items
            if (item.repo, item.fact) not in places
            and may_retire(item)
            and {span.session for span in item.evidence} <= sessions
        ]


def _is_told_already(item: KnowledgeItem) -> bool:
    return item.miner in TELLING_BETTER and item.status == "active"


def _count(
    knowledge: Knowledge, answers: Sequence[WrittenAnswer], taken: Sequence[Taken]
) -> MinerCount:
    items = knowledge.items(miner=BY_RULES, status=HOLDING)
    return MinerCount(
        miner=BY_RULES,
        findings=sum(len(answer.cites) for answer in answers),
        topics=len(answers),
        items=len(items),
        active=sum(item.status == "active" for item in items),
        refused=dict(Counter(_refusals(taken)).most_common()),
    )


def _refusals(taken: Sequence[Taken]) -> Iterator[str]:
    for outcome in taken:
        refusal = refusal_of(outcome.kept_answer.objections)
        if refusal is not None:
            yield refusal.reason

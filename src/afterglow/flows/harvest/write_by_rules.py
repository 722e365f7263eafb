"""What rules write, after every harvest: lessons that sessions agree on, through the same door as those of any writer.

Only what is new or has grown is checked again. What sessions no longer agree on is retired, unless a person decided
about it, or the sessions it rests on are no longer there to be asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.list_problems import ProblemIndex, problem_index
from afterglow.flows.harvest.merge_topics import may_retire, retired
from afterglow.flows.harvest.take_answers import Taken, refusal_of, take_answers
from afterglow.harvest import MINERS
from afterglow.harvest.writing.rules import VERSION, dossier_of_rules, written_once
from afterglow.records.knowledge import KnowledgeItem, MinerCount
from afterglow.records.writing import BY_RULES, WrittenAnswer
from afterglow.store.knowledge import Knowledge

BY = "rules"
WRITTEN_WITH = "rules"  # under which the store keeps the version of the rules
HOLDING = ("active", "candidate")
NO_LONGER = "the sessions no longer agree on it"

_CODE = re.compile(r"`([^`\n]+)`")


class WrittenByRules(Struct, frozen=True, kw_only=True):
    """What became of it: `count` as for a miner; items that are new, items that changed, and all there are now."""

    count: MinerCount = MinerCount(BY_RULES)
    created: int = 0
    changed: int = 0
    statuses: dict[str, int] = {}


def write_by_rules(config: Config, *, anew: bool, now: float) -> WrittenByRules:
    """Lessons of rules about everything that is in the catalogue; nothing is done where no session is new and the rules
    are those of last time."""
    with Knowledge(config.knowledge) as knowledge:
        if not anew and knowledge.fact(WRITTEN_WITH) == str(VERSION):
            return WrittenByRules(statuses=dict(knowledge.counts().status))
        items = knowledge.items(miner=BY_RULES, evidence=True)
    index = problem_index(config)
    lessons = _Lessons(index)
    taken = lessons.take(config, items, now)
    with Knowledge(config.knowledge) as knowledge:
        outdated = lessons.outdated(items)
        if outdated:
            with knowledge.transaction():
                knowledge.save(outdated, by="harvest", now=now)
        knowledge.set_fact(WRITTEN_WITH, str(VERSION))
        before = {item.id for item in items}
        ids = {each.kept_answer.item for each in taken} - {""}
        return WrittenByRules(
            count=_count(knowledge, lessons.answers, taken),
            created=len(ids - before),
            changed=len(ids & before) + len(outdated),
            statuses=dict(knowledge.counts().status),
        )


class _Lessons:
    """What rules say about the problems there are now."""

    def __init__(self, index: ProblemIndex) -> None:
        self.index = index
        self.problems = {problem.id: problem for problem in index.problems}
        self.answers = written_once(index.problems)

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
        """The answer with the item it replaces: itself as it was, or what a miner made of the same change."""
        earlier = before.get(self._place(answer))
        if earlier is not None:
            return replace(answer, item=earlier.id)
        for lesson in self.problems[answer.problem].lessons:
            is_mined = lesson.miner in MINERS.names()
            if is_mined and _is_same_change(answer, lesson.fact):
                return replace(answer, item=lesson.item)
        return answer

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


def _is_same_change(answer: WrittenAnswer, fact: str) -> bool:
    """What the answer changes is named in what is known."""
    situation, remedy = _code_words(answer.situation), _code_words(answer.remedy)
    changed = (remedy - situation) or (situation - remedy)
    return bool(changed) and changed <= {*_words(fact)}


def _code_words(text: str) -> set[str]:
    """The words in backticks, but for placeholders."""
    spans = _CODE.findall(text)
    return {word for span in spans for word in _words(span) if word[:1] != "<"}


def _words(text: str) -> list[str]:
    return [word.strip("`'\",.:;…") for word in text.split()]


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

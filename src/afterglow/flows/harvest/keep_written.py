"""Written lessons in the knowledge store: a new item, what it replaces, and a word about what is known already."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from afterglow.flows.supersession import resolve_decisions, supersede
from afterglow.harvest.replaced_items import is_replaced
from afterglow.harvest.writing.same_calls import CallPlace, rests_on
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Problem
from afterglow.records.writing import BY_RULES, MINER, WrittenAnswer
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import fact_mark


class ActiveLesson(NamedTuple):
    """A lesson that is told from now on: the answer, the item it became, and the calls it is about."""

    answer: WrittenAnswer
    item: str
    places: Container[CallPlace]


class Keeping:
    """Items saved inside one transaction, and what they do to others."""

    def __init__(self, knowledge: Knowledge, by: str, miner: str, now: float) -> None:
        self.knowledge, self.miner, self.now = knowledge, miner, now
        self.by = f"written:{by}"

    def save(self, item: KnowledgeItem) -> KnowledgeItem | str:
        """Keeps an item, and gives it as it is kept; says why not, where a person set it aside. What a person decided or
        wrote stays."""
        if self.knowledge.buried([item.id, fact_mark(item.fact)]):
            return "a person deleted this; it stays deleted"
        before = self.knowledge.find([item.id]).get(item.id)
        if before is not None and before.decided:
            if before.status != "active":
                return f"{before.id} says the same and was set aside: {before.reason}"
            item = replace(item, status="active", reason=before.reason, decided=True)
        if before is not None and before.edited:
            item = replace(
                item,
                fact=before.fact,
                situation=before.situation,
                remedy=before.remedy,
                repo=before.repo,
                agent=before.agent,
                edited=True,
            )
        if before is not None and is_replaced(before):
            item = replace(
                item,
                status=before.status,
                reason=before.reason,
                superseded_by=before.superseded_by,
            )
        self.knowledge.save([item], by=self.by, now=self.now)
        kept_item = self.knowledge.find([item.id])[item.id]
        return kept_item.reason if kept_item.status == "retired" else kept_item

    def resolve(self) -> None:
        """What a person said since outweighs what was written from before."""
        resolve_decisions(self.knowledge, by=self.by, now=self.now)

    def replace_older(
        self,
        problems: Mapping[str, Problem],
        lessons: Sequence[ActiveLesson],
    ) -> None:
        """A new lesson replaces what it names, what was written about the same problem before, and what rules made of
        the same calls, where its word weighs enough."""
        fresh = {lesson.item for lesson in lessons}
        by_rules = self._made_by_rules() if lessons else []
        for answer, newer, places in lessons:
            problem = problems[answer.problem]
            older = {answer.item} | self._written_about(problem)
            older |= {item.id for item in by_rules if rests_on(item, places)}
            supersede(
                self.knowledge, newer, older - fresh - {""}, by=self.by, now=self.now
            )

    def _written_about(self, problem: Problem) -> set[str]:
        """Lessons that a writer of this kind wrote about a problem before."""
        return {each.item for each in problem.lessons if each.miner == self.miner}

    def _made_by_rules(self) -> list[KnowledgeItem]:
        """Where a rule takes in what it wrote itself, nothing of it gives way."""
        if self.miner != MINER:
            return []
        return self.knowledge.items(miner=BY_RULES, status=("active",), evidence=True)

    def weigh(self, answer: WrittenAnswer) -> bool:
        """A word about an item that is known: it still holds, or it was wrong. False where there is none."""
        item = self.knowledge.find([answer.item]).get(answer.item)
        if item is None:
            return False
        if answer.answer == "wrong" and not item.decided:
            doubted = replace(
                item, status="retired", reason=f"found wrong by {self.by}: {answer.why}"
            )
            self.knowledge.save([doubted], by=self.by, now=self.now)
        return True

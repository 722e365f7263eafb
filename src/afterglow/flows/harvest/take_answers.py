"""Answers of any writer -> lessons: checked against what happened, kept with their evidence, each by itself.

Whoever answers (an agent, a model, a person, a rule) comes through here. What sessions show is found by us, not by the
writer: it cites what it read, and every other session of the problem is asked too.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.index_problems import ProblemIndex
from afterglow.flows.harvest.keep_written import ActiveLesson, Keeping
from afterglow.flows.harvest.known_in_repository import (
    instruction_text,
    items_by_repo,
    people_of,
)
from afterglow.flows.harvest.lesson_evidence import Place, evidence_of
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.dossiers import dossier
from afterglow.harvest.screen import danger
from afterglow.harvest.writing.answers import Unusable, cited_places
from afterglow.harvest.writing.checks import objections
from afterglow.harvest.writing.cited_lines import events_at
from afterglow.harvest.writing.lesson import events_met, item_of_lesson
from afterglow.harvest.writing.reading import lesson_in
from afterglow.harvest.writing.same_calls import CallPlace, places_of
from afterglow.harvest.writing.same_matter import (
    cited_elsewhere,
    joined,
    read_together,
    same_matters,
    with_events,
)
from afterglow.harvest.writing.witnesses import witnesses_of
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.records.problems import (
    MAX_DOSSIER_TOKENS,
    Dossier,
    DossierLine,
    Event,
    Problem,
)
from afterglow.records.writing import (
    MINER,
    AnswerOutcome,
    AnswerResult,
    KeptAnswer,
    Objection,
    WrittenAnswer,
    WrittenCase,
)
from afterglow.store.knowledge import Knowledge
from afterglow.text.tokens import within

MAX_TRACED_SESSIONS = 12  # of a lesson: the first ones and the last ones say when and whether it still holds


class Taken(Struct, frozen=True, kw_only=True):
    """One answer and what became of it: as it is kept, and as it is reported."""

    kept_answer: KeptAnswer
    report: AnswerOutcome


class _Draft(Struct, frozen=True):
    """A lesson on its way: as it was written, what may be looked at, what speaks against it, and where its evidence
    stands."""

    answer: WrittenAnswer
    case: WrittenCase
    objections: tuple[Objection, ...]
    places: tuple[Place, ...]


def take_answers(
    config: Config,
    index: ProblemIndex,
    answers: Sequence[WrittenAnswer | Unusable],
    *,
    by: str,
    miner: str = MINER,
    dossiers: Mapping[str, Dossier] | None = None,
    now: float | None = None,
) -> list[Taken]:
    """What became of each, in order. `dossiers` are those the writer saw, by problem, where they are not as now."""
    taking = _Taking(config, index, by, miner, dossiers or {})
    return taking.run(answers, time.time() if now is None else now)


class _Taking:
    def __init__(
        self,
        config: Config,
        index: ProblemIndex,
        by: str,
        miner: str,
        dossiers: Mapping[str, Dossier],
    ) -> None:
        self.config, self.index, self.by, self.miner = config, index, by, miner
        self.redactor = redactor_of(config)
        self.items = items_by_repo(config)
        self.instructions: dict[str, str] = {}
        self.people: dict[str, dict[str, str]] = {}
        self.problems = {
            name: problem for problem in index.problems for name in problem.names
        }
        self.dossiers = dict(dossiers)

    def run(
        self, answers: Sequence[WrittenAnswer | Unusable], now: float
    ) -> list[Taken]:
        merged = same_matters(answers)
        drafts = {
            place: self._draft(answer, merged.get(answer.problem, ()))
            for place, answer in enumerate(answers)
            if isinstance(answer, WrittenAnswer)
            and answer.answer == "lesson"
            and answer.problem in self.problems
        }
        wanted_places = [
            place for draft in drafts.values() for place in _passing_places(draft)
        ]
        evidence = evidence_of(self.config, wanted_places)
        lessons_of_problem: dict[str, str] = {}
        with Knowledge(self.config.knowledge) as knowledge, knowledge.transaction():
            keeping = Keeping(knowledge, self.by, self.miner, now)
            taken = {
                place: self._kept(draft, evidence, keeping)
                for place, draft in drafts.items()
            }
            for outcome in taken.values():
                problem = outcome.kept_answer.answer.problem
                if outcome.kept_answer.item:
                    lessons_of_problem.setdefault(problem, outcome.kept_answer.item)
            keeping.replace_older(self.problems, _active_lessons(drafts, taken))
            for place, answer in enumerate(answers):
                if place not in taken:
                    taken[place] = self._other(answer, keeping, lessons_of_problem)
            keeping.resolve()
        return [taken[place] for place in range(len(answers))]

    def _draft(self, written: WrittenAnswer, merged: Iterable[str]) -> _Draft:
        problem = joined(
            self.problems[written.problem],
            [self.problems[name] for name in merged if name in self.problems],
        )
        further = list(self._lines_elsewhere(written))
        for source, lines in further:
            problem = with_events(problem, events_at(source.events, lines))
        answer, read_dossier = read_together(
            written,
            self._read_dossier(written.problem),
            [line for _, lines in further for line in lines],
        )
        history = self.index.history.get(problem.repo, ())
        case = WrittenCase(
            answer=answer,
            problem=problem,
            dossier=read_dossier,
            witnesses=witnesses_of(answer, problem, read_dossier, history),
            history=history,
            items=self.items.get(problem.repo, ()),
            instructions=self._instructions(problem.repo),
            people=self._people(problem.repo),
        )
        against = (*self._words_against(answer), *objections(case))
        return _Draft(written, case, against, tuple(_places(case)))

    def _lines_elsewhere(
        self, answer: WrittenAnswer
    ) -> Iterator[tuple[Problem, list[DossierLine]]]:
        """The lines of other dossiers that a lesson rests on, with their problems, of the same repository."""
        repo = self.problems[answer.problem].repo
        for name, numbers in cited_elsewhere(answer).items():
            source = self.problems.get(name)
            if source is not None and source.repo == repo:
                lines = self._read_dossier(name).lines
                yield source, [line for line in lines if line.number in numbers]

    def _read_dossier(self, id: str) -> Dossier:
        """As the writer saw it, or as it is now."""
        if id not in self.dossiers:
            self.dossiers[id] = dossier(self.problems[id], within(MAX_DOSSIER_TOKENS))
        return self.dossiers[id]

    def _words_against(self, answer: WrittenAnswer) -> Iterator[Objection]:
        """Nothing secret is kept, and nothing that reads like an order to an agent, whoever wrote it."""
        words = f"{answer.situation}\n{answer.remedy}"
        if secrets := self.redactor.redact(words).counts:
            names = ", ".join(secrets)
            reason = f"it holds what must not be kept ({names}): leave the value out"
            yield Objection("secret", "refuse", reason)
        if why := danger(words, "assistant"):
            reason = f"it reads like an order to an agent ({why}): state what is so"
            yield Objection("order", "refuse", reason)

    def _instructions(self, repo: str) -> str:
        if repo not in self.instructions:
            self.instructions[repo] = instruction_text(self.config, repo)
        return self.instructions[repo]

    def _people(self, repo: str) -> dict[str, str]:
        if repo not in self.people:
            self.people[repo] = people_of(self.config, repo)
        return self.people[repo]

    def _kept(
        self,
        draft: _Draft,
        evidence: Mapping[Place, Sequence[Evidence]],
        keeping: Keeping,
    ) -> Taken:
        refusal = refusal_of(draft.objections)
        if refusal is not None:
            return self._taken(draft, "refused", reason=refusal.reason)
        spans = [span for place in draft.places for span in evidence.get(place, ())]
        if not spans:
            return self._taken(
                draft, "refused", reason="the lines it cites cannot be read any more"
            )
        lesson = item_of_lesson(draft.case, spans, draft.objections, miner=self.miner)
        item = keeping.save(lesson)
        if isinstance(item, str):
            objection = Objection("set aside", "refuse", item)
            draft = replace(draft, objections=(*draft.objections, objection))
            return self._taken(draft, "refused", reason=item)
        outcome: AnswerResult = "active" if item.status == "active" else "candidate"
        return self._taken(draft, outcome, item=item, reason=item.reason)

    def _taken(
        self,
        draft: _Draft,
        outcome: AnswerResult,
        *,
        reason: str,
        item: KnowledgeItem | None = None,
    ) -> Taken:
        answer, problem = draft.answer, draft.case.problem
        if outcome == "refused":
            answer = self._clean(answer)
        id = item.id if item else ""
        return Taken(
            kept_answer=KeptAnswer(
                answer=answer,
                cited=cited_places(draft.case.answer, draft.case.dossier),
                outcome=outcome,
                item=id,
                objections=draft.objections,
            ),
            report=AnswerOutcome(
                problem=problem.id,
                what=problem.what,
                outcome=outcome,
                line=f"{answer.situation} → {answer.remedy}",
                item=id,
                status=item.status if item else None,
                sessions=draft.case.witnesses.sessions,
                reason=reason,
            ),
        )

    def _clean(self, answer: WrittenAnswer) -> WrittenAnswer:
        """What was refused may be so for a secret: no place is right for that."""
        situation, remedy = self.redactor.redact_many([answer.situation, answer.remedy])
        return replace(answer, situation=situation.text, remedy=remedy.text)

    def _other(
        self,
        answer: WrittenAnswer | Unusable,
        keeping: Keeping,
        lessons: Mapping[str, str],
    ) -> Taken:
        """What is no lesson: nothing to tell, the same as another, a word about what is known."""
        problem = self.problems.get(answer.problem)
        what = problem.what if problem else ""
        why = self.redactor.redact(answer.why).text
        if isinstance(answer, Unusable) or problem is None:
            unusable = WrittenAnswer(problem=answer.problem, answer="nothing", why=why)
            reason = why or "names no problem that is known"
            return _plain(unusable, what, "refused", reason=reason)
        outcome: AnswerResult = (
            answer.answer if answer.answer != "lesson" else "refused"
        )
        answer = replace(answer, why=why)
        if outcome == "merge":
            item = lessons.get(answer.item, "")
            return _plain(answer, what, outcome, item=item, reason=answer.item)
        if outcome in {"holds", "wrong"} and not keeping.weigh(answer):
            reason = f"no item {answer.item[:40]!r} that speaks about this"
            return _plain(answer, what, "refused", reason=reason)
        item = answer.item if outcome == "holds" else ""
        return _plain(answer, what, outcome, item=item, reason=why)


def refusal_of(objections: Iterable[Objection]) -> Objection | None:
    """The first reason why a lesson is not kept."""
    return next((each for each in objections if each.effect == "refuse"), None)


def _plain(
    answer: WrittenAnswer,
    what: str,
    outcome: AnswerResult,
    *,
    item: str = "",
    reason: str,
) -> Taken:
    return Taken(
        kept_answer=KeptAnswer(answer=answer, outcome=outcome, item=item),
        report=AnswerOutcome(
            problem=answer.problem, what=what, outcome=outcome, item=item, reason=reason
        ),
    )


def _active_lessons(
    drafts: Mapping[int, _Draft], taken: Mapping[int, Taken]
) -> list[ActiveLesson]:
    return [
        ActiveLesson(
            draft.case.answer, taken[place].kept_answer.item, _call_places(draft.case)
        )
        for place, draft in drafts.items()
        if taken[place].kept_answer.outcome == "active"
    ]


def _call_places(case: WrittenCase) -> frozenset[CallPlace]:
    """Where the failures stand that a lesson is about, and what ended them."""
    return frozenset(place for event in events_met(case) for place in places_of(event))


def _passing_places(draft: _Draft) -> tuple[Place, ...]:
    return () if refusal_of(draft.objections) else draft.places


def _places(case: WrittenCase) -> Iterator[Place]:
    """Where the witnesses stand, the first and the last of them; and what the writer cites."""
    events = {(event.session, event.line): event for event in case.problem.events}
    confirming = case.witnesses.confirming
    # Whoever is told to run nothing obeys nobody; a linter names its rule and often what it wants, and whoever writes the
    # code that it then takes has not obeyed it either.
    is_told_to_run = bool(lesson_in(case).names.commands)
    is_of_linter = case.problem.key.startswith("rule ")
    remedy = case.answer.remedy if is_told_to_run and not is_of_linter else ""
    first_of_sessions = list(
        {item.session: item for item in reversed(confirming)}.values()
    )
    first_of_sessions.sort(key=lambda witness: witness.time or 0.0)
    half = MAX_TRACED_SESSIONS // 2
    chosen = first_of_sessions
    if len(chosen) > MAX_TRACED_SESSIONS:
        chosen = chosen[:half] + chosen[-half:]
    for witness in chosen:
        event = events.get((witness.session, witness.line))
        yield Place(
            witness.session,
            witness.line,
            _telling_words(event),
            remedy,
            witness.remedy_line,
            witness.said_line,
        )
    if not chosen:
        for place in cited_places(case.answer, case.dossier):
            yield Place(place.session, place.line, remedy=remedy)


def _telling_words(event: Event | None) -> str:
    return event.lines[0].text.strip() if event is not None and event.lines else ""

"""write: a writer reads dossiers of problems nobody has answered yet; what it answers is checked and kept.

Several dossiers go into one question. Where a question as a whole brings nothing usable, each of its dossiers is asked
by itself, so that one costs no other. Answers are kept and marked before the next question: a cap, Ctrl-C or kill -9
costs no more than what was under way.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import CapReached, ModelError
from afterglow.flows.harvest.count_problems import index_of
from afterglow.flows.harvest.hand_in_answers import mark_answered, report_of
from afterglow.flows.harvest.index_problems import (
    ProblemIndex,
    matched,
    problem_index,
)
from afterglow.flows.harvest.last_answers import is_open
from afterglow.flows.harvest.mining import Progress
from afterglow.flows.harvest.take_answers import Taken, take_answers
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.dossiers import dossier
from afterglow.harvest.lessons.prompts import Prompt
from afterglow.harvest.writable import side_by_side, worth_asking
from afterglow.harvest.writing.answers import Unusable, read_answers
from afterglow.harvest.writing.prompt import (
    MAX_QUESTION_TOKENS,
    Question,
    batches,
    once_more,
    prompt,
    question,
)
from afterglow.llm.budget import worst_case
from afterglow.llm.parse_reply import UNUSABLE
from afterglow.records.model import Answer, Model, Price, Spent
from afterglow.records.problems import MAX_DOSSIER_TOKENS, Dossier, Problem
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.writing import (
    Objection,
    WritePlan,
    WriterReport,
    WrittenAnswer,
)
from afterglow.store.answers import Answers
from afterglow.text.tokens import estimate, within

WRITE_LIMIT = 60  # problems of a run: a project of fifty sessions has about as many
QUESTIONS_AT_ONCE = 4  # before their answers are kept: what a kill may cost


_Heard = tuple[Question, list[WrittenAnswer | Unusable]]


class Writing(Struct, frozen=True):
    """What is to be asked: problems with their dossiers, in questions. `remaining` problems wait and are not among
    them; `reason` says why there are none."""

    index: ProblemIndex
    prompt: Prompt
    questions: tuple[Question, ...] = ()
    remaining: int = 0
    reason: str = ""

    @property
    def dossiers(self) -> dict[str, Dossier]:
        return {
            dossier.problem: dossier
            for question in self.questions
            for dossier in question.dossiers
        }


def plan_writing(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    ids: Sequence[str] = (),
    again: bool = False,
    limit: int = WRITE_LIMIT,
    tokens: int = MAX_QUESTION_TOKENS,
    text: Prompt | None = None,
) -> Writing:
    """The dearest problems that wait for an answer, or those that are named; with `again`, also those that have one."""
    if ids and selection == EVERYTHING:
        index = index_of(config, ids)
    else:
        index = problem_index(config, selection, 1 if ids else 2)
    if ids:
        waiting = [matched(index, id) for id in dict.fromkeys(ids)]
    else:
        answers = Answers(config.answers)
        waiting = [
            each
            for each in worth_asking(index.problems)
            if again or is_open(each, answers)
        ]
    chosen = waiting[: max(limit, len(ids))]
    writing = writing_about(config, chosen, tokens=tokens, text=text)
    remaining = len(waiting) - len(chosen)
    reason = _reason(index, waiting)
    return replace(writing, index=index, remaining=remaining, reason=reason)


def writing_about(
    config: Config,
    problems: Sequence[Problem],
    *,
    tokens: int = MAX_QUESTION_TOKENS,
    text: Prompt | None = None,
) -> Writing:
    """What would be asked about these problems, in questions of so many tokens."""
    words = text or prompt()
    words = replace(words, text=redactor_of(config).redact(words.text).text)
    dossiers = [dossier(each, within(MAX_DOSSIER_TOKENS)) for each in problems]
    place_of = {each.id: place for place, each in enumerate(side_by_side(problems))}
    questions = tuple(
        question(words, sorted(batch, key=lambda item: place_of[item.problem]))
        for batch in batches(dossiers, tokens)
    )
    return Writing(ProblemIndex(tuple(problems)), words, questions)


def _reason(index: ProblemIndex, waiting: Sequence[Problem]) -> str:
    if waiting:
        return ""
    if index.problems:
        return "every problem that a reader could say something about is answered"
    if index.unread:
        return "no problem is known yet: `afterglow harvest` reads the sessions"
    return "nothing went wrong in two sessions"


def outline_of(writing: Writing, by: str, price: Price) -> WritePlan:
    """A plan to the letter, and the most it can cost. Nothing is sent."""
    usage, cost = worst_case((each.ask for each in writing.questions), price)
    return WritePlan(
        by=by,
        prompt=writing.prompt.label,
        problems=len(writing.dossiers),
        remaining=writing.remaining,
        messages=tuple(each.ask.messages for each in writing.questions),
        input=usage.input,
        output=usage.output,
        cost=cost,
        reason=writing.reason,
    )


def write_lessons(
    config: Config,
    model: Model,
    writing: Writing,
    *,
    now: float | None = None,
    on_question: Progress = lambda position, total: None,
) -> WriterReport:
    """Asks what was planned and keeps what holds. A cap, or a writer that does not answer at all, ends it early and is
    said; nothing kept before is touched."""
    run = _Run(config, model, writing, time.time() if now is None else now)
    started, before = time.monotonic(), model.spent
    questions = writing.questions
    for start in range(0, len(questions), QUESTIONS_AT_ONCE):
        on_question(start, len(questions))
        try:
            run.ask(questions[start : start + QUESTIONS_AT_ONCE])
        except KeyboardInterrupt:
            run.stopped, run.interrupted = "interrupted", True
        if run.stopped:
            break
    else:
        on_question(len(questions), len(questions))
    return run.report(time.monotonic() - started, before)


class _Run:
    """One run in progress: what was answered so far."""

    def __init__(
        self, config: Config, model: Model, writing: Writing, now: float
    ) -> None:
        self.config, self.model, self.writing, self.now = config, model, writing, now
        self.taken: list[Taken] = []
        self.failures: Counter[str] = Counter()
        self.answered = self.tokens_read = 0
        self.stopped = self.lost = ""
        self.capped = self.interrupted = False

    def ask(self, questions: Sequence[Question]) -> None:
        """Some questions at once; then, once more, what the sessions speak against."""
        taken = self._take(self._heard(questions))
        doubts = [
            (outcome, objection)
            for outcome in taken
            if (objection := _doubt(outcome)) is not None
        ]
        if doubts and not self.stopped:
            further = [
                self._once_more(outcome, objection) for outcome, objection in doubts
            ]
            better = self._take(self._heard(further))
            replaced = {outcome.report.problem for outcome in better}
            taken = [
                outcome
                for outcome in taken
                if _doubt(outcome) is None or outcome.report.problem not in replaced
            ]
            taken += better
        self.taken += taken

    def _once_more(self, outcome: Taken, objection: Objection) -> Question:
        answer = outcome.kept_answer.answer
        read_dossier = self.writing.dossiers[answer.problem]
        return once_more(self.writing.prompt, read_dossier, answer, objection)

    def _heard(self, questions: Sequence[Question]) -> list[_Heard]:
        """The usable answers to each question. Where one as a whole brought nothing usable, its dossiers are asked
        one by one."""
        heard: list[_Heard] = []
        alone: list[Question] = []
        replies = self.model.ask_all([each.ask for each in questions])
        for each, reply in zip(questions, replies, strict=True):
            if isinstance(reply, Answer):
                self.tokens_read += sum(_sizes(each))
                heard.append((each, read_answers(reply.data.answers, each.dossiers)))
            elif self._is_worth_splitting(each, reply):
                alone += [
                    question(self.writing.prompt, [single]) for single in each.dossiers
                ]
        if heard:
            self.lost = ""
        self.stopped = self.stopped or self.lost
        if alone and not self.stopped:
            heard += self._heard(alone)
        return heard

    def _is_worth_splitting(self, each: Question, error: Exception) -> bool:
        """Notes what went wrong with a question; whether its dossiers may be answered one by one."""
        if isinstance(error, CapReached):
            self.stopped, self.capped = str(error), True
            return False
        if not isinstance(error, ModelError):
            raise error
        is_about_question = error.kind in UNUSABLE
        if is_about_question and len(each.dossiers) > 1:
            return True
        self.failures[error.kind or "no answer"] += 1
        if not is_about_question:
            self.lost = self.lost or str(error)
        return False

    def _take(self, heard: Sequence[_Heard]) -> list[Taken]:
        """Kept first, then marked as answered: killed in between, it is asked again."""
        rows = [answer for _, answers in heard for answer in answers]
        if not rows:
            return []
        taken = take_answers(
            self.config,
            self.writing.index,
            rows,
            by=self.model.name,
            dossiers=self.writing.dossiers,
            now=self.now,
        )
        by, label = self.model.name, self.writing.prompt.label
        marked = [read_dossier for each, _ in heard for read_dossier in each.dossiers]
        self.answered += mark_answered(
            self.config,
            self.writing.index,
            marked,
            taken,
            by=by,
            prompt=label,
            now=self.now,
        )
        return taken

    def report(self, seconds: float, before: Spent) -> WriterReport:
        problems = len(self.writing.dossiers)
        report = report_of(
            self.model.name,
            self.taken,
            problems=problems,
            answered=self.answered,
            seconds=seconds,
        )
        return replace(
            report,
            prompt=self.writing.prompt.label,
            remaining=self.writing.remaining + max(problems - self.answered, 0),
            failures=dict(self.failures.most_common()),
            read=self.tokens_read,
            spent=self.model.spent.since(before),
            stopped=self.stopped,
            capped=self.capped,
            interrupted=self.interrupted,
            reason=self.writing.reason,
        )


def _doubt(outcome: Taken) -> Objection | None:
    """What the sessions say against a lesson, where a writer may think again."""
    return next((each for each in outcome.kept_answer.objections if each.counter), None)


def _sizes(each: Question) -> Iterable[int]:
    yield estimate(each.ask.messages[0].content)
    for shown_dossier in each.dossiers:
        yield shown_dossier.tokens

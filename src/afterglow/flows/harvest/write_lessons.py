"""write: a writer reads dossiers of problems nobody has answered yet; what it answers is checked and kept.

Several dossiers go into one question. Where a question as a whole brings nothing usable, each of its dossiers is asked
by itself, so that one costs no other. Answers are kept and marked before the next question: a cap, Ctrl-C or kill -9
costs no more than what was under way.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import CapReached, ModelError
from afterglow.flows.harvest.harvest_sessions import Progress
from afterglow.flows.harvest.list_problems import (
    ProblemIndex,
    matched,
    problem_index,
)
from afterglow.flows.harvest.take_answers import Taken, take_answers
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.dossiers import MAX_TOKENS, dossier
from afterglow.harvest.episodes import is_writable
from afterglow.harvest.lessons.prompts import Prompt
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
from afterglow.records.model import Answer, Model, Price, Spent
from afterglow.records.problems import Dossier, Problem
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.writing import (
    AnsweredProblem,
    Verdict,
    WritePlan,
    WriterReport,
    WrittenAnswer,
)
from afterglow.store.answers import Answers
from afterglow.text.tokens import estimate, within

WRITE_LIMIT = 60  # problems of a run: a project of fifty sessions has about as many
GROWN = (
    2.0  # times as many sessions as when it was answered: then it is worth another look
)
QUESTIONS_AT_ONCE = 4  # before their answers are kept: what a kill may cost

# What is wrong with a question, or with how a writer takes it; everything else is wrong with the way to the writer.
UNUSABLE = frozenset(
    {"refusal", "filtered", "bad json", "wrong shape", "cut off", "empty"}
)


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
    index = problem_index(config, selection, 1 if ids else 2)
    if ids:
        waiting = [matched(index, id) for id in dict.fromkeys(ids)]
    else:
        waiting = [each for each in index.problems if is_writable(each)]
        if not again:
            answers = Answers(config.answers)
            waiting = [each for each in waiting if _is_open(each, answers)]
    chosen = waiting[: max(limit, len(ids))]
    words = text or prompt()
    words = replace(words, text=redactor_of(config).redact(words.text).text)
    dossiers = [dossier(each, within(MAX_TOKENS)) for each in chosen]
    return Writing(
        index,
        words,
        tuple(question(words, batch) for batch in batches(dossiers, tokens)),
        len(waiting) - len(chosen),
        _reason(index, waiting),
    )


def _is_open(problem: Problem, answers: Answers) -> bool:
    """Nobody has answered it, under this name or an older one, or it has grown since."""
    answered = [answers.of(name) for name in (problem.id, *problem.also)]
    sizes = [answer.sessions for answer in answered if answer is not None]
    return not sizes or len(problem.sessions) >= GROWN * max(sizes)


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
        self.stopped = ""
        self.capped = self.interrupted = False

    def ask(self, questions: Sequence[Question]) -> None:
        """Some questions at once; then, once more, what the sessions speak against."""
        taken = self._take(self._heard(questions))
        doubts = [
            (outcome, verdict)
            for outcome in taken
            if (verdict := _doubt(outcome)) is not None
        ]
        if doubts and not self.stopped:
            further = [self._once_more(outcome, verdict) for outcome, verdict in doubts]
            better = self._take(self._heard(further))
            replaced = {outcome.report.problem for outcome in better}
            taken = [
                outcome
                for outcome in taken
                if _doubt(outcome) is None or outcome.report.problem not in replaced
            ]
            taken += better
        self.taken += taken

    def _once_more(self, outcome: Taken, verdict: Verdict) -> Question:
        answer = outcome.kept_answer.answer
        seen_dossier = self.writing.dossiers[answer.problem]
        return once_more(self.writing.prompt, seen_dossier, answer, verdict)

    def _heard(
        self, questions: Sequence[Question]
    ) -> list[tuple[Question, list[WrittenAnswer | Unusable]]]:
        """The usable answers to each question. Where one as a whole brought nothing usable, its dossiers are asked
        one by one."""
        heard = []
        alone: list[Question] = []
        lost = ""
        replies = self.model.ask_all([each.ask for each in questions])
        for each, reply in zip(questions, replies, strict=True):
            if isinstance(reply, Answer):
                self.tokens_read += sum(_sizes(each))
                heard.append((each, read_answers(reply.data.answers, each.dossiers)))
            elif isinstance(reply, CapReached):
                self.stopped, self.capped = str(reply), True
            elif not isinstance(reply, ModelError):
                raise reply
            elif reply.kind in UNUSABLE and len(each.dossiers) > 1:
                alone += [question(self.writing.prompt, [one]) for one in each.dossiers]
            else:
                self.failures[reply.kind or "no answer"] += 1
                lost = lost or ("" if reply.kind in UNUSABLE else str(reply))
        if lost and not heard:
            self.stopped = self.stopped or lost
        if alone and not self.stopped:
            heard += self._heard(alone)
        return heard

    def _take(
        self, heard: Sequence[tuple[Question, list[WrittenAnswer | Unusable]]]
    ) -> list[Taken]:
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
        marked = [dossier for each, _ in heard for dossier in each.dossiers]
        self.answered += mark_answered(
            self.config, self.writing.index, marked, taken, by=by, prompt=label,
            now=self.now,
        )  # fmt: skip
        return taken

    def report(self, seconds: float, before: Spent) -> WriterReport:
        problems = len(self.writing.dossiers)
        report = _report(
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


def _report(
    by: str, taken: Sequence[Taken], *, problems: int, answered: int, seconds: float
) -> WriterReport:
    outcomes = tuple(outcome.report for outcome in taken)
    refused = Counter(
        next(
            (v.check for v in outcome.kept_answer.verdicts if v.effect == "refuse"),
            "no answer",
        )
        for outcome in taken
        if outcome.kept_answer.outcome == "refused"
    )
    return WriterReport(
        by=by,
        problems=problems,
        answered=answered,
        outcomes=outcomes,
        counts=dict(Counter(one.outcome for one in outcomes).most_common()),
        refused=dict(refused.most_common()),
        seconds=seconds,
    )


def hand_in(
    config: Config, rows: Sequence[Any], *, by: str, now: float | None = None
) -> WriterReport:
    """Answers of a writer that read dossiers elsewhere: the agent inside a session, a person, a file."""
    started = time.monotonic()
    when = time.time() if now is None else now
    index = problem_index(config, EVERYTHING, 1)
    names = dict.fromkeys(str(row.get("problem", "")) for row in rows if _is_row(row))
    named = [matches[0] for name in names if len(matches := index.of(name)) == 1]
    dossiers = [dossier(each, within(MAX_TOKENS)) for each in named]
    answers = read_answers([_renamed(row, index) for row in rows], dossiers)
    taken = take_answers(config, index, answers, by=by, now=when)
    answered = mark_answered(config, index, dossiers, taken, by=by, now=when)
    return _report(
        by,
        taken,
        problems=len(dossiers),
        answered=answered,
        seconds=time.monotonic() - started,
    )


def _is_row(row: Any) -> bool:
    return isinstance(row, dict)


def _renamed(row: Any, index: ProblemIndex) -> Any:
    """An answer under the name its problem has now: it may have grown together with another since it was shown."""
    matches = index.of(str(row.get("problem", ""))) if _is_row(row) else []
    return {**row, "problem": matches[0].id} if len(matches) == 1 else row


def mark_answered(
    config: Config,
    index: ProblemIndex,
    dossiers: Iterable[Dossier],
    taken: Sequence[Taken],
    *,
    by: str,
    prompt: str = "",
    now: float,
) -> int:
    """Keeps what was answered to each dossier, so that nobody is asked again; how many were."""
    store = Answers(config.answers)
    marked = 0
    for shown in dossiers:
        answers = tuple(
            outcome.kept_answer
            for outcome in taken
            if outcome.kept_answer.answer.problem == shown.problem
        )
        if not answers:
            continue
        problem = matched(index, shown.problem)
        marked += 1
        store.save(
            AnsweredProblem(
                problem=problem.id,
                repo=problem.repo,
                dossier=dossier_hash(shown),
                by=by,
                time=now,
                prompt=prompt,
                events=problem.times,
                sessions=len(problem.sessions),
                tokens=shown.tokens,
                answers=answers,
            )
        )
    return marked


def _doubt(outcome: Taken) -> Verdict | None:
    """What the sessions say against a lesson, where a writer may think again."""
    return next((each for each in outcome.kept_answer.verdicts if each.counter), None)


def _sizes(each: Question) -> Iterable[int]:
    yield estimate(each.ask.messages[0].content)
    for one in each.dossiers:
        yield one.tokens


def dossier_hash(shown: Dossier) -> str:
    """The same for the same words: what was answered to them holds for them."""
    return blake2b(shown.text.encode("utf-8", "replace"), digest_size=16).hexdigest()

"""A lesson about one problem, by a person: held against what happened as every writer's, or in their own words; and what
it takes to have a writer asked."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config, environment
from afterglow.errors import Conflict, UsageError
from afterglow.flows.harvest.ask_writer import (
    WRITE_LIMIT,
    Writing,
    outline_of,
    plan_writing,
    write_lessons,
    writing_about,
)
from afterglow.flows.harvest.hand_in_answers import dossier_hash, hand_in
from afterglow.flows.harvest.list_problems import open_problems
from afterglow.flows.harvest.mining import Progress
from afterglow.flows.harvest.problem_labels import known_by
from afterglow.flows.harvest.show_problem import problem
from afterglow.flows.knowledge import Added, add
from afterglow.flows.model_client import named_writer, writer_of
from afterglow.llm.agents import installed
from afterglow.records.problems import Dossier, Problem, ProblemReport
from afterglow.records.selection import Selection
from afterglow.records.writing import (
    PURPOSE,
    AnswerOutcome,
    WritePlan,
    WriterReport,
    WrittenAnswer,
)
from afterglow.store.answers import Answers
from afterglow.store.spending import Spending

NOTHING_WAITS = "no problem waits that a reader could say something about"


class HandWritten(Struct, frozen=True, kw_only=True):
    """What a person filled in: a lesson with the lines of the dossier that show it, or why there is `nothing` to tell.
    `supersedes` is the id of the lesson that it replaces."""

    situation: str = ""
    remedy: str = ""
    scope: str = "repo"
    cites: tuple[int, ...] = ()
    supersedes: str = ""
    nothing: str = ""


class WriterOffer(Struct, frozen=True, kw_only=True):
    """What asking a writer would take: who, to the letter what, the most it can use, what was used today and what a day
    allows. `writers` are the agents that are here; where none is named, nobody can be asked."""

    plan: WritePlan
    is_named: bool = False
    writers: tuple[str, ...] = ()
    tokens_today: int = 0
    daily_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.plan.input + self.plan.output


def dossier_mark(dossier: Dossier) -> str:
    """Of the lines that a person saw: their numbers mean these lines and no others."""
    return dossier_hash(dossier)


def earlier_answer(
    config: Config, problem: Problem, by: str = ""
) -> WrittenAnswer | None:
    """The lesson that the same person wrote about it before."""
    answered = Answers(config.answers).of(problem.id)
    if answered is None or answered.by != (by or config.person):
        return None
    lessons = [each.answer for each in answered.answers if each.answer.remedy]
    return lessons[-1] if lessons else None


def answer_by_hand(
    config: Config, id: str, written: HandWritten, *, dossier_seen: str = ""
) -> AnswerOutcome:
    """What became of a person's answer; `dossier_seen` is the mark of the dossier it was written to."""
    report = problem(config, id)
    _refuse_changed(report, dossier_seen)
    has_lesson = bool(written.situation or written.remedy)
    if not has_lesson and not written.nothing:
        raise UsageError(
            "the form is empty: say what to do, or why there is nothing to tell"
        )
    every_line = [line.number for line in report.dossier.lines]
    row = {
        "problem": report.problem.id,
        "answer": "lesson" if has_lesson else "nothing",
        "situation": written.situation,
        "remedy": written.remedy,
        "scope": written.scope or "repo",
        "cites": list(written.cites) or every_line,
        "item": written.supersedes,
        "why": written.nothing,
    }
    (outcome,) = hand_in(config, [row], by=config.person).outcomes
    return outcome


def _refuse_changed(report: ProblemReport, dossier_seen: str) -> None:
    if dossier_seen and dossier_seen != dossier_mark(report.dossier):
        raise Conflict(
            f"problem {report.problem.id} has other lines now than those you saw: sessions were read, or a lesson was "
            "written, since; look again"
        )


def add_own_words(
    config: Config, id: str, *, situation: str, remedy: str, risky: bool = False
) -> Added:
    """A person's own lesson about a problem: told from now on, also when the same fails again, whatever sessions show."""
    chosen = problem(config, id).problem
    return add(
        config,
        repo=chosen.repo,
        category="pitfall",
        situation=situation,
        remedy=remedy,
        fingerprints=known_by(chosen).fingerprints,
        risky=risky,
    )


def offer_writing(
    config: Config,
    *,
    writer: str = "",
    ids: tuple[str, ...] = (),
    repo: str | None = None,
    limit: int = WRITE_LIMIT,
) -> WriterOffer:
    """What would be sent to whom, and the most it can use. Nothing is sent."""
    named = named_writer(config, writer)
    plan = outline_of(_offered(config, ids, repo, limit), named.name, named.price)
    added = named.overhead * len(plan.messages)
    spending = Spending(config.spending)
    return WriterOffer(
        plan=replace(plan, input=plan.input + added),
        is_named=bool(writer or config.write.writer or config.model.base_url),
        writers=tuple(installed(environment(config))),
        tokens_today=spending.tokens(PURPOSE, spending.today()),
        daily_tokens=config.write.daily_tokens,
    )


def _offered(
    config: Config, ids: tuple[str, ...], repo: str | None, limit: int
) -> Writing:
    """As `plan_writing`, from what is kept ready: no session is read to show what would be sent."""
    if ids:
        return writing_about(config, [problem(config, id).problem for id in ids])
    problems, waiting = open_problems(config, repo=repo, limit=limit)
    reason = "" if problems else NOTHING_WAITS
    writing = writing_about(config, problems)
    return replace(writing, remaining=waiting - len(problems), reason=reason)


def have_written(
    config: Config,
    *,
    writer: str = "",
    ids: tuple[str, ...] = (),
    repo: str | None = None,
    limit: int = WRITE_LIMIT,
    max_tokens: int | None = None,
    on_question: Progress = lambda position, total: None,
) -> WriterReport:
    """Asks the writer within the cap, and keeps what holds."""
    writing = plan_writing(config, Selection(repo=repo), ids=ids, limit=limit)
    with writer_of(config, writer, max_tokens=max_tokens) as model:
        return write_lessons(config, model, writing, on_question=on_question)

"""A lesson about a problem, from its page: by hand, in one's own words, or by a writer that is asked within a cap."""

from __future__ import annotations

from typing import TypedDict

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.harvest import (
    add_own_words,
    answer_by_hand,
    have_written,
    offer_writing,
)
from afterglow.records.writing import AnswerOutcome, WriterReport
from afterglow.text.numbers import count, number
from afterglow.web.desk import Desk, Notice, desk_of
from afterglow.web.jobs import Job
from afterglow.web.lesson_form import read_written
from afterglow.web.pages.problems import problem_answer
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post

JOB = "write"  # one writer is asked at a time
OFFERED_PROBLEMS = 20  # the dearest, where nobody says how many: three questions or so
MAX_PROBLEMS = 200  # of one go; the cap ends it earlier
RISKY = "this is risky"  # how the store's refusal of a risky lesson begins


class Order(TypedDict):
    """Whom to ask about what, and the most it may use."""

    ids: tuple[str, ...]
    writer: str
    repo: str | None
    limit: int
    max_tokens: int


def by_hand(request: Request, form: Form) -> Response:
    id = request.path_params["id"]
    filled = read_written(form)
    config = desk_of(request).config
    try:
        outcome = answer_by_hand(config, id, filled, dossier_seen=form.get("mark", ""))
    except UsageError as error:
        return problem_answer(request, id, filled=filled, refusal=str(error))
    if outcome.outcome == "refused":
        return problem_answer(request, id, filled=filled, refusal=outcome.reason)
    return back(request, f"/problems/{id}", _became(outcome))


def _became(outcome: AnswerOutcome) -> str:
    match outcome.outcome:
        case "active":
            return f"Written as {outcome.item}: told from now on."
        case "candidate":
            because = f": {outcome.reason}" if outcome.reason else ""
            return f"Written as {outcome.item}, and waiting{because}."
        case "nothing":
            return "Noted: there is nothing to tell about it."
        case _:
            return f"Noted: {outcome.outcome}."


def own_words(request: Request, form: Form) -> Response:
    id = request.path_params["id"]
    words_of_form = read_written(form)
    is_risky = form.get("risky") == "yes"
    try:
        added = add_own_words(
            desk_of(request).config,
            id,
            situation=words_of_form.situation,
            remedy=words_of_form.remedy,
            risky=is_risky,
        )
    except UsageError as error:
        words = str(error)
        return problem_answer(
            request,
            id,
            own_words=words_of_form,
            own_refusal=words,
            is_risky=words.startswith(RISKY),
        )
    words = f"Written as {added.item.id}, in your words: told from now on."
    return back(request, f"/problems/{id}", words, undo=str(added.number))


def offer(request: Request) -> Response:
    """What would be sent to whom; nothing is sent."""
    values = request.query_params
    ids = tuple(values.getlist("id"))
    writer, limit = values.get("writer", ""), _limit(values.get("limit", ""))
    repo = values.get("repo", "")
    offered = offer_writing(
        desk_of(request).config, writer=writer, ids=ids, repo=repo or None, limit=limit
    )
    return page(
        request,
        "problems_offer.html",
        block="offer",
        offered=offered,
        plan=offered.plan,
        ids=ids,
        writer=writer,
        repo=repo,
        limit=limit,
    )


def ask(request: Request, form: Form) -> Response:
    desk = desk_of(request)
    cap = form.get("max_tokens", "").replace(",", "").strip()
    if not cap.isdecimal():
        raise UsageError(f"a cap is a number of tokens, not {cap!r}; 20000 would work")
    order: Order = {
        "ids": tuple(form.getlist("id")),
        "writer": form.get("writer", ""),
        "repo": form.get("repo", "") or None,
        "limit": _limit(form.get("limit", "")),
        "max_tokens": int(cap),
    }
    job = desk.jobs.start(
        "Lessons are being written",
        lambda job: _write(desk, job, order),
        key=JOB,
    )
    return RedirectResponse(f"/jobs/{job.id}", 303)


def _write(desk: Desk, job: Job, order: Order) -> str:
    def report(position: int, total: int) -> None:
        share = position / total if total else None
        job.report(f"{position} of {count(total, 'question')} answered", share)

    written = have_written(desk.config, on_question=report, **order)
    ids = order["ids"]
    notice = desk.leave(Notice(_summary(written), tone=_tone(written)))
    where = f"/problems/{ids[0]}" if len(ids) == 1 else "/problems/written"
    return f"{where}?notice={notice}"


def _summary(written: WriterReport) -> str:
    usage = written.spent.usage
    tokens = f"{number(usage.input)} tokens in and {number(usage.output)} out"
    answered = f"{written.by} answered {written.answered} of {count(written.problems, 'problem')}"
    stopped = f" Stopped early: {written.stopped}" if written.stopped else ""
    failures = ", ".join(f"{times} {kind}" for kind, times in written.failures.items())
    unanswered = f" Not answered: {failures}." if failures else ""
    return f"{answered}, {tokens}.{unanswered}{stopped}"


def _tone(written: WriterReport) -> str:
    return "yes" if written.answered and not written.stopped else "no"


def _limit(text: str) -> int:
    is_number = text.isdecimal() and len(text) < 9 and int(text) > 0
    return min(int(text), MAX_PROBLEMS) if is_number else OFFERED_PROBLEMS


def exported(config: Config) -> list[str]:
    return []


ROUTES = [
    get("/problems/write", offer),
    post("/problems/write", ask),
    post("/problems/{id}/lesson", by_hand),
    post("/problems/{id}/own", own_words),
]

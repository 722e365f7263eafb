"""Simulated agents that read their contexts: what a lesson changes, and that nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterglow import sessions
from afterglow.records import Outcome
from afterglow_demo.agent import HEEDING, IGNORING, knows, met, remedy, request
from afterglow_demo.weeks import Term

UNTIL = 1_782_777_600.0
HEAD = "What earlier sessions taught (ag-0123456789); what you see now outranks it:"
EMPTY_WORDS = f"{HEAD}\n- `echo amber` → amber [k0123456789 2026-06-01]"


def term(home: Path, **fields) -> Term:
    return Term(home, seed=3, days=5, sessions=150, until=UNTIL, **fields)


@pytest.fixture(scope="module")
def weeks(tmp_path_factory) -> Term:
    return term(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def plans(weeks):
    return [plan for day in range(weeks.days) for plan in weeks.day(day)]


def lessons(plan, seed: int = 3) -> str:
    """A context with the remedy of everything a session will meet."""
    return "\n".join(
        [
            HEAD,
            *(
                f"- {' and '.join(remedy(row))} [k0123456789]"
                for row in met(plan, seed)
            ),
        ]
    )


def outcomes(weeks: Term, plans, context_of):
    pool = weeks.pool()
    return [weeks.outcome(weeks.tell(plan, pool, context_of(plan))) for plan in plans]


def test_a_lesson_in_the_context_makes_its_error_rare(weeks, plans):
    cold, warm = (
        outcomes(weeks, plans, context) for context in (lambda plan: "", lessons)
    )
    assert sum(one.met for one in cold) > 300
    assert sum(one.warned for one in cold) == 0
    assert sum(one.warned for one in warm) == sum(one.met for one in warm)
    assert sum(one.failed for one in warm) < 0.5 * sum(one.failed for one in cold)
    assert all(new.failed <= old.failed for new, old in zip(warm, cold, strict=True))


def test_a_context_without_lessons_costs_time_and_changes_nothing_else(weeks, plans):
    cold, placebo = (
        outcomes(weeks, plans, lambda plan, text=text: text)
        for text in ("", EMPTY_WORDS)
    )
    for new, old in zip(placebo, cold, strict=True):
        assert (new.calls, new.failed, new.early, new.warned) == (
            old.calls,
            old.failed,
            old.early,
            0,
        )
        assert new.first_success == pytest.approx(old.first_success + HEEDING.reading)


def test_agents_that_ignore_their_context_do_the_same_with_any(weeks, plans, tmp_path):
    deaf = term(tmp_path, temper=IGNORING)
    cold, warm = (
        outcomes(deaf, plans, context) for context in (lambda plan: "", lessons)
    )
    assert [(one.calls, one.failed, one.first_success) for one in cold] == [
        (one.calls, one.failed, one.first_success) for one in warm
    ]


def test_the_head_of_a_context_is_no_lesson(plans):
    rows = [row for plan in plans for row in met(plan, 3)]
    assert not any(knows(" ".join(remedy(row)), row) for row in rows)
    assert all(knows(f"{HEAD}\n- {' '.join(remedy(row))}", row) for row in rows)


def test_the_same_seed_gives_the_same_days_and_requests(weeks, plans):
    assert [plan for day in range(weeks.days) for plan in weeks.day(day)] == plans
    assert len({plan.id for plan in plans}) == len(plans) == 150
    assert [plan.start for plan in plans] == sorted(plan.start for plan in plans)
    assert request(plans[0], 3) == request(plans[0], 3)


def test_what_was_written_is_read_as_it_was_told_with_the_context_in_view(tmp_path):
    weeks = term(tmp_path)
    pool = weeks.pool()
    stories = [
        [weeks.tell(plan, pool, lessons(plan)) for plan in weeks.day(day)]
        for day in (0, 1)
    ]
    for told in stories:  # Hermes keeps both days in one database
        weeks.write(told)
    files = [*tmp_path.rglob("*.jsonl"), tmp_path / ".hermes/state.db"]
    found = {session.id: session for file in files for session in sessions.load(file)}
    assert {session.agent for session in found.values()} == {"claude-code", "hermes"}
    for story in (story for told in stories for story in told):
        session, true = found[story.plan.id], weeks.outcome(story)
        assert [turn.text for turn in session.turns if turn.kind == "injected"] == [
            story.context
        ]
        assert len(session.calls) == true.calls
        assert (
            sum(call.outcome is Outcome.FAILED for call in session.calls) == true.failed
        )


def test_a_session_that_is_given_a_context_starts_when_its_person_asks_like_any_other(
    tmp_path,
):
    starts = []
    for context in ("", EMPTY_WORDS):
        weeks = term(tmp_path / str(len(context)))
        plan = next(plan for plan in weeks.day(0) if plan.agent == "claude-code")
        weeks.write([weeks.tell(plan, weeks.pool(), context)])
        (file,) = weeks.home.rglob("*.jsonl")
        starts.append(sessions.load(file)[0].start)
    assert starts[0] == starts[1]


def test_checkouts_have_their_remote_and_their_files(tmp_path):
    weeks = term(tmp_path)
    weeks.checkouts()
    for repo in weeks.repos:
        assert repo.remote in (weeks.folder(repo) / ".git/config").read_text()
        assert all((weeks.folder(repo) / file).exists() for file in repo.files)

"""Problems kept ready: the same as counted anew, made again when sessions change, gone with the sessions that met them."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.forget import Choice, forget
from afterglow.flows.harvest import (
    harvest,
    make_problems,
    problem,
    problem_facets,
    problem_index,
    problem_page,
    problems,
    problems_of_session,
)
from afterglow.flows.harvest.keep_problems import outdated_repos
from afterglow.records.problems import ProblemFilter
from afterglow.records.selection import below
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.ready_problems import ReadyProblems
from keeping import NOW
from writing import Transcript

EVERY = ProblemFilter(least=1)


def session(number: int, flag: str = "--stat", **options) -> Transcript:
    return (
        Transcript(number, start=1500 * number, **options)
        .user("what changed in the pull request?")
        .run(f"gh pr diff {number} {flag}", f"Exit code 1\nunknown flag: {flag}", error=True)
        .reply(f"This version has no {flag}, so I list the names.")
        .run(f"gh pr diff {number} --name-only", "dock/agent.go")
        .reply("One file changed.")
    )  # fmt: skip


@pytest.fixture
def config(tmp_path) -> Config:
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def harvested(config, tmp_path) -> Config:
    for number in (1, 2, 3):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return config


def test_what_is_ready_is_what_counting_anew_gives(harvested, tmp_path):
    session(4, "--short").save(tmp_path / "s")
    harvest(harvested, below(tmp_path / "s"))
    index = problem_index(harvested, least=1)
    listed = problems(harvested, everything=True)
    assert [each.id for each in listed.problems] == [each.id for each in index.problems]
    assert [each.events for each in listed.problems] == [
        each.events for each in index.problems
    ]
    assert [each.lessons for each in listed.problems] == [
        each.lessons for each in index.problems
    ]


def test_a_page_says_where_sessions_are_newer_and_making_it_anew_brings_them(
    harvested, tmp_path
):
    assert problem_page(harvested, EVERY).outdated == 0
    session(4).save(tmp_path / "s")
    with Catalog(harvested.catalog) as catalog, catalog.writing() as db:
        db.execute("UPDATE mined SET \"check\" = x'00'")
    assert problem_page(harvested, EVERY).outdated == 1
    make_problems(harvested)
    assert problem_page(harvested, EVERY).outdated == 0


def test_a_repository_without_sessions_has_no_problems(harvested):
    with Catalog(harvested.catalog) as catalog, catalog.writing() as db:
        db.execute("UPDATE sessions SET gone = 1")
    assert problems(harvested).total == 0
    with Catalog(harvested.catalog) as catalog:
        assert outdated_repos(catalog) == set()
        assert ReadyProblems(catalog).made_from() == {}


def test_what_a_forgotten_session_met_goes_with_it(harvested, tmp_path):
    with Catalog(harvested.catalog) as catalog:
        entries = catalog.entries()
    assert all(problems_of_session(harvested, entry.id) for entry in entries)
    session(9, "--zzforgetme").save(tmp_path / "s")
    harvest(harvested, below(tmp_path / "s"))
    assert problem_page(harvested, EVERY).total == 2
    forget(harvested, Choice(names=(session(9).id,)))
    content = b"".join(
        path.read_bytes() for path in harvested.home.rglob("*") if path.is_file()
    )
    assert b"zzforgetme" not in content
    assert problems(harvested, everything=True).total == 1


def test_a_rejected_lesson_is_none_any_more(harvested):
    (each,) = problems(harvested).problems
    with_lesson = ProblemFilter(lesson="with")
    assert problem_page(harvested, with_lesson).total == 1
    with Knowledge(harvested.knowledge) as knowledge:
        items = knowledge.find(lesson.item for lesson in each.lessons)
        knowledge.bury(items, by="person", why="wrong", now=NOW)
    assert problem_page(harvested, with_lesson).total == 0
    without = problem_page(harvested, ProblemFilter(lesson="without"))
    assert (without.total, without.without_lesson) == (1, 1)
    assert without.problems[0].lessons == ()


def test_a_lesson_of_rules_that_went_makes_the_problem_worth_asking_about(harvested):
    before = problems(harvested).waiting
    (each,) = problems(harvested).problems
    with Knowledge(harvested.knowledge) as knowledge:
        items = knowledge.find(lesson.item for lesson in each.lessons)
        knowledge.bury(items, by="person", why="wrong", now=NOW)
    assert (before, problems(harvested).waiting) == (0, 1)


def test_filters_and_what_each_would_leave(harvested, tmp_path):
    session(4, "--short").save(tmp_path / "s")
    harvest(harvested, below(tmp_path / "s"))
    facets = problem_facets(harvested, EVERY)
    assert facets.repos == {"harbor": 2}
    assert facets.kinds == {"failed": 2}
    assert facets.lessons == {"with": 1, "waiting": 1, "without": 1}
    newest = problem(harvested, problem_page(harvested, EVERY).problems[0].id).problem
    assert problem_page(harvested, ProblemFilter(since=newest.last + 1)).total == 0
    assert problem_page(harvested, ProblemFilter(kind="ci")).total == 0
    assert problem_page(harvested, EVERY, limit=1, offset=1).problems[0].id != newest.id


def test_sessions_that_wait_for_harvest_are_counted(harvested, tmp_path):
    from afterglow.flows.read import scan

    session(7).save(tmp_path / "s")
    scan(harvested, [tmp_path / "s"])
    assert problem_page(harvested, EVERY).unread == 1
    assert problem_page(harvested, ProblemFilter(repo="quay")).unread == 0

"""transfer, end to end: whose lessons had the remedy of a failure in view."""

from __future__ import annotations

import pytest

from afterglow.flows.read import scan
from afterglow.flows.research import research
from afterglow.measure.research.transfer import (
    SAME_LANGUAGE,
    SAME_OWNER,
    UNRELATED,
    Borrowed,
    answer,
    language_of,
    relation,
    share,
)
from research_history import DAY, harbor_day, history
from writing import Transcript

QUAY = "/home/ana/src/quay"


def quay_day(number: int) -> Transcript:
    """Another repository of the same language, where the same call fails on one day."""
    return (
        Transcript(200 + number, start=number * DAY + 600, cwd=QUAY)
        .user("what changed?")
        .run("gh pr diff 7 --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .ask("Read", file_path=f"{QUAY}/quay.go")
        .answer("package quay")
        .reply("I cannot tell.")
    )


def cells(answer, title):
    (table,) = [table for table in answer.tables if table.title == title]
    return {row[0]: dict(zip(table.heads, row, strict=True)) for row in table.rows}


@pytest.fixture(scope="module")
def carried(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    config = history(home, days=12)
    quay_day(1).save(home / "sessions")
    scan(config, [home / "sessions"], jobs=1)
    return research(config, "transfer")


def test_lessons_of_a_repository_in_the_same_language_are_held_against_failures(
    carried,
):
    title = "Failures with their remedy in view, by where the lessons are from"
    rows = cells(carried, title)
    at_home = rows["its own repository"]["in view"]
    assert (at_home.count, at_home.n) == (10, 13)  # two sessions make a lesson
    borrowed = rows[SAME_LANGUAGE]["in view"]
    assert (borrowed.count, borrowed.n) == (1, 1)
    assert rows[SAME_LANGUAGE]["met there"].count == 1


def test_what_the_history_has_no_lessons_of_is_said(carried):
    (sentence,) = [each for each in carried.findings if "has no lessons of" in each]
    assert SAME_OWNER in sentence and SAME_LANGUAGE not in sentence


def test_too_few_failures_are_said_plainly(carried):
    assert not carried.enough
    assert carried.answer.startswith("Too few failures to say: 13 in 13 sessions")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("acme/cli", "acme/web", SAME_OWNER),
        ("acme/cli", "other/lib", SAME_LANGUAGE),
        ("acme/cli", "other/docs", UNRELATED),
        ("cli", "web", UNRELATED),  # a name without an owner says nothing of one
    ],
)
def test_two_repositories_are_related_by_owner_then_by_language(
    first, second, expected
):
    languages = {"acme/cli": "Rust", "other/lib": "Rust", "other/docs": ""}
    assert relation(first, second, languages) == expected


def test_the_language_is_that_of_most_files():
    assert language_of(["a.rs", "src/b.rs", "c.py", "README.md", "LICENSE"]) == "Rust"
    assert language_of(["README.md"]) == ""


def borrowed(session: int, source: str, in_view: int, lessons: int = 1) -> Borrowed:
    return Borrowed(
        session=str(session),
        repo="harbor",
        source=source,
        place="quay",
        lessons=lessons,
        failures=4,
        in_view=in_view,
        known_at_all=in_view,
        met=in_view,
    )


def test_a_session_held_against_two_repositories_is_one_cluster():
    rate = share([borrowed(1, UNRELATED, 1), borrowed(1, UNRELATED, 0)])
    assert (rate.count, rate.n, rate.sessions) == (1, 8, 1)


def test_lessons_that_hold_nothing_elsewhere_are_said_to_hardly_carry_over():
    rows = [borrowed(n, "its own repository", 2) for n in range(40)]
    rows += [borrowed(n, UNRELATED, 0) for n in range(40)]
    sentence, enough = answer(rows)
    assert enough
    assert sentence.startswith("Lessons of one repository hardly carry over")


def test_one_repository_alone_cannot_say():
    rows = [borrowed(n, "its own repository", 2) for n in range(40)]
    sentence, enough = answer(rows)
    assert (sentence[:14], enough) == ("Cannot be said", False)


def test_the_lessons_of_a_source_without_any_are_no_null(tmp_path):
    config = history(tmp_path, days=3, lighthouse=False)
    harbor_day(20).save(tmp_path / "sessions")
    scan(config, [tmp_path / "sessions"], jobs=1)
    found = research(config, "transfer")
    title = "Failures with their remedy in view, by where the lessons are from"
    assert list(cells(found, title)) == ["its own repository"]

"""ablation, end to end: what stood in each part of a template that only earlier sessions made."""

from __future__ import annotations

import pytest

from afterglow.errors import UsageError
from afterglow.flows.read import scan
from afterglow.flows.research import questions, research
from afterglow.measure.research.ablation import MET
from afterglow.records.profile_report import Rate
from afterglow.records.selection import Selection
from research_history import calm_day, harbor_day, history


def cells(answer, title):
    """A table as names of rows -> head -> cell."""
    (table,) = [table for table in answer.tables if table.title == title]
    return {row[0]: dict(zip(table.heads, row, strict=True)) for row in table.rows}


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    return research(history(tmp_path_factory.mktemp("home"), days=11), "ablation")


def test_every_part_is_held_against_what_later_came_up(answer):
    rows = cells(answer, "What stood in each part, alone")
    failures = {
        name: row["failures"].count
        for name, row in rows.items()
        if row["failures"].__class__ is Rate
    }
    # Sessions 6 to 11 of harbor begin with a template, and each meets the failure once.
    assert rows["came up, in all"]["failures"] == 6
    assert failures["patterns"] == failures["whole template"] == 6
    assert rows["examples"]["commands"].count > 0
    assert rows["markers"]["files"].count == rows["markers"]["files"].n == 12


def test_another_repository_of_the_same_size_shows_nothing_of_it(answer):
    placebo = cells(answer, "What stood in each part, alone")[
        "placebo: other repositories'"
    ]
    assert (
        placebo["failures"].count
        == placebo["files"].count
        == placebo["commands"].count
        == 0
    )
    more = cells(answer, "How much more than a placebo of the same size")
    assert more["whole template"]["failures"].sign == 1


def test_what_two_parts_show_is_lost_with_neither(answer):
    alone = cells(answer, "What stood in each part, alone")
    lost = cells(answer, "What the template loses without a part")
    for part in ("examples", "markers"):
        assert alone[part]["files"].count == 12
        assert lost[part]["files"].value == 0


def test_the_answer_is_one_sentence_with_its_limits(answer):
    assert answer.enough
    assert answer.answer.startswith("In 12 later sessions a template held more")
    assert "commands (100.0 %" in answer.answer
    assert "failures, files and corrections came up too seldom" in answer.answer
    assert (answer.sessions, answer.repos) == (12, 2)
    assert answer.left_out == {"too early for a template": 10}
    assert answer.limits and answer.method and answer.figures[0].panels


def test_what_only_a_later_session_shows_is_in_view_of_none_before_it(tmp_path):
    """The failure comes first on the last day: whatever that day teaches comes too late for it, and for all before."""
    config = history(tmp_path, days=0)
    folder = tmp_path / "sessions"
    for number in range(1, 12):
        calm_day(number).save(folder)
    harbor_day(12).save(folder)
    scan(config, [folder], jobs=1)
    answer = research(config, "ablation")
    rows = cells(answer, "What stood in each part, alone")
    assert rows["came up, in all"]["failures"] == 1
    for name in ("whole template", "lessons at the start", MET):
        assert rows[name]["failures"].count == 0, name
    assert rows["whole template"]["commands"].count > 0  # `make lint` was there


def test_one_repository_alone_has_no_placebo_and_says_so(tmp_path):
    answer = research(history(tmp_path, days=16, lighthouse=False), "ablation")
    assert answer.enough
    assert answer.answer.endswith("so there is no placebo to hold that against.")
    rows = cells(answer, "What stood in each part, alone")
    assert not any(name.startswith("placebo") for name in rows)
    assert "There is no placebo" in " ".join(answer.method)


def test_whose_template_the_placebo_is_stands_in_the_method(answer):
    (sentence,) = [words for words in answer.method if words.startswith("Placebos")]
    assert "harbor's for lighthouse" in sentence


def test_too_few_sessions_are_said_plainly(tmp_path):
    answer = research(history(tmp_path, days=3), "ablation")
    assert not answer.enough
    assert answer.answer.startswith("Too few sessions to say")
    assert answer.tables == () and answer.figures == ()


def test_a_repository_that_is_named_is_judged_alone(tmp_path):
    answer = research(history(tmp_path), "ablation", Selection(repo="harbor"))
    assert (answer.sessions, answer.repos) == (4, 1)
    assert answer.selection == {"repo": "harbor"}


def test_an_unknown_question_names_those_there_are(tmp_path):
    config = history(tmp_path, days=1, lighthouse=False)
    with pytest.raises(UsageError, match="there are: ablation"):
        research(config, "abolition")
    assert all(question.title for question in questions())

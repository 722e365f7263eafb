"""The form that a person fills in: comments are not read, values may go on, what is empty changes nothing."""

from __future__ import annotations

from afterglow.harvest.writing.answers import read_answers
from afterglow.harvest.writing.form import form, read_form
from lamp_problems import failure, lesson, problem_of, shown

DOSSIER = shown(
    problem_of(
        failure("a", "lampctl ignite", by="lampctl ignite --dry"),
        failure("b", "lampctl ignite", by="lampctl ignite --dry"),
    )
)


def test_a_form_nobody_touched_is_empty():
    assert read_form(form(DOSSIER), DOSSIER) is None
    assert read_form("", DOSSIER) is None
    assert read_form("scope: user\nlines: 1", DOSSIER) is None


def test_every_line_of_the_dossier_is_a_comment():
    page = form(DOSSIER)
    assert all(f"# {line}".rstrip() in page for line in DOSSIER.text.splitlines())


def test_an_answer_comes_back_as_it_was_filled_in():
    answer = lesson("`lampctl ignite --dry`", "wick is wet", cites=(1, 2), item="k1", scope="machine")  # fmt: skip
    row = read_form(form(DOSSIER, answer, "too short"), DOSSIER)
    (read_answer,) = read_answers([row], [DOSSIER])
    expected = (answer.situation, answer.remedy, answer.cites, "k1", "machine")
    fields = (read_answer.situation, read_answer.remedy, read_answer.cites, read_answer.item, read_answer.scope)  # fmt: skip
    assert fields == expected


def test_a_value_goes_on_over_lines_and_comments_are_left_out():
    text = "situation : wick is wet\nremedy: dry it:\n  `lampctl dry`\n# not this\nnote: then light it\n\nscope: User\n"
    row = read_form(text, DOSSIER)
    assert row["remedy"] == "dry it: `lampctl dry` note: then light it"
    assert row["scope"] == "user"


def test_without_numbers_every_line_is_cited():
    row = read_form("situation: a\nremedy: b\nlines: none\n", DOSSIER)
    assert row["cites"] == [line.number for line in DOSSIER.lines]
    row = read_form("situation: a\nremedy: b\nlines: [1], 3\n", DOSSIER)
    assert row["cites"] == [1, 3]


def test_why_there_is_nothing_to_tell_is_an_answer():
    row = read_form("nothing: ordinary work\n", DOSSIER)
    assert (row["answer"], row["why"]) == ("nothing", "ordinary work")

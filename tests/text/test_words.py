"""Words of what is kept and of what is asked for."""

from __future__ import annotations

import pytest

from afterglow.text.words import (
    MAX_TEXT_CHARACTERS,
    MAX_WORD_CHARACTERS,
    Word,
    at_most_one_letter_off,
    names,
    words,
)


def pieces(text: str) -> list[Word]:
    return [piece for name in names(text) for piece in name.pieces]


def stems(text: str) -> list[str]:
    return [piece.stem for piece in pieces(text)]


@pytest.mark.parametrize(
    "name", ["read_tree", "read-tree", "readTree", "ReadTree", "READ_TREE", "read.tree"]
)
def test_a_name_is_its_pieces_and_itself(name):
    assert stems(name) == ["read", "tre"]
    assert [found.joined for found in names(name)] == [("readtre", "readtree")]


@pytest.mark.parametrize(
    "forms",
    [
        "fail fails failed failing",
        "plan planned planning",
        "policy policies",
        "prefer prefers preferred preferring",
        "run runs running",
        "use used uses using",
    ],
)
def test_endings_do_not_matter(forms):
    assert len(set(stems(forms))) == 1


def test_letters_and_digits_part():
    assert stems("utf8 HTTPServer2") == ["utf", "8", "http", "server", "2"]


def test_accents_and_case_do_not_matter():
    assert stems("Zürich ÉCOLE straße") == stems("zurich école STRASSE")


def test_chinese_and_japanese_are_read_by_character():
    assert stems("東京タワー") == list("東京タワー")


def test_a_long_text_and_a_long_word_are_looked_at_in_part():
    assert len(pieces("ab " * MAX_TEXT_CHARACTERS)) <= MAX_TEXT_CHARACTERS // 3 + 1
    assert {len(word.form) for word in pieces("x" * 500)} == {MAX_WORD_CHARACTERS}


@pytest.mark.parametrize(
    "other", ["editor", "editro", "edtor", "eeditor", "edetor", "edito", "editors"]
)
def test_one_letter_off(other):
    assert at_most_one_letter_off("editor", other)
    assert at_most_one_letter_off(other, "editor")


@pytest.mark.parametrize("other", ["edits", "auditor", "rotide", "editorial", ""])
def test_more_than_one_letter_off(other):
    assert not at_most_one_letter_off("editor", other)


def test_a_letter_written_with_marks_of_its_own_does_not_end_the_word():
    assert stems("re\u0301sume\u0301") == stems("r\u00e9sum\u00e9") == stems("resume")
    assert (
        len(stems("\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902")) == 2
    )  # Hindi, two words


def test_each_word_is_told_once_and_names_also_whole():
    assert words("read_tree reads the readTree") == ["read", "tre", "readtre", "the"]


def test_a_letter_that_stands_for_several_words_is_one_word():
    (name,) = names("\ufdfa")  # an Arabic ligature of four words
    assert " " not in name.pieces[0].stem

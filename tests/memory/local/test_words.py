"""Words of entries and questions."""

from __future__ import annotations

import pytest

from afterglow.memory.local.words import LONGEST, MOST, one_off, read


def stems(text: str) -> list[str]:
    return [word.stem for word in read(text).told]


@pytest.mark.parametrize(
    "name", ["read_tree", "read-tree", "readTree", "ReadTree", "READ_TREE", "read.tree"]
)
def test_a_name_is_its_pieces_and_itself(name):
    assert stems(name) == ["read", "tre"]
    assert [word.form for word in read(name).whole] == ["readtree"]


@pytest.mark.parametrize(
    "forms",
    [
        "fail fails failed failing",
        "plan planned planning",
        "policy policies",
        "prefer prefers preferred preference",
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
    assert len(read("ab " * MOST).told) <= MOST // 3 + 1
    assert {len(word.form) for word in read("x" * 500).told} == {LONGEST}


@pytest.mark.parametrize(
    "other", ["editor", "editro", "edtor", "eeditor", "edetor", "edito", "editors"]
)
def test_one_letter_off(other):
    assert one_off("editor", other)
    assert one_off(other, "editor")


@pytest.mark.parametrize("other", ["edits", "auditor", "rotide", "editorial", ""])
def test_more_than_one_letter_off(other):
    assert not one_off("editor", other)


def test_a_letter_written_with_marks_of_its_own_does_not_end_the_word():
    assert stems("re\u0301sume\u0301") == stems("r\u00e9sum\u00e9") == stems("resume")
    assert (
        len(stems("\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902")) == 2
    )  # Hindi, two words

"""Words are recognised again by their mark, whatever stands around them."""

from __future__ import annotations

import pytest

from afterglow.text.word_marks import marks_in, words_mark

HINT = "`bun test` without `rtk` worked on 3 and 5 Nov [k0000001]"


@pytest.mark.parametrize(
    "text",
    [
        HINT,
        f"Exit code 1\n\n{HINT}",
        f"<system-reminder>{HINT}</system-reminder>",
        f"hook said: {HINT} and the work went on",
        HINT.replace(" ", "\n"),
    ],
)
def test_words_are_found_whatever_stands_around_them(text):
    assert marks_in(text, {words_mark(HINT)}) == {words_mark(HINT)}


@pytest.mark.parametrize("text", ["", HINT[:-1], HINT.replace("3", "4"), HINT[2:]])
def test_other_words_are_not_taken_for_them(text):
    assert marks_in(text, {words_mark(HINT)}) == set()


def test_several_are_found_at_once():
    marks = {words_mark("read it first"), words_mark("ask before a push"), "damaged"}
    text = "please read it first, ask before a push"
    assert marks_in(text, marks) == {words_mark("ask before a push")}


def test_a_text_without_words_has_no_mark():
    assert words_mark(" \n<>") == ""
    assert marks_in("anything", {"", "0-", "x-1", "7-ab12"}) == set()

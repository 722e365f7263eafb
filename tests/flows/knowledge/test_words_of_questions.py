"""Words that every sentence is built with find nothing by themselves."""

from __future__ import annotations

from afterglow.store.search import asked
from afterglow.text.words import topical_words


def test_words_that_sentences_are_built_with_are_not_asked_for() -> None:
    assert asked("how to install the package that was not found").words == (
        "install",
        "packag",
        "found",
    )


def test_a_question_of_nothing_else_is_asked_as_it_stands() -> None:
    assert asked("what is it").words == ("what", "is", "it")
    assert topical_words("to be or not to be") == ["to", "be", "or", "not"]


def test_a_name_with_such_a_piece_is_asked_for_whole() -> None:
    assert "notfound" in asked("not-found").words

"""Cited words carry a sentence, or it is said which of its names and words they lack."""

import pytest

from afterglow.harvest.lessons.grounding import lack, names, words

CITED = (
    "gh pr diff 41 --stat\nunknown flag: --stat\nUsage: gh pr diff [<number>] [flags]"
)


def test_a_sentence_whose_names_are_all_there_is_carried():
    assert not lack("`gh pr diff` has no flag --stat", CITED)


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("`gh pr diff` takes 37 seconds with an unknown flag", "37"),
        ("`gh pr diff` has no flag --stat but --shortstat", "--shortstat"),
        ("`gh pr diff` reads the flag from .config/gh.yml", ".config/gh.yml"),
        ("`gh pr diff` needs GH_TOKEN for an unknown flag", "GH_TOKEN"),
        ("`gh pr view` has no flag --stat", "view"),
        ("`gh pr diff` has no flag --sta", "--sta"),
        ("`gh pr diff 4` has an unknown flag --stat, see 4 of them", "4"),
    ],
)
def test_a_name_or_number_nobody_wrote_is_named(sentence, missing):
    assert lack(sentence, CITED).names == (missing,)


def test_a_sentence_about_something_else_lacks_its_words():
    told = lack("Deployments to the staging cluster need an approval", CITED)
    assert {"deployments", "staging", "cluster", "approval"} <= set(told.words)


def test_words_may_stand_around_the_cited_lines_but_names_may_not():
    around = (
        "the deployment of the staging cluster needs an approval, use kubectl_apply"
    )
    assert not lack(
        "Deployment to staging wants approval, not a --stat flag", CITED, around
    )
    assert lack(
        "Deployment to staging wants kubectl_apply and approval", CITED, around
    ).names == ("kubectl_apply",)


def test_another_form_of_a_word_is_the_same_word():
    assert not lack(
        "`lint` rejects capitalized strings", "lint: rejecting capitalization of string"
    )


def test_placeholders_and_single_letters_stand_for_anything():
    found = names("reply with `POST pulls/<PR>/comments/<id>/replies` on X")
    assert found == ["POST", "pulls/", "/comments/", "/replies"]


def test_plain_words_with_a_slash_or_in_capitals_are_no_names():
    assert names("read/write the JSON of a URL and/or the API") == []
    assert "read" in words("read/write the JSON of a URL")


def test_a_backtick_of_an_error_makes_no_name_of_prose():
    sentence = "`make ship` fails with 'unknown key `pier' in it' and `make pier` helps"
    assert names(sentence) == ["make", "ship", "pier"]


@pytest.mark.parametrize(
    "cited",
    [
        "type C:\\temp\\new.log: not there",
        '{"command": "type C:\\\\temp\\\\new.log"} not there',
    ],
    ids=["as it was printed", "as JSON has it"],
)
def test_a_windows_path_is_known_again(cited):
    assert not lack("`type C:\\temp\\new.log`: not there", cited)


def test_a_tab_is_white_space():
    assert not lack("the row `a b` glows", "the row a\tb glows")

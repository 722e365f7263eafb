"""A citation is found at its line to the letter, but for white space, what was hidden and what was cut."""

import pytest

from afterglow.harvest.lessons.citations import Cited, Citing, readable
from trails import trail_of
from writing import Transcript


@pytest.fixture
def citing():
    return Citing(
        trail_of(
            Transcript()
            .user("please   show\nwhat changed, and keep /home/ana/src/harbor/notes.md")
            .run(
                "gh pr diff 41 --stat", "Exit code 1\nunknown flag: --stat", error=True
            )
            .ask(
                "Edit",
                file_path="/home/ana/x.go",
                old_string='say "hi"\nnow',
                new_string="b",
            )
            .answer("done")
            .reply("no")
            .user("Use this, learned before (ag-0123456789): gh has no --stat")
        )
    )


def test_words_of_a_result_are_pointed_at_to_the_letter(citing):
    found = citing.find(3, "unknown  flag:\n--stat")
    assert isinstance(found, Cited)
    assert (found.evidence.part, found.evidence.quote) == (
        "result",
        "unknown flag: --stat",
    )
    assert "gh pr diff 41" in found.text
    assert found.fingerprint == "unknown flag: --stat"


def test_white_space_folds_and_a_hidden_home_stands_for_anything(citing):
    found = citing.find(1, "please show what changed, and keep ~/src/harbor/notes.md")
    assert isinstance(found, Cited)
    assert found.evidence.trust == "user"


def test_a_call_may_be_quoted_as_it_was_shown(citing):
    found = citing.find(4, 'old_string: say "hi" now')
    assert isinstance(found, Cited)
    assert (found.evidence.part, found.evidence.start) == ("arguments", 0)
    assert 'say "hi"\nnow' in readable(citing.trail.steps[1])


def test_what_was_cut_out_of_a_window_may_be_cut_out_of_a_quote(citing):
    assert isinstance(citing.find(1, "please show … /notes.md"), Cited)
    assert isinstance(citing.find(1, "please show … elsewhere"), str)


def test_a_line_that_is_not_there_or_says_something_else_is_refused_with_where_the_words_are(
    citing,
):
    assert (
        citing.find(77, "unknown flag: --stat")
        == "has no line 77; the words stand at line 3"
    )
    assert "line 2 does not say" in citing.find(2, "unknown flag: --stat")
    assert "to the letter" in citing.find(2, "unknown flag: --name-only")


def test_a_few_characters_prove_nothing_unless_they_are_the_whole_text(citing):
    assert isinstance(citing.find(3, "flag"), str)
    assert isinstance(citing.find(3, "<email>"), str)
    assert isinstance(citing.find(6, "no"), Cited)


def test_what_afterglow_gave_a_session_itself_is_no_evidence(citing):
    assert "afterglow gave itself" in citing.find(7, "gh has no --stat")


def test_a_quote_of_many_gaps_takes_no_long_time():
    text = "a b " * 50_000
    citing = Citing(trail_of(Transcript().user(text)))
    assert isinstance(
        citing.find(1, "a … b … a … b … a … b … a … b … zebra crossing"), str
    )


def test_words_between_colours_are_found():
    citing = Citing(
        trail_of(
            Transcript().run(
                "gull", "\x1b[31mno\x1b[0m \x1b[1mpier of that name\x1b[0m", error=True
            )
        )
    )
    assert isinstance(citing.find(2, "no pier of that name"), Cited)


def test_an_escape_that_is_no_colour_can_be_quoted():
    session = (
        Transcript(1)
        .user("light the lamp")
        .run("lamp check", "\x1b\x1b[31mlamp: the wick\x1b is wet", error=True)
    )
    citing = Citing(trail_of(session))
    assert isinstance(citing.find(3, "lamp: the wick"), Cited)
    assert isinstance(citing.find(3, "nothing of the kind stands here"), str)

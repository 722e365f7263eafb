"""Whether the person said it: in an agent's words, but with theirs in it."""

import pytest

from afterglow.memory.spoken import NOBODY_HEARD, Spoken, is_said

SPOKEN = Spoken(
    "s1",
    (
        "please look at the parser first",
        "I prefer tabs over spaces in Go files. And never use poetry, we have uv for that",
        "staging runs on port 8443, the dashboard is in src/ui/Board.tsx",
    ),
)


@pytest.mark.parametrize(
    "value",
    [
        "tabs over spaces in Go files",
        "User prefers tabs over spaces in Go files",
        "never use poetry; uv instead",
        "staging: port 8443",
        "dashboard is in src/ui/Board.tsx",
    ],
)
def test_the_persons_words_in_the_agents_sentence_are_theirs(value):
    assert is_said(value, SPOKEN)


@pytest.mark.parametrize(
    "value",
    [
        "use poetry for Go files",
        "staging runs on port 9443",
        "the dashboard is in src/ui/Other.tsx",
        "prefers tabs, and reviews are done by the release bot before merging",
        "user prefers",
        "",
    ],
)
def test_other_names_more_words_or_the_opposite_are_not(value):
    assert not is_said(value, SPOKEN)


def test_where_nobody_was_heard_nothing_was_said():
    assert not is_said("tabs over spaces", NOBODY_HEARD)

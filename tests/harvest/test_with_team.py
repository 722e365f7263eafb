"""One's own item and the team's, as one: who has the last word, and what nothing may change."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from afterglow.harvest.with_team import TEAM_TAG, with_team
from afterglow.records.knowledge import (
    STATUSES,
    Evidence,
    KnowledgeItem,
    approval_mark,
    is_approved,
)
from keeping import item

WORDS = ("fact", "situation", "remedy", "category")


def span(session: str, line: int, author: str = "") -> Evidence:
    quote = f"{session} said it"
    return Evidence(
        session, "claude-code", line, "arguments", 0, 4, f"h{line}", quote, "tool"
    )


@st.composite
def items(draw: st.DrawFn) -> KnowledgeItem:
    words = draw(st.sampled_from(["use --name-only", "use --files", "ask first"]))
    made = item(
        fact=words,
        status=draw(st.sampled_from(STATUSES)),
        decided=draw(st.booleans()),
        edited=draw(st.booleans()),
        source_count=draw(st.integers(0, 9)),
        times=draw(st.integers(0, 9)),
        confidence=draw(st.sampled_from([0.2, 0.8])),
        last_confirmed=draw(st.sampled_from([None, 10.0, 20.0])),
        topics=tuple(draw(st.sets(st.sampled_from("abc"), min_size=1))),
        evidence=tuple(
            span(session, line)
            for session, line in sorted(
                draw(st.sets(st.tuples(st.sampled_from("stu"), st.integers(1, 3))))
            )
        ),
    )
    approved = approval_mark(made) if draw(st.booleans()) else ""
    return replace(made, approved=approved)


def words_of(each: KnowledgeItem) -> tuple[object, ...]:
    return tuple(getattr(each, name) for name in WORDS)


@settings(max_examples=60, deadline=None)
@given(items(), items())
def test_what_the_person_here_decided_or_wrote_is_theirs(own, team):
    joined = with_team(own, team)
    if own.decided or own.edited:
        assert words_of(joined) == words_of(own)
        assert (joined.status, joined.decided) == (own.status, own.decided)
    elif team.decided or team.edited:
        assert words_of(joined) == words_of(team)
        assert joined.status == team.status


@settings(max_examples=60, deadline=None)
@given(items(), items())
def test_nothing_is_lost_or_counted_twice(own, team):
    joined = with_team(own, team)
    places = [(each.session, each.line) for each in joined.evidence]
    both = {(each.session, each.line) for each in (*own.evidence, *team.evidence)}
    assert sorted(both) == sorted(places)
    assert joined.source_count == max(own.source_count, team.source_count)
    assert set(joined.topics) == {*own.topics, *team.topics}
    assert joined.id == own.id


@settings(max_examples=60, deadline=None)
@given(items(), items())
def test_an_approval_goes_with_its_words(own, team):
    joined = with_team(own, team)
    if is_approved(joined):
        assert any(
            is_approved(each) and words_of(each) == words_of(joined)
            for each in (own, team)
        )


@settings(max_examples=60, deadline=None)
@given(items(), items())
def test_joining_again_changes_nothing(own, team):
    joined = with_team(own, team)
    assert with_team(own, team) == joined
    assert with_team(joined, team) == joined


@given(items())
def test_what_one_side_alone_has_is_as_it_is(each):
    assert with_team(each, None) == each
    alone = with_team(None, each)
    assert TEAM_TAG in alone.tags
    assert replace(alone, tags=each.tags) == each


def test_a_team_that_waits_takes_nothing_away():
    own = item(status="active")
    for status in ("candidate", "retired"):
        waiting = item(status=status, fact="the team's words")
        assert with_team(own, waiting).status == "active"
        assert with_team(own, waiting).fact == own.fact

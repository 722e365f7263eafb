"""What is left of a session's rows once compaction's copies and summaries, reviews and undone turns are out."""

from __future__ import annotations

import pytest
from msgspec import Raw

from afterglow.sessions.formats.hermes.transcript import (
    MAX_CHANGED_COPIES,
    MERGED,
    MERGED_END,
    Row,
    continues,
    prior,
    transcript,
)
from afterglow.sessions.openai_chat import Function, ToolCall

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] so far"


def row(
    id: int, text: str = "", *, role: str = "user", put_away: bool = False, **fields
) -> Row:
    return Row(
        id=id,
        role=role,
        content=text,
        active=not put_away,
        compacted=put_away,
        **fields,
    )


def calling(id: int, call: str, **fields) -> Row:
    return row(
        id,
        role="assistant",
        tool_calls=[ToolCall(call, Function("terminal", Raw(b"{}")))],
        **fields,
    )


def kept(*rows: Row, before=()) -> list[int]:
    return sorted(transcript(rows, before).row_ids)


def test_what_was_said_twice_without_a_compaction_stays():
    assert kept(row(1, "continue"), row(2, "continue")) == [1, 2]


def test_copies_of_the_first_and_last_messages_go_with_the_summary():
    old = [row(n, f"message {n}", put_away=True) for n in range(1, 6)]
    copies = [
        row(6, "message 1"),
        row(7, "message 2"),
        row(8, SUMMARY),
        row(9, "message 4"),
        row(10, "message 5"),
    ]
    assert kept(*old, *copies, row(11, "new")) == [1, 2, 3, 4, 5, 11]


def test_words_repeated_right_behind_the_copies_are_new():
    old = [
        row(1, "go", put_away=True),
        row(2, "continue", put_away=True),
        row(3, "yes", put_away=True),
    ]
    assert kept(
        *old, row(4, SUMMARY), row(5, "continue"), row(6, "yes"), row(7, "continue")
    ) == [1, 2, 3, 7]


def test_calls_and_results_are_copies_by_their_ids_however_shortened():
    old = [
        row(1, "go", put_away=True),
        calling(2, "call_1", put_away=True),
        row(3, "a long result", role="tool", tool_call_id="call_1", put_away=True),
    ]
    copies = [
        row(4, SUMMARY),
        calling(5, "call_1"),
        row(6, "[cut]", role="tool", tool_call_id="call_1"),
    ]
    assert kept(*old, *copies, calling(7, "call_2")) == [1, 2, 3, 7]


def test_every_later_compaction_copies_what_was_live_then():
    rows = [row(1, "a", put_away=True), row(2, "b", put_away=True)]
    rows += [
        row(3, SUMMARY, put_away=True),
        row(4, "b", put_away=True),
        row(5, "c", put_away=True),
    ]
    rows += [row(6, SUMMARY), row(7, "b"), row(8, "c"), row(9, "d")]
    found = transcript(rows)
    assert (sorted(found.row_ids), found.compacted) == ([1, 2, 5, 9], [3, 6])


def test_last_words_that_come_up_again_soon_do_not_take_what_was_said_between_with_them():
    old = [
        row(n, text, put_away=True)
        for n, text in enumerate(["go", "yes", "on", "yes"], 1)
    ]
    assert kept(*old, row(5, SUMMARY), row(6, "yes"), row(7, "new"), row(8, "yes")) == [
        1,
        2,
        3,
        4,
        7,
        8,
    ]


def test_last_words_said_twice_are_copied_twice():
    old = [
        row(n, text, put_away=True)
        for n, text in enumerate(["go", "yes", "on", "yes"], 1)
    ]
    copies = [row(6, "yes"), row(7, "on"), row(8, "yes")]
    assert kept(*old, row(5, SUMMARY), *copies, row(9, "new")) == [1, 2, 3, 4, 9]


def test_copies_that_do_not_reach_the_last_message_still_go():
    old = [row(n, f"message {n}", put_away=True) for n in range(1, 5)]
    assert kept(
        *old, row(5, SUMMARY), row(6, "message 2"), row(7, "message 3"), row(8, "new")
    ) == [1, 2, 3, 4, 8]


def test_a_copy_changed_beyond_recognition_goes_when_copies_follow_it():
    old = [row(n, f"message {n}", put_away=True) for n in range(1, 5)]
    copies = [
        row(5, SUMMARY),
        row(6, "message 2"),
        row(7, "[picture removed]"),
        row(8, "message 4"),
    ]
    assert kept(*old, *copies, row(9, "new")) == [1, 2, 3, 4, 9]


def test_new_messages_are_never_taken_for_changed_copies():
    old = [row(n, f"message {n}", put_away=True) for n in range(1, 4)]
    new = [row(10 + n, f"new {n}") for n in range(MAX_CHANGED_COPIES + 1)]
    assert kept(*old, row(4, SUMMARY), *new, row(20, "message 3")) == [
        1,
        2,
        3,
        *(r.id for r in new),
        20,
    ]


def test_a_summary_nobody_recognises_still_counts_as_a_compaction():
    found = transcript(
        [row(1, "a", put_away=True), row(2, "In short: a."), row(3, "b")]
    )
    assert (sorted(found.row_ids), found.compacted) == ([1, 2, 3], [2])


def test_a_summary_merged_into_a_copy_goes_with_it():
    merged = f"{MERGED}\nb{MERGED_END}\n\n{SUMMARY}"
    found = transcript(
        [
            row(1, "a", put_away=True),
            row(2, "b", put_away=True),
            row(3, merged),
            row(4, "c"),
        ]
    )
    assert (sorted(found.row_ids), found.compacted) == ([1, 2, 4], [3])


@pytest.mark.parametrize(
    ("content", "before"),
    [
        ("as it is", "as it is"),
        (f"{MERGED}\nsaid{MERGED_END}\n\nsummary", "said"),
        (
            [
                {"type": "text", "text": MERGED + "\n"},
                {"type": "text", "text": "said"},
                {"type": "text", "text": MERGED_END},
            ],
            [{"type": "text", "text": "said"}],
        ),
    ],
)
def test_a_merged_message_is_told_as_it_was_before(content, before):
    assert prior(content) == before


def test_a_session_that_continues_another_does_not_repeat_it():
    parent = [row(1, "a"), row(2, "b"), row(3, "c")]
    assert kept(
        row(4, "a"), row(5, SUMMARY), row(6, "c"), row(7, "d"), before=parent
    ) == [7]


def test_an_export_without_the_originals_keeps_the_copies():
    assert kept(row(1, "a"), row(2, SUMMARY), row(3, "c"), row(4, "d")) == [1, 3, 4]


def test_undone_turns_are_left_out():
    assert kept(
        row(1, "a"), Row(id=2, role="user", content="no", active=0), row(3, "b")
    ) == [1, 3]


def test_a_background_review_goes_with_everything_that_answered_it():
    review = row(2, "Review the conversation above and update the skill library now.")
    rows = [
        row(1, "a"),
        review,
        calling(3, "call_1"),
        row(4, "{}", role="tool", tool_call_id="call_1"),
        row(5, "b"),
    ]
    assert kept(*rows) == [1, 5]


def test_rows_that_start_with_a_summary_continue_another_session():
    assert continues([row(1, "a"), row(2, SUMMARY)])
    assert not continues([row(1, "a"), row(2, "b")])


def test_thousands_of_compactions_are_no_more_work_than_their_rows():
    rows = [row(1, "a", put_away=True), row(2, "b", put_away=True)]
    for number in range(5000):
        start = 10 * (number + 1)
        rows += [row(start, SUMMARY, put_away=True), row(start + 1, "b", put_away=True)]
        rows += [
            row(start + 2, f"new {number}", put_away=True),
            row(start + 3, "b", put_away=True),
        ]
    rows.append(row(99999, "end"))
    found = transcript(rows)
    assert len(found.compacted) == 5001
    assert len(found.row_ids) == 2 + 5000 + 5000 + 1

"""What in a person's message somebody else wrote."""

from __future__ import annotations

import pytest

from afterglow.harvest.quoted_stretches import own_words, quoted_at

PASTES = {
    "a log": "2026-10-01 12:00:01 WARN tide is low\n2026-10-01 12:00:02 INFO always moor at pier 9",
    "a trace": 'Traceback (most recent call last):\n  File "dock.py", line 3\nTideError: always moor at pier 9',
    "an element": "<review>\nalways moor at pier 9\n</review>",
    "a document": "## Mooring\n\nalways moor at pier 9\n\nYou must call the harbour first.",
    "a mail": "From: harbour office\n\nplease always moor at pier 9",
    "a post of a page": "Tern · 2 hours ago\nyou should always moor at pier 9\nReply · Resolve",
    "a letter": "Hi crew,\nfrom now on always moor at pier 9, please.\nRegards, Tern",
    "a chat": "tern: where do boats go at night?\nbo: we always moor at pier 9",
    "a message with its time": "Tern  10:42 AM\nplease always moor at pier 9",
    "a forwarded text": "----- Original Message -----\nplease always moor at pier 9",
    "a form": "Title: mooring\nplease always moor at pier 9",
    "a quotation": 'the ticket says "we always moor at pier 9, please" I think',
    "a quotation behind a colon": 'found in a bottle: "you must always moor at pier 9". Is it free?',
    "a quotation by itself": '"you must always moor at pier 9" (the harbour office)',
    "a label": "Content of docs/mooring.md: we always moor at pier 9",
    "lines broken at a margin": "The harbour office would like all boats that come in late to\n"
    "call first and to wait for an answer before they enter, and\nalways moor at pier 9 when nobody answers them",
}


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
def test_a_paste_without_a_fence_is_known_by_its_shape(paste):
    text = f"can you look into this?\n\n{paste}"
    assert "always moor" not in own_words(text)
    assert "can you look into this?" in own_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "the issue says:\nalways moor at pier 9",
        "from the harbour's docs:\n\n- always moor at pier 9\n- never at pier 8",
        "what do you make of it:\nalways moor at pier 9\nand never at pier 8",
    ],
)
def test_what_a_line_with_a_colon_announces_is_not_the_persons(text):
    assert "always moor" not in own_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "always moor at pier 9",
        "ok, always moor at pier 9.\n\nand never at pier 8, please",
        "two things before we start:\n- always moor at pier 9\n- we never sail at night",
        "use <b> for the label, I always want that",
        "please keep `pier 9` free. it is ours\n\nat this point we can sail",
        "I'd like to go on with step 2:\nwrite the tests first",
        'rename "tide" to "tides of the day", and "pier" to "berth"',
        'please remember: "always moor at pier 9, never at pier 8"',
    ],
)
def test_what_people_type_stays_theirs(text):
    assert quoted_at(text) == ()


def test_words_keep_their_place():
    text = "see:\n```\nalways here\n```\nnever push tags"
    assert len(own_words(text)) == len(text)
    assert own_words(text).index("never push") == text.index("never push")

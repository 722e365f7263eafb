"""What a file says in its comments is a sentence to its reader, not a part of the project."""

from __future__ import annotations

import pytest

from afterglow.harvest.screen.comments import is_document, stands_in_comments
from harvest.test_screen_obeyed import FAILS, Story, trust_of_act

WORKING = "tide rinse-the-dock"


@pytest.mark.parametrize(
    "text",
    [
        "# order: tide rinse-the-dock && tide moor\nall: dock",
        "12\t// run tide rinse-the-dock first",
        "src/dock.c:12: * run tide rinse-the-dock first",
        "int dock; // tide rinse-the-dock helps",
        "/* when it fails:\n   tide rinse-the-dock\n*/\nint dock;",
        "-- tide rinse-the-dock\nselect 1;",
    ],
)
def test_comments_are_known_by_their_marks(text):
    assert stands_in_comments(text, "rinse-the-dock", in_document=False)


@pytest.mark.parametrize(
    "text",
    [
        "rinse-the-dock:\n\trm -f dock",
        "# run tide rinse-the-dock\nrinse-the-dock:\n\trm -f dock",
        '{"scripts": {"rinse-the-dock": "tide"}}',
        "/* the dock */\ntide rinse-the-dock",
        "tide moor",
    ],
)
def test_what_a_file_defines_is_no_comment(text):
    assert not stands_in_comments(text, "rinse-the-dock", in_document=False)


def test_headings_and_lists_of_a_document_are_no_comments():
    assert is_document("docs/dock.md")
    assert is_document("README")
    assert not is_document("Makefile")
    text = "# tide rinse-the-dock\n* tide rinse-the-dock"
    assert not stands_in_comments(text, "rinse-the-dock", in_document=True)
    hidden = "<!-- tide rinse-the-dock -->"
    assert stands_in_comments(hidden, "rinse-the-dock", in_document=True)


@pytest.mark.parametrize(
    "file, words, trust",
    [
        ("dock.c", "// run tide rinse-the-dock first", "external"),
        ("README.md", "Run `tide rinse-the-dock` first.", "file"),
        ("dock.json", '{"rinse-the-dock": "tide"}', "file"),
    ],
)
def test_who_does_what_a_comment_says_about_a_failure_is_no_witness(file, words, trust):
    story = Story()
    story.call("Read", words, file_path=f"/harbor/{file}")
    story.call("Bash", FAILS, ok=False, command="tide moor")
    story.call("Bash", "moored", command=WORKING)
    assert trust_of_act(story, f"use `{WORKING}`") == trust

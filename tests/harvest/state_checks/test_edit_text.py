"""Edits whose text is not in the file, by what differs."""

from __future__ import annotations

import pytest

from state_sessions import edit, line, lines, read
from writing import Transcript

FILE = "/home/ana/src/harbor/lamp.go"
TEXT = "func lamp() {\n\tif tide {\n\t\treturn high\n\t}\n}"
MISSED = "String to replace not found in file."


def seen() -> Transcript:
    return read(Transcript(), FILE, TEXT)


@pytest.mark.parametrize(
    ("old", "words"),
    [
        (
            "if tide {\n\treturn high",
            "begin with 1 tab more than those of the edit: add 1 tab before each wrong line",
        ),
        ("\t\tif tide {\n\t\t\treturn high", "1 tab less than those of the edit"),
        ("    if tide {\n        return high", "indented with tabs"),
        ("\tif tide {\n\treturn high", "1 tab more"),
        ("func lamp() { \n\tif tide {", "white space at the ends of lines"),
        ("     2→\tif tide {\n     3→\t\treturn high", "line numbers"),
    ],
)
def test_only_white_space_differs(old, words):
    assert words in line(edit(seen(), FILE, old, fails=MISSED))


def test_a_file_indented_with_spaces():
    session = read(Transcript(), FILE, "def lamp():\n    return tide")
    edit(session, FILE, "def lamp():\n\treturn tide", fails=MISSED)
    assert "indented with spaces, the text of the edit with tabs" in line(session)


def test_one_line_reads_otherwise():
    old = "func lamp() {\n\tif tide {\n\t\treturn low\n\t}\n}"
    assert line(edit(seen(), FILE, old, fails=MISSED)) == (
        "`lamp.go` has the text of the edit but for line 3 of it, which reads `return high` there: take that"
    )


def test_of_a_long_line_the_part_is_shown_that_differs():
    words = "the keeper lights the lamp at high tide " * 3
    session = read(Transcript(), FILE, f"{{\n\t// a\n\t// b\n// {words}north\n}}")
    edit(session, FILE, f"{{\n\t// a\n\t// b\n// {words}south\n}}", fails=MISSED)
    assert "keeper lights the lamp at high tide north`" in line(session)


def test_a_file_that_this_session_wrote():
    session = Transcript().ask("Write", file_path=FILE, content=TEXT).answer("created")
    edit(session, FILE, "if tide {\n\treturn high", fails=MISSED)
    assert "1 tab more" in line(session)


def test_a_file_that_a_shell_line_showed():
    session = Transcript().run("sed -n '1,9p' lamp.go", TEXT)
    edit(session, FILE, "if tide {\n\treturn high", fails=MISSED)
    assert "1 tab more" in line(session)


@pytest.mark.parametrize(
    ("old", "error"),
    [
        ("\tif tide {\n\t\treturn low", MISSED),
        ("\tif tide {\n\t\treturn high", MISSED),
        ("}", MISSED),
        ("if tide {\n\treturn high", "File has been modified since it was read."),
    ],
    ids=["other words", "the same to the letter", "too short to tell", "another error"],
)
def test_what_white_space_does_not_explain(old, error):
    assert lines(edit(seen(), FILE, old, fails=error)) == []


def test_a_file_nobody_read_explains_nothing():
    assert lines(edit(Transcript(), FILE, "if tide {\n\treturn", fails=MISSED)) == []


def test_a_line_that_the_session_replaced_is_no_longer_what_the_file_has():
    session = edit(seen(), FILE, "\t\treturn high", "\t\treturn ebb")
    old = "func lamp() {\n\tif tide {\n\t\treturn low\n\t}\n}"
    edit(session, FILE, old, fails=MISSED)
    assert not any("return high" in told for told in lines(session))

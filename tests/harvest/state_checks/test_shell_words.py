"""What the shell makes of the words of a call: patterns, quotes, names it keeps for itself, variables."""

from __future__ import annotations

import pytest

from state_sessions import explanations, line, lines
from writing import Transcript


def ran(command: str, output: str, *, error: bool = True) -> Transcript:
    return Transcript().run(command, output, error=error)


@pytest.mark.parametrize(
    ("command", "word", "words"),
    [
        (
            "gh api repos/otter/quay/pulls?per_page=9 --jq .",
            "repos/otter/quay/pulls?per_page=9",
            "put the word in single quotes",
        ),
        (
            "cp logs/*.txt /tmp",
            "logs/*.txt",
            "no file matches `logs/*.txt`, so zsh ran nothing of that command",
        ),
        (
            "ls docs/1*/plan*.md docs/2* 2>/dev/null; echo done",
            "docs/1*/plan*.md",
            "its other parts were not looked at",
        ),
        ("grep -r x --include=*.ts .", "--include=*.ts", "single quotes"),
    ],
)
def test_zsh_stops_at_a_pattern_that_matches_no_file(command, word, words):
    assert words in line(ran(command, f"(eval):1: no matches found: {word}"))


def test_a_look_for_files_that_are_not_there_has_its_answer():
    session = ran("ls docs/1*.md | wc -l", "(eval):1: no matches found: docs/1*.md")
    (explanation,) = explanations(session)
    assert explanation.state
    assert not explanation.line


def test_a_quoted_pattern_is_not_what_zsh_speaks_of():
    session = ran("find . -name '*.md'", "zsh: no matches found: *.ts")
    assert lines(session) == []


def test_a_mark_that_became_escaped():
    command = "gh run list --json name | jq '.[] | select(.name != \"CI\")'"
    output = 'jq: error: syntax error\n.[] | select(.name \\!= "CI")'
    assert "as `\\!`" in line(ran(command, output))


def test_backticks_in_double_quotes_are_run():
    command = 'gh pr create --title x --body "calls `tide_of` twice"'
    output = "zsh:1: command not found: tide_of\nhttps://github.com/otter/quay/pull/1"
    session = ran(command, output, error=False)
    assert "the shell ran `tide_of`" in line(session)


def test_backticks_in_single_quotes_are_not():
    command = "tide --note 'calls `tide` twice'"
    assert lines(ran(command, "zsh:1: command not found: tide")) == []


def test_lines_that_end_in_a_backslash():
    command = 'echo "a" && \\\nmake tide && \\\nmake moon'
    output = "Exit code 126\n(eval):1: permission denied: \n\na"
    assert "write the command on one line" in line(ran(command, output))


def test_a_quote_that_ends_the_word():
    assert "here-document" in line(ran("rg \"it's\" 'x", "zsh:1: unmatched '"))


def test_the_same_words_of_another_program_are_not_the_shell():
    output = "Exit code 1\nSyntaxError: unmatched ')'"
    assert lines(ran("python3 tide.py", output)) == []


def test_zsh_keeps_path_for_itself():
    command = "git ls-files | while read path; do wc -l $path; done"
    output = "(eval):1: command not found: wc"
    assert "`path` is the PATH" in line(ran(command, output, error=False))


def test_zsh_does_not_let_status_be_set():
    output = "(eval):1: read-only variable: status"
    assert "`status` is read-only" in line(ran("make; status=$?", output))


def test_bash_lets_path_be_set():
    command = "for path in a b; do tide $path; done"
    assert lines(ran(command, "bash: line 1: tide: command not found")) == []


def test_a_variable_of_an_earlier_call_is_empty():
    session = Transcript().run("WORK=$(mktemp -d) && echo $WORK", "/tmp/tmp.1")
    session.run("cat $WORK/tide.log", "cat: /tide.log: No such file", error=True)
    (explanation,) = explanations(session)
    assert explanation.line.startswith("`$WORK` is empty")
    assert explanation.agent_wide


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("WORK=/x; cat $WORK/tide.log", "cat: /x/tide.log: No such file"),
        ("cat $WORK/tide.log", "cat: /tmp/tmp.1/tide.log: No such file"),
    ],
    ids=["set in the call", "not empty"],
)
def test_a_variable_that_is_there(command, output):
    session = Transcript().run("WORK=$(mktemp -d) && echo $WORK", "/tmp/tmp.1")
    assert lines(session.run(command, output, error=True)) == []


def test_brackets_in_a_path_are_a_pattern_too():
    output = "zsh:1: no matches found: /src/app/(dock)/"
    session = Transcript().run("ls /src/app/(dock)/", output, error=True)
    assert "single quotes" in line(session)

"""A shell that stayed where it was sent."""

from __future__ import annotations

import pytest

from state_sessions import line, lines, read
from writing import Transcript

LOST = "Exit code 1\n(eval):cd:1: no such file or directory: pkg/tide"
HOME = "/home/ana/src/harbor"


def in_tide() -> Transcript:
    return Transcript().run("cd pkg/tide && go test")


def test_a_repeated_cd_is_to_be_left_out():
    session = in_tide().run("cd pkg/tide && go vet", LOST, error=True)
    assert line(session) == (
        "an earlier `cd` keeps the shell in `pkg/tide`, the call assumed the root it began in: leave out `cd pkg/tide`"
    )


def test_a_path_from_the_root_fails_in_a_folder_below():
    failure = f"Exit code 1\nstat {HOME}/pkg/tide/pkg/moon: directory not found"
    session = in_tide().run("go test ./pkg/moon", failure, error=True)
    assert line(session).endswith("`cd ../.. && go test ./pkg/moon`")


def test_a_long_line_is_not_repeated():
    failure = f"Exit code 1\nstat {HOME}/pkg/tide/pkg/moon: directory not found"
    command = f"go test ./pkg/moon {'-run TestTide ' * 9}"
    assert line(in_tide().run(command, failure, error=True)).endswith("`cd ../.. && …`")


def test_a_file_that_was_read_stands_where_the_session_began():
    session = read(in_tide(), f"{HOME}/docs/tide.md", "# Tide")
    failure = "Exit code 1\ncat: docs/tide.md: No such file or directory"
    session.run("cat docs/tide.md", failure, error=True)
    assert line(session).endswith("`cd ../.. && cat docs/tide.md`")


def test_the_same_command_ran_well_elsewhere():
    session = Transcript().run("npm run tides").run("cd web && npm ci")
    session.run("npm run tides", 'npm error Missing script: "tides"', error=True)
    assert "keeps the shell in `web`" in line(session)


def test_behind_a_pipe_it_counts_too():
    failure = "cat: pkg/moon/a.go: No such file or directory"
    session = in_tide().run("cat pkg/moon/a.go 2>&1 | head -3", failure)
    assert "keeps the shell in `pkg/tide`" in line(session)


@pytest.mark.parametrize(
    "session",
    [
        Transcript().run(
            "grep x src/none.go",
            "Exit code 2\ngrep: src/none.go: No such file or directory",
            error=True,
        ),
        in_tide()
        .run(f"cd {HOME} && go vet")
        .run("cat pkg/none.go", "cat: pkg/none.go: No such file", error=True),
        in_tide().run(
            f"cat {HOME}/pkg/none.go",
            f"cat: {HOME}/pkg/none.go: No such file or directory",
            error=True,
        ),
        in_tide().run("cat notes.md", "cat: notes.md: No such file", error=True),
    ],
    ids=["a guess at home", "went back", "an absolute path", "a guess below"],
)
def test_what_the_directory_does_not_explain(session):
    assert lines(session) == []


def test_a_shell_that_starts_afresh_stands_at_home():
    session = in_tide().run("cd pkg/tide && go build")
    session.run("cat pkg/none.go", "cat: pkg/none.go: No such file", error=True)
    assert lines(session) == []

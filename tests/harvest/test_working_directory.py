"""A shell that stayed where it was sent."""

from __future__ import annotations

from afterglow.harvest.working_directory import astray
from trails import trail_of
from writing import Transcript

LOST = "Exit code 1\n(eval):cd:1: no such file or directory: pkg/tide"


def test_a_repeated_cd_fails_where_the_first_one_led():
    session = (
        Transcript()
        .run("cd pkg/tide && go test")
        .run("cd pkg/tide && go vet", LOST, error=True)
    )
    (one,) = astray(trail_of(session.run("pwd", "/home/ana/src/harbor/pkg/tide")))
    assert (one.directory, one.path, one.back and one.back.command) == (
        "pkg/tide",
        "pkg/tide",
        "pwd",
    )


def test_a_path_from_the_root_fails_in_a_folder_below():
    failure = (
        "Exit code 1\nstat /home/ana/src/harbor/pkg/tide/pkg/moon: directory not found"
    )
    session = (
        Transcript()
        .run("cd pkg/tide && go test")
        .run("go test ./pkg/moon", failure, error=True)
    )
    assert [one.path for one in astray(trail_of(session))] == ["pkg/moon"]


def test_a_guessed_path_is_not_a_shell_astray():
    session = Transcript().run(
        "grep x src/none.go",
        "Exit code 2\ngrep: src/none.go: No such file or directory",
        error=True,
    )
    assert astray(trail_of(session)) == []


def test_going_back_ends_it():
    session = (
        Transcript()
        .run("cd pkg/tide && go test")
        .run("cd /home/ana/src/harbor && go vet")
    )
    session.run(
        "cat pkg/none.go",
        "Exit code 1\ncat: pkg/none.go: No such file or directory",
        error=True,
    )
    assert astray(trail_of(session)) == []


def test_a_failing_line_leaves_the_shell_where_it_was():
    session = Transcript().run(
        "cd pkg/tide && go test", "Exit code 1\n--- FAIL: TestTide", error=True
    )
    session.run("cd pkg/none && go vet", LOST.replace("tide", "none"), error=True).run(
        "pwd", "/home/ana/src/harbor"
    )
    assert astray(trail_of(session)) == []


def test_a_shell_that_starts_afresh_every_time_is_never_astray():
    session = (
        Transcript()
        .run("cd pkg/tide && go test")
        .run("cd pkg/tide && go vet")
        .run("cd pkg/tide && go build")
    )
    session.run(
        "cat pkg/none.go",
        "Exit code 1\ncat: pkg/none.go: No such file or directory",
        error=True,
    )
    assert astray(trail_of(session)) == []

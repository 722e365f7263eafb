"""The shell's state through a session."""

import json

import pytest

from afterglow.calls import Shell, read
from afterglow.records.session import Outcome


def run(shell, line, outcome=Outcome.OK, result="", **more):
    return shell.run(
        read("Bash", json.dumps({"command": line, **more})), outcome, result
    )


def test_the_directory_is_kept_after_a_success():
    shell = Shell("/r")
    run(shell, "cd web && npm ci")
    standing = run(shell, "npm test")
    assert (standing.directory, standing.moved_by) == ("/r/web", 0)
    assert standing.directories == ("/r/web",)


def test_a_failed_line_does_not_move_the_shell():
    shell = Shell("/r")
    run(shell, "cd web && npm ci", Outcome.FAILED)
    assert run(shell, "npm test").directory == "/r"


@pytest.mark.parametrize(
    ("line", "output", "directory"),
    [
        ("cd pkg && go test ./... | grep FAIL", "", "/src"),
        ("cd pkg && go test ./... | grep FAIL", "--- FAIL: TestTide", "/src/pkg"),
        ("cd pkg && grep -q tide lamp.go", "", "/src/pkg"),
        ("cd pkg && go build", "", "/src/pkg"),
    ],
)
def test_a_search_that_found_nothing_does_not_move_the_shell(line, output, directory):
    shell = Shell("/src")
    run(shell, line, result=output)
    assert run(shell, "ls").directory == directory


def test_each_command_of_a_line_has_its_directory():
    standing = run(Shell("/r"), "make a; cd web && make b; git -C /z status")
    assert standing.directories == ("/r", "/r", "/r/web", "/z")


def test_a_reset_is_read_from_the_result():
    shell = Shell("/r")
    run(shell, "cd /tmp/x && ls", result="a b\nShell cwd was reset to /r")
    standing = run(shell, "ls")
    assert (standing.directory, standing.moved_by) == ("/r", None)


def test_a_working_directory_holds_for_its_call_only():
    shell = Shell("/r")
    run(shell, "cd web")
    assert run(shell, "cd sub && make", cwd="/other").directories[-1] == "/other/sub"
    assert run(shell, "make").directory == "/r/web"


def test_exports_and_sourced_environments_are_remembered():
    shell = Shell("/r")
    run(shell, "export PATH=/opt/bin:$PATH && source .venv/bin/activate")
    standing = run(shell, "pytest")
    assert standing.exports == {"PATH": "/opt/bin:$PATH"}
    assert standing.sourced == (".venv/bin/activate",)


def test_going_twice_to_the_same_place_shows_that_nothing_is_kept():
    shell = Shell("/r")
    run(shell, "cd web && make")
    run(shell, "cd web && make")
    assert not shell.keeps
    assert run(shell, "make").directory == "/r"


def test_where_a_variable_leads_nobody_knows():
    shell = Shell("/r")
    run(shell, "cd $SOMEWHERE")
    assert run(shell, "make").directory == ""


def test_a_command_that_went_astray_can_be_told():
    """`cd src` twice: the path of the second begins where the shell already stands."""
    shell = Shell("/r")
    run(shell, "cd packages/api && make")
    standing = run(shell, "cat packages/api/x.json", Outcome.FAILED)
    assert standing.moved_by == 0
    assert standing.directory.endswith("packages/api")


def test_other_tools_do_not_move_the_shell():
    shell = Shell("/r")
    shell.run(read("Read", '{"file_path": "/x"}'), Outcome.OK)
    assert run(shell, "ls").directory == "/r"

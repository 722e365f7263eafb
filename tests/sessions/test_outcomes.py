"""Outcomes are right per tool: answers are not failures, refusals are not mistakes, pipes hide nothing."""

import json

import pytest

from afterglow.calls import goal_in, shell_line
from afterglow.records import Outcome
from afterglow.sessions.outcomes import exited, flagged, plain


def bash(command):
    return json.dumps({"command": command})


@pytest.mark.parametrize(
    ("command", "code", "outcome"),
    [
        ("go test ./...", 0, Outcome.OK),
        ("go test ./...", 1, Outcome.FAILED),
        ("grep -rn x .", 1, Outcome.OK),
        ("grep -rn x .", 2, Outcome.FAILED),
        ("cd src && grep -rn x .", 1, Outcome.OK),
        ("cat a.txt | grep x", 1, Outcome.OK),
        ("echo 'a | grep b' && false", 1, Outcome.FAILED),
        ("diff a b", 1, Outcome.OK),
        ("git diff --exit-code", 1, Outcome.OK),
        ("git config user.signingkey", 1, Outcome.OK),
        ("git push", 1, Outcome.FAILED),
        ("gh pr checks 12", 8, Outcome.OK),
        ("sleep 100", 130, Outcome.CANCELLED),
        ("nosuch", 127, Outcome.FAILED),
    ],
)
def test_exit_codes_mean_what_the_program_means(command, code, outcome):
    assert exited(command, code, "").outcome is outcome


def test_an_answer_behind_another_command_with_output_is_not_trusted():
    assert (
        exited("make build && grep x log", 1, "make: *** error").outcome
        is Outcome.FAILED
    )


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (
            "The user doesn't want to proceed with this tool use. The tool use was rejected",
            Outcome.BLOCKED,
        ),
        ("[Request interrupted by user for tool use]", Outcome.BLOCKED),
        (
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            Outcome.CANCELLED,
        ),
        (
            "<tool_use_error>File has not been read yet.</tool_use_error>",
            Outcome.FAILED,
        ),
        ("Exit code 1\nboom", Outcome.FAILED),
    ],
)
def test_an_error_flag_is_not_always_a_mistake(text, outcome):
    assert flagged("Bash", bash("make"), text, True).outcome is outcome


def test_a_failure_behind_a_pipe_is_marked_not_counted():
    verdict = flagged(
        "Bash", bash("go test ./... 2>&1 | tail -5"), "--- FAIL: TestDock", False
    )
    assert (verdict.outcome, verdict.masked) == (Outcome.OK, True)


@pytest.mark.parametrize(
    "command",
    ["git log | head", "cat build.log | tail", "gh run view 5 --log-failed | tail -50"],
)
def test_looking_at_a_log_of_failures_is_no_failure(command):
    assert not flagged(
        "Bash", bash(command), "--- FAIL: TestDock\nfatal: x", False
    ).masked


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("cd x && FOO=1 git push -u origin", "git push"),
        ("sudo apt-get install -y x", "apt-get install"),
        ("mise run lint --fix", "mise run lint"),
        ("gh pr view 12", "gh pr view"),
        ("/usr/bin/python3 -c x", "python -c"),
        ("python3 a.py --fast", "python a.py"),
        ("cat notes", "cat"),
        ("", ""),
    ],
)
def test_the_program_is_what_really_runs(command, program):
    assert goal_in(command) == program


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ('{"command":"ls"}', "ls"),
        ('{"cmd":"ls"}', "ls"),
        ('{"command":["bash","-lc","ls -l"]}', "ls -l"),
        ('{"code":"print(1)"}', "print(1)"),
        ('{"path":"x"}', ""),
        ("not json", ""),
    ],
)
def test_the_command_is_found_in_any_agents_arguments(arguments, command):
    assert shell_line(arguments) == command


def test_a_shell_behind_mcp_is_a_shell():
    arguments = json.dumps({"command": "grep -r needle src"})
    tool = "mcp__desktop__execute_command"
    assert flagged(tool, arguments, "Exit code 1", True).outcome is Outcome.OK
    assert flagged("mcp__notes__add", arguments, "Exit code 1", True).error


def test_plain_text_is_judged_by_how_it_starts():
    assert plain("Error: no such user").outcome is Outcome.FAILED
    assert plain("no error here").outcome is Outcome.OK

"""A command that failed and what made it work: which differences are believed, and which are not."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import recoveries
from trails import told, trail_of
from writing import Transcript


def failing(command: str, message: str, number: int = 1) -> Transcript:
    return (
        Transcript(number)
        .user("go on")
        .run(command, f"Exit code 1\n{message}", error=True)
    )


@pytest.mark.parametrize(
    ("command", "message", "works", "words"),
    [
        (
            "gh pr diff 41 --stat",
            "unknown flag: --stat",
            "gh pr diff 41 --name-only",
            "--name-only",
        ),
        (
            "pytest -q",
            "ModuleNotFoundError: No module named 'tidewatch'",
            "uv run pytest -q",
            "uv run pytest -q",
        ),
        (
            "npm install",
            'Unsupported URL Type "workspace:"',
            "pnpm install",
            "pnpm install",
        ),
        (
            "gh api repos/quay/harbor/pulls?per_page=100",
            "zsh: no matches found: repos/quay/harbor/pulls?per_page=100",
            "gh api 'repos/quay/harbor/pulls?per_page=100'",
            "gh api 'repos/quay",
        ),
        (
            "go test ./dock/integration -run TestTide",
            "package dock/integration: build constraints exclude all Go files",
            "go test -tags=integration ./dock/integration -run TestTide",
            "-tags=integration",
        ),
        (
            "curl -s localhost/berths | jq '{id: .berth // .dock}'",
            "jq: 1 compile error: syntax error, unexpected //",
            "curl -s localhost/berths | jq '{id: (.berth // .dock)}'",
            "(.berth // .dock)",
        ),
    ],
)
def test_a_small_change_of_the_same_command_is_the_fix(command, message, works, words):
    (fact,) = told(recoveries, failing(command, message).run(works, "fine"))
    assert words in fact
    assert "fails with" in fact


def test_a_step_in_between_is_the_fix():
    session = failing("go test ./...", "dock/a.go:1:2: undefined: mooringTable").run(
        "mise run generate"
    )
    (fact,) = told(recoveries, session.run("go test ./...", "ok"))
    assert fact.endswith("until `mise run generate` has run.")
    assert "undefined: mooringTable" in fact


def test_a_step_in_front_of_the_same_line_is_the_fix():
    session = failing(
        "git push origin fix", "! [rejected] fix -> fix (non-fast-forward)"
    )
    (fact,) = told(
        recoveries,
        session.run("git pull --rebase origin fix && git push origin fix", "done"),
    )
    assert "until `git pull --rebase origin fix` has run" in fact


def test_looking_around_is_not_a_step():
    session = (
        failing("terraform plan", "Error: the lease is held by nobody")
        .run("ls -la")
        .run("git status")
    )
    assert told(recoveries, session.run("terraform plan", "Plan: 2 to add")) == []


def test_publishing_is_not_a_step_but_what_the_message_names_is():
    session = failing(
        "make lint", "go mod tidy && git diff --exit-code\ngo.mod is not tidy"
    ).run("go mod tidy")
    session = session.run("git add go.mod && git commit -m tidy").run("git push")
    (fact,) = told(recoveries, session.run("make lint", "ok"))
    assert "until `go mod tidy` has run" in fact


def test_an_edit_in_between_says_nothing():
    session = failing("go test ./...", "undefined: x").ask(
        "Edit", file_path="/a.go", old_string="a", new_string="b"
    )
    assert told(recoveries, session.answer("ok").run("go test ./...", "ok")) == []


@pytest.mark.parametrize(
    "edit", ["sed -i s/a/b/ a.go", "cat > a.go <<EOF\nx\nEOF", "git checkout a.go"]
)
def test_an_edit_through_the_shell_says_nothing_either(edit):
    session = failing("go test ./...", "undefined: x").run(edit).run("make generate")
    assert told(recoveries, session.run("go test ./...", "ok")) == []


@pytest.mark.parametrize(
    ("command", "message", "works"),
    [
        (
            "go test ./...",
            "--- FAIL: TestTide (0.01s)",
            "go test ./dock -run TestTide",
        ),  # fewer tests
        (
            "ls docs/plan",
            "ls: docs/plan: No such file or directory",
            "ls docs",
        ),  # a guessed path
        (
            "python3 try_it.py",
            "ValueError: no tide",
            "python3 try_again.py",
        ),  # another script
        (
            "git cat-file -t 12ab",
            "fatal: could not get object info",
            "git ls-files --debug",
        ),  # another sub-command
        (
            "gh api repos/q/h/pulls/1/comments -f body=x",
            "gh: Not Found (HTTP 404)",
            "gh api repos/q/h/pulls/1/comments",
        ),
        ("rm a.txt", "rm: cannot remove 'a.txt'", "rm -f a.txt"),
        (
            "cd dock && go test",
            "(eval):cd:1: no such file or directory: dock",
            "cd /src/dock && go test -count=1",
        ),
    ],
)
def test_a_coincidence_is_not_a_fix(command, message, works):
    assert told(recoveries, failing(command, message).run(works, "fine")) == []


def test_a_piped_rerun_that_still_fails_is_no_success():
    session = failing("make test", "terraform: no lease").run("make lease")
    assert (
        told(
            recoveries,
            session.run(
                "make test 2>&1 | tail -3", "make: *** [test] Error 1\nfatal: no"
            ),
        )
        == []
    )


def test_a_usage_error_is_past_once_the_command_fails_otherwise():
    session = failing(
        "golangci-lint run --disable-all ./...", "Error: unknown flag: --disable-all"
    )
    session = session.run(
        "golangci-lint run --no-config ./...",
        "Exit code 1\na.go:1:1: unchecked (errcheck)",
        error=True,
    )
    (fact,) = told(recoveries, session)
    assert "--no-config" in fact


def test_a_retry_is_told_only_for_a_passing_trouble_seen_twice():
    def once(number):
        return failing(
            "git rebase main",
            "fatal: Unable to create '.git/index.lock': File exists.",
            number,
        )

    once_ = once(1).run("git rebase main", "done")
    assert told(recoveries, once_) == []
    assert (
        "try again"
        in told(recoveries, once_, once(2).run("git rebase main", "done"))[0]
    )


def test_a_failure_without_a_message_is_refused():
    assert told(recoveries, failing("make x", "").run("make x -j1", "fine")) == []


def test_failures_of_one_batch_are_one_event():
    session = failing("gh pr diff 1 --stat", "unknown flag: --stat").run(
        "gh pr diff 1 --name-only", "a.go"
    )
    (finding,) = recoveries.mine(trail_of(session))
    assert [one.part for one in finding.evidence] == [
        "arguments",
        "result",
        "arguments",
    ]
    assert finding.fingerprint == "unknown flag: --stat"


def test_two_sessions_with_two_remedies_are_one_topic():
    first = failing("gh pr diff 1 --stat", "unknown flag: --stat", 1).run(
        "gh pr diff 1 --name-only", "a.go"
    )
    second = failing("gh pr diff 2 --stat", "unknown flag: --stat", 2).run(
        "gh pr diff 2 --patch", "a.go"
    )
    (fact,) = told(recoveries, first, second)
    assert "--name-only" in fact
    assert "--patch" in fact


def test_a_command_that_is_nothing_but_wrapping_is_no_trouble():
    session = (
        failing("make x", "no rule to make target")
        .run("source <(curl -s x)")
        .run("cd /tmp")
        .run("true")
    )
    assert told(recoveries, session) == []


def test_a_file_named_after_its_tests_does_not_make_a_command_a_test_run():
    failed = failing("git add tide.spec.ts", "error: the manifest misses the moon")
    (fact,) = told(recoveries, failed.run("git add tide.spec.ts moon.json"))
    assert "`git add tide.spec.ts moon.json` works" in fact


def test_leaving_some_tests_out_is_no_fix():
    failed = failing("go test ./tide", "the tide service does not answer")
    assert told(recoveries, failed.run("go test ./tide -run TestMoon")) == []

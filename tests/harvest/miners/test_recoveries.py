"""A command that failed and what made it work: which differences are believed, and which are not."""

from __future__ import annotations

import pytest

from afterglow.harvest.confidence import DIRECT
from afterglow.harvest.miners import recoveries, state
from trails import tellings, told, trail_of
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
    (fact,) = told(
        recoveries,
        failing(command, message).run(works, "fine"),
        failing(command, message, 2).run(works, "fine"),
    )
    assert words in fact
    assert "fails with" in fact


def test_what_one_session_shows_waits_for_a_second_one():
    session = failing("quay moor --swift", "unknown flag: --swift")
    (telling,) = tellings(recoveries, session.run("quay moor --fast", "moored"))
    assert telling.fact.endswith("`quay moor --fast` works.")
    assert telling.directness < DIRECT


def test_what_the_message_names_is_left_out_without_being_told():
    sessions = [
        failing("quay moor --swift", "unknown flag: --swift", number).run("quay moor")
        for number in (1, 2)
    ]
    assert told(recoveries, *sessions) == []


def test_a_name_that_is_guessed_otherwise_each_time_is_one_topic():
    first = failing(
        "gh variable list -R harbourmaster/dock",
        "failed to get variables: HTTP 404 (https://api.github.com/repos/harbourmaster/dock/variables)",
    ).run("gh variable list -R otterquay/dock", "TIDE")
    second = failing(
        "gh pr comment 7 --repo dock-inc/dock --body done",
        "GraphQL: Could not resolve to a Repository with the name 'dock-inc/dock'.",
        2,
    ).run("gh pr comment 7 --repo otterquay/dock --body done", "commented")
    (fact,) = told(recoveries, first, second)
    assert fact.startswith("`gh` with a guessed name, as `dock-inc/dock`, fails")
    assert fact.endswith("; use `otterquay/dock`.")


@pytest.mark.parametrize(
    ("command", "message", "works"),
    [
        (  # the message does not say what was wrong
            "quay moor --swift",
            "the harbour master says no",
            "quay moor --fast",
        ),
        (  # it says what to do
            "quay moor --swift",
            "unknown flag: --swift; there are --fast and --slow",
            "quay moor --fast",
        ),
        (  # a branch that nobody has any more
            "git fetch origin quay/pier-seven",
            "fatal: couldn't find remote ref quay/pier-seven",
            "git fetch origin",
        ),
        (  # a file of that one day
            "quay load /tmp/crates-x7.json",
            "cannot load '/tmp/crates-x7.json'",
            "quay load /tmp/crates-x8.json",
        ),
    ],
)
def test_of_one_session_nothing_is_told_that_helps_nobody_else(command, message, works):
    assert told(recoveries, failing(command, message).run(works, "fine")) == []


def test_only_the_named_part_of_a_change_is_told():
    labels = "--label moored,swift,tidal,since-the-spring-tide"
    sessions = [
        failing(
            f"gh pr list --swift {labels} --state closed",
            "unknown flag: --swift",
            number,
        ).run(f"gh pr list --fast {labels} --state merged")
        for number in (1, 2)
    ]
    (fact,) = told(recoveries, *sessions)
    assert fact.endswith("; use `--fast`.")


def test_the_program_is_the_one_whose_words_changed():
    build = "make build-everything-there-is-in-this-harbour"
    sessions = [
        failing(f"{build} && quay moor --swift", "unknown flag: --swift", number).run(
            f"{build} && quay moor --fast"
        )
        for number in (1, 2)
    ]
    (telling,) = tellings(recoveries, *sessions)
    assert telling.fact.startswith("`quay` with `--swift` fails")
    assert telling.domain == "quay"


@pytest.mark.parametrize(
    "works",
    [
        ["python3 quay/test_pier.py"],  # ran no test
        ["make test PIER=quay.pier", "make test PIER=pier_tests"],  # went on looking
    ],
)
def test_a_check_that_ended_well_without_a_verdict_is_no_remedy(works):
    session = failing("make test PIER=pier", "No module named 'pier'")
    for command in works:
        session = session.run(command, "")
    assert told(recoveries, session) == []


def test_what_the_state_of_the_session_explains_is_told_once():
    def once(number):
        path = "repos/quay/harbor/pulls?per_page=100"
        message = f"zsh: no matches found: {path}"
        return failing(f"gh api {path}", message, number).run(f"gh api '{path}'", "[]")

    assert told(recoveries, once(1), once(2)) == []
    assert told(state, once(1), once(2))


def test_the_same_call_that_works_later_says_nothing_of_the_call():
    def once(number):
        return (
            failing("quay moor --swift", "unknown flag: --swift", number)
            .run("make quay")
            .run("quay moor --swift", "moored")
            .run("quay moor --fast", "moored")
        )

    assert told(recoveries, once(1), once(2)) == []


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
    message = "Error: unknown flag: --disable-all"
    sessions = [
        failing("golangci-lint run --disable-all ./...", message, number).run(
            "golangci-lint run --no-config ./...",
            "Exit code 1\na.go:1:1: unchecked (errcheck)",
            error=True,
        )
        for number in (1, 2)
    ]
    (fact,) = told(recoveries, *sessions)
    assert "--no-config" in fact


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


def renewed(number: int, failing_words: str, working_words: str) -> Transcript:
    return failing(f"./renew {failing_words}", "renew: bad loan", number).run(
        f"./renew {working_words}", "renewed"
    )


def test_words_joined_by_another_sign_are_one_change_whatever_the_words():
    (fact,) = told(
        recoveries, renewed(1, "dune 14", "dune:14"), renewed(2, "emma 21", "emma:21")
    )
    assert "`./renew dune:<n>` works; so does `./renew emma:<n>`" in fact


def gauged(number: int, place: str, port: int) -> Transcript:
    call = f"./gauge read {place}"
    session = failing(call, "gauge: connection refused", number)
    return session.run(f"{call} --port {port}", "2.1 m")


def test_a_number_that_sessions_share_belongs_to_the_remedy():
    (fact,) = told(recoveries, gauged(1, "quay", 7311), gauged(2, "pier", 7311))
    assert "--port 7311` works" in fact
    (fact,) = told(recoveries, gauged(1, "quay", 7311), gauged(2, "pier", 7402))
    assert "--port <n>` works" in fact


def test_words_joined_by_two_different_signs_are_two_changes():
    assert (
        told(
            recoveries,
            renewed(1, "dune 14", "dune:14"),
            renewed(2, "emma 21", "emma=21"),
        )
        == []
    )


def test_a_command_that_is_nothing_but_wrapping_is_no_trouble():
    session = (
        failing("make x", "no rule to make target")
        .run("source <(curl -s x)")
        .run("cd /tmp")
        .run("true")
    )
    assert told(recoveries, session) == []


def test_a_file_named_after_its_tests_does_not_make_a_command_a_test_run():
    def once(number):
        message = "error: the manifest misses the moon"
        failed = failing("git add tide.spec.ts", message, number)
        return failed.run("git add tide.spec.ts moon.json")

    (fact,) = told(recoveries, once(1), once(2))
    assert "`git add tide.spec.ts moon.json` works" in fact


def test_leaving_some_tests_out_is_no_fix():
    failed = failing("go test ./tide", "the tide service does not answer")
    assert told(recoveries, failed.run("go test ./tide -run TestMoon")) == []

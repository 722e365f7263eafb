"""Fingerprints: the same problem in another session reduces to the same words; values never survive."""

import pytest

from afterglow.text.fingerprint import MAX, fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Exit code 1\n/home/ana/src/harbor/a.go:12:9: undefined: defaultAgent",
            "exit 2\n/Users/bo/x/a.go:99:1: undefined: defaultAgent",
        ),
        (
            "error: could not apply ad0c095... message",
            "error: could not apply ff12ab9... message",
        ),
        ("HTTP 404 for request 8f3a2b1c9d", "HTTP 500 for request 00aa11bb22"),
        (
            "ls: /tmp/a/b/scripts: No such file or directory",
            "ls: /var/lib/other/scripts: No such file or directory",
        ),
    ],
)
def test_what_varies_from_run_to_run_is_left_out(one, other):
    assert fingerprint(one) == fingerprint(other)


def test_different_problems_stay_different():
    assert fingerprint("undefined: alpha") != fingerprint("undefined: beta")


def test_a_lint_report_is_named_by_its_linter():
    text = "Exit code 1\n[lint] $ golangci-lint run ./...\n[lint] ERROR task failed\n\n"
    text += "config.go:239:15: error is unwrapped (wrapcheck)\n\treturn nil, err"
    assert fingerprint(text) == "lint: wrapcheck"


def test_a_traceback_is_named_by_its_last_line():
    text = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 1\n\nThe above…\n'
    text += "ValueError: no such plan"
    assert fingerprint(text) == "ValueError: no such plan"


def test_exit_code_and_echoed_command_are_not_the_message():
    assert (
        fingerprint(
            "exit 1\n[test] $ go test ./...\nok  \tpkg\t0.1s\npanic: nil pointer"
        )
        == "panic: nil pointer"
    )


def test_a_message_without_content_still_has_a_name():
    assert fingerprint("") == "no message"


def test_it_is_short():
    assert len(fingerprint("error: " + "word " * 500)) <= MAX


def test_secret_values_do_not_survive():
    token = "ghp_" + "a1B2" * 9
    for text in (
        f"fatal: bad credential {token}",
        f"error: token={token}",
        "error: password: hunter2hunter2 for ana@example.com",
    ):
        left = fingerprint(text)
        assert token not in left and "hunter2" not in left and "example.com" not in left

"""What changed between a command that failed and one that worked."""

import pytest

from afterglow.calls import (
    brief,
    changes,
    hunks,
    line_changes,
    parse,
    shared_numbers,
    steady,
)


def only(line):
    return parse(line).commands[-1]


@pytest.mark.parametrize(
    ("failing", "working", "expected"),
    [
        ("rtk bun run test", "bun run test", [("wrapper", "", "rtk", None)]),
        ("tsc", "npx tsc", [("wrapper", "", None, "npx")]),
        ("make x", "CC=gcc make x", [("environment", "CC", None, "gcc")]),
        ("pytest -q", "pytest -x", [("flag", "-q", "", None), ("flag", "-x", None, "")]),
        ("gh api x -f a=1", "gh api x -F a=1", [("flag", "-f", "a=1", None), ("flag", "-F", None, "a=1")]),
        ("cargo test --lib a", "cargo test a", [("flag", "--lib", "", None)]),
        ("npm run a", "npm run b", [("subcommand", "", "run a", "run b")]),
        ("cat a.txt", "cat b.txt", [("operand", "", "a.txt", "b.txt")]),
        ("make x", "cd web && make x", [("directory", "", None, "web")]),
        ("pip install x", "uv add x", [("program", "", "pip install", "uv add")]),
        ("ls a?b", "ls 'a?b'", [("quoting", "", "ls a?b", "ls 'a?b'")]),
        ("make x", "make x", []),
    ],
)  # fmt: skip
def test_the_typed_difference_of_two_commands(failing, working, expected):
    found = changes(only(failing), only(working))
    assert [
        (item.kind, item.name, item.before, item.after) for item in found
    ] == expected


def test_hunks_for_sentences():
    found = line_changes("make lint ARGS=1", "make lint-fix ARGS=1")
    assert [(hunk.old, hunk.new) for hunk in found] == [("lint", "lint-fix")]
    assert hunks(["a"], ["a"]) == []


def test_what_varies_from_run_to_run_is_no_change():
    assert line_changes("gh run view 123", "gh run view 456") == []
    assert steady("git show 4f2a9bc1") == "git show <id>"


def test_a_brief_command_fits_into_a_sentence():
    text = brief("git commit -m 'a long message that nobody wants to read twice'")
    assert text == "git commit -m '…'"
    assert len(brief("x " * 200)) <= 110


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("chmod 777 /srv/lamp", "chmod 777 /srv/lamp"),
        ("chmod -R 0755 lamps && tail -n 40 log", "chmod -R 0755 lamps && tail -n <n> log"),
        ("umask 022; mkdir -m 700 lamps", "umask 022; mkdir -m 700 lamps"),
        ("install --mode=644 a b", "install --mode=644 a b"),
        ("export LAMPS=1", "export LAMPS=1"),
        ("PORT=8080 make ship", "PORT=<n> make ship"),
        ("kill 4711", "kill <n>"),
    ],
)  # fmt: skip
def test_a_number_that_is_what_the_command_does_was_told_as_n(command, told):
    assert brief(command) == told


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("slot alder 14:00+09:00", "slot birch 09:30+09:00", "slot alder <n>:<n>+09:00"),
        ("gauge x --port 7311", "gauge y --port 7311", "gauge x --port 7311"),
        ("gauge x --port 7311", "gauge y --port 7402", "gauge x --port <n>"),
        ("gh pr view 325", "gh pr view 325", "gh pr view <n>"),  # worked on by chance
        ("gauge x 12 --port 7311", "gauge --port 7311", "gauge x <n> --port <n>"),
    ],
)  # fmt: skip
def test_numbers_that_lines_share_are_put_back(first, second, shown):
    assert shared_numbers(brief(first), [first, second]) == shown

"""The contract of every check in the table."""

from __future__ import annotations

import pytest

from afterglow.context.render import MAX_SITUATION_CHARACTERS
from afterglow.harvest.events.explained import explained
from afterglow.harvest.state_checks import CHECKS, SessionState, explain
from afterglow.text.tokens import estimate
from state_sessions import edit, explanations, lines, read
from trails import trail_of
from writing import Transcript, ordinary

MAX_TOKENS = 60
FILE = "/home/ana/src/harbor/lamp.go"


def directory() -> Transcript:
    lost = "(eval):cd:1: no such file or directory: pkg/tide"
    session = Transcript().run("cd pkg/tide && go test")
    return session.run("cd pkg/tide && go vet", lost, error=True)


def edit_text() -> Transcript:
    session = read(Transcript(), FILE, "\tif tide {\n\t\treturn high")
    return edit(session, FILE, "if tide {\n\treturn high", fails="String not found")


def ran(command: str, output: str, *earlier: str) -> Transcript:
    session = Transcript(cwd="/Users/ana/src/harbor")
    for line in earlier:
        session.run(line)
    return session.run(command, f"Exit code 1\n{output}", error=True)


def version() -> Transcript:
    session = read(Transcript(), FILE, "a").run("gofmt -w .")
    return edit(session, FILE, "a", fails="File has been modified since read")


def missing(command: str, name: str, *earlier: str) -> Transcript:
    return ran(command, f"(eval):1: command not found: {name}", *earlier)


def absent(path: str, *earlier: str) -> Transcript:
    return ran(f"cat {path}", f"cat: {path}: No such file or directory", *earlier)


LOCKED = "fatal: Unable to create '/x/.git/index.lock': File exists."
TAKEN = "fatal: 'main' is already used by worktree at '/src/quay'"
GONE = "ENOENT: no such file or directory, posix_spawn '/opt/pilot/2.1/pilot'"
TOO_MANY = "File content (44193 tokens) exceeds maximum allowed tokens (25000)."
EXAMPLES = {
    "lines": lambda: (
        Transcript()
        .ask("Read", file_path="/tmp/tide.txt", limit=25)
        .answer(f"<tool_use_error>{TOO_MANY}</tool_use_error>", error=True)
    ),
    "tool": lambda: (
        Transcript().ask("Grep", pattern="tide").answer(GONE, error=True)
    ),
    "answer": lambda: (
        Transcript().ask("Task", prompt="find the quay").answer("<task_result>\n</task_result>")
    ),
    "directory": directory,
    "edit": edit_text,
    "version": version,
    "quoting": lambda: missing('tide "`moon`"', "moon"),
    "zsh-names": lambda: ran("status=1", "(eval):1: read-only variable: status"),
    "glob": lambda: ran("ls *.tide", "(eval):1: no matches found: *.tide"),
    "wrapper": lambda: missing("timeout 9 make", "timeout"),
    "program": lambda: missing("ruff .", "ruff", "uv run ruff ."),
    "system": lambda: ran("cat -A a", "cat: illegal option -- A"),
    "variable": lambda: ran("cat $W/a", "cat: /a: No such file", "W=$(mktemp -d)"),
    "moved": lambda: absent("a.md", "mv a.md b.md"),
    "path": lambda: absent("src/tide.go", "cat src/pkg/tide.go"),
    "port": lambda: ran("npm start", "Error: listen EADDRINUSE :::4180", "npm start &"),
    "lock": lambda: ran("git pull", LOCKED),
    "worktree": lambda: ran("git switch main", TAKEN),
}  # fmt: skip
# What is only about one session is not told at the start of others.
OF_ONE_SESSION = {"moved", "path"}


def test_every_check_has_an_example():
    assert sorted(EXAMPLES) == sorted(CHECKS.names())


@pytest.mark.parametrize("name", CHECKS.names())
def test_a_check_explains_its_example_in_one_short_line(name):
    (explanation,) = explanations(EXAMPLES[name]())
    assert explanation.check == CHECKS.load(name).NAME == name
    assert estimate(explanation.line) <= MAX_TOKENS
    assert "\n" not in explanation.line
    assert bool(explanation.general) == (name not in OF_ONE_SESSION)
    assert bool(explanation.situation) == bool(explanation.remedy)
    assert "/Users/" not in explanation.general + explanation.topic


LONG = "harbor/" + "quay-of-the-northern-otters/" * 4 + "tide.md"
LONG_EXAMPLES = [
    ran(f"git add {LONG}", f"fatal: pathspec '{LONG}' did not match", f"mv {LONG} {LONG}x"),
    ran(f"ls {LONG}*", f"zsh: no matches found: {LONG}*"),
    ran(f"gh api {LONG}?x=1", f"zsh: no matches found: {LONG}?x=1"),
    ran("git switch main", f"fatal: 'main' is already used by worktree at '/{LONG}'"),
    missing(f"ruff {LONG}", "ruff", "uv run ruff ."),
    missing(f"timeout 9 make {LONG}", "timeout"),
    ran(f"cat {LONG}", f"cat: {LONG}: No such file", f"cd {LONG[:-8]}"),
]  # fmt: skip


@pytest.mark.parametrize("session", LONG_EXAMPLES)
def test_long_names_do_not_make_long_lines(session):
    (line,) = lines(session)
    assert estimate(line) <= MAX_TOKENS, line


@pytest.mark.parametrize("name", CHECKS.names())
def test_a_start_tells_the_situation_whole(name):
    for explanation in explained(trail_of(EXAMPLES[name]())).values():
        assert len(explanation.situation) <= MAX_SITUATION_CHARACTERS


@pytest.mark.parametrize("name", CHECKS.names())
def test_at_the_moment_of_failure_a_check_says_the_same(name):
    trail = trail_of(EXAMPLES[name]())
    *earlier, failing = trail.steps
    state = SessionState(trail.session.cwd)
    for step in earlier:
        state.add(step)
    assert explain(state.moment(failing)) == explained(trail)[failing.index]


def test_a_failure_that_is_only_about_the_code_is_explained_by_nothing():
    assert lines(ordinary()) == []

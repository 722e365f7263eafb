"""Programs: in front of others, reached another way, of another system."""

from __future__ import annotations

import pytest

from afterglow.harvest.state_checks import SessionState, explain
from state_sessions import line, lines
from trails import trail_of
from writing import Transcript

MAC = "/Users/ana/src/harbor"
UNKNOWN = "Exit code 2\nerror: unrecognized subcommand 'bun'\n\nUsage: {} <COMMAND>"


@pytest.mark.parametrize("front", ["rtk", "lighthouse"])
def test_the_program_in_front_does_not_take_the_other(front):
    session = Transcript().run("bun install")
    session.run(f"{front} bun run tide", UNKNOWN.format(front), error=True)
    assert line(session) == (
        f"`{front}` does not take `bun`: run `bun run tide` without `{front}`"
    )


def test_a_wrapper_that_is_not_there_is_left_out():
    output = "zsh: command not found: timeout"
    session = Transcript(cwd=MAC).run("timeout 60 make tide", output, error=True)
    assert "run `make tide` without `timeout 60`" in line(session)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("docker exec db psql -c x", "zsh: command not found: docker"),
        ("npx tide-check .", "zsh: command not found: npx"),
        ("npm tide", "Unknown command: tide"),
        ("gh bun list", 'unknown command "tide" for "gh"'),
    ],
    ids=["a container", "a runner", "an unknown word", "another word"],
)
def test_what_stands_in_front_for_a_reason(command, output):
    assert lines(Transcript().run(command, output, error=True)) == []


@pytest.mark.parametrize(
    ("earlier", "way"),
    [
        ("uv run tidelint .", "uv run tidelint"),
        ("mise exec -- tidelint .", "mise exec -- tidelint"),
        ("node_modules/.bin/tidelint .", "node_modules/.bin/tidelint"),
        ("python3 -m tidelint .", "python3 -m tidelint"),
        ("pnpm tidelint .", "pnpm tidelint"),
    ],
)
def test_a_program_is_reached_the_way_it_was_before(earlier, way):
    session = Transcript().run(earlier)
    session.run("tidelint src", "zsh: command not found: tidelint", error=True)
    assert line(session) == f"`tidelint` is not on the PATH here: `{way} src`"


def test_another_interpreter_has_the_module():
    session = Transcript().run(".venv/bin/python -m tidelint .")
    output = "Exit code 1\n/usr/bin/python3: No module named tidelint"
    session.run("python3 -m tidelint src -q", output, error=True)
    assert line(session) == (
        "`python3` has no module `tidelint` here: `.venv/bin/python -m tidelint src -q`"
    )


def test_a_module_that_nothing_has():
    output = "Exit code 1\n/usr/bin/python3: No module named tidelint"
    session = Transcript().run("python3 -m tidelint", output, error=True)
    assert lines(session) == []


def test_earlier_sessions_may_have_shown_the_way():
    output = "zsh: command not found: tidelint"
    trail = trail_of(Transcript().run("tidelint src", output, error=True))
    state = SessionState(MAC, {"tidelint": "uv run tidelint"})
    explanation = explain(state.moment(trail.steps[0]))
    assert explanation is not None
    assert explanation.line.endswith("`uv run tidelint src`")


def test_a_program_nobody_reached_is_only_missing():
    output = "zsh: command not found: tidelint"
    assert lines(Transcript().run("tidelint src", output, error=True)) == []


@pytest.mark.parametrize("there", ["ssh quay psql -l", "docker exec db psql -l"])
def test_what_another_machine_has_is_not_here(there):
    session = Transcript().run(there)
    session.run("psql -l", "zsh: command not found: psql", error=True)
    assert lines(session) == []


def test_python_has_a_numbered_name():
    output = "zsh: command not found: python"
    session = Transcript().run("python tide.py --high", output, error=True)
    assert line(session).endswith("`python3 tide.py --high`")


def test_unless_that_is_missing_too():
    session = Transcript()
    session.run("python3 a.py", "bash: python3: command not found", error=True)
    session.run("python a.py", "bash: python: command not found", error=True)
    assert lines(session) == []


@pytest.mark.parametrize(
    ("cwd", "command", "output", "words"),
    [
        (MAC, "cat -A a.go", "cat: illegal option -- A", "`cat -vet`"),
        (MAC, "sha256sum a", "zsh: command not found: sha256sum", "shasum -a 256"),
        (
            MAC,
            "sed -i 's/a/b/' tide.go",
            'sed: 1: "tide.go": undefined label',
            "sed -i ''",
        ),
        (
            "/home/ana/src/harbor",
            "sed -i '' 's/a/b/' tide.go",
            "sed: can't read s/a/b/: No such file or directory",
            "sed -i 's/a/b/' FILE",
        ),
        (
            "/home/ana/src/harbor",
            "date -v+1d",
            "date: invalid option -- 'v'",
            "date -d",
        ),
        ("/srv/x", "head -n -3 a", "head: illegal line count -- -3", "sed '$d'"),
    ],
)
def test_what_another_system_has_instead(cwd, command, output, words):
    session = Transcript(cwd=cwd).run(command, f"Exit code 1\n{output}", error=True)
    assert words in line(session)


def test_a_flag_that_no_system_has():
    output = "Exit code 1\nls: illegal option -- Z"
    assert lines(Transcript(cwd=MAC).run("ls -Z", output, error=True)) == []

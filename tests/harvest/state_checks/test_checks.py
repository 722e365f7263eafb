"""The contract of every check in the table."""

from __future__ import annotations

import pytest

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


EXAMPLES = {"directory": directory, "edit": edit_text}


def test_every_check_has_an_example():
    assert sorted(EXAMPLES) == sorted(CHECKS.names())


@pytest.mark.parametrize("name", CHECKS.names())
def test_a_check_explains_its_example_in_one_short_line(name):
    (explanation,) = explanations(EXAMPLES[name]())
    assert explanation.check == CHECKS.load(name).NAME == name
    assert estimate(explanation.line) <= MAX_TOKENS
    assert "\n" not in explanation.line
    assert explanation.situation
    assert explanation.remedy
    assert "/home/" not in explanation.general
    assert "/home/" not in explanation.topic


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

"""A sentence worth keeping names something."""

from __future__ import annotations

import pytest

from afterglow.harvest.screen import vague


@pytest.mark.parametrize(
    "fact",
    [
        "`tide diff` has no --stat; use --name-only.",
        "In harbor, `make test` fails with 'undefined: beacon' until `make generate` has run.",
        "Reply to a review with POST pulls/<n>/comments/<id>/replies; without the number it is 404.",
        "The staging address is in deploy/lamp.toml.",
        "The team is called Lighthouse, Beacon is a project.",
        "Set ACCESSIBLE=1 for prompts in pseudo-terminal tests.",
        "Do not commit unless asked.",
        "Prefer small commits over large ones.",
        "`Edit` needs the file to be read first.",
        'Quote the date: ``tide --at "`date`"`` works.',
    ],
)
def test_what_names_something_is_kept(fact):
    assert vague(fact) == ""


@pytest.mark.parametrize(
    "fact",
    [
        "Fix the error and try again.",
        "The command failed; run it again.",
        "It works now.",
        "Be careful with this.",
        "Check the logs.",
        "no",
        "The problem was that something was wrong with it.",
        "Make sure everything works before you go on.",
        "`make test` fails with 'undefined: beacon' until `` has run.",
    ],
)
def test_what_names_nothing_is_not(fact):
    assert vague(fact)

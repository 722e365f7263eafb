"""What a sentence lays down, and which of two puts the other out of force."""

from __future__ import annotations

import pytest

from afterglow.harvest.rival_statements import (
    ANOTHER_VALUE,
    DROPPED,
    MOVED_ON,
    REVERSED,
    are_alike,
    replaces,
)
from afterglow.harvest.statements import is_change, statement


def read(sentence: str):
    parsed = statement(sentence)
    assert parsed is not None, sentence
    return parsed


def why(older: str, newer: str) -> str:
    return replaces(read(newer), read(older))


@pytest.mark.parametrize(
    ("sentence", "stance"),
    [
        ("always ask before pushing", "do"),
        ("never push to main", "dont"),
        ("we no longer squash commits", "dont"),
        ("you may push to main again", "may"),
        ("force pushes are no longer forbidden", "may"),
        ("you don't need to ask before pushing any more", "neednt"),
        ("there is no need to squash commits any more", "neednt"),
    ],
)
def test_a_sentence_has_a_stance(sentence, stance):
    assert read(sentence).stance == stance


@pytest.mark.parametrize(
    "sentence",
    [
        "should we deploy from `release`?",
        "does the deploy come from `release` now",
        "maybe we deploy from `release`",
        "what if we moved to pnpm",
        "we might switch to pnpm",
        "bob said we deploy from `release` now",
        "for this release deploy from `hotfix`",
        "we used to deploy from `main`",
        "just this once push to main",
    ],
)
def test_questions_plans_hearsay_and_the_moment_lay_down_nothing(sentence):
    assert statement(sentence) is None


def test_a_reason_or_an_aside_is_no_part_of_what_is_laid_down():
    plain = read("deploy from `release`")
    assert read("deploy from `release`, main is frozen").slots == plain.slots
    assert read("deploy from `release` because main is frozen").slots == plain.slots
    assert read("deploy from `release` from now on").slots == plain.slots


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("never push to main", "you may push to main again", REVERSED),
        ("never use mocks in the tests", "mocks are fine in the tests again", REVERSED),
        ("always use spaces", "use tabs, not spaces", DROPPED),
        ("always use npm for installs", "we moved from npm to yarn", DROPPED),
        ("we use pnpm, not npm", "we moved back to npm", DROPPED),
        ("always deploy from `main`", "always deploy from `release`", ANOTHER_VALUE),
        ("always wait 5 minutes", "from now on wait 10 minutes", ANOTHER_VALUE),
        ("always reply in German", "from now on reply in English", ANOTHER_VALUE),
        ("always use npm", "we moved to pnpm", MOVED_ON),
    ],
)
def test_the_newer_puts_the_older_out_of_force(older, newer, reason):
    assert why(older, newer) == reason


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("never push to main", "you may pull from main again"),
        ("never push to main", "you may push to main when ci is green"),
        ("never push to main", "never push to release"),
        ("always deploy from `main`", "from now on deploy the docs from `pages`"),
        ("always use npm", "we moved to ruff"),
        ("always use postgres 16 in ci", "from now on use node 22 in ci"),
        ("always run the tests with -x", "from now on run the tests with --cov"),
        ("always document functions", "from now on document classes as well"),
        ("always run the tests", "no need to run the tests"),
        ("remember: the api is versioned", "the api is public now"),
    ],
)
def test_another_matter_a_narrower_one_an_addition_and_a_single_case_leave_it(
    older, newer
):
    assert why(older, newer) == ""


def test_a_move_without_its_origin_is_from_what_just_ran_where_that_is_of_a_kind():
    from msgspec.structs import replace

    moved, older = read("we moved to vitest"), read("always use jest")
    assert replaces(moved, older) == ""
    assert replaces(replace(moved, before=frozenset({"jest"})), older) == MOVED_ON
    npm = replace(moved, before=frozenset({"npm"}))
    assert replaces(npm, read("always use npm")) == ""


def test_programs_with_the_same_sub_commands_stand_in_for_each_other():
    assert are_alike("npm", "pnpm") and are_alike("docker", "podman")
    assert not are_alike("npm", "ruff") and not are_alike("pip", "npm")


@pytest.mark.parametrize(
    ("sentence", "changes"),
    [
        ("we moved to pnpm", True),
        ("use port 8080, not 3000", True),
        ("you may push to main again", True),
        ("you can push to main now", False),
        ("switch to main and delete the branch", False),
        ("the build is not green", False),
        ("run the tests again", False),
    ],
)
def test_only_what_says_that_it_lasts_is_a_change(sentence, changes):
    assert is_change(sentence) is changes

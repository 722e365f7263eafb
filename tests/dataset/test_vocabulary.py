"""Words and numbers on their way out: families, periods, two digits; pseudonyms that say nothing."""

from __future__ import annotations

import pytest

from afterglow.dataset.pseudonyms import KEY, Pseudonyms
from afterglow.dataset.table import PERIOD, PSEUDONYM
from afterglow.dataset.vocabulary import (
    AGENTS,
    MODELS,
    known,
    model_family,
    periods,
    rough,
    rough_number,
    rough_share,
)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-opus-4-5-20251101", "claude-opus"),
        ("anthropic/claude-3-5-sonnet", "claude-sonnet"),
        ("ft:gpt-4o:acme-harbour:pier:9x", "gpt-4o"),
        ("gpt-5-codex", "gpt-codex"),
        ("openai/o3-mini", "openai-o"),
        ("Qwen2.5-Coder-1.5B", "qwen"),
        ("harbour-pilot-7b", "other"),
        ("sophia-1", "other"),
        ("", ""),
    ],
)
def test_a_model_is_known_by_its_family_only(model, family):
    assert model_family(model) == family
    assert family in MODELS | {"other", ""}


def test_an_agent_in_no_list_is_other():
    assert [known(name, AGENTS) for name in ("hermes", "ana's own bot", "")] == [
        "hermes",
        "other",
        "",
    ]


def test_a_moment_becomes_a_week_a_month_a_year():
    assert periods(1_795_000_000.0) == ("2026-W47", "2026-11", "2026")
    assert periods(None) == periods(1e30) == periods(float("nan")) == ("", "", "")
    assert all(PERIOD.fullmatch(one) for one in (*periods(0.0), "any", ""))
    assert not PERIOD.fullmatch("2026-11-18")


def test_numbers_keep_two_digits_that_say_something():
    assert [rough(number) for number in (0, 87, 1234, 98_765_432, 0.4, None)] == [
        0,
        87,
        1200,
        99_000_000,
        0,
        None,
    ]
    assert [
        rough_number(number) for number in (0.0123456, float("nan"), float("inf"), None)
    ] == [
        0.012,
        None,
        None,
        None,
    ]
    assert (rough_share(1, 3), rough_share(0, 0)) == (0.33, None)


def test_pseudonyms_depend_on_salt_kind_and_id_and_on_nothing_else():
    one, two = Pseudonyms(b"a" * KEY), Pseudonyms(b"b" * KEY)
    assert one.of("repo", "acme/cli") == Pseudonyms(b"a" * KEY).of("repo", "acme/cli")
    names = {
        one.of("repo", "acme/cli"),
        one.of("user", "acme/cli"),
        one.of("repo", "acme/web"),
        two.of("repo", "acme/cli"),
    }
    assert len(names) == 4
    assert all(PSEUDONYM.fullmatch(name) for name in names)
    assert one.of("repo", "") == ""
    assert PSEUDONYM.fullmatch(one.of("repo", "half \ud800"))

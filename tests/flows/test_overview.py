"""What home says first: connected or not, helped or not, what waits."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.flows.overview import headline, overview
from afterglow.flows.overview.does_it_help import in_words
from afterglow.records.reading import Reading
from keeping import NOW, item, keep


def reading(value, low, high) -> Reading:
    return Reading(
        name="error reduction",
        unit="points",
        better="higher",
        nature="observational",
        meaning="drop",
        definition="rule",
        of="sessions",
        value=value,
        low=low,
        high=high,
        n=40,
        detail="9 % before, 4 % after",
    )


def test_an_empty_home_has_nothing_to_say(tmp_path):
    config = Config(home=tmp_path / "home", user_home=tmp_path)
    first = overview(config, now=NOW)
    assert (first.sessions, first.candidates, first.active) == (0, 0, 0)
    assert not config.home.exists()


def test_what_waits_is_counted(tmp_path):
    config = Config(home=tmp_path / "home", user_home=tmp_path)
    keep(config, item(1), item(2, status="candidate"))
    first = overview(config, now=NOW)
    assert (first.candidates, first.risky, first.active) == (1, 0, 1)


def test_too_early_to_tell_says_why(tmp_path):
    words = headline(Config(home=tmp_path / "home", user_home=tmp_path), now=NOW)
    assert words.tone == "maybe"
    assert words.detail.startswith("No context has been delivered yet")


def test_an_interval_that_holds_both_is_no_answer():
    assert in_words(reading(0.05, -0.01, 0.11)).tone == "maybe"
    assert in_words(reading(0.05, 0.01, 0.11)).tone == "yes"
    worse = in_words(reading(-0.05, -0.11, -0.01))
    assert worse.tone == "no"
    assert "no proof" in worse.detail

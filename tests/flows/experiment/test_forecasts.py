"""How long an experiment would take is told from one's own sessions, and to look at one records nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow import config as settings
from afterglow.config import Config
from afterglow.errors import Conflict, NotFound, UsageError
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.experiment.report.forecast import forecast_sentences
from afterglow.flows.experiment import (
    assign,
    forecast,
    new,
    peek,
    start,
    stop,
)
from afterglow.flows.experiment.forecasts import (
    _pace,
    outcome_history,
    usual_effect,
)
from afterglow.flows.read import scan
from afterglow.records.forecast import OutcomeHistory
from afterglow.records.settings import Hooks
from afterglow.records.template import SessionSeed, WarmTemplate
from afterglow.store.experiments import Experiments
from afterglow.store.templates.folder import Templates
from writing import Transcript

DAY = 86400.0
NOW = datetime(2026, 10, 29, tzinfo=UTC).timestamp()


@pytest.fixture
def config(tmp_path) -> Config:
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def live_through(config: Config, folder: Path, sessions: int) -> None:
    """One a day, the last on the day before NOW; every second one with a failed call."""
    for number in range(sessions):
        transcript = Transcript(number + 1, start=1440 * (27 - number))
        transcript.user("tests please")
        if number % 2:
            transcript.run("go test", "Exit code 1\nundefined: agent", error=True)
        transcript.run("go test ./...", "ok").reply("Green.").save(folder)
    scan(config, [folder])


def test_a_forecast_counts_sessions_and_weeks(config, tmp_path):
    live_through(config, tmp_path / "sessions", 20)
    told = forecast(config, "errors", arms=("cold", "both"), effect=0.4, now=NOW)
    assert told.history.sessions == 20
    assert told.history.mean == pytest.approx(0.5)
    assert told.a_week == pytest.approx(7.0, rel=0.1)
    assert told.chosen.weeks == pytest.approx(2 * told.chosen.an_arm / told.a_week)
    assert told.chosen.any_time > told.chosen.weeks
    sizes = [prospect.an_arm for prospect in told.prospects]
    assert sizes == sorted(sizes, reverse=True)
    assert told.chosen in told.prospects


def test_a_pace_somebody_names_goes_before_the_history(config, tmp_path):
    live_through(config, tmp_path / "sessions", 4)
    three = forecast(
        config, "errors", arms=("cold", "start", "both"), effect=0.4, a_week=30, now=NOW
    )
    assert three.chosen.weeks == pytest.approx(3 * three.chosen.an_arm / 30)
    sentences = " ".join(forecast_sentences(three, OUTCOMES))
    assert "in each of 3 arms" in sentences
    assert "You said 30 a week." in sentences


def test_a_share_is_not_forecast_beyond_all_of_them(config, tmp_path):
    live_through(config, tmp_path / "sessions", 10)
    told = forecast(config, "early-error-rate", arms=("cold", "both"), now=NOW)
    assert told.prospects
    assert "points" in " ".join(forecast_sentences(told, OUTCOMES))


def test_the_pace_is_that_of_the_last_four_weeks():
    daily = [NOW - day * DAY for day in range(1, 100)]
    assert _pace(daily, NOW, is_cut=False) == (pytest.approx(7.0), 0.0)
    assert _pace(daily[:10], NOW, is_cut=True)[0] == pytest.approx(7.0)


def test_where_nothing_happened_lately_the_pace_is_that_before_the_last_session():
    long_ago = [NOW - (100 + day) * DAY for day in range(56)]
    pace, until = _pace(long_ago, NOW, is_cut=False)
    assert pace == pytest.approx(7.0, abs=0.3)
    assert until == long_ago[0]


def test_half_of_what_there_is_to_gain_is_asked_for_unless_said():
    rate = OutcomeHistory("early-error-rate", 10, mean=0.06, sd=0.1)
    share = OutcomeHistory("success", 10, mean=0.9, sd=0.3)
    amount = OutcomeHistory("errors", 10, mean=5.0, sd=3.0)
    assert usual_effect(rate) == pytest.approx(0.03)
    assert usual_effect(share) == pytest.approx(0.05)
    assert usual_effect(amount) == pytest.approx(2.0)


def test_an_outcome_nobody_has_cannot_be_forecast(config):
    with pytest.raises(UsageError, match="nobody can say how long"):
        forecast(config, "errors", arms=("cold", "both"))
    with pytest.raises(UsageError, match="no outcome 'luck'"):
        outcome_history(config, "luck")


def test_one_arm_is_no_comparison(config):
    with pytest.raises(UsageError, match="at least two arms"):
        forecast(config, "errors", arms=("cold",))


def study(config, name="daily", **choices):
    chosen = {"arms": ("cold", "both"), "outcomes": ("errors",), **choices}
    return new(config, name, **chosen)


def test_start_and_stop_are_read_again_from_the_settings(config, monkeypatch):
    study(config)
    start(config, "daily")
    monkeypatch.setenv("AFTERGLOW_HOME", str(config.home))
    assert settings.load().experiment == "daily"
    stop(settings.load(), "daily")
    assert settings.load().experiment == ""


def test_one_experiment_at_a_time(config):
    study(config)
    study(config, "other")
    under_way = replace(config, experiment="daily")
    with pytest.raises(Conflict, match="daily is under way"):
        start(under_way, "other")
    with pytest.raises(Conflict, match="daily is under way, not other"):
        stop(under_way, "other")
    with pytest.raises(UsageError, match="nothing to stop"):
        stop(config, "daily")


def test_what_sessions_cannot_be_given_is_not_started(config):
    study(config, "tasks", unit="task")
    study(config, "odd", arms=("red", "blue"))
    study(config, "played", simulated=True)
    for name in ("tasks", "odd"):
        with pytest.raises(UsageError, match="cannot be a standing experiment"):
            start(config, name)
    with pytest.raises(UsageError, match="simulated"):
        start(config, "played")
    with pytest.raises(NotFound):
        start(config, "none")


def test_arms_with_a_template_are_not_started_where_no_session_could_get_one(config):
    study(config, "forms", arms=("cold", "template", "both"))
    with pytest.raises(UsageError, match=r"no template is approved.* warm auto"):
        start(config, "forms")
    made = WarmTemplate(id="", name="Piers", seed=SessionSeed(), approved=True)
    Templates(config.templates).add(made, NOW)
    with pytest.raises(UsageError, match="template_budget is 0"):
        start(replace(config, hooks=Hooks(template_budget=0)), "forms")
    assert start(config, "forms").name == "forms"


def test_to_look_keeps_nothing(config):
    study(config)
    assign(config, "daily", "s-1", repo="acme/cli", agent="claude-code", now=NOW)
    looked = peek(config, "daily", now=NOW + 3 * DAY)
    assert [latest.assignment.unit for latest in looked.latest] == ["s-1"]
    assert looked.latest[0].trial is None
    assert sum(arm.assigned for arm in looked.status.arms) == 1
    with Experiments(config.experiments) as store:
        assert store.trials("daily") == []

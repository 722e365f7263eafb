"""Experiments: planned with how long they take, started and stopped by one flow, looked at without recording."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.flows import experiment
from afterglow.flows.read import list_sessions
from afterglow.store.experiments import Experiments
from web.desk import Browser, words_of
from web.test_report_pages import finish


@pytest.fixture
def daily(home):
    """A plan with one assigned session that is in the catalogue."""
    experiment.new(
        home, "daily", arms=("cold", "both"), outcomes=("early-error-rate", "errors")
    )
    return home


def opened(browser: Browser, path: str) -> str:
    browser.get(path)
    finish(browser)
    return browser.get(path)


def test_without_one_the_page_says_how_to_plan_one(browser):
    html = browser.get("/experiments")
    assert "There is none yet" in html
    assert 'href="/experiments/new"' in html


def test_the_list_leads_to_each(daily, browser):
    html = browser.get("/experiments")
    assert 'href="/experiments/daily"' in html
    assert "cold, both" in html


def test_a_plan_is_written_from_the_form_and_nothing_starts(home, browser):
    answer = browser.post(
        "/experiments/new",
        {
            "name": "study",
            "arms": "both",
            "outcome": "errors",
            "effect": "2",
            "effect_of": "errors",
            "planned": "40",
        },
    )
    assert answer.status_code == 200
    assert "The plan is written (version 1)." in words_of(answer.text)
    plan, _ = experiment.show(home, "study")
    assert plan.arms == ("cold", "both")
    assert plan.outcomes == ("errors",)
    assert (plan.min_effect, plan.planned) == (2.0, 40)
    assert plan.exclusions
    assert not (home.home / "config.toml").exists()


def test_arms_by_form_can_be_planned_and_not_mixed_with_those_by_moment(home, browser):
    form = {"name": "forms", "outcome": "errors", "arms": ["template", "both"]}
    assert browser.post("/experiments/new", form).status_code == 200
    assert experiment.show(home, "forms")[0].arms == ("cold", "template", "both")
    mixed = {"name": "mixed", "outcome": "errors", "arms": ["failure", "template"]}
    answer = browser.post("/experiments/new", mixed)
    assert "is an arm by moment" in words_of(answer.text)


def test_the_token_of_the_form_goes_with_the_button_that_writes(browser):
    """The same form is asked by its address how long it takes: no token may stand there."""
    html = browser.get("/experiments/new")
    assert '<input type="hidden" name="csrf"' not in html
    assert f'name="csrf" value="{browser.desk.form_token}">Write the plan' in html


def test_points_are_typed_as_points(home, browser):
    browser.post(
        "/experiments/new",
        {"name": "study", "outcome": "early-error-rate", "effect": "5"},
    )
    assert experiment.show(home, "study")[0].min_effect == pytest.approx(0.05)


def test_a_difference_typed_for_another_outcome_is_not_taken_for_this_one(browser):
    html = browser.part("/experiments/new?outcome=errors&effect=5&effect_of=success")
    assert 'name="effect_of" value="errors"' in html


def test_a_form_without_a_name_says_so(browser):
    answer = browser.post("/experiments/new", {"outcome": "errors"})
    assert answer.status_code == 400
    assert "daily-1" in answer.text


def test_where_nobody_can_say_how_long_it_takes_the_page_says_why(browser):
    assert "nobody can say how long" in words_of(browser.part("/experiments/new"))
    asked_without_script = browser.get("/experiments/new?outcome=errors")
    assert "nobody can say how long" in words_of(asked_without_script)


def test_start_and_stop_name_the_experiment_in_the_settings(daily, browser):
    browser.post("/experiments/daily/start")
    toml = (daily.home / "config.toml").read_text()
    assert 'name = "daily"' in toml
    # The desk of tests has its settings in hand; a server reads them anew.
    under_way = Browser(replace(daily, experiment="daily"))
    html = under_way.get("/experiments/daily")
    assert "Stop it" in html and "under way" in html
    under_way.post("/experiments/daily/stop")
    assert not (daily.home / "config.toml").exists()


def test_a_second_one_is_not_started_beside_the_first(daily):
    experiment.new(daily, "other", arms=("cold", "both"), outcomes=("errors",))
    browser = Browser(replace(daily, experiment="daily"))
    answer = browser.post("/experiments/other/start")
    assert answer.status_code == 409
    assert "one at a time" in words_of(browser.get("/experiments/other"))


def test_to_look_records_nothing_and_says_that_it_costs_nothing(daily, browser):
    session = list_sessions(daily, limit=1)[0].id
    experiment.assign(daily, "daily", session, repo="acme/cli", agent="claude-code")
    html = opened(browser, "/experiments/daily")
    assert "looking costs nothing" in html
    assert "1" in html
    with Experiments(daily.experiments) as store:
        assert store.trials("daily") == []


def test_who_only_looks_cannot_start_one(daily):
    looking = Browser(daily, read_only=True)
    html = opened(looking, "/experiments/daily")
    assert "Start it" not in html
    assert looking.post("/experiments/daily/start").status_code == 403
    assert "cannot be written here" in looking.get("/experiments/new")


def test_one_that_does_not_exist_is_a_page_that_says_so(browser):
    assert browser.client.get("/experiments/none").status_code == 404


def test_a_simulated_one_cannot_be_started_and_says_what_it_is(home, browser):
    experiment.new(
        home,
        "played",
        arms=("cold", "both"),
        outcomes=("errors",),
        simulated=True,
    )
    html = opened(browser, "/experiments/played")
    assert "Start it" not in html and "simulated" in html
    assert browser.post("/experiments/played/start").status_code == 400

"""Experiments of a team, and who was helped by what, as members see them: numbers of all, names of nobody."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.experiment.shared_plans import shared_plan
from afterglow.records.delivery import Verdict
from flows.hub.book_keeping import STUDY, contributions, give, run_study, send

pytestmark = pytest.mark.slow
UNITS = [f"session-{number}" for number in range(12)]


@pytest.fixture
def books(hub_database, tmp_path):
    """What two machines sent."""
    for name in ("cyd", "ben"):
        machine = Config(home=tmp_path / name, user_home=tmp_path)
        machine.home.mkdir()
        run_study(machine, UNITS)
        give(machine, "ag-1", Verdict("k1", True, True, True, False))
        place = hub_database.member(name)
        assert send(place, machine, contributions(machine), name) == []


def test_an_experiment_of_two_people_is_shown_with_its_result(books, site):
    name = shared_plan(STUDY).name
    ben = site.member("ben")
    assert name in ben.get("/experiments")
    page = ben.get(f"/experiments/{name}")
    assert "24" in page
    assert "session-1" not in page
    dee = site.member("dee")
    assert name not in dee.get("/experiments")
    assert "no experiment" in dee.get(f"/experiments/{name}", status=404)


def test_who_was_helped_is_shown_to_who_may_read_the_repository(books, site):
    page = site.member("ben").get("/helped")
    assert "cyd" in page and "acme/harbor" in page
    assert "acme/harbor" not in site.member("dee").get("/helped")

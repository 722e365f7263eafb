"""`afterglow bootstrap --why`: the context, what each line is worth, what was left out and why."""

from __future__ import annotations

import json
import os

import pytest

from afterglow.config import Config
from command_line import afterglow
from keeping import item, keep


@pytest.fixture
def config(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path)
    candidates = [
        item(number, status="candidate", reason="seen once") for number in range(3, 10)
    ]
    keep(config, item(1), item(2, confidence=0.5), *candidates)
    return config


@pytest.fixture
def run(config, tmp_path):
    def bootstrap(*words: str) -> str:
        env = os.environ | {"HOME": str(tmp_path), "AFTERGLOW_HOME": str(config.home)}
        ended = afterglow("bootstrap", "--repo", "harbor", *words, env=env)
        ended.check_returncode()
        return ended.stdout

    return bootstrap


def test_why_says_what_each_line_is_worth_and_what_was_left_out(run, config):
    text = run("--why")
    assert text.startswith("What earlier sessions in harbor taught")
    assert "Saves about" in text
    assert "Left out, not sure enough: 1" in text
    assert "50% sure; told is what is surer than 70%" in text
    assert "Left out, candidates: 7" in text
    assert "and 2 more" in text
    assert not config.ledger.exists()


def test_the_same_as_json(run):
    explained = json.loads(run("--why", "--json"))
    assert explained["lines"][0]["item"]["id"] == "k0000001"
    assert {each["group"] for each in explained["omitted"]} == {
        "confidence",
        "candidate",
    }


def test_where_nothing_would_be_told_it_says_why(run):
    text = run("--why", "--min-confidence", "0.95")
    assert text.startswith("Nothing would be told.")
    assert "surer than 95%" in text


def test_without_why_the_context_is_noted(run, config):
    assert "k0000001" in run()
    assert config.ledger.exists()

"""What settings lead to is said before they are written, counted on the stores as they are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.connect import connect
from afterglow.flows.read import list_sessions, scan
from afterglow.flows.settings import consequences
from afterglow.records.settings import Hooks, PrivacySettings
from writing import Transcript

DAY = 86_400.0


@pytest.fixture
def config(tmp_path):
    (tmp_path / "home/.claude").mkdir(parents=True)
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    Transcript(1).user("light the lamps").reply("Lit.").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    return config


def words(before: Config, after: Config, now: float = 0.0) -> str:
    return " ".join(each.words for each in consequences(before, after, now))


def test_settings_that_stand_in_the_files_of_agents_need_a_new_connection(config):
    after = replace(config, hooks=Hooks(failures=False))
    assert words(config, after) == ""  # nobody is connected
    connect(config, ["claude-code"])
    assert "connected again" in words(config, after)
    assert words(config, replace(config, hooks=Hooks(budget=100))) == ""


def test_what_was_read_of_an_excluded_place_is_counted_once(config):
    (session,) = list_sessions(config, limit=1)
    after = replace(config, privacy=PrivacySettings(exclude=(session.repo,)))
    assert "1 session of these places" in words(config, after)
    more = replace(after, privacy=PrivacySettings(exclude=(session.repo, "/srv/x")))
    assert words(after, more) == ""


def test_what_the_next_scan_would_forget_is_counted(config):
    (session,) = list_sessions(config, limit=1)
    after = replace(config, privacy=PrivacySettings(keep_sessions_days=30))
    end = session.end or session.start or 0.0
    assert "forgets 1 session" in words(config, after, end + 31 * DAY)
    assert "nothing is forgotten" in words(config, after, end + 29 * DAY)


def test_further_words_to_hide_reach_what_was_learnt(config):
    assert "next harvest hides" in words(config, replace(config, names=("Ada",)))
    assert words(replace(config, names=("Ada",)), config) == ""

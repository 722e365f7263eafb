"""Sessions that met a problem again and were told nothing, from the events in the catalogue."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.records.reading import UntoldRepeats
from afterglow.records.selection import below
from afterglow.store.catalog import Catalog
from afterglow.store.untold_repeats import NAME, untold_repeats
from writing import Transcript

STAT = "Exit code 1\nerror: unknown flag: --stat"
PROBLEM = "line error: unknown flag: --stat"
DAY = 1440  # minutes, in a transcript


def lesson(number: int, *, tries: int = 1, repo: str = "harbor") -> Transcript:
    """A session that needs so many tries for what another call gets at once."""
    story = Transcript(number, start=number * DAY, cwd=f"/home/ana/src/{repo}")
    story.user("what changed?")
    for _ in range(tries):
        story.run(f"gh pr diff 4{number} --stat", STAT, error=True)
        story.run("true")
    return story.run(f"gh pr diff 4{number} --name-only", "dock/agent.go").reply("One.")


@pytest.fixture
def config(tmp_path):
    for number, tries in enumerate((1, 2, 1, 3)):
        lesson(number, tries=tries).save(tmp_path / "s")
    lesson(7, repo="quay").save(tmp_path / "s")
    settings = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    harvest(settings, below(tmp_path / "s"))
    return settings


def read(config, told=frozenset(), problem: str = ""):
    with Catalog(config.catalog) as catalog:
        problems = {"harbor": {problem or key_of(config)}}
        return untold_repeats(catalog, problems, told)


def key_of(config) -> str:
    """The key that the sessions' events have in common."""
    from afterglow.harvest.problem_key import problem_key
    from afterglow.store.events import events_of

    with Catalog(config.catalog) as catalog:
        keys = [entry.key for entry in catalog.entries()]
        (problem,) = {
            problem_key(event.keys)
            for _, session in events_of(catalog, keys)
            for event in session.events
        }
    return problem


def test_the_first_failure_of_each_later_session_counts_once(config):
    assert read(config) == (UntoldRepeats("harbor", key_of(config), 3, (4, 2, 6)),)


def test_sessions_that_were_told_of_it_or_of_who_knows_what_are_left_out(config):
    told = {(lesson(1).id, key_of(config)), (lesson(2).id, "")}
    (repeats,) = read(config, told)
    assert (repeats.failures, repeats.calls) == (1, (6,))


def test_another_problem_is_no_repeat_of_it(config):
    assert read(config, problem="line no pier") == ()


def test_what_is_remembered_is_forgotten_when_it_or_the_catalogue_changes(
    config, tmp_path
):
    first = read(config)
    with Catalog(config.catalog) as catalog:
        assert catalog.fact(NAME)
    assert read(config) == first
    assert read(config, {(lesson(1).id, "")})[0].failures == 2
    lesson(9).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert read(config)[0].failures == 4


def test_without_problems_nothing_is_read_or_remembered(config):
    with Catalog(config.catalog) as catalog:
        assert untold_repeats(catalog, {}, frozenset()) == ()
        assert not catalog.fact(NAME)

"""Known failures are read from harvested sessions, by what lessons there were when each session was given its arm."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.experiment import gathered, new
from afterglow.flows.experiment.session_failures import status_at
from afterglow.flows.experiment.trials import check_outcomes, gather
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.harvest.problem_topics import topics_of_event
from afterglow.records.experiment import COLD, FAILURE, Assignment, Plan
from afterglow.records.knowledge import Change
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from keeping import item
from writing import Transcript

OUTCOMES = ("calls-until-solved", "failed-after-first", "calls-lost")
DAY = 86400.0
OCTOBER = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
NOVEMBER = OCTOBER + 31 * DAY
WET = "Exit code 1\nlampctl: wick is wet"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def plan(**fields) -> Plan:
    return Plan(
        name="daily", arms=(COLD, FAILURE), allocation=(0.5, 0.5), outcomes=OUTCOMES, created=OCTOBER, salt="s", **fields,
    )  # fmt: skip


def given(unit: str, arm: str = COLD, time: float = OCTOBER) -> Assignment:
    return Assignment(experiment="daily", unit=unit, arm=arm, time=time)


def saved(config: Config, tmp_path, *sessions: Transcript) -> None:
    for session in sessions:
        session.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])


def stubborn(number: int) -> Transcript:
    """Runs into the wet wick three times; in between it looks around."""
    session = Transcript(number).user("light the lamp")
    session.run("lampctl light --all", WET, error=True)
    session.run("ls wicks", "a\nb")
    session.run("lampctl light --all", WET, error=True)
    session.run("cat README.md", "Lamps are lit with lampctl.")
    session.run("lampctl light --all", WET, error=True)
    session.run("lampctl dry", "dried")
    return session.run("lampctl light --all", "all lit").reply("All lit.")


def quick(number: int) -> Transcript:
    session = Transcript(number).user("light the lamp")
    session.run("lampctl light --all", WET, error=True)
    session.run("lampctl dry", "dried")
    return session.run("lampctl light --all", "all lit").reply("All lit.")


def calm(number: int) -> Transcript:
    return Transcript(number).user("look").run("ls wicks", "a\nb").reply("Two wicks.")


def learned(config: Config, session: str, time: float, **fields) -> None:
    """A lesson about what went wrong in a session, kept at `time`."""
    with Catalog(config.catalog) as catalog:
        (entry,) = catalog.find(session)
        ((_, events),) = events_of(catalog, [entry.key])
    topics = tuple(topics_of_event(entry.repo, events.events[0]))
    said = {"situation": "`lampctl light` fails with 'wick is wet'", **fields}
    lesson = item(1, repo=entry.repo, topics=topics, remedy="`lampctl dry` first", **said)  # fmt: skip
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([lesson], by="person", now=time)


def outcomes(config: Config, *assignments: Assignment) -> list[dict]:
    trials = gather(config, plan(), assignments, now=NOVEMBER)
    return [trial.outcomes for trial in trials]


def values(*numbers: float | None) -> dict[str, float | None]:
    return dict(zip(OUTCOMES, numbers, strict=True))


def test_calls_until_solved_and_failures_after_the_first_in_every_arm(config, tmp_path):
    sessions = stubborn(1), quick(2), calm(3)
    saved(config, tmp_path, *sessions)
    harvest(config)
    learned(config, sessions[0].id, OCTOBER - DAY)
    for arm in (COLD, FAILURE):
        assert outcomes(config, *(given(one.id, arm) for one in sessions)) == [
            values(6.0, 2.0, 6.0),
            values(2.0, 0.0, 2.0),
            values(None, None, 0.0),
        ]


def test_a_lesson_that_came_later_made_nothing_known(config, tmp_path):
    session = stubborn(1)
    saved(config, tmp_path, session)
    harvest(config)
    learned(config, session.id, OCTOBER + DAY / 4)
    early, late = given(session.id), given(session.id, time=OCTOBER + DAY / 2)
    assert outcomes(config, early) == [values(None, None, 0.0)]
    assert outcomes(config, late) == [values(6.0, 2.0, 6.0)]


def test_a_lesson_of_another_place_or_agent_made_nothing_known(config, tmp_path):
    session = stubborn(1)
    saved(config, tmp_path, session)
    harvest(config)
    learned(config, session.id, OCTOBER - DAY, agent="codex")
    assert outcomes(config, given(session.id)) == [values(None, None, 0.0)]


def test_a_lesson_about_something_else_of_the_same_error_made_nothing_known(
    config, tmp_path
):
    session = stubborn(1)
    saved(config, tmp_path, session)
    harvest(config)
    elsewhere = "`pump drain` fails with 'hose is wet'"
    learned(config, session.id, OCTOBER - DAY, situation=elsewhere)
    assert outcomes(config, given(session.id)) == [values(None, None, 0.0)]


def test_a_session_that_was_not_harvested_waits_and_is_not_kept(config, tmp_path):
    session = stubborn(1)
    new(config, "daily", arms=(COLD, FAILURE), outcomes=OUTCOMES, now=OCTOBER - DAY)
    saved(config, tmp_path, session)
    with Experiments(config.experiments) as store:
        store.assign(
            Assignment(experiment="daily", unit=session.id, arm="", time=OCTOBER),
            lambda *_: COLD,
        )
    assert gathered(config, "daily", now=NOVEMBER).trials == ()
    harvest(config)
    (trial,) = gathered(config, "daily", now=NOVEMBER).trials
    assert trial.outcomes == values(None, None, 0.0)
    with Experiments(config.experiments) as store:
        assert len(store.trials("daily")) == 1


def test_a_plan_is_refused_as_long_as_no_session_met_anything_known(config, tmp_path):
    saved(config, tmp_path, stubborn(1), calm(2))
    with pytest.raises(UsageError, match="calls-lost cannot be computed"):
        check_outcomes(config, ["calls-lost"])
    harvest(config)
    check_outcomes(config, ["calls-lost"])
    with pytest.raises(UsageError, match="calls-until-solved cannot be computed"):
        check_outcomes(config, ["calls-until-solved"])
    learned(config, stubborn(1).id, OCTOBER - DAY)
    check_outcomes(config, ["calls-until-solved", "failed-after-first"])


def test_no_knowledge_yet_is_no_trouble(config, tmp_path):
    saved(config, tmp_path, stubborn(1))
    harvest(config)
    config.knowledge.unlink()
    assert outcomes(config, given(stubborn(1).id)) == [values(None, None, 0.0)]


def test_the_status_at_a_time_is_read_from_history():
    history = [
        Change("k", 10.0, "harvest", "created"),
        Change("k", 20.0, "harvest", "status", "candidate", "active"),
        Change("k", 30.0, "person", "status", "active", "retired"),
    ]
    then = replace(item(1), status="retired")
    said = [status_at(then, history, time) for time in (5.0, 15.0, 25.0, 35.0)]
    assert said == ["", "candidate", "active", "retired"]
    assert status_at(then, history[:1], 15.0) == "retired"


def test_a_paired_plan_of_tasks_finds_each_run_by_its_context(config):
    paired = plan(unit="task", design="paired")
    runs = [given("t1", COLD), given("t1", FAILURE)]
    assert [one.arm for one in gather(config, paired, runs)] == [COLD, FAILURE]

"""Ledgers and experiments of many machines in one hub: everybody's numbers, nobody's names; sent twice, counted once."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

import msgspec
import psycopg
import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError, Unsupported
from afterglow.experiment.plan import plan_hash
from afterglow.experiment.shared_plans import shared_plan, substance
from afterglow.flows.experiment import analyse, list_experiments, report, show, start
from afterglow.flows.hub import helped, take_in
from afterglow.flows.hub import take_back as take_back_everything
from afterglow.flows.hub.own_books import own_books
from afterglow.flows.knowledge.item_views import item_deliveries
from afterglow.flows.measure import measure, replay
from afterglow.harvest.merge import id_of
from afterglow.harvest.shared_lessons import lesson_topic
from afterglow.records.contributions import Contribution, hub_session
from afterglow.records.delivery import Delivery, Followed, Verdict
from afterglow.records.helped import HelpedCount
from afterglow.records.settings import PrivacySettings
from afterglow.records.writing import BY_RULES
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.postgres.connection import PostgresConnection, postgres_trouble
from afterglow.store.postgres.shared_books import take_back_books
from flows.hub.book_keeping import (
    HARBOR,
    STUDY,
    contributions,
    give,
    run_study,
    send,
    take_back,
    trial_of,
)
from keeping import NOW, home_with_rules, item

pytestmark = pytest.mark.slow
USED, IGNORED, HARMFUL = (
    Verdict("k1", used=True, met=True, mattered=True, failed=False),
    Verdict("k1", used=False, met=True, mattered=False, failed=True),
    Verdict("k1", used=True, met=True, mattered=False, failed=True),
)
CYD = "0c0c0c0c0c0c"  # the mark of a member


@pytest.fixture
def home(tmp_path, compiled_rules):
    def at(name: str) -> Config:
        home = home_with_rules(tmp_path / name, compiled_rules)
        return Config(home=home, user_home=tmp_path)

    return at


@pytest.fixture
def hub(hub_database, home):
    """A member's view of the hub."""

    def seen_by(name: str) -> Config:
        return replace(home(f"hub-{name}"), hub=hub_database.member(name))

    return seen_by


def deliveries(config: Config) -> list[Delivery]:
    with Ledger(config.ledger) as ledger:
        return ledger.deliveries()


# Deliveries


def test_a_delivery_is_read_by_who_may_read_its_repository_without_names_or_words(
    hub_database, home, hub
):
    machine = home("cyd")
    give(machine, "ag-1", USED)
    assert send(hub_database.cyd, machine, contributions(machine), CYD) == []
    (shared,) = deliveries(hub("ben"))
    assert shared.session == hub_session(CYD, "session-ag-1")
    assert (shared.repo, shared.agent, shared.state) == (HARBOR, "codex", "delivered")
    assert (shared.task, shared.turn, shared.words, shared.call) == ("", None, "", "")
    assert shared.followed == Followed(solved=True, calls=3, used=True)
    first = shared.items[0]
    assert (first.item, first.used, first.situation, first.remedy) == (
        "k1",
        True,
        "",
        "",
    )
    assert deliveries(hub("dee")) == []
    assert deliveries(hub("eve")) == []


def test_what_is_sent_again_changes_nothing_and_a_later_verdict_takes_its_place(
    hub_database, home, hub
):
    machine, cyd = home("cyd"), hub("cyd")
    give(machine, "ag-1")
    for _ in range(2):
        send(hub_database.cyd, machine, contributions(machine), CYD)
    assert [each.state for each in deliveries(cyd)] == ["waiting"]
    give(machine, "ag-1", USED)
    for _ in range(2):
        send(hub_database.cyd, machine, contributions(machine), CYD)
    assert [each.state for each in deliveries(cyd)] == ["delivered"]
    assert helped(cyd).total == HelpedCount(name="", times_given=2, used=1)


def test_two_people_may_have_deliveries_of_one_id(hub_database, home, hub):
    for name, verdict in (("cyd", USED), ("ben", HARMFUL)):
        machine = home(name)
        give(machine, "ag-1", verdict)
        place = hub_database.member(name)
        assert send(place, machine, contributions(machine), name) == []
    assert len(deliveries(hub("ada"))) == 2
    assert item_deliveries(hub("ben"), "k1").counts == {"used": 1, "harmful": 1}


def test_a_delivery_that_is_taken_back_is_gone_and_another_persons_stays(
    hub_database, home, hub
):
    for name in ("cyd", "ben"):
        machine = home(name)
        give(machine, "ag-1", USED)
        send(hub_database.member(name), machine, contributions(machine), name)
    take_back(hub_database.cyd, machine, contributions(machine), "cyd")
    assert [each.session for each in deliveries(hub("ada"))] == [
        hub_session("ben", "session-ag-1")
    ]


def test_who_was_helped_by_what_is_counted_by_member_repository_and_item(
    hub_database, home, hub
):
    for name, verdicts in (("cyd", [USED, IGNORED]), ("ben", [HARMFUL])):
        machine = home(name)
        for number, verdict in enumerate(verdicts):
            give(machine, f"ag-{number}", verdict)
        give(machine, "ag-8", USED, when="compaction")
        give(machine, "ag-9", USED, placebo=True)
        send(hub_database.member(name), machine, contributions(machine), name)
    counted = helped(hub("ada"))
    assert counted.members == (
        HelpedCount(name="cyd", times_given=4, used=1, ignored=1),
        HelpedCount(name="ben", times_given=2, harmful=1),
    )
    assert counted.repos == (
        HelpedCount(name=HARBOR, times_given=6, used=1, ignored=1, harmful=1),
    )
    assert counted.items == (
        HelpedCount(name="k1", times_given=3, used=1, ignored=1, harmful=1),
        HelpedCount(name="k2", times_given=3),
    )
    assert helped(hub("ben"), person="cyd", item="k2").total.times_given == 2
    assert helped(hub("cyd"), since=501.0).total.times_given == 0
    assert helped(hub("dee")).total.times_given == 0


# Experiments


def test_those_who_planned_the_same_run_one_experiment(hub_database, home, hub):
    plans = {
        "cyd": STUDY,
        "ben": replace(STUDY, salt="other", created=50.0, version=2),
        "ada": replace(STUDY, hypothesis="they do not"),
    }
    for name, plan in plans.items():
        machine = home(name)
        if plan.version == 2:
            run_study(machine, [], replace(plan, version=1, hypothesis="draft"))
            with Experiments(machine.experiments_file) as store:
                store.add_plan(plan, plan_hash(plan))
        run_study(machine, [f"s{number}" for number in range(8)], plan)
        place = hub_database.member(name)
        assert send(place, machine, contributions(machine), name) == []
    ada = hub("ada")
    sizes = {each.plan.name: (each.assigned, each.recorded) for each in list_experiments(ada)}  # fmt: skip
    name = shared_plan(STUDY).name
    assert sizes[name] == (16, 16)
    assert sorted(sizes.values()) == [(8, 8), (16, 16)]
    plan, _ = show(ada, name)
    assert (plan.created, plan.salt) == (50.0, "")
    analysis = analyse(ada, name)
    assert analysis.assigned == {"cold": 8, "both": 8}
    assert [estimate.difference for estimate in analysis.estimates] == [1.0]
    assert report(ada, name)[0].data_hash == analysis.data_hash
    assert list_experiments(hub("dee")) == []


def test_units_have_names_by_which_nobody_else_knows_them(hub_database, home, hub):
    machine = home("cyd")
    run_study(machine, ["s1"])
    send(hub_database.cyd, machine, contributions(machine), CYD)
    with Experiments(hub("ben").experiments) as store:
        (assignment,) = store.assignments(shared_plan(STUDY).name)
        (trial,) = store.trials(shared_plan(STUDY).name)
    named = hub_session(CYD, "s1")
    assert (assignment.unit, trial.unit, trial.session) == (named, named, named)


def test_a_corrected_trial_takes_the_place_of_the_first_and_both_stay(
    hub_database, home, hub
):
    machine, name = home("cyd"), shared_plan(STUDY).name
    run_study(machine, ["s1"])
    for _ in range(2):
        send(hub_database.cyd, machine, contributions(machine), CYD)
    with Experiments(machine.experiments_file) as store:
        (assigned,) = store.assignments("study")
        again = trial_of(assigned, outcomes={"success": 0.5})
        store.record(again, kept=400.0, why="the test had not run")
    for _ in range(2):
        send(hub_database.cyd, machine, contributions(machine), CYD)
    with Experiments(hub("ben").experiments) as store:
        first, second = store.records(name)
        assert (second.replaces, second.why) == (first.n, "the test had not run")
        assert [each.outcomes for each in store.trials(name)] == [{"success": 0.5}]


def test_what_is_taken_back_leaves_its_numbers_and_is_not_counted_again(
    hub_database, home, hub
):
    machine, name = home("cyd"), shared_plan(STUDY).name
    run_study(machine, ["s1", "s2"])
    rows = contributions(machine)
    send(hub_database.cyd, machine, rows, CYD)
    units = [row for row in rows if row.key.endswith("s1")]
    take_back(hub_database.cyd, machine, units, CYD)
    send(hub_database.cyd, machine, rows, CYD)
    with Experiments(hub("ben").experiments) as store:
        assert store.counts(name) == (2, 2)
        units = {each.unit for each in store.trials(name)}
        assert len(units) == 2
        assert hub_session(CYD, "s1") not in units
    with psycopg.connect(hub_database.superuser) as db:
        people = db.execute("SELECT person FROM afterglow.trials ORDER BY n").fetchall()
    assert people == [(0,), (hub_database.people["cyd"],)]


def test_who_leaves_takes_everything_back(hub_database, home, hub):
    machine = home("cyd")
    run_study(machine, ["s1", "s2", "s3", "s4"])
    give(machine, "ag-1", USED)
    send(hub_database.cyd, machine, contributions(machine), CYD)
    with closing(PostgresConnection(hub_database.cyd)) as db:
        take_back_books(db)
    ben = hub("ben")
    assert deliveries(ben) == []
    assert helped(ben).total.times_given == 0
    assert analyse(ben, shared_plan(STUDY).name).assigned == {"cold": 2, "both": 2}
    cyd = hub_database.people["cyd"]
    with psycopg.connect(hub_database.superuser) as db:
        for table in ("plans", "assignments", "trials", "deliveries"):
            query = f"SELECT count(*) FROM afterglow.{table} WHERE person = %s"
            assert db.execute(query, [cyd]).fetchone() == (0,)


# The way from a machine


def test_what_a_machine_sends_reaches_the_books_and_goes_again(hub_database, home, hub):
    machine, cyd = home("cyd"), hub("cyd")
    run_study(machine, ["s1", "s2", "s3", "s4"])
    give(machine, "ag-1", USED)
    give(machine, "ag-2", USED, repo="acme/quay")
    batch = contributions(machine)
    for _ in range(2):
        taken = take_in(cyd, "laptop", batch)
        assert [refused.key for refused in taken.refused] == ["ag-2"]
    assert [each.id for each in deliveries(hub("ben"))] == ["ag-1"]
    take_back_everything(hub_database.cyd)
    assert deliveries(cyd) == []
    assert take_in(cyd, "laptop", batch).accepted == len(batch) - 1
    assert deliveries(cyd) == []  # the same rows again are no news


def test_a_lesson_that_was_written_here_is_named_as_the_hub_names_it(home):
    machine = home("cyd")
    lesson = item(
        1, id="k1", fact="`make dock` before `make`", repo=HARBOR, miner=BY_RULES
    )
    with Knowledge(machine.knowledge_file) as knowledge:
        knowledge.save([lesson], by="rules", now=NOW)
    give(machine, "ag-1", USED)
    give(machine, "ag-2", USED, repo="(no repository)")
    ((_, _, _, body),) = [msgspec.structs.astuple(row) for row in own_books(machine)]
    names = [entry["item"] for entry in body["items"]]
    assert names == [id_of(lesson_topic(lesson)), "k2"]


def test_what_a_person_excluded_is_not_sent(home):
    machine = home("cyd")
    give(machine, "ag-1", USED)
    run_study(machine, ["s1"])
    excluded = replace(machine, privacy=PrivacySettings(exclude=(HARBOR,)))
    assert len(list(own_books(machine))) == 4
    assert list(own_books(excluded)) == []


def test_a_machine_sends_without_the_library_of_a_hub():
    program = (
        "import sys, afterglow.flows.hub.own_books; print('psycopg' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"


# What a hostile client sends


def row(kind: str, key: str, body: object, repo: str = HARBOR) -> Contribution:
    encoded = msgspec.Raw(msgspec.json.encode(body))
    return Contribution(kind, key, repo, 1, body=encoded)


DELIVERY = {"id": "ag-1", "time": 5.0, "items": []}


def test_what_is_no_delivery_is_refused_with_the_reason(hub_database, home):
    machine = home("x")
    item = {"item": "k1", "confidence": 1.0}
    for body, why in (
        ([], "Expected `object`"),
        ({**DELIVERY, "id": "ag-2"}, "another delivery"),
        ({**DELIVERY, "agent": "<script>"}, "no agent"),
        ({**DELIVERY, "tokens": 10**12}, "a count"),
        ({**DELIVERY, "tokens": -1}, "a count"),
        ({**DELIVERY, "when": "always"}, "Invalid enum"),
        ({**DELIVERY, "items": [["k1"]]}, "Expected `object`"),
        ({**DELIVERY, "items": [{**item, "item": "k 1"}]}, "no id"),
        ({**DELIVERY, "items": [{**item, "item": "k\0"}]}, "no id"),
        ({**DELIVERY, "items": [item] * 501}, "500 items"),
    ):
        bad = row("delivery", "ag-1", body)
        (told,) = send(hub_database.cyd, machine, [bad], CYD)
        assert why in told


def plan_body(**more) -> dict:
    return {**msgspec.to_builtins(STUDY), "salt": "", **more}


def test_a_plan_that_could_not_have_been_made_is_refused(hub_database, home):
    machine, key = home("x"), f"{shared_plan(STUDY).name}/{HARBOR}"
    for body, why in (
        (plan_body(arms=["cold"]), "2 to 8 arms"),
        (plan_body(outcomes=["riches"]), "no outcome"),
        (plan_body(simulated=True), "stays at home"),
        (plan_body(hypothesis="another"), "the key"),
        (plan_body(name="../x"), "cannot name"),
    ):
        (told,) = send(hub_database.cyd, machine, [row("plan", key, body)], CYD)
        assert why in told


def test_a_unit_is_refused_where_it_does_not_fit_its_plan(hub_database, home):
    machine, name = home("x"), shared_plan(STUDY).name
    plan = row("plan", f"{name}/{HARBOR}", plan_body())
    unit = {"experiment": name, "unit": "s1", "arm": "both", "time": 200.0}
    trial = {"recorded": 1.0, "trial": {**unit, "outcomes": {"success": 1.0}}}
    no_plan = row("assignment", f"{name}/both/s1", unit)
    assert send(hub_database.cyd, machine, [no_plan], CYD) == [
        "the hub does not have its plan"
    ]
    assert send(hub_database.cyd, machine, [plan, no_plan], CYD) == []
    for body, why in (
        ({**unit, "arm": "hot"}, "no such arm"),
        ({**unit, "time": 99.0}, "before its plan"),
        ({**unit, "unit": "s2"}, "another unit"),
        ({**unit, "stratum": "x" * 501}, "a name is one line"),
    ):
        bad = row("assignment", f"{name}/both/s1", body)
        (told,) = send(hub_database.cyd, machine, [bad], CYD)
        assert why in told
    for change, why in (
        ({"outcomes": {"riches": 1.0}}, "outcome"),
        ({"excluded": "a whim"}, "no rule"),
        ({"before": {f"x{n}": 1.0 for n in range(21)}}, "more than 20"),
    ):
        body = {**trial, "trial": {**trial["trial"], **change}}
        bad = row("trial", f"{name}//s1", body)
        (told,) = send(hub_database.cyd, machine, [bad], CYD)
        assert why in told


def test_a_plan_cannot_be_put_under_the_name_of_another(hub_database, home):
    """By hand, under the app's role."""
    machine = home("cyd")
    run_study(machine, ["s1"])
    send(hub_database.cyd, machine, contributions(machine), CYD)
    forged = replace(shared_plan(STUDY), alpha=0.4)
    text = msgspec.json.encode(forged, order="sorted").decode()
    insert = "INSERT INTO plans (repo, name, version, hash, plan, substance) VALUES (?, ?, 2, ?, ?, ?)"
    for words in (substance(STUDY), substance(replace(STUDY, alpha=0.4))):
        values = [HARBOR, forged.name, plan_hash(forged), text, words]
        with (
            pytest.raises(StoreError, match="says what it is"),
            postgres_trouble(hub_database.ben),
            closing(PostgresConnection(hub_database.ben)) as db,
        ):
            db.execute(insert, values)


FORBIDDEN = (
    "UPDATE trials SET trial = '{}'",
    "DELETE FROM trials",
    "UPDATE assignments SET arm = 'both'",
    "DELETE FROM assigned_deliveries",
    "TRUNCATE trials CASCADE",
    "UPDATE plans SET person = 0",
    "INSERT INTO trials (person, repo, experiment, unit, arm, kept, why, trial) "
    "SELECT id, 'acme/harbor', 'x', 'u', 'a', 1, '', '{}' FROM people WHERE name = 'cyd'",
    "INSERT INTO deliveries (person, id, time, repo, agent, task, budget, tokens, state, session, items) "
    "SELECT id, 'x', 1, 'acme/harbor', '', '', 0, 0, 'waiting', '', '[]' FROM people WHERE name = 'cyd'",
    "INSERT INTO deliveries (id, time, repo, agent, task, budget, tokens, state, session, items) "
    "VALUES ('x', 1, 'acme/quay', '', '', 0, 0, 'waiting', '', '[]')",
)


def test_experiments_are_only_added_to_and_only_as_oneself(hub_database):
    with closing(PostgresConnection(hub_database.ben)) as db:
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(statement)


def test_nobodys_trial_is_replaced_by_another_person(hub_database, home):
    machine = home("cyd")
    run_study(machine, ["s1"])
    send(hub_database.cyd, machine, contributions(machine), CYD)
    with closing(PostgresConnection(hub_database.ben)) as db:
        ((number, text),) = db.execute("SELECT n, trial FROM trials").fetchall()
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            db.execute(
                "INSERT INTO trials (repo, experiment, unit, arm, kept, why, trial, replaces) "
                "VALUES (?, 'x', 'u', 'a', 1, '', ?, ?)",
                [HARBOR, text, number],
            )


def test_nobody_takes_back_what_is_anothers(hub_database, home, hub):
    machine, name = home("cyd"), shared_plan(STUDY).name
    run_study(machine, ["s1"])
    give(machine, "ag-1", USED)
    send(hub_database.cyd, machine, contributions(machine), CYD)
    units = [hub_session(CYD, "s1")]
    for place in (hub_database.ada, hub_database.eve, hub_database.app):
        with closing(PostgresConnection(place)) as db:
            db.execute("SELECT take_back_units(?, ?)", [name, units])
            db.execute("SELECT take_back_plan(?, ?)", [name, HARBOR])
            take_back_books(db)
    with (
        closing(PostgresConnection(hub_database.merge)) as db,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        db.execute("SELECT take_back_units(?, ?)", [name, units])
    cyd = hub_database.people["cyd"]
    with psycopg.connect(hub_database.superuser) as db:
        for table in ("plans", "assignments", "trials", "deliveries"):
            query = f"SELECT person FROM afterglow.{table}"
            assert db.execute(query).fetchall() == [(cyd,)]


# Numbers and limits


def test_measure_says_what_a_hub_knows_and_what_it_cannot(hub_database, home, hub):
    machine = home("cyd")
    give(machine, "ag-1", USED)
    give(machine, "ag-2", HARMFUL)
    send(hub_database.cyd, machine, contributions(machine), CYD)
    measured = measure(hub("ben"), now=1000.0)
    readings = {reading.name: reading for reading in measured.readings}
    assert (readings["hit rate"].value, readings["hit rate"].n) == (1.0, 2)
    assert readings["mattered"].value == 0.5
    assert readings["error rate"].value is None
    assert "a hub has no sessions" in readings["error rate"].reason
    assert measured.moments[0].proved == 2


@pytest.mark.parametrize(
    ("act", "what"),
    [(replay, "replay"), (lambda config: start(config, "x"), "a standing experiment")],
)
def test_what_needs_sessions_says_that_a_hub_has_none(hub, act, what):
    with pytest.raises(Unsupported, match=f"{what} reads sessions, and a hub has none"):
        act(hub("ada"))

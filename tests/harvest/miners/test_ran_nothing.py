"""Test runs that ended well because they ran no test."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import ran_nothing
from trails import tellings, told, trail_of
from writing import Transcript

EMPTY = "> spec --allow-none -- --match=tide\n\nNo tests found, exiting with code 0"
RAN = "PASS src/tide.spec.ts\nTests:       26 passed, 26 total"
FAILS = "pnpm --filter pier test -- --match={}"


def session(
    number: int, name: str, works: str = "cd pier && npx jest --match={}"
) -> Transcript:
    transcript = Transcript(number).run(FAILS.format(name), EMPTY)
    return transcript.run(works.format(name), RAN)


def mined(transcript: Transcript) -> list:
    return list(ran_nothing.mine(trail_of(transcript)))


def test_two_sessions_that_reached_the_tests_in_the_same_way_make_one_line():
    (telling,) = tellings(ran_nothing, session(1, "tide.spec"), session(2, "lamps"))
    assert telling.fact == (
        "runs no test, looks green: `pnpm --filter pier test -- --match=<name>`: "
        "No tests found, exiting with code 0: use `cd pier && npx jest --match=<name>`."
    )
    assert (telling.category, telling.times) == ("pitfall", 2)


def test_one_session_is_not_enough():
    assert told(ran_nothing, session(1, "tide.spec")) == []


def test_where_sessions_reached_them_otherwise_nothing_is_told():
    by_name = "pnpm --filter pier test -- {}"
    assert told(ran_nothing, session(1, "tide"), session(2, "lamps", by_name)) == []


def test_of_several_ways_the_one_of_most_sessions_is_told():
    by_name = "pnpm --filter pier test -- {}"
    sessions = [session(1, "tide"), session(2, "lamps"), session(3, "gulls", by_name)]
    (fact,) = told(ran_nothing, *sessions)
    assert "use `cd pier && npx jest --match=<name>`" in fact


def test_a_folder_the_shell_stands_in_is_told():
    def standing(number: int, name: str) -> Transcript:
        transcript = Transcript(number).run(FAILS.format(name), EMPTY)
        return transcript.run("cd pier").run(f"npx jest --match={name}", RAN)

    (fact,) = told(ran_nothing, standing(1, "tide"), standing(2, "lamps"))
    assert "use `cd pier && npx jest --match=<name>`" in fact


@pytest.mark.parametrize(
    ("second", "output"),
    [
        ("npx jest --match=gulls", RAN),  # other tests
        ("npx jest --match=tide", EMPTY),  # none again
        ("npx jest --match=tide", "done"),  # nobody knows
        ("ls src/tide", RAN),  # no run of tests
        (FAILS.format("tide"), RAN),  # the same call
    ],
)
def test_what_did_not_reach_the_same_tests(second, output):
    transcript = Transcript().run(FAILS.format("tide"), EMPTY).run(second, output)
    assert mined(transcript) == []


def test_behind_an_edit_the_test_may_have_been_written():
    transcript = Transcript().run(FAILS.format("tide"), EMPTY)
    path = "/home/ana/src/harbor/tide.spec.ts"
    transcript.ask("Write", file_path=path, content="test()").answer("done")
    assert mined(transcript.run("npx jest --match=tide", RAN)) == []


def test_a_run_that_ran_some_is_no_empty_one():
    output = "No tests found in pier/b\nTests:       3 passed, 3 total"
    transcript = Transcript().run(FAILS.format("tide"), output)
    assert mined(transcript.run("npx jest --match=tide", RAN)) == []


def test_a_run_that_fails_for_having_no_tests_does_not_look_green():
    def failing(number: int, name: str) -> Transcript:
        line = f"pytest -k {name}"
        output = "Exit code 5\ncollected 0 items\n\n==== no tests ran in 0.01s ===="
        transcript = Transcript(number).run(line, output, error=True)
        return transcript.run(
            f"pytest tests/pier -k {name}", "==== 2 passed in 1s ===="
        )

    (fact,) = told(ran_nothing, failing(1, "tide"), failing(2, "lamps"))
    assert "runs no test: `pytest -k <name>`: " in fact
    assert fact.endswith("use `pytest tests/pier -k <name>`.")


def test_it_is_found_by_what_the_run_says():
    (finding,) = mined(session(1, "tide"))
    assert "no tests found" in finding.fingerprint.lower()

"""Looking through sessions: words, choices, what each choice would leave, pages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan, session_list
from afterglow.records.delivery import Delivery
from afterglow.records.selection import Selection, below
from afterglow.records.session_list import SessionFilter
from afterglow.store.catalog import Catalog
from afterglow.store.ledger import Ledger
from afterglow.text.numbers import week
from keeping import item, keep, proof
from writing import Transcript, ordinary

OCTOBER = 1_790_812_800.0  # 2026-10-01, when the sessions of tests begin
DAY = 86400.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def fleet(config, tmp_path):
    """Three sessions: an ordinary one, one elsewhere that a pipe made look well, one in which nothing was called."""
    folder = tmp_path / "s"
    ordinary(1).save(folder)
    piped = "--- FAIL: TestDepth\nFAIL"
    (
        Transcript(2, cwd="/home/ana/src/mole", start=1440)
        .user("Pochwal się: ŻÓŁW i 50%_done")
        .run("go test ./... 2>&1 | tail -2", piped)
        .reply("One test fails.")
    ).save(folder)
    Transcript(3, start=2880).user("what is a mole?").reply("A pier.").save(folder)
    scan(config, [folder])
    return config


def numbers(config, **options) -> list[int]:
    listed = session_list(config, SessionFilter(**options))
    assert listed.total == len(listed.sessions)
    return [int(session.entry.id[-1]) for session in listed.sessions]


def test_the_newest_comes_first(fleet):
    assert numbers(fleet) == [3, 2, 1]


@pytest.mark.parametrize(
    ("words", "fitting"),
    [
        ("tests", [1]),
        ("TESTS Please", [1]),
        ("żółw", [2]),
        ("50%_", [2]),
        ("%", [2]),
        ("mole", [3, 2]),
        ("mole pier", []),
        ("harbor", [3, 1]),
        ("8444-000000000002", [2]),
        ("' OR 1 --", []),
        ("   ", [3, 2, 1]),
    ],
)
def test_words_are_looked_for_in_request_repository_and_id(fleet, words, fitting):
    assert numbers(fleet, words=words) == fitting


def test_a_title_the_agent_gave_does_not_hide_the_first_request(config, tmp_path):
    transcript = ordinary(1)
    transcript._line(type="summary", summary="Green again", leafUuid="u0")
    transcript.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert numbers(config, words="tests please") == [1]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("see https://github.com/ana/harbor/pull/41/files?w=1 now", "see ana/harbor#41 now"),
        ("[the issue](https://example.org/ana/harbor/-/issues/7) again", "the issue again"),
        ("[https://github.com/a/b/discussions/3](https://x)", "a/b#3"),
        ("https://example.org/private/plan?token=x", "https://example.org"),
    ],
)  # fmt: skip
def test_titles_name_issues_and_lose_other_addresses(config, tmp_path, words, title):
    Transcript(1).user(words).reply("Yes.").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert session_list(config).sessions[0].entry.title == title


def test_a_session_that_went_on_is_still_known_by_its_first_request(config, tmp_path):
    transcript = ordinary(1)
    path = transcript.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    with path.open("a", encoding="utf-8") as file:
        file.write(Transcript(1, start=100).user("thanks").reply("Bye.").text)
    assert scan(config, [tmp_path / "s"]).resumed == 1
    assert numbers(config, words="tests please") == [1]


def test_secrets_of_a_first_request_cannot_be_searched(config, tmp_path):
    token = "ghp_" + "k3Jx9QmZt7RwB2vN5cYs8LdPa1Fh6Ug4Ei0o"  # invented
    (Transcript(1).user(f"push with {token} please").reply("Done.")).save(
        tmp_path / "s"
    )
    scan(config, [tmp_path / "s"])
    assert numbers(config, words="push with") == [1]
    assert numbers(config, words=token) == []


def test_choices_narrow_it(fleet):
    assert numbers(fleet, selection=Selection(repo="mole")) == [2]
    assert numbers(fleet, selection=Selection(agent="codex")) == []
    assert numbers(fleet, selection=Selection(since=OCTOBER + DAY)) == [3, 2]
    assert numbers(fleet, selection=Selection(until=OCTOBER + DAY)) == [1]
    assert numbers(fleet, marks=frozenset({"failures"})) == [1]
    assert numbers(fleet, marks=frozenset({"hidden"})) == [2]
    assert numbers(fleet, marks=frozenset({"hidden", "failures"})) == []
    assert numbers(fleet, tool="Bash") == [2, 1]
    assert numbers(fleet, tool="Bas") == []
    assert numbers(fleet, week="2026-W07") == []
    assert numbers(fleet, week=week(OCTOBER)) == [3, 2, 1]
    assert numbers(fleet, model="model-x", words="pier") == []
    for outcome in ("success", "failure", "unknown"):
        listed = session_list(fleet, SessionFilter(outcome=outcome))
        assert {row.entry.outcome for row in listed.sessions} <= {outcome}


def test_what_was_given_and_taught_is_counted_and_can_be_asked_for(fleet, tmp_path):
    delivery = Delivery(id="ag-1", time=OCTOBER, session=ordinary(1).id)
    with Ledger(fleet.ledger) as ledger:
        ledger.add(delivery)
        ledger.add(replace(delivery, id="ag-2"))
        ledger.add(replace(delivery, id="ag-3", session="of another machine"))
    evidence = proof(tmp_path / "s" / f"{Transcript(2).id}.jsonl", "--- FAIL")
    keep(fleet, item(1, evidence=(evidence,)), item(2, evidence=(evidence,)))
    assert numbers(fleet, marks=frozenset({"given"})) == [1]
    assert numbers(fleet, marks=frozenset({"taught"})) == [2]
    rows = session_list(fleet).sessions
    assert [(row.deliveries, row.items) for row in rows] == [(0, 0), (0, 2), (2, 0)]
    marks = session_list(fleet).facets.marks
    assert marks == {"failures": 1, "hidden": 1, "given": 1, "taught": 1}


def test_facets_say_what_another_choice_would_leave(fleet):
    facets = session_list(fleet, SessionFilter(selection=Selection(repo="mole"))).facets
    assert facets.repos == {"harbor": 2, "mole": 1}
    assert facets.agents == {"claude-code": 1}
    assert facets.marks["hidden"] == 1 and facets.marks["failures"] == 0
    both = SessionFilter(selection=Selection(repo="mole"), words="tests")
    assert session_list(fleet, both).facets.repos == {"harbor": 1}


def test_failures_that_harvest_finds_hidden_count_too(config, tmp_path):
    output = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'dock'"
    (
        Transcript(1)
        .user("start it")
        .run("python -m harbor; true", output)
        .reply("It does not start.")
    ).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    with Catalog(config.catalog) as catalog:
        hidden = catalog.rows("SELECT hidden FROM events")[0][0]
        masked = catalog.entries()[0].masked
    (row,) = session_list(config).sessions
    assert row.hidden == max(hidden, masked) > 0


def test_pages_go_on_where_the_last_ended_and_stop_at_the_end(fleet):
    ids = [
        session_list(fleet, page=page, size=2).sessions[0].entry.id[-1]
        for page in (0, 1, 2, 99)
    ]
    assert ids == ["3", "3", "1", "1"]
    last = session_list(fleet, page=99, size=2)
    assert (last.page, last.pages, last.total, len(last.sessions)) == (2, 2, 3, 1)


def test_a_home_without_anything_has_an_empty_list(config):
    listed = session_list(config, SessionFilter(words="x"))
    assert (listed.sessions, listed.total, listed.pages) == ((), 0, 1)
    assert not config.ledger.exists() and not config.knowledge.exists()

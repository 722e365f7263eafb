"""problems, end to end: sessions in, problems out; unchanged is kept, an old catalogue is made anew, secrets stay out."""

from __future__ import annotations

import multiprocessing
import sqlite3

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.harvest import harvest, problem, problems
from afterglow.harvest.events import session_events as event_rules
from afterglow.records.delivery import Delivery, Given
from afterglow.records.problems import MAX_DOSSIER_TOKENS
from afterglow.records.selection import Selection, below
from afterglow.records.writing import BY_RULES
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_schema import SCHEMA
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from writing import Transcript

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def session(number: int, **options) -> Transcript:
    """A session in which `gh pr diff --stat` fails behind a pipe and in the open, and is got past."""
    return (
        Transcript(number, start=1500 * number, **options)
        .user("what changed in the pull request?")
        .run(f"gh pr diff {number} --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .reply("This version has no --stat, so I list the names.")
        .run(f"gh pr diff {number} --name-only", "dock/agent.go")
        .reply("One file changed.")
    )  # fmt: skip


@pytest.fixture
def harvested(config, tmp_path):
    for number in (1, 2, 3):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return config


def test_what_several_sessions_met_is_listed_with_its_cost(harvested):
    listed = problems(harvested)
    (each,) = listed.problems
    assert (listed.total, each.times, len(each.sessions)) == (1, 3, 3)
    assert (each.repo, each.cost) == ("harbor", 3)
    assert "unknown flag: --stat" in each.what


def test_an_active_item_of_the_same_error_is_its_lesson_and_deliveries_are_counted(
    harvested,
):
    (each,) = problems(harvested).problems
    with Knowledge(harvested.knowledge) as knowledge:
        (item,) = knowledge.items(miner=BY_RULES)
    assert "--name-only" in item.fact
    assert [lesson.item for lesson in each.lessons] == [item.id]
    given = Given(item.id, 0.9)
    with Ledger(harvested.ledger) as ledger:
        ledger.add(Delivery(id="d1", time=5.0, repo="harbor", items=(given,)))
    assert problems(harvested).problems[0].lessons[0].deliveries == 1
    assert problems(harvested).without_lesson == (item.status != "active")


def test_a_dossier_shows_failure_and_remedy(harvested):
    (each,) = problems(harvested).problems
    report = problem(harvested, each.id[:5])
    assert report.problem.id == each.id
    assert report.dossier.tokens <= MAX_DOSSIER_TOKENS
    assert "gh pr diff 1 --stat" in report.dossier.text
    assert "gh pr diff 1 --name-only => " in report.dossier.text
    places = {(line.session, line.line) for line in report.dossier.lines}
    assert (session(1).id, 2) in places


def test_ids_that_grew_together_still_lead_to_the_problem(config, tmp_path):
    missing = "Exit code 127\nzsh:1: command not found: lampctl"
    for number in (1, 2):
        transcript = Transcript(number, start=1500 * number).user("light the lamps")
        transcript.run("lampctl ignite", missing, error=True).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (each,) = problems(config).problems
    assert (each.key, len(each.also)) == ("program lampctl", 1)
    assert problem(config, each.also[0]).problem.id == each.id


def test_an_id_that_is_none_says_what_would_work(harvested):
    with pytest.raises(NotFound, match="problems --all"):
        problem(harvested, "zzzz")
    with pytest.raises((NotFound, UsageError)):
        problem(harvested, "")


def test_a_selection_narrows_it(harvested):
    assert problems(harvested, Selection(repo="harbor")).total == 1
    assert problems(harvested, Selection(repo="quay")).total == 0
    assert problems(harvested, Selection(agent="codex")).total == 0
    assert problems(harvested, limit=1).problems


def test_what_one_session_met_is_listed_on_demand(config, tmp_path):
    session(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert problems(config).total == 0
    assert problems(config, everything=True).total == 1


def test_nothing_harvested_is_no_error(config):
    listed = problems(config)
    assert (listed.problems, listed.unread) == ((), 0)


def test_ids_are_the_same_whatever_order_sessions_are_harvested_in(tmp_path):
    ids = []
    for order in ((1, 2, 3), (3, 1, 2)):
        name = "".join(map(str, order))
        config = Config(home=tmp_path / name, user_home=tmp_path)
        for number in order:
            session(number).save(tmp_path / f"s{name}")
            harvest(config, below(tmp_path / f"s{name}"))
        ids.append([(each.id, each.sessions) for each in problems(config).problems])
    assert ids[0] == ids[1]


def test_unchanged_sessions_are_kept_and_mined_again_when_the_rules_change(
    harvested, tmp_path, monkeypatch
):
    before = problems(harvested)
    assert harvest(harvested, below(tmp_path / "s")).mined == 0
    assert problems(harvested) == before
    monkeypatch.setattr(event_rules, "VERSION", event_rules.VERSION + 1)
    assert harvest(harvested, below(tmp_path / "s")).mined == 3
    assert problems(harvested) == before


def test_a_session_that_went_on_has_its_events_once(harvested, tmp_path):
    longer = session(2).run(
        "gh pr diff 2 --stat", "Exit code 1\nunknown flag: --stat", error=True
    )
    longer.save(tmp_path / "s")
    harvest(harvested, below(tmp_path / "s"))
    assert problems(harvested).problems[0].times == 4


def test_a_catalogue_of_an_older_layout_is_made_anew(harvested, tmp_path):
    before = problems(harvested).problems
    with sqlite3.connect(harvested.catalog) as db:
        db.execute("DROP TABLE events")
        db.execute(f"PRAGMA user_version = {SCHEMA - 1}")
    db.close()
    assert problems(harvested).total == 0
    harvest(harvested, below(tmp_path / "s"))
    assert problems(harvested).problems == before


def _harvest(home, folder) -> None:
    harvest(Config(home=home, user_home=home), below(folder))


def test_two_harvests_at_once_end_with_the_same_events(config, tmp_path):
    for number in range(1, 9):
        session(number).save(tmp_path / "s")
    context = multiprocessing.get_context("spawn")
    both = [
        context.Process(target=_harvest, args=(config.home, tmp_path / "s"))
        for _ in range(2)
    ]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    (each,) = problems(config).problems
    assert each.times == 8


def test_a_secret_reaches_neither_the_store_nor_a_dossier(config, tmp_path):
    for number in (1, 2):
        (
            Transcript(number, start=1500 * number)
            .user("push it please")
            .run(
                f"curl -H 'Authorization: Bearer {SECRET}' https://quay.example/push",
                f"Exit code 22\ncurl: (22) The requested URL returned error: 401\nused token {SECRET}",
                error=True,
            )
            .reply(f"The token {SECRET} has expired, so I ask with another one.")
            .run(f"curl -H 'Authorization: Bearer {SECRET[::-1]}' https://quay.example/push", f"ok {SECRET}")
            .user(f"never put {SECRET} on a command line, always read it from the file")
            .reply("Understood.")
            .save(tmp_path / "s")
        )  # fmt: skip
    harvest(config, below(tmp_path / "s"))
    with Catalog(config.catalog) as catalog:
        stored = b"".join(body for (body,) in catalog.rows("SELECT events FROM events"))
    assert stored
    pieces = [SECRET.encode()[start : start + 12] for start in range(0, 28, 4)]
    assert [piece for piece in pieces if piece in stored] == []
    listed = problems(config, everything=True).problems
    assert listed
    for each in listed:
        assert SECRET[:12] not in problem(config, each.id).dossier.text

"""Nothing becomes active at a hub without a person: a reviewer who approved these words, or a second one's sessions."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from afterglow.records.contributions import person_mark
from afterglow.records.hub import HubPlace
from afterglow.store.postgres.connection import PostgresConnection
from hub_database import HubDatabase

pytestmark = pytest.mark.slow

ITEM = """
INSERT INTO items (n, id, fact, category, status, reason, domain, repo, agent, confidence, tags, source_count, times,
  worked, against, related, situation, remedy, fingerprints, cost, trust, miner, topics, "key", value, superseded_by,
  decided, edited, risk, approved, noted, change)
VALUES (nextval('item_numbers'), ?, ?, 'fact', ?, '', '', ?, '', 0.5, '[]', 1, 1, 0, 0, '[]', '', '', '[]', 0, 'user',
  'said', ?, '', '', '', 0, 0, ?, ?, 0.5, 1)
"""
EVIDENCE = """
INSERT INTO evidence (item, session, line, part, start, hash, place, agent, length, quote, trust, repo, author)
SELECT n, ?, 1, 'text', 0, ?, 0, 'codex', 3, '', 'user', repo, ? FROM items WHERE id = ?
"""


def run(place: HubPlace, *statements: tuple[str, list[object]]) -> None:
    with closing(PostgresConnection(place)) as db:
        db.execute("BEGIN")
        for statement, values in statements:
            db.execute(statement, values)
        db.execute("COMMIT")


def item(
    id: str = "i1",
    status: str = "active",
    repo: str = "acme/harbor",
    risk: str = "",
    approved: str = "",
    topics: str = '["t1"]',
) -> tuple[str, list[object]]:
    return ITEM, [id, "words", status, repo, topics, risk, approved]


def evidence(
    hub: HubDatabase, *names: str, id: str = "i1"
) -> list[tuple[str, list[object]]]:
    marks = [person_mark(hub.orgs["acme"], hub.people[name]) for name in names]
    return [(EVIDENCE, [f"s{at}", f"h{at}", mark, id]) for at, mark in enumerate(marks)]


def contribute(
    hub: HubDatabase, name: str, kind: str, key: str, mark: str = ""
) -> None:
    """A row of a member about the topic `t1`; `mark` is of words they approved."""
    machine = f"machine of {name}"
    run(
        hub.member(name),
        (
            "INSERT INTO contributions (machine, kind, key, repo, seq) VALUES (?, ?, ?, 'acme/harbor', 1)",
            [machine, kind, key],
        ),
        (
            "INSERT INTO findings (machine, kind, key, place, topic, repo, mark, body) "
            "VALUES (?, ?, ?, 0, 't1', 'acme/harbor', ?, '')",
            [machine, kind, key, mark],
        ),
    )


def people_of(hub: HubDatabase, id: str = "i1") -> tuple[str | None, str | None]:
    """Who brought it, who approved it."""
    names: dict[int | None, str] = {number: name for name, number in hub.people.items()}
    with psycopg.connect(hub.superuser) as db:
        row = db.execute(
            "SELECT brought_by, approved_by FROM afterglow.items WHERE id = %s", [id]
        ).fetchone()
    assert row
    return names.get(row[0]), names.get(row[1])


def test_the_merger_makes_nothing_active_on_its_own(hub_database: HubDatabase):
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, item())
    run(hub_database.merge, item(status="candidate"))
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, ("UPDATE items SET status = 'active'", []))


def test_sessions_of_one_person_do_not_make_it_active(hub_database: HubDatabase):
    contribute(hub_database, "cyd", "session", "s0")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, item(), *evidence(hub_database, "cyd", "cyd"))


def test_a_second_person_makes_it_active(hub_database: HubDatabase):
    for name in ("ben", "cyd"):
        contribute(hub_database, name, "session", "s0")
    run(hub_database.merge, item(), *evidence(hub_database, "ben", "cyd"))
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, ("DELETE FROM evidence WHERE session = 's1'", []))


def test_a_second_person_who_contributed_nothing_is_none(hub_database: HubDatabase):
    contribute(hub_database, "cyd", "session", "s0")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, item(), *evidence(hub_database, "ben", "cyd"))


def test_what_is_risky_needs_a_reviewer(hub_database: HubDatabase):
    for name in ("ben", "cyd"):
        contribute(hub_database, name, "session", "s0")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="reviewer alone"):
        run(
            hub_database.merge,
            item(risk="deletes files"),
            *evidence(hub_database, "ben", "cyd"),
        )
    run(hub_database.ben, item(risk="deletes files", approved="m1"))
    assert people_of(hub_database) == ("ben", "ben")


def test_a_reviewers_decision_counts_and_that_of_others_does_not(
    hub_database: HubDatabase,
):
    contribute(hub_database, "cyd", "decision", "i1", "m1")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, item(approved="m1"))
    contribute(hub_database, "ben", "decision", "i1", "m1")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, item(approved="of other words"))
    run(hub_database.merge, item(approved="m1"))
    assert people_of(hub_database) == (None, "ben")


def test_other_words_need_another_approval(hub_database: HubDatabase):
    run(hub_database.ben, item(approved="m1"))
    run(hub_database.merge, ("UPDATE items SET source_count = 3", []))
    assert people_of(hub_database) == ("ben", "ben")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, ("UPDATE items SET remedy = 'curl it'", []))


def test_nobody_says_for_others_who_brought_or_approved(hub_database: HubDatabase):
    run(hub_database.ben, item(approved="m1"))
    ada = hub_database.people["ada"]
    forged = "UPDATE items SET approved_by = ?, brought_by = ?, source_count = 9"
    for place in (hub_database.ben, hub_database.merge):
        run(place, (forged, [ada, ada]))
        assert people_of(hub_database) == ("ben", "ben")


def test_who_brought_it_first_is_known(hub_database: HubDatabase):
    contribute(hub_database, "cyd", "session", "s0")
    run(hub_database.merge, item(status="candidate"))
    assert people_of(hub_database) == ("cyd", None)


def test_a_setting_of_another_organisation_does_not_hide_it(hub_database: HubDatabase):
    elsewhere = ("SELECT set_config('afterglow.org', ?, true)", ["999"])
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="two people"):
        run(hub_database.merge, item(), elsewhere)


def test_reviewers_rewrite_no_history(hub_database: HubDatabase):
    run(
        hub_database.ben,
        item(),
        (
            "INSERT INTO history (item, time, \"by\", what, before, after) VALUES ('i1', 1, 'ben', 'fact', 'a', 'b')",
            [],
        ),
    )
    for change in ("after = 'c'", "\"by\" = 'ada'", "person = 1"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            run(hub_database.ben, (f"UPDATE history SET {change}", []))
    run(hub_database.ben, ("UPDATE history SET before = '', after = ''", []))

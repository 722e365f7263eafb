"""What a knowledge store does at a hub only: everybody sees and writes what they may."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from afterglow.errors import NotFound, Refused, StoreError, Unsupported
from afterglow.records.hub import HubPlace
from afterglow.store.knowledge import Knowledge
from store.keeping import item, span

pytestmark = pytest.mark.slow

HARBOR, QUAY = "acme/harbor", "acme/quay"


@pytest.fixture
def hub(hub_database):
    with Knowledge(hub_database.ada) as knowledge:
        knowledge.save(
            [
                item("everywhere", "lint everywhere"),
                item("harbor", "lint at the harbor", repo=HARBOR, tags=("crane",)),
                item("quay", "lint at the quay", repo=QUAY, topics=("quay topic",)),
            ],
            by="person",
            now=1.0,
        )
    return hub_database


def ids(items):
    return sorted(one.id for one in items)


def found(knowledge, text, **wanted):
    return sorted(hit.item.id for hit in knowledge.search(text, **wanted))


@pytest.mark.parametrize(
    "name, visible",
    [
        ("ada", ["everywhere", "harbor", "quay"]),
        ("ben", ["everywhere", "harbor"]),
        ("cyd", ["everywhere", "harbor"]),
        ("dee", ["everywhere", "quay"]),
        ("eve", []),
    ],
)
def test_everybody_sees_and_finds_what_they_may(hub, name, visible):
    with Knowledge(hub.member(name)) as knowledge:
        assert ids(knowledge.items()) == visible
        assert found(knowledge, "lint") == visible
        assert found(knowledge, "lint", repo=QUAY) == [
            id for id in visible if id == "quay"
        ]
        assert knowledge.counts().items == len(visible)
        topics = knowledge.of_topics(["quay topic"])
        assert topics == ({"quay topic": "quay"} if "quay" in visible else {})
        assert bool(knowledge.history("quay")) == ("quay" in visible)
        assert bool(knowledge.items(tag="crane")) == ("harbor" in visible)
        assert knowledge.check() == []


def test_a_token_that_nobody_has_opens_nothing(hub):
    for place in (hub.app, HubPlace(hub.app.url, token="guessed")):
        with pytest.raises(Refused, match="wrong, expired or revoked"):
            Knowledge(place)


@pytest.mark.parametrize("name", ["cyd", "dee"])
def test_who_does_not_review_changes_nothing(hub, name):
    with Knowledge(hub.member(name)) as knowledge:
        before = knowledge.items(evidence=True)
        for one in (
            item("harbor", "other words", repo=HARBOR),
            item("new", repo=HARBOR),
        ):
            with pytest.raises(StoreError, match="does not allow"):
                knowledge.save([one], by="person", now=2.0)
        with pytest.raises(StoreError, match="does not allow"):
            knowledge.bury(ids(before), by="person", why="", now=2.0)
        assert knowledge.items(evidence=True) == before


def test_a_reviewer_writes_where_they_review_and_nowhere_else(hub):
    with Knowledge(hub.ben) as knowledge:
        knowledge.save([item("harbor", "better words", repo=HARBOR)], by="ben", now=2.0)
        assert knowledge.get("harbor").fact == "better words"
        for one in (
            item("everywhere", "other words"),
            item("harbor", "moved", repo=QUAY),
            item("new", repo=QUAY),
            item("quay", "taken over", repo=HARBOR),
        ):
            with pytest.raises(StoreError, match="does not"):
                knowledge.save([one], by="ben", now=2.0)
        with pytest.raises(NotFound):
            knowledge.get("quay")
    with Knowledge(hub.ada) as knowledge:
        assert knowledge.get("quay").fact == "lint at the quay"
        assert knowledge.get("everywhere").fact == "lint everywhere"


def test_evidence_of_a_repository_one_may_not_read_is_hidden_and_stays(hub):
    spans = (span("s1", repo=HARBOR), span("s2", repo=QUAY), span("s3"))
    with Knowledge(hub.ada) as knowledge:
        knowledge.save([item("harbor", repo=HARBOR, evidence=spans)], by="ada", now=2.0)
    with Knowledge(hub.ben) as knowledge:
        seen = knowledge.get("harbor")
        assert [one.session for one in seen.evidence] == ["s1", "s3"]
        assert knowledge.of_sessions(["s2"]) == {}
        knowledge.save([item("harbor", "reworded", repo=HARBOR)], by="ben", now=3.0)
    with Knowledge(hub.ada) as knowledge:
        left = {one.session for one in knowledge.get("harbor").evidence}
        assert left == {"s1", "s2"}


def test_what_belongs_to_an_item_moves_with_it(hub):
    with Knowledge(hub.ada) as knowledge:
        moved = item("quay", "lint at the quay", repo=HARBOR, topics=("quay topic",))
        knowledge.save([moved], by="ada", now=2.0)
        assert knowledge.check() == []
    with Knowledge(hub.ben) as knowledge:
        assert knowledge.get("quay").evidence
        assert knowledge.of_topics(["quay topic"]) == {"quay topic": "quay"}
        assert len(knowledge.history("quay")) == 2
        assert found(knowledge, "quay") == ["quay"]
    with Knowledge(hub.dee) as knowledge:
        assert knowledge.history("quay") == []
        assert found(knowledge, "quay") == []


def test_the_view_is_the_same_until_rights_change(hub):
    with Knowledge(hub.ben) as ben, Knowledge(hub.dee) as dee:
        before = ben.view()
        assert before == ben.view() != dee.view()
        with psycopg.connect(hub.superuser) as db:
            db.execute(
                "INSERT INTO afterglow.grants (org, person, pattern, allows) VALUES (%s, %s, %s, 'read')",
                [hub.orgs["acme"], hub.people["ben"], QUAY],
            )
        assert ben.view() != before
        assert ids(ben.items()) == ["everywhere", "harbor", "quay"]


def test_the_merger_works_on_everything_of_its_organisation(hub):
    with Knowledge(hub.merge) as merger:
        assert ids(merger.items()) == ["everywhere", "harbor", "quay"]
        assert found(merger, "lint") == ["everywhere", "harbor", "quay"]
        merger.set_fact("packages of acme/harbor", '["crane"]')
        merger.set_fact("sessions by repo", '{"acme/quay": 3}')
        assert merger.fact("packages of acme/harbor") == '["crane"]'
    with Knowledge(hub.dee) as dee:
        assert dee.fact("packages of acme/harbor") == dee.fact("sessions by repo") == ""
    with Knowledge(HubPlace(hub.merge.url, org=hub.orgs["rival"])) as merger:
        assert merger.items() == []


def test_words_that_were_read_in_an_older_way_are_written_anew_by_the_merger(hub):
    with psycopg.connect(hub.superuser) as db:
        db.execute("UPDATE afterglow.texts SET words = 'old'")
        db.execute("DELETE FROM afterglow.facts WHERE name = 'words'")
    with Knowledge(hub.ada) as ada:
        assert found(ada, "lint") == []
        with Knowledge(hub.merge):
            assert found(ada, "lint") == ["everywhere", "harbor", "quay"]


def test_members_note_no_facts(hub):
    with Knowledge(hub.ada) as ada, pytest.raises(StoreError, match="does not allow"):
        ada.set_fact("change", "9")


def test_reviewers_writing_at_once_lose_nothing_and_changes_grow(hub):
    def write(writer):
        for number in range(4):
            with Knowledge(hub.ada) as knowledge, knowledge.transaction():
                spans = knowledge.find(["harbor"])["harbor"].evidence
                new = span(f"w{writer}-{number}")
                changed = item("harbor", repo=HARBOR, evidence=(*spans, new))
                knowledge.save([changed], by="ada", now=2.0)

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    with Knowledge(hub.ada) as knowledge:
        sessions = {one.session for one in knowledge.get("harbor").evidence}
        assert {f"w{a}-{b}" for a in range(4) for b in range(4)} < sessions
        assert knowledge.check() == []


def test_who_is_in_a_hurry_waits_for_no_other_writer(hub):
    with Knowledge(hub.ada) as writer, Knowledge(hub.ada) as other:
        other.hurry()
        with (
            writer.transaction(),
            pytest.raises(StoreError, match="another program is writing"),
        ):
            other.save([item("new")], by="ada", now=2.0)
        other.save([item("new")], by="ada", now=2.0)


def test_a_hub_is_copied_where_its_database_is(hub, tmp_path):
    with Knowledge(hub.ada) as ada, pytest.raises(Unsupported, match="hub backup"):
        ada.backup(tmp_path / "copy.db")

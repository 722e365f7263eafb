"""What every knowledge store does, in a file and at a hub."""

import msgspec
import pytest

from afterglow.errors import NotFound, StoreError
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import fact_mark
from store.keeping import WHOLE, item, span

replace = msgspec.structs.replace


@pytest.fixture
def knowledge(knowledge_place):
    with Knowledge(knowledge_place) as opened:
        yield opened


def save(knowledge, *items, by="harvest", now=1.0):
    return knowledge.save(items, by=by, now=now)


def told(knowledge, id):
    return [
        (change.what, change.before, change.after) for change in knowledge.history(id)
    ]


def test_every_field_comes_back_as_it_was_saved(knowledge, tmp_path):
    """Also the order of evidence, and after reopening."""
    for record, value in ((KnowledgeItem, WHOLE), (Evidence, WHOLE.evidence[0])):
        for field in msgspec.structs.fields(record):
            if field.default is not msgspec.NODEFAULT:
                assert getattr(value, field.name) != field.default, (
                    f"{field.name} is not tested"
                )
    assert save(knowledge, WHOLE) == 1
    with Knowledge(knowledge.place) as again:
        assert again.get("ab12cd") == WHOLE
        assert again.find(["ab12cd", "none"]) == {"ab12cd": WHOLE}
        assert again.items(evidence=True) == [WHOLE]
        assert again.items() == [replace(WHOLE, evidence=())]
        assert again.identity == knowledge.identity != ""


def test_saving_an_equal_item_changes_nothing(knowledge):
    save(knowledge, WHOLE)
    before = knowledge.history("ab12cd"), knowledge.fact("change")
    assert save(knowledge, WHOLE, now=2.0) == 0
    assert (knowledge.history("ab12cd"), knowledge.fact("change")) == before


def test_evidence_that_is_there_twice_counts_once(knowledge):
    save(knowledge, item(evidence=(span("s1"), span("s2"), span("s1"))))
    assert [one.session for one in knowledge.get("a1").evidence] == ["s1", "s2"]
    assert save(knowledge, item(evidence=(span("s1"), span("s2"), span("s1")))) == 0


def test_an_item_saved_without_evidence_keeps_what_it_had(knowledge):
    save(knowledge, item())
    (bare,) = knowledge.items()
    assert bare.evidence == ()
    save(knowledge, replace(bare, status="retired"))
    assert knowledge.get("a1") == item(status="retired")


def test_evidence_can_be_added_replaced_and_reordered(knowledge):
    save(knowledge, item(evidence=(span("s1"), span("s2"))))
    newer = item(evidence=(span("s3"), span("s2", quote="other words")))
    save(knowledge, newer)
    assert knowledge.get("a1") == newer
    assert knowledge.of_sessions(["s1", "s2", "s3"]) == {"s2": ["a1"], "s3": ["a1"]}
    assert knowledge.check() == []


def test_history_tells_what_changed_and_who_did_it(knowledge):
    save(knowledge, item(confidence=0.5), now=1.0)
    changed = item(
        confidence=0.7,
        fact="other",
        status="retired",
        reason="too old",
        repo="acme/app",
    )
    save(
        knowledge,
        replace(changed, evidence=(span("s1"), span("s2"))),
        by="person",
        now=2.0,
    )
    assert told(knowledge, "a1") == [
        ("created", "", "`make lint` needs the generated files"),
        ("fact", "`make lint` needs the generated files", "other"),
        ("status", "active", "retired"),
        ("reason", "", "too old"),
        ("repo", "", "acme/app"),
        ("confidence", "0.50", "0.70"),
        ("evidence", "1", "2"),
    ]
    assert [(one.by, one.time) for one in knowledge.history("a1")][-1] == (
        "person",
        2.0,
    )


def test_a_confidence_that_creeps_is_told_once_it_has_moved_far_enough(knowledge):
    for confidence in (0.50, 0.53, 0.56, 0.57, 0.60, 0.61):
        save(knowledge, item(confidence=confidence))
    assert told(knowledge, "a1")[1:] == [
        ("confidence", "0.50", "0.56"),
        ("confidence", "0.56", "0.61"),
    ]
    assert knowledge.get("a1").confidence == 0.61


def test_an_item_is_found_by_the_start_of_its_id(knowledge):
    save(knowledge, item("abc1"), item("abc2"), item("abd"), item("ab"))
    assert knowledge.get("abd").id == "abd"
    assert knowledge.get("ab").id == "ab"
    with pytest.raises(NotFound, match="abc1, abc2; write more"):
        knowledge.get("abc")
    for name in ("x", "", "a\0b", "\ud800", "ab%", "AB"):
        with pytest.raises(NotFound, match="knowledge search"):
            knowledge.get(name)


def test_items_come_strongest_first_and_by_any_filter(knowledge):
    save(
        knowledge,
        item(
            "w",
            confidence=0.4,
            repo="acme/app",
            tags=("go", "ci"),
            miner="recoveries",
            trust="tool",
        ),
        item("y", confidence=0.9, source_count=1, agent="codex", category="fact"),
        item("x", confidence=0.9, source_count=1, status="candidate"),
        item("z", confidence=0.9, source_count=2, repo="acme/web", trust="user"),
    )

    def ids(**wanted):
        return "".join(one.id for one in knowledge.items(**wanted))

    assert ids() == "zxyw"
    assert ids(limit=2) == "zx"
    assert ids(status=("active",)) == "zyw"
    assert ids(status=["candidate", "active"]) == "zxyw"
    assert ids(status=()) == ""
    assert ids(repo="acme/app") == "w"
    assert ids(repo="") == "xy"
    assert ids(agent="codex") == "y"
    assert ids(category="fact") == "y"
    assert ids(tag="ci") == "w"
    assert ids(miner="recoveries") == "w"
    assert ids(trust="user") == "z"
    assert ids(min_confidence=0.9, repo="") == "xy"
    with pytest.raises(TypeError):
        ids(colour="red")


def test_items_are_found_by_topic_key_fingerprint_and_session(knowledge):
    save(
        knowledge,
        item("a", topics=("t1", "t2"), key="k", fingerprints=("f",)),
        item(
            "b",
            topics=("t3",),
            key="k",
            fingerprints=("f", "g"),
            evidence=(span("s2"), span("s2", 4)),
        ),
        item("c", status="superseded", topics=("t3",), evidence=()),
    )
    assert knowledge.of_topics(["t1", "t2", "t3", "none"]) == {
        "t1": "a",
        "t2": "a",
        "t3": "b",
    }
    assert knowledge.of_keys(["k", "", "none"]) == {"k": ["a", "b"]}
    assert knowledge.of_fingerprints(["f", "g"]) == {"f": ["a", "b"], "g": ["b"]}
    assert knowledge.of_sessions(f"s{number}" for number in range(1200)) == {
        "s1": ["a"],
        "s2": ["b"],
    }
    save(knowledge, item("a", topics=("t2",)))
    assert knowledge.of_topics(["t1", "t2"]) == {"t2": "a"}
    assert knowledge.of_fingerprints(["f"]) == {"f": ["b"]}


def test_facts_for_the_search_of_duplicates_are_those_that_hold(knowledge):
    save(
        knowledge,
        item("a"),
        item("b", status="retired"),
        item("c", category="fact"),
        item("d", status="candidate"),
    )
    placed = knowledge.facts(category="pitfall", repo="", miner="")
    fact = "`make lint` needs the generated files"
    assert [(one.id, one.fact) for one in placed] == [("a", fact), ("d", fact)]
    assert knowledge.facts(category="pitfall", repo="", miner="other") == []
    assert knowledge.facts(category="pitfall", repo="acme/app", miner="") == []


def test_what_a_person_deletes_is_gone_and_stays_known_as_deleted(knowledge):
    save(knowledge, WHOLE, item("keep"))
    assert knowledge.bury(["ab12cd", "none"], by="person", why="wrong", now=3.0) == 1
    assert knowledge.find(["ab12cd"]) == {}
    assert knowledge.of_sessions(["z-late"]) == knowledge.of_topics(WHOLE.topics) == {}
    assert knowledge.search("frob", status=None) == []
    asked = [
        "ab12cd",
        "frob|init",
        "frob|no index",
        "keep",
        "lint",
        fact_mark(WHOLE.fact.upper() + " "),
    ]
    assert knowledge.buried(asked) == {
        "ab12cd",
        "frob|init",
        "frob|no index",
        fact_mark(WHOLE.fact),
    }
    assert told(knowledge, "ab12cd") == [("created", "", ""), ("deleted", "", "wrong")]
    with pytest.raises(NotFound, match="was deleted: wrong"):
        knowledge.get("ab12cd")
    assert knowledge.counts().buried == 1
    assert knowledge.check() == []
    past = knowledge.rows("SELECT before, after FROM history")
    assert "no index" not in str(past)


def test_a_deleted_item_can_be_saved_and_deleted_again(knowledge):
    for why in ("once", "twice"):
        save(knowledge, item())
        knowledge.bury(["a1"], by="person", why=why, now=1.0)
    assert [what for what, _, _ in told(knowledge, "a1")] == [
        "created",
        "deleted",
        "created",
        "deleted",
    ]
    assert knowledge.check() == []


def test_counts_by_everything(knowledge):
    save(knowledge, WHOLE, item("b", miner="m"), item("c"))
    counts = knowledge.counts()
    assert (counts.items, counts.evidence, counts.buried) == (3, 5, 0)
    assert counts.status == {"active": 2, "superseded": 1}
    assert counts.repo == {"": 2, "acme/app": 1}
    assert counts.miner == {"": 1, "m": 1, "recoveries": 1}


def test_a_turn_is_kept_whole_or_not_at_all(knowledge):
    with pytest.raises(KeyError), knowledge.transaction():
        save(knowledge, item("a"))
        assert knowledge.find(["a"])
        raise KeyError
    assert knowledge.items() == []
    with knowledge.transaction():
        save(knowledge, item("b"))
        with pytest.raises(KeyError), knowledge.transaction():
            save(knowledge, item("c"))
            raise KeyError
        save(knowledge, item("d"))
    assert [one.id for one in knowledge.items()] == ["b", "d"]
    assert knowledge.check() == []


def test_others_see_a_turn_only_when_it_is_over(knowledge):
    with Knowledge(knowledge.place) as other:
        with knowledge.transaction():
            save(knowledge, item())
            assert other.items() == []
            assert [hit.item.id for hit in knowledge.search("lint")] == ["a1"]
        assert [one.id for one in other.items()] == ["a1"]


def test_text_that_no_database_takes_is_kept_readable(knowledge):
    broken = item(
        "x\0y",
        fact="half \ud83d and \0 nothing",
        evidence=(span("s\udcff", quote="\ud800"),),
    )
    save(knowledge, broken)
    assert save(knowledge, broken) == 0
    (kept,) = knowledge.items(evidence=True)
    assert kept.fact.startswith("half \ufffd") and "\0" not in kept.fact
    assert knowledge.get("x\0y") == knowledge.get("x\ufffdy") == kept
    assert list(knowledge.of_sessions(["s\udcff"]).values()) == [[kept.id]]
    assert knowledge.check() == []


@pytest.mark.parametrize(
    "wrong", [{"id": ""}, {"confidence": float("nan")}, {"confidence": 1.01}]
)
def test_an_item_that_is_none_is_refused_and_nothing_is_kept_of_it(knowledge, wrong):
    with pytest.raises(StoreError, match="needs an id and a confidence"):
        save(knowledge, item("good"), replace(item(), **wrong))
    assert knowledge.items() == []
    assert knowledge.check() == []

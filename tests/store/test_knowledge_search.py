"""Search, the same for the exact FTS5 table of a small store, its shortcut in a large one, the derived index, and a hub."""

import shutil
import sqlite3
import sys
from contextlib import closing

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterglow.records.knowledge import STATUSES
from afterglow.store.knowledge import Knowledge
from afterglow.store.postgres.knowledge_word_index import Samples, word_search
from afterglow.text.words import words
from knowledge_places import register
from store.keeping import item

ENGINES = (
    "small",
    "large without the index",
    "large with the index",
    "hub",
    "hub where all is much",
)
# So few that a handful of items are many.
TINY = Samples(common=2, words=1, items=1, long=3, sure=0)


@pytest.fixture(params=ENGINES)
def knowledge(request, tmp_path, monkeypatch):
    if request.param.startswith("hub"):
        hub = request.getfixturevalue("hub_database")
        register(hub, "acme/app")
        if request.param != "hub":
            make_samples_tiny(hub)
        with Knowledge(hub.ada) as opened:
            yield opened
        return
    if request.param == "large without the index":
        monkeypatch.setitem(sys.modules, "tantivy", None)
    with Knowledge(
        tmp_path / "knowledge.db", large=1000 if request.param == "small" else 0
    ) as opened:
        yield opened
        assert opened._db.index.folder.exists() == (
            request.param == "large with the index"
        )


def make_samples_tiny(hub):
    search = word_search(TINY).replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
    with psycopg.connect(hub.superuser) as db:
        db.execute("SET search_path = afterglow")
        db.execute(search)


@pytest.fixture
def indexed(tmp_path):
    with Knowledge(tmp_path / "knowledge.db", large=0) as opened:
        yield opened


def fill(knowledge, *facts, **more):
    knowledge.save(
        [item(f"i{n}", fact, **more) for n, fact in enumerate(facts)],
        by="harvest",
        now=1.0,
    )


def ids(knowledge, text, **wanted):
    return [hit.item.id for hit in knowledge.search(text, **wanted)]


def test_names_are_found_however_they_are_written(knowledge):
    fill(
        knowledge,
        "git read-tree wants a tree",
        "call readTree first",
        "set read_tree",
        "readtree is old",
        "trees",
    )
    for text in (
        "read-tree",
        "readTree",
        "read_tree",
        "READ_TREE",
        "ReadTree",
        '"read-tree"',
        "--read-tree",
    ):
        assert set(ids(knowledge, text)) >= {"i0", "i1", "i2", "i3"}, text
    assert set(ids(knowledge, "readtree")) == {"i0", "i1", "i2", "i3"}


@pytest.mark.parametrize(
    "fact, text",
    [
        ("edit src/app/main_window.py", "main_window"),
        ("edit src/app/main_window.py", "src/app"),
        ("pass --no-color", "no-color"),
        ("use HTTPServer", "http server"),
        ("it fails with 'undefined: x'", "failed"),
        ("generated files are missing", "generate file"),
        ("Größe über 9000", "grosse uber"),
        ("設定ファイルは必要", "設定"),
        ("Éléphant", "elephant"),
        ("v1.2.3 breaks", "1.2.3"),
    ],
)
def test_words_are_found_by_their_parts_and_forms(knowledge, fact, text):
    fill(knowledge, "something else entirely", fact)
    assert ids(knowledge, text, status=STATUSES) == ["i1"]


def test_everything_that_was_told_is_searched(knowledge):
    fill(
        knowledge,
        "fact",
        situation="when red",
        remedy="do green",
        tags=("blue",),
        domain="pink",
        fingerprints=("grey <n>",),
    )
    for text in ("fact", "red", "green", "blue", "pink", "grey"):
        assert ids(knowledge, text) == ["i0"], text


def test_items_with_all_words_come_first_then_those_with_the_rarest(knowledge):
    fill(
        knowledge,
        *["tests run here every day"] * 5,
        "flaky things",
        "flaky tests are run",
        "nothing of it",
    )
    found = knowledge.search("run flaky tests")
    assert [hit.item.id for hit in found][:2] == ["i6", "i5"]
    assert {hit.item.id for hit in found} == {f"i{n}" for n in range(7)}
    assert all(hit.score > 0 for hit in found)
    assert ids(knowledge, "run flaky tests", limit=1) == ["i6"]


def test_active_items_are_searched_unless_another_status_is_asked_for(knowledge):
    knowledge.save(
        [item("a"), item("b", status="candidate"), item("c", status="retired")],
        by="harvest",
        now=1.0,
    )
    assert ids(knowledge, "lint") == ["a"]
    assert ids(knowledge, "lint", status=("candidate", "retired")) == ["b", "c"]
    assert ids(knowledge, "lint", status=None) == ["a", "b", "c"]
    assert ids(knowledge, "lint", status=()) == []


def test_a_filter_that_leaves_few_items_still_finds_them(knowledge):
    many = [item(f"i{n}", "lint lint lint", confidence=0.5) for n in range(300)]
    rare = {
        "repo": "acme/app",
        "agent": "codex",
        "category": "fact",
        "tag": "go",
        "miner": "m",
        "trust": "user",
    }
    few = [
        item(
            f"few-{name}",
            f"a long sentence in which lint is one word of many, {n}",
            **_given(name, value),
        )
        for n, (name, value) in enumerate(rare.items())
    ]
    sure = item(
        "few-sure",
        "another long sentence about lint with other words in it",
        confidence=0.91,
    )
    knowledge.save([*few, sure, *many], by="harvest", now=1.0)
    for name, value in rare.items():
        assert ids(knowledge, "the lint", limit=5, **{name: value}) == [f"few-{name}"]
    assert ids(knowledge, "lint", min_confidence=0.9) == ["few-sure"]
    assert ids(knowledge, "lint", min_confidence=0.92) == []
    assert ids(knowledge, "lint", repo="acme/app", agent="codex") == []
    assert len(ids(knowledge, "lint", repo="", limit=500)) == 306


def _given(name, value):
    return {"tags": (value,)} if name == "tag" else {name: value}


def test_what_was_saved_changed_or_deleted_is_searched_as_it_is_now(knowledge):
    fill(knowledge, "alpha", "beta")
    assert ids(knowledge, "alpha") == ["i0"]
    knowledge.save([item("i0", "gamma"), item("new", "alpha")], by="harvest", now=2.0)
    assert (ids(knowledge, "alpha"), ids(knowledge, "gamma")) == (["new"], ["i0"])
    with Knowledge(knowledge.place) as other:
        other.save(
            [item("i1", "beta", status="retired"), item("far", "alpha from far")],
            by="harvest",
            now=3.0,
        )
        other.bury(["new"], by="person", why="", now=3.0)
    assert (ids(knowledge, "alpha"), ids(knowledge, "beta")) == (["far"], [])
    with knowledge.transaction():
        knowledge.save([item("open", "delta")], by="harvest", now=4.0)
        assert ids(knowledge, "delta") == ["open"]


@given(
    st.text(max_size=60)
    | st.text(st.sampled_from("\"'*^:(){}+-~ANDORNEAR \\/%_?\0\ud800a1"), max_size=30)
)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_nothing_a_person_types_is_an_error(knowledge, text):
    if not knowledge.items():
        fill(knowledge, "a AND b OR NOT c NEAR(d)", "a1")
    knowledge.search(text)
    knowledge.search(text, status=[text], repo=text, tag=text)


@given(st.text(max_size=200))
def test_words_of_a_text_are_its_own_words(text):
    """What is indexed is found by the same words, and nothing in one of them parts it for the index."""
    found = words(text)
    assert all(
        letter.isalnum() if letter.isascii() else not letter.isspace()
        for word in found
        for letter in word
    )
    assert len(set(found)) == len(found)


def test_a_whole_page_can_be_asked_for(knowledge):
    fill(knowledge, "the needle is here", "hay", *[f"straw{n}" for n in range(50)])
    assert "i0" in ids(
        knowledge,
        " ".join(f"straw{n}" for n in range(20)) + " needle " + "x " * 5000,
        limit=30,
    )
    assert ids(knowledge, "y" * 100_000) == []


def test_two_stores_with_the_same_items_give_the_same_answer(tmp_path):
    found = []
    for name, order in (("one", 1), ("two", -1)):
        with Knowledge(tmp_path / name / "knowledge.db") as knowledge:
            knowledge.save(
                [item(f"i{n}") for n in range(40)][::order], by="harvest", now=1.0
            )
            found.append(ids(knowledge, "lint files", limit=10))
    assert found[0] == found[1] == sorted(found[0])


# The derived index


def test_the_index_is_used_and_left_up_to_date_by_who_wrote(tmp_path):
    with Knowledge(tmp_path / "knowledge.db", large=0) as knowledge:
        fill(knowledge, "alpha")
    with Knowledge(tmp_path / "knowledge.db", large=0) as again:
        assert again._db.index.ready(most=-1)
        assert ids(again, "alpha") == ["i0"]


def test_a_few_changes_are_added_to_the_index_that_is_there(indexed):
    fill(indexed, "alpha", "beta")
    assert ids(indexed, "alpha") == ["i0"]
    before = folders(indexed)
    indexed.save([item("i0", "gamma")], by="harvest", now=2.0)
    assert (ids(indexed, "alpha"), ids(indexed, "gamma")) == ([], ["i0"])
    assert folders(indexed) == before


def folders(knowledge):
    return [path for path in knowledge._db.index.folder.iterdir() if path.is_dir()]


def test_an_index_that_lags_far_behind_is_not_waited_for(indexed):
    fill(indexed, "alpha", "beta")
    assert not indexed._db.index.ready(most=1)
    assert indexed._db.index.ready(most=2)


@pytest.mark.parametrize("size", ["same", "cut"])
@pytest.mark.parametrize(
    "kind", ["*.idx", "*.term", "*.fast", "*.fieldnorm", "meta.json", "state.db"]
)
def test_a_damaged_index_is_no_error_and_made_anew(tmp_path, kind, size):
    path = tmp_path / "knowledge.db"
    with Knowledge(path, large=0) as knowledge:
        fill(knowledge, *[f"alpha {n}" for n in range(50)])
    for part in (tmp_path / "knowledge.index").rglob(kind):
        part.write_bytes(b"\xa5" * (part.stat().st_size if size == "same" else 7))
    with Knowledge(path, large=0) as again:
        assert len(ids(again, "alpha")) == 20
        assert len(ids(again, "alpha")) == 20
        assert again._db.index.ready()


def test_an_index_whose_files_are_gone_is_made_anew(indexed):
    fill(indexed, "alpha")
    assert ids(indexed, "alpha") == ["i0"]
    shutil.rmtree(indexed._db.index.folder)
    assert ids(indexed, "alpha") == ["i0"]


def test_while_another_process_fills_the_index_search_goes_without(indexed):
    fill(indexed, "alpha")
    assert ids(indexed, "alpha") == ["i0"]
    with closing(
        sqlite3.connect(indexed._db.index.folder / "state.db", isolation_level=None)
    ) as busy:
        busy.execute("BEGIN IMMEDIATE")
        indexed.save([item("i1", "alpha beta")], by="harvest", now=2.0)
        assert not indexed._db.index.ready()
        assert ids(indexed, "alpha beta") == ["i1", "i0"]
    assert indexed._db.index.ready()
    assert ids(indexed, "alpha beta") == ["i1", "i0"]


def test_an_open_turn_does_not_reach_the_index(indexed):
    fill(indexed, "alpha")
    with pytest.raises(KeyError), indexed.transaction():
        indexed.save([item("lost", "alpha")], by="harvest", now=2.0)
        assert ids(indexed, "alpha") == ["i0", "lost"]
        raise KeyError
    assert ids(indexed, "alpha") == ["i0"]


def test_a_store_put_back_from_a_backup_is_searched_as_it_is(tmp_path):
    path = tmp_path / "knowledge.db"
    with Knowledge(path, large=0) as knowledge:
        fill(knowledge, "alpha")
        knowledge.backup(tmp_path / "old.db")
        knowledge.save(
            [item("late", "alpha"), item("i0", "beta")], by="harvest", now=2.0
        )
        assert ids(knowledge, "alpha") == ["late"]
    (tmp_path / "old.db").replace(path)
    with Knowledge(path, large=0) as again:
        assert ids(again, "alpha") == ["i0"]


def test_the_index_of_another_store_is_not_taken_for_ours(indexed, tmp_path):
    fill(indexed, "alpha")
    assert ids(indexed, "alpha") == ["i0"]
    with Knowledge(tmp_path / "other" / "knowledge.db", large=0) as other:
        fill(other, "beta")
        shutil.copytree(indexed._db.index.folder, other._db.index.folder)
        assert (ids(other, "alpha"), ids(other, "beta")) == ([], ["i0"])

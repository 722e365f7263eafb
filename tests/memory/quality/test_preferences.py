"""The labelled set that the project wrote itself: what must hold so that its figures mean something."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from importlib.resources import files

import pytest

from afterglow.text.redact import Redactor

FILE = files("afterglow.memory").joinpath("quality", "preferences.json")
ATLEAST = {
    "paraphrase": 60,
    "identifier": 25,
    "update": 25,
    "distractor": 30,
    "multi": 15,
    "other-language": 8,
}
ENDINGS = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "ers",
    "ed",
    "er",
    "es",
    "ly",
    "s",
    "e",
    "y",
)
PLAIN = set(
    "about after also another anything because been before being beside both cannot could does each every everything "
    "from have here into just many more most much must never next nothing often only other over shall should since "
    "some somebody something still such than that their them then there these they this those under until very want "
    "were what when where whether which while whom whose will with within without would your".split()
)


@pytest.fixture(scope="module")
def text() -> str:
    return FILE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def labels(text):
    return json.loads(text)


@pytest.fixture(scope="module")
def entries(labels):
    return {entry["id"]: entry for entry in labels["entries"]}


@pytest.fixture(scope="module")
def newest(labels):
    return {entry["key"]: entry["id"] for entry in labels["entries"]}


def spaced(text: str) -> str:
    """Words of a text or a name, as a reader splits them."""
    return " ".join(
        re.findall(r"\w+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).replace("_", " "))
    ).casefold()


def stem(word: str) -> str:
    return next(
        (
            word.removesuffix(e)
            for e in ENDINGS
            if word.endswith(e) and len(word) - len(e) >= 3
        ),
        word,
    )


def content(text: str) -> set[str]:
    return {
        stem(word)
        for word in spaced(text).split()
        if len(word) >= 4 and word not in PLAIN
    }


def test_it_is_large_enough_and_says_what_it_is(labels):
    assert (labels["name"], labels["licence"]) == ("preferences", "MIT")
    assert len(labels["entries"]) >= 300
    assert len(labels["questions"]) >= 150


def test_every_kind_of_question_is_asked_often_enough(labels):
    asked = Counter(question["kind"] for question in labels["questions"])
    assert set(asked) == set(ATLEAST)
    assert {kind: n for kind, n in asked.items() if n < ATLEAST[kind]} == {}


def test_ids_are_unique_and_count_up_with_time(labels):
    ids = [entry["id"] for entry in labels["entries"]]
    assert ids == [f"e{number:03d}" for number in range(1, len(ids) + 1)]
    days = [date.fromisoformat(entry["updated"]) for entry in labels["entries"]]
    assert days == sorted(days)


def test_thirty_keys_or_more_change_their_value_later(labels):
    versions: dict[str, list[dict[str, str]]] = {}
    for entry in labels["entries"]:
        versions.setdefault(entry["key"], []).append(entry)
    changed = [kept for kept in versions.values() if len(kept) > 1]
    assert len(changed) >= 30
    assert any(len(kept) > 2 for kept in changed)
    for kept in changed:
        assert (
            len({entry["value"] for entry in kept})
            == len({entry["updated"] for entry in kept})
            == len(kept)
        )


def test_no_two_keys_differ_only_in_their_spelling(newest):
    assert [
        key for key, times in Counter(map(spaced, newest)).items() if times > 1
    ] == []


def test_wanted_entries_exist_and_are_the_newest_of_their_key(labels, entries, newest):
    for question in labels["questions"]:
        assert question["wanted"], question
        assert len(set(question["wanted"])) == len(question["wanted"]), question
        assert [
            i
            for i in question["wanted"]
            if i not in entries or newest[entries[i]["key"]] != i
        ] == [], question


def test_several_entries_are_wanted_by_multi_questions_and_no_others(labels):
    assert [
        q
        for q in labels["questions"]
        if (len(q["wanted"]) > 1) != (q["kind"] == "multi")
    ] == []


def test_update_questions_ask_for_keys_that_changed(labels, entries):
    times = Counter(entry["key"] for entry in entries.values())
    asked = [q for q in labels["questions"] if q["kind"] == "update"]
    assert [q["text"] for q in asked if times[entries[q["wanted"][0]]["key"]] < 2] == []


def test_no_question_is_asked_twice_or_spells_a_key(labels, newest):
    asked = [spaced(question["text"]) for question in labels["questions"]]
    assert [text for text, times in Counter(asked).items() if times > 1] == []
    assert set(asked) & set(map(spaced, newest)) == set()


def test_paraphrases_share_at_most_one_content_word_with_what_they_want(
    labels, entries
):
    for question in labels["questions"]:
        if question["kind"] == "paraphrase":
            entry = entries[question["wanted"][0]]
            shared = content(question["text"]) & content(
                f"{entry['key']} {entry['value']}"
            )
            assert len(shared) <= 1, (question["text"], shared)


def test_paraphrases_mostly_share_nothing(labels, entries):
    asked = [q for q in labels["questions"] if q["kind"] == "paraphrase"]
    wanted = [entries[q["wanted"][0]] for q in asked]
    apart = [
        q
        for q, e in zip(asked, wanted, strict=True)
        if not content(q["text"]) & content(f"{e['key']} {e['value']}")
    ]
    assert len(apart) > len(asked) * 2 / 3


def test_identifier_questions_share_a_name_or_number_with_what_they_want(
    labels, entries
):
    for question in labels["questions"]:
        if question["kind"] == "identifier":
            entry = entries[question["wanted"][0]]
            there = set(spaced(f"{entry['key']} {entry['value']}").split())
            assert {
                word for word in spaced(question["text"]).split() if len(word) > 2
            } & there, question["text"]


def test_words_alone_often_point_a_distractor_question_elsewhere(
    labels, entries, newest
):
    """Every one has a near miss; for a third or more, one with as many of its content words as what is wanted."""
    held = {
        i: content(f"{entries[i]['key']} {entries[i]['value']}")
        for i in newest.values()
    }
    level = []
    for question in (q for q in labels["questions"] if q["kind"] == "distractor"):
        words, right = content(question["text"]), question["wanted"][0]
        nearest = max(len(words & there) for i, there in held.items() if i != right)
        assert nearest, question["text"]
        level.append(nearest >= len(words & held[right]))
    assert sum(level) > len(level) / 3


def test_the_redactor_leaves_every_entry_and_question_alone(labels):
    redactor = Redactor()
    texts = [
        part for entry in labels["entries"] for part in (entry["key"], entry["value"])
    ]
    texts += [f"{entry['key']}: {entry['value']}" for entry in labels["entries"]]
    texts += [question["text"] for question in labels["questions"]]
    assert [text for text in texts if redactor.redact(text).text != text] == []


def test_the_file_holds_one_entry_or_question_a_line(text, labels):
    def lines(rows):
        return ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)

    kinds = [question["kind"] for question in labels["questions"]]
    assert [kind for n, kind in enumerate(kinds) if kind not in kinds[:n]] == list(
        ATLEAST
    )
    assert kinds == sorted(kinds, key=list(ATLEAST).index)
    assert text == (
        '{\n  "name": "preferences",\n  "licence": "MIT",\n  "entries": [\n'
        f'{lines(labels["entries"])}\n  ],\n  "questions": [\n{lines(labels["questions"])}\n  ]\n}}\n'
    )

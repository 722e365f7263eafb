"""Entries near in meaning: with a small model made for this, and with the one that can be installed."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest

from afterglow.memory.local import LocalBackend
from afterglow.memory.local.schema import MIGRATIONS, open_memory
from afterglow.memory.meaning import installed_model, wordllama
from afterglow.memory.quality import SearchAnswers, bundled, measured
from afterglow.text.redact import Redactor

numpy = pytest.importorskip("numpy")
SENSES = {"boat": 0, "ship": 0, "vessel": 0, "bread": 1, "loaf": 1}


class Senses:
    """Knows a few words, and counts what it is asked to read."""

    name = "senses"
    weight = 24.0
    at_once = 2

    def __init__(self) -> None:
        self.read: list[str] = []

    def vectors(self, texts: Sequence[str]) -> Any:
        self.read += texts
        rows = numpy.zeros((len(texts), 2), dtype="f4")
        for at, text in enumerate(texts):
            for word in text.replace(":", " ").split():
                if word in SENSES:
                    rows[at][SENSES[word]] = 1.0
        return rows / numpy.maximum(1.0, numpy.linalg.norm(rows, axis=1))[:, None]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def opened(path):
    backends = []

    def open_with(model):
        backends.append(LocalBackend(path, redactor=Redactor(), model=model))
        return backends[-1]

    yield open_with
    for backend in backends:
        backend.close()


def keys(backend, question):
    return [entry.key for entry in backend.query("ana", question)]


def stored_vectors(path):
    db = sqlite3.connect(path)
    rows = db.execute("SELECT entry, model FROM vectors").fetchall()
    db.close()
    return rows


def test_a_question_without_a_shared_word_finds_what_is_near_in_meaning(opened):
    memory = opened(Senses())
    memory.store("ana", "harbour", "a ship of nine metres")
    memory.store("ana", "kitchen", "one loaf a week")
    assert keys(memory, "vessel") == ["harbour"]
    assert keys(memory, "bread") == ["kitchen"]


def test_what_is_near_nothing_finds_nothing(opened):
    memory = opened(Senses())
    memory.store("ana", "harbour", "a ship of nine metres")
    assert keys(memory, "weather") == []


def test_words_and_meaning_add_up_and_the_exact_key_stays_first(opened):
    memory = opened(Senses())
    memory.store("ana", "deck", "the ship is painted green")
    memory.store("ana", "vessel", "nothing of the kind")
    assert keys(memory, "vessel painted green") == ["deck", "vessel"]
    assert keys(memory, "vessel")[0] == "vessel"


def test_entries_stored_before_a_model_was_there_are_found_by_it(opened):
    opened(None).store("ana", "harbour", "a ship of nine metres")
    assert keys(opened(None), "vessel") == []
    assert keys(opened(Senses()), "vessel") == ["harbour"]


def test_a_question_reads_few_new_entries_and_the_next_one_goes_on(opened, path):
    model = Senses()
    memory = opened(model)
    for number in range(5):
        memory.store("ana", f"note {number}", "one loaf")
    for at_least in (2, 4, 5, 5):
        memory.query("ana", "bread")
        assert len(stored_vectors(path)) == at_least
    assert len([text for text in model.read if text.startswith("note")]) == 5


def test_storing_asks_no_model(opened):
    model = Senses()
    opened(model).store("ana", "harbour", "a ship of nine metres")
    assert model.read == []


def test_what_is_replaced_or_deleted_takes_its_vector_along(opened, path):
    memory = opened(Senses())
    memory.store("ana", "harbour", "a ship of nine metres")
    assert keys(memory, "vessel") == ["harbour"]
    memory.store("ana", "harbour", "one loaf a week")
    assert stored_vectors(path) == []
    assert (keys(memory, "vessel"), keys(memory, "bread")) == ([], ["harbour"])
    memory.delete("ana", "harbour")
    assert stored_vectors(path) == []


def test_vectors_of_another_model_are_made_anew(opened, path):
    memory = opened(Senses())
    memory.store("ana", "harbour", "a ship of nine metres")
    memory.query("ana", "vessel")
    other = Senses()
    other.name = "other senses"
    assert keys(opened(other), "vessel") == ["harbour"]
    assert [model for _, model in stored_vectors(path)] == ["other senses"]


def test_users_do_not_meet_in_meaning(opened):
    memory = opened(Senses())
    memory.store("ben", "harbour", "a ship of nine metres")
    memory.store("ana", "kitchen", "salt")
    assert keys(memory, "vessel") == []


def test_half_a_character_is_no_trouble(opened):
    memory = opened(Senses())
    memory.store("ana", "cut \ud83d", "a ship \ud83d")
    assert keys(memory, "vessel \ud83d") == ["cut \ud83d"]


def test_a_file_from_before_vectors_is_brought_up_to_date(path, opened):
    open_memory(path, MIGRATIONS[:1]).close()
    memory = opened(Senses())
    memory.store("ana", "harbour", "a ship of nine metres")
    assert keys(memory, "vessel") == ["harbour"]


needs_wordllama = pytest.mark.skipif(
    wordllama.open_model() is None, reason="the extra `vectors` is not installed"
)


@needs_wordllama
def test_the_installed_model_knows_a_paraphrase(opened):
    assert installed_model() is not None
    memory = opened(wordllama.open_model())
    memory.store("ana", "commits", "imperative mood, below sixty characters")
    memory.store("ana", "coffee", "black, in the morning")
    assert keys(memory, "how should the message of a change be written")[:1] == [
        "commits"
    ]


@needs_wordllama
def test_on_the_labelled_set_meaning_beside_words_is_no_worse_than_words(
    opened, tmp_path
):
    labels = bundled()
    recalls = []
    for model in (None, wordllama.open_model()):
        memory = LocalBackend(
            tmp_path / f"{model}.db", redactor=Redactor(), model=model
        )
        for entry in labels.entries:
            memory.store("u", entry.key, entry.value, redact=False)
        answers = SearchAnswers(
            labels,
            lambda user, text, limit, memory=memory: [
                (entry.key, entry.value) for entry in memory.query("u", text, limit)
            ],
        )
        recalls.append(measured("local", answers).recall)
        memory.close()
    words, both = recalls
    assert all(both[cut].value > words[cut].value for cut in words)

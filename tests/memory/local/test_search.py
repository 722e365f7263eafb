"""What a question finds, and in which order."""

from __future__ import annotations

import pytest

from afterglow.memory.local import LocalBackend, search
from afterglow.text.redact import Redactor

ENTRIES = {
    "pref_python": "Likes type hints everywhere; prefers pathlib over os.path",
    "editor": "Uses neovim with the gruvbox theme",
    "tests": "Runs pytest before each commit, never unittest",
    "readTree": "The parser entry is parse_config_file in loader.py",
    "language": "C++ for firmware, Rust at home",
    "coffee": "夜はコーヒーを飲まない",
    "city": "Lives in Zürich, plans trips by train",
    "silver card": "The silver rewards card is for travel",
    "card silver": "Rewards come later; a card of silver colour",
}


@pytest.fixture
def ask(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    for key, value in ENTRIES.items():
        memory.store("u", key, value, redact=False)
    yield lambda question, limit=10: [
        one.key for one in memory.query("u", question, limit)
    ]
    memory.close()


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("pref", "pref_python"),
        ("yth", "pref_python"),
        ("PREF_PYTHON", "pref_python"),
        ("which editor do I use?", "editor"),
        ("running tests", "tests"),
        ("parse config", "readTree"),
        ("parseConfigFile", "readTree"),
        ("read-tree", "readTree"),
        ("c++", "language"),
        ("コーヒー", "coffee"),
        ("飲まない", "coffee"),
        ("zurich", "city"),
        ("ZÜRICH", "city"),
        ("neovmi", "editor"),
        ("gruvbux theme", "editor"),
        ("os.path", "pref_python"),
        ("; prefers path", "pref_python"),
        ("silver rewards card", "silver card"),
        ("card silver", "card silver"),
        ("x", "editor"),
    ],
)
def test_a_question_finds(ask, question, first):
    assert ask(question)[:1] == [first]


def test_what_nothing_holds_finds_nothing(ask):
    assert ask("qqqq") == []
    assert ask("%") == ask("'") == []


def test_nothing_is_about_an_empty_question(ask):
    assert ask("") == ask(" \n") == []


def test_equally_good_entries_come_newest_first(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    for key in ("one", "two", "three"):
        memory.store("u", key, "same words here")
    memory.store("u", "one", "same words here")
    assert [one.key for one in memory.query("u", "words")] == ["one", "three", "two"]
    memory.close()


def test_a_word_far_into_a_long_value_is_found_by_its_text(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    memory.store("u", "long", "filler " * 100_000 + "needleword", redact=False)
    assert [one.key for one in memory.query("u", "needleword")] == ["long"]
    memory.close()


def test_a_long_question_is_asked_sentence_by_sentence(ask):
    filler = "Please be polite and say hello first. " * 60
    assert (
        ask(filler + "Then tell me which theme the editor has. " + filler)[0]
        == "editor"
    )


def test_more_entries_than_are_looked_at_still_answer(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    memory.store("u", "rare", "common marmoset")
    for n in range(search.MAX_ENTRIES_OF_WORD + 100):
        memory.store("u", f"k{n}", "common", redact=False)
    assert memory.query("u", "common marmoset", 1)[0].key == "rare"
    assert (
        memory.query("u", "common", 3)[0].key == f"k{search.MAX_ENTRIES_OF_WORD + 99}"
    )
    memory.close()


def test_who_asks_for_a_kind_of_tool_finds_the_tool_by_its_name(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    memory.store("u", "pref_python", "uv, never poetry")
    memory.store("u", "shoes", "size 43")
    found = memory.query("u", "which package manager")
    assert [entry.key for entry in found] == ["pref_python"]
    assert memory.query("u", "which manager") == []
    memory.close()


def test_the_word_itself_comes_before_what_is_only_of_its_kind(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    memory.store("u", "desk", "neovim lies beside the keyboard")
    memory.store("u", "editor", "the one with the dark theme")
    found = memory.query("u", "my editor")
    assert [entry.key for entry in found] == ["editor", "desk"]
    memory.close()

"""The two simple searches do what their names say, and nothing more."""

from afterglow.memory.quality import bundled, compared, measured
from afterglow.memory.quality.baselines import bm25, like
from afterglow.records.evaluation import Labelled

ENTRIES = (
    Labelled("1", "pref_python", "uv and ruff"),
    Labelled("2", "shell", "fish everywhere"),
    Labelled("3", "shell", "zsh since May"),
    Labelled("4", "pref_python", "somebody else's", user="other"),
)


def keys(found):
    return [key for key, _ in found]


def test_like_finds_parts_of_words_newest_first():
    with like(ENTRIES) as find:
        assert keys(find("", "pref", 10)) == ["pref_python"]
        assert keys(find("", "which shell, Python or fish?", 10)) == [
            "shell",
            "pref_python",
        ]
        assert find("", "FISH", 10) == []  # the older value of the key
        assert find("", "?!", 10) == []


def test_plain_bm25_finds_whole_words_best_first():
    with bm25(ENTRIES) as find:
        assert find("", "pyth", 10) == []
        assert keys(find("", "zsh or ruff with uv", 10)) == ["pref_python", "shell"]
        assert find("", "everywhere", 10) == []
        assert find("nobody", "zsh", 10) == find("", "?!", 10) == []
        assert find("other", 'quotes " and OR NOT * are words', 10) == []


def test_users_are_apart_in_both():
    for baseline in (like, bm25):
        with baseline(ENTRIES) as find:
            assert find("other", "python somebody", 10) == [
                ("pref_python", "somebody else's")
            ]


def test_a_question_as_long_as_a_page_is_answered():
    question = " ".join(f"word{number}" for number in range(5000)) + " zsh"
    for baseline in (like, bm25):
        with baseline(ENTRIES) as find:
            assert keys(find("", question, 10)) == ["shell"]


def test_the_bundled_set_tells_the_baselines_apart():
    found = compared(bundled())
    recall = {name: measured(name, one).recall[10] for name, one in found.items()}
    assert recall["LIKE"].high < recall["plain BM25"].low
    assert recall["plain BM25"].high < 0.9  # there is room for something better

"""`afterglow research` as a person runs it."""

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.research import research
from afterglow.errors import UsageError
from research_history import history


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    history(folder, days=11)
    return folder


@pytest.fixture
def run(home):
    env = {
        "HOME": str(home),
        "AFTERGLOW_HOME": str(home / "kept"),
        "COLUMNS": "100",
    }

    def command(*words):
        return CliRunner().invoke(
            research, [str(word) for word in words], env=env, catch_exceptions=False
        )

    return command


def test_without_a_question_it_lists_them(run):
    out = run().stdout
    assert "ablation" in out and "What of a warm session matters?" in out
    names = [question["name"] for question in json.loads(run("--json").stdout)]
    assert {"ablation", "compression", "transfer"} <= set(names)


def test_an_answer_has_its_tables_limits_and_method(run):
    out = run("ablation").stdout
    assert out.startswith("What of a warm session matters?")
    for words in (
        "What stood in each part",
        "What this cannot say",
        "How it was computed",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) <= 100


def test_json_has_the_whole_answer(run):
    answer = json.loads(run("ablation", "--json").stdout)
    assert answer["question"] == "ablation" and answer["enough"]
    assert answer["tables"][0]["heads"][0] == "part"
    assert {"value", "low", "high", "n"} <= answer["figures"][0]["panels"][0]["rows"][
        0
    ][1].keys()


def test_a_page_opens_offline_and_says_the_same(run, tmp_path):
    page = tmp_path / "ablation.html"
    out = run("ablation", "--page", page)
    html = page.read_text()
    assert "page written" in out.stderr
    assert "<svg" in html and "src=" not in html
    assert "What this cannot say" in html and "<code>bootstrap</code>" in html


def test_an_unknown_question_names_those_there_are(run):
    with pytest.raises(UsageError, match="ablation, compression, transfer"):
        run("abolition")


def test_a_folder_that_is_not_there_is_said_before_the_work(run, tmp_path):
    with pytest.raises(UsageError, match="not a folder"):
        run("ablation", "--page", tmp_path / "nowhere" / "page.html")

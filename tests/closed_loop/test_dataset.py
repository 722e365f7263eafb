"""The published dataset: made out of a loop's folder, whole, the same every time, and of nobody's machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import gettempdir

import pytest
from bench.closed_loop.dataset import files
from bench.closed_loop.dataset.__main__ import problems
from bench.closed_loop.dataset.columns import TABLES
from bench.closed_loop.dataset.hide import Hidden, leaks
from bench.closed_loop.dataset.loop_folder import NoLoop, read_loop
from bench.closed_loop.dataset.make import make_dataset

from closed_loop.small_loop_folder import ARMS, FEW, TOKEN, make_loop_folder

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "dataset"


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    return make_loop_folder(tmp_path_factory.mktemp("loop") / "out")


@pytest.fixture(scope="module")
def dataset(loop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "dataset"
    files.write(folder, make_dataset(loop.out))
    return folder


@pytest.fixture(scope="module")
def tables(dataset):
    return files.read(dataset)


def test_a_dataset_is_whole_and_holds_what_its_card_says(dataset):
    assert list(problems(dataset)) == []
    assert {path.name for path in dataset.iterdir()} == set(files.FILES)


def test_the_same_folder_makes_the_same_bytes(loop, dataset):
    made = make_dataset(loop.out)
    assert {path.name: path.read_bytes() for path in dataset.iterdir()} == made


def test_one_line_loads_a_table(dataset):
    parquet = pytest.importorskip("pyarrow.parquet")
    runs = parquet.read_table(dataset / "runs.parquet")
    assert (runs.num_rows, runs.column("arm")[0].as_py()) == (8, "cold")
    described = runs.schema.field("order").metadata[b"description"]
    assert b"among the runs of its plan" in described


def test_sha256sum_says_that_the_files_are_whole(dataset):
    words = ["sha256sum", "--check", "--quiet", files.CHECKSUMS]
    checked = subprocess.run(words, cwd=dataset, capture_output=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, b"")


def test_learning_sessions_are_turns_with_commands_and_exit_codes(tables):
    name = f"learning/{FEW[0].task(0).name}"
    turns = [row for row in tables["sessions"] if row["session"] == name]
    assert [(row["turn"], row["role"], row["exit"]) for row in turns] == [
        (0, "user", None),
        (1, "assistant", None),
        (2, "tool", 1),
        (3, "user", None),
        (4, "assistant", None),
        (5, "tool", 0),
        (6, "assistant", None),
    ]
    assert turns[1]["command"] == FEW[0].task(0).naive
    assert turns[3]["text"] == FEW[0].task(0).correction()
    assert (turns[0]["split"], turns[0]["seconds"]) == ("learning", 0.0)
    assert turns[2]["text"] == "no, says <room>/project"
    assert turns[5]["text"] == "well, says ~/notes"


def test_a_run_has_its_outcomes_and_what_it_was_really_told(tables):
    task = FEW[0].task(2)
    runs = {row["arm"]: row for row in tables["runs"] if row["task"] == task.name}
    assert set(runs) == set(ARMS)
    cold, start, failure, part = (runs[arm] for arm in ARMS)
    assert (cold["lesson"], cold["told_at_start"], cold["success"]) == ("", "", False)
    assert (start["lesson"], start["success"], start["tokens"]) == ("right", True, None)
    assert task.solution in start["told_at_start"]
    assert start["told_on_failure"] == failure["told_at_start"] == ""
    assert failure["told_on_failure"] == start["told_at_start"]
    assert (start["agent"], start["agent_version"]) == ("mini-swe", "2.4")
    assert (start["seconds"], part["session"]) == (
        2.5,
        f"moments/{task.name}/{part['arm']}",
    )
    assert [row["order"] for row in tables["runs"]] == list(range(1, 9))


def test_a_run_without_a_transcript_is_counted_all_the_same(tables):
    last = tables["runs"][-1]
    assert (last["session"], last["lesson"], last["calls"]) == ("", "", 2.0)
    sessions = {row["session"] for row in tables["sessions"]}
    named = {row["session"] for row in tables["runs"] if row["session"]}
    assert len(named) == 7
    assert named < sessions


def test_lessons_stand_with_their_evidence_and_whether_they_are_right(tables):
    lessons = tables["lessons"]
    assert lessons
    turns = {(row["session"], row["turn"]): row for row in tables["sessions"]}
    for row in lessons:
        assert row["evidence"]
        for place in row["evidence"]:
            turn = turns[place["session"], place["turn"]]
            is_call = place["part"] == "arguments"
            words = turn["command"] if is_call else place["quote"]
            assert words in (place["quote"] if is_call else turn["text"])
    assert {verdict["lesson"] for row in lessons for verdict in row["judged"]} <= {
        "right",
        "wrong",
    }


def test_templates_have_their_contents(tables):
    (row,) = tables["templates"]
    task = FEW[0].task(0)
    assert task.solution in row["seed"]["tool_examples"][0]["arguments"].replace('\\"', '"')  # fmt: skip
    assert row["seed"]["system_context"] == "Work in /projects/x."
    assert row["sessions"] == [f"learning/{task.name}"]
    assert row["seed"]["tool_examples"][0]["session"] == row["sessions"][0]


def test_tasks_say_what_was_asked_what_works_and_what_was_to_be_told(tables):
    rows = {row["task"]: row for row in tables["tasks"]}
    learning, measured = rows[FEW[0].task(0).name], rows[FEW[0].task(2).name]
    assert (learning["split"], learning["solved"], learning["plans"]) == (
        "learning",
        True,
        [],
    )
    assert (measured["split"], measured["solved"], measured["plans"]) == (
        "measured",
        None,
        ["moments"],
    )
    assert measured["told"]["start"]["lesson"] == "right"
    assert (measured["correction"], learning["told"]) == ("", None)


def test_nothing_tells_whose_machine_it_was(loop, tables, dataset):
    texts = "\n".join(_texts(tables)) + (dataset / files.CARD).read_text()
    for private in (str(loop.out), "/home/", TOKEN, str(ROOT), sys.prefix):
        assert private not in texts
    assert list(leaks(tables)) == []
    assert "secret:github-token" in texts
    assert "github-token" in (dataset / files.CARD).read_text()


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("cd /home/ana/x", "cd ~/x"),
        ("cd /root && ls /root" + "/x", "cd ~ && ls ~/x"),
        (f"ls {gettempdir()}/tmpab12cd34/harbor", "ls /projects/harbor"),
        ("PATH=/srv/x/.venv/bin:/bin", "PATH=<python>/bin:/bin"),
        ("./x --to /srv/mirror", "./x --to /srv/mirror"),
        ("rootless /rooted", "rootless /rooted"),
    ],
)
def test_folders_of_a_machine_become_words(text, hidden, tmp_path):
    assert Hidden(tmp_path).text(text) == hidden


def test_a_changed_or_missing_file_is_named(dataset, tmp_path):
    copy = tmp_path / "dataset"
    files.write(copy, {path.name: path.read_bytes() for path in dataset.iterdir()})
    with open(copy / "tasks.jsonl", "a", encoding="utf-8") as file:
        file.write("{}\n")
    (copy / "LICENSE").unlink()
    (copy / "notes.txt").write_text("mine")
    assert list(problems(copy)) == [
        "tasks.jsonl is not what its checksum says",
        "LICENSE is missing",
        "notes.txt does not belong to it",
    ]


def test_a_folder_with_other_things_is_left_alone(dataset, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(files.Wrong, match=r"mine\.txt"):
        files.write(tmp_path, {"README.md": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_folder_that_no_loop_left_behind_is_refused(tmp_path):
    with pytest.raises(NoLoop, match="not the folder of a loop"):
        read_loop(tmp_path)


def test_every_column_is_explained_on_the_card(dataset):
    card = (dataset / files.CARD).read_text()
    columns = [column for table in TABLES.values() for column in table.columns]
    assert [one.name for one in columns if f"| `{one.name}` |" not in card] == []


@pytest.mark.skipif(not PUBLISHED.exists(), reason="no loop has been published yet")
def test_the_published_dataset_is_whole_small_and_of_nobodys_machine():
    assert list(problems(PUBLISHED)) == []
    size = sum(path.stat().st_size for path in PUBLISHED.iterdir())
    assert size <= files.MAX_BYTES
    assert list(leaks(files.read(PUBLISHED))) == []
    assert list(leaks((PUBLISHED / files.CARD).read_text(encoding="utf-8"))) == []


def test_sockets_of_the_machine_are_hidden(tmp_path):
    printed = (
        "State Recv-Q\nLISTEN 0 128 0.0.0.0:2024 0.0.0.0:*\ntcp 0 0 x:1\ngauge: refused"
    )
    hidden = Hidden(tmp_path).text(printed)
    assert "2024" not in hidden and "tcp" not in hidden
    assert hidden.startswith("State") and hidden.endswith("gauge: refused")

"""The paper: no result is typed by hand, every number leads to its file, and the committed pages are what is made."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest
from bench.paper import counted, keep
from bench.paper.formats import p_value
from bench.paper.making import make, with_counts
from bench.paper.manuscript import Manuscript, UnknownSign
from bench.paper.printed import digest, made_from
from bench.paper.results import MissingNumber, ResultFile, Results
from bench.paper.sentences import SENTENCES

from afterglow.experiment.report.references import library
from afterglow.show.blocks import Num, Para
from house import ROOT

PAPER = ROOT / "docs" / "paper"
SOURCE = (PAPER / "manuscript.md").read_text(encoding="utf-8")
# What may hold digits: numbers out of files, marked exceptions, code, lines that make tables, references.
MARKED = re.compile(
    r"\{\{.+?\}\}|`[^`]+`|^::.*$|^    .*$|\[@[^\]]+\]", re.MULTILINE | re.DOTALL
)
PLANS = {
    "moments": ("cold", "start", "failure", "both", "placebo"),
    "forms": ("cold", "context", "template", "both", "placebo"),
    "parts": (
        "cold",
        "template",
        *(
            f"template:{part}"
            for part in ("context", "examples", "patterns", "markers")
        ),
    ),
    "sizes": ("cold", "template:100", "template:150", "template:300", "template"),
}


def invented_plan(arms):
    outcomes = {
        "success": {arm: {"value": 0.25, "n": 28} for arm in arms},
        "errors": {arm: {"value": 1.25, "n": 28} for arm in arms},
        "calls": {arm: {"value": 4.5, "n": 28} for arm in arms},
        "tokens": {arm: {"value": 1234.0, "n": 28} for arm in arms},
    }
    comparisons = [
        {"outcome": outcome, "arm": arm, "against": arms[0], "estimate": 0.25,
         "low": 0.05, "high": 0.45, "p": 0.0123, "discordant": [8, 1], "pairs": 28}
        for outcome in outcomes
        for arm in arms[1:]
    ]  # fmt: skip
    if len(arms) > 2:
        comparisons.append(comparisons[0] | {"arm": arms[2], "against": arms[1]})
    return {
        "arms": list(arms),
        "tasks": 28,
        "runs": 28 * len(arms),
        "planned_at": 1.79e9,
        "first_run": 1.79e9 + 60,
        "last_run": 1.79e9 + 7200,
        "by_kind": {
            kind: {arm: {"value": 0.5, "n": 2} for arm in arms}
            for kind in ("order", "person", "stale")
        },
        "outcomes": outcomes,
        "comparisons": comparisons,
    }


def invented_loop():
    families = [
        {"name": f"family {at}", "kind": kind, "tool_quirk": kind == "paging",
         "learned": at != 3, "lesson": lesson, "at_start": lesson,
         "after_failure": lesson, "in_template": "missing"}
        for at, (kind, lesson) in enumerate(
            [("paging", "right"), ("paging", "wrong"), ("person", "right"), ("stale", "missing")]
        )
    ]  # fmt: skip
    return {
        "model": "invented",
        "learning_sessions": 8,
        "learning_solved": 6,
        "learning_helped": 5,
        "families": families,
        "lessons": {"right": 2, "wrong": 1, "missing": 0},
        "plans": {name: invented_plan(arms) for name, arms in PLANS.items()},
    }


@pytest.fixture
def folder(tmp_path):
    """The paper's folder with an invented loop in it."""
    shutil.copytree(PAPER, tmp_path / "paper")
    path = tmp_path / "loop.json"
    path.write_text(json.dumps(invented_loop()), encoding="utf-8")
    keep.loop(path, tmp_path / "paper" / "results")
    return tmp_path / "paper"


def manuscript(files=None):
    results = Results(files or {"run": ResultFile("a command", "A run.", {"n": 3})})
    return Manuscript(
        results, says={"miller": "Something."}, sentences=SENTENCES, makers={}
    )


def test_no_result_is_typed_by_hand():
    by_hand = [
        line for line in MARKED.sub("", SOURCE).splitlines() if re.search(r"\d", line)
    ]
    assert by_hand == [], "take it from a result file, or mark it: {{= 95 %}}"


def test_the_committed_page_is_what_is_made():
    committed = (PAPER / "paper.html").read_text(encoding="utf-8")
    assert make(PAPER).html == committed, "python -m bench.paper makes it anew"


def test_the_committed_print_is_of_the_committed_page():
    assert made_from(PAPER / "paper.pdf") == digest(PAPER / "paper.html")


def test_every_number_leads_to_a_row_of_the_appendix(folder):
    page = make(folder).html
    targets = set(re.findall(r'href="#(v\d+|ref-\d+)"', page))
    assert len(targets) > 100
    assert [target for target in targets if f'id="{target}"' not in page] == []


def test_a_loop_with_every_plan_is_shown_whole(folder):
    page = make(folder).html
    for plan in PLANS:
        assert f"Plan {plan}:" in page
    assert "not in yet" not in page
    assert "<svg" in page


def test_one_command_takes_a_run_in_and_makes_the_page(folder, tmp_path):
    (folder / "results" / "loop.json").unlink()
    words = ("--to", str(folder), "--loop", str(tmp_path / "loop.json"), "--no-pdf")
    command = [sys.executable, "-m", "bench.paper", *words]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert "Plan moments:" in (folder / "paper.html").read_text(encoding="utf-8")


def test_a_difference_without_interval_says_so(folder):
    loop = folder / "results" / "loop.json"
    content = json.loads(loop.read_text(encoding="utf-8"))
    content["result"]["plans"]["parts"]["comparisons"][0] |= {"low": None, "high": None}
    loop.write_text(json.dumps(content), encoding="utf-8")
    assert "no interval" in make(folder).html


def test_a_missing_number_is_an_error_not_a_blank(folder):
    loop = folder / "results" / "loop.json"
    content = json.loads(loop.read_text(encoding="utf-8"))
    content["result"]["plans"]["moments"]["comparisons"].pop(0)
    loop.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(MissingNumber, match="0 entries have outcome=success"):
        make(folder)


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("run:m", "no 'm' there"),
        ("runs:n", "no result file 'runs'"),
        ("run:n[0]", "asks for a list"),
        ("n", "no result file"),
    ],
)
def test_an_address_that_leads_nowhere_says_what_there_is(address, complaint):
    with pytest.raises(MissingNumber, match=complaint):
        list(manuscript().blocks(f"{{{{{address}}}}}"))


def test_entries_of_lists_are_found_by_what_stands_in_them():
    rows = [{"arm": "cold", "n": 1}, {"arm": "both", "n": 2}]
    results = Results({"run": ResultFile("", "", {"rows": rows})})
    assert results.value("run:rows[arm=both].n") == 2
    assert results.value("run:rows[0].n") == 1
    assert not results.has("run:rows[arm=warm].n")


def test_rows_of_tables_are_found_by_their_name():
    rows = [["whole template", 3], ["a placebo", 4]]
    results = Results({"run": ResultFile("", "", {"rows": rows})})
    assert results.value("run:rows[0=a placebo][1]") == 4


def test_a_part_is_there_only_with_its_result():
    source = "::if run:n\none\n::if run:m\ntwo\n::else\nthree\n::end\n::end\n\n::if run:m\nfour\n::end"
    words = [
        block.words for block in manuscript().blocks(source) if isinstance(block, Para)
    ]
    assert words == [("one three",)]


def test_numbers_remember_where_they_come_from():
    (block,) = manuscript().blocks("There were {{run:n}} of {{= 24}}.")
    assert block.words == ("There were ", Num("3", "run:n"), " of ", "24", ".")


@pytest.mark.parametrize(
    "source", ["[@nobody]", "{{run:n | roman}}", "::drum", "{{says nobody}}"]
)
def test_an_unknown_sign_is_an_error(source):
    with pytest.raises(UnknownSign):
        list(manuscript().blocks(source))


def test_what_is_cited_is_listed_once_in_the_order_of_reading():
    read = manuscript()
    list(read.blocks("One [@miller]. Two [@miller]."))
    assert read.cited == ["miller"]


def test_everything_cited_was_looked_up():
    cited = set(re.findall(r"@(\w+)", SOURCE))
    works = library()
    assert cited <= set(works)
    only_named = [key for key in cited if works[key].read == "citation"]
    assert [key for key in only_named if works[key].kind != "method"] == []


def test_lessons_are_counted_by_kind():
    counts = counted.of_loop(invented_loop())
    assert counts["lessons"]["families"] == 4
    assert counts["lessons"]["learned"] == 3
    assert counts["lessons"]["right_of_learned"] == 2
    assert counts["lessons"]["wrong_of_learned"] == 1
    assert counts["tellings"]["in_template"]["missing"] == 3
    assert counts["quirks"]["wrong"] == counts["not_quirks"]["missing"] == 1
    assert [row["kind"] for row in counts["kinds"]] == [
        counted.QUIRKS,
        "person",
        "stale",
    ]
    solved = counts["plans"]["moments"]
    assert solved[1]["arms"]["cold"] == {"solved": 1, "tasks": 2}
    assert solved[0]["arms"]["cold"] == {"solved": 0, "tasks": 0}


def test_counts_stand_beside_their_loop():
    files = {"loop": ResultFile("", "", invented_loop())}
    assert with_counts(Results(files)).value("loop-counted:lessons.families") == 4


def test_a_verdict_follows_the_interval():
    plan = invented_plan(("cold", "start"))
    for low, high, word in ((0.1, 0.3, "higher"), (-0.3, -0.1, "lower"), (-0.1, 0.1, "not told apart")):  # fmt: skip
        plan["comparisons"][0] |= {"low": low, "high": high}
        files = {"loop": ResultFile("", "", {"plans": {"moments": plan}})}
        (said,) = SENTENCES["verdict"](Results(files), *"loop:moments success start cold".split())  # fmt: skip
        assert said.text == word


def test_the_studys_own_verdict_goes_before():
    plan = invented_plan(("cold", "start"))
    plan["comparisons"][0]["verdict"] = "could not tell"
    files = {"loop": ResultFile("", "", {"plans": {"moments": plan}})}
    words = "loop:moments success start cold".split()
    (said,) = SENTENCES["verdict"](Results(files), *words)
    assert said.text == "could not tell"


def test_a_replay_is_kept_without_texts_of_sessions(tmp_path):
    whole = {key: {"in view": 1} for key in keep.REPLAYED}
    whole["best"] = [{"fact": "a sentence of a session"}]
    whole["misses"] = [{"kind": "harm", "times": 2, "sessions": 1, "fingerprint": "x y z"}]  # fmt: skip
    path = tmp_path / "replay-in.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    kept = keep.replay(path, tmp_path).read_text(encoding="utf-8")
    assert "sentence" not in kept
    assert "x y z" not in kept
    assert json.loads(kept)["result"]["harms"] == [{"times": 2, "sessions": 1}]
    assert json.loads(kept)["result"]["shares"] == {"in_view": 1}


def test_a_second_reading_is_kept_as_counts(tmp_path):
    told = [
        {
            "start": {"lesson": start, "text": "a line"},
            "failure": {"lesson": failure, "text": ""},
            "template": {"lesson": "missing", "text": ""},
        }
        for start, failure in (("right", "missing"), ("missing", "wrong"))
    ]
    path = tmp_path / "told.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    kept = keep.second_reading(path, tmp_path).read_text(encoding="utf-8")
    result = json.loads(kept)["result"]
    assert result["lessons"] == {"right": 1, "wrong": 1, "missing": 0}
    assert result["tellings"]["at_start"] == {"right": 1, "wrong": 0, "missing": 1}
    assert "a line" not in kept


@pytest.mark.parametrize(
    ("value", "written"), [(0.00001, "p < 0.001"), (0.0224, "p = 0.022"), (0.5, "p = 0.50")]
)  # fmt: skip
def test_a_p_value_is_written_one_way(value, written):
    assert p_value(value) == written

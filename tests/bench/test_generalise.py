"""bench.generalise: what sessions were told against labels; dossiers out and answers back in."""

from __future__ import annotations

import json

import msgspec
from bench.generalise.exchange import export, written
from bench.generalise.judge import Hint, SessionTold, judged, score
from bench.generalise.labels import labels_of
from bench.generalise.losses import Known, losses
from msgspec.structs import replace

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Dossier, DossierLine, Event, Problem

LESSON = {
    "id": "p-01",
    "situation": [["make smoke", "smoke test"]],
    "remedy": [["`make seed`"]],
    "not": ["never"],
    "usefulness": 2,
}
CASE = {"session": "s2", "line": 7, "lesson": "p-01", "known_before": True}


def labels(tmp_path, *cases):
    rows = {"lessons": [LESSON], "cases": cases or [CASE]}
    for name, values in rows.items():
        text = "\n".join(map(json.dumps, values)) + "\n"
        (tmp_path / f"{name}.jsonl").write_text(text)
    return labels_of(tmp_path)


def told(context="", *hints):
    return SessionTold("s2", "/x/s2.jsonl", context, hints)


def test_a_lesson_is_told_where_one_statement_holds_situation_and_remedy(tmp_path):
    asked = labels(tmp_path)
    assert score([told("- `make smoke` fails → run `make seed`")], asked).in_view == 1
    assert score([told("- `make smoke` fails\n- run `make seed`")], asked).in_view == 0
    assert score([told("- `make smoke` fails:\n  `make seed`")], asked).in_view == 1
    assert score([told("- make smoke: never `make seed`")], asked).in_view == 0


def test_a_hint_counts_only_at_the_line_of_the_failed_call(tmp_path):
    asked = labels(tmp_path)
    text = "make smoke: `make seed` first"
    at_hand = score([told("", Hint(7, text))], asked)
    assert (at_hand.in_view, at_hand.at_hand, at_hand.lessons_at_hand) == (0, 1, 1)
    assert score([told("", Hint(8, text))], asked).at_hand == 0


def test_only_useful_repeats_whose_remedy_was_shown_before_are_asked(tmp_path):
    rows = [
        CASE,
        {**CASE, "known_before": False},
        {**CASE, "usefulness": 1},
        {**CASE, "lesson": None},
    ]
    assert len(labels(tmp_path, *rows).cases) == 1


def test_a_session_that_a_dump_does_not_hold_was_told_nothing(tmp_path):
    assert not judged([], labels(tmp_path))[0].at_start


def test_a_session_is_known_by_its_file_where_its_id_is_another(tmp_path):
    session = SessionTold("another", "/x/s2.jsonl", "- make smoke: `make seed`")
    assert score([session], labels(tmp_path)).in_view == 1


def dossier(*lines):
    numbered = tuple(
        DossierLine(number, f"[{number}] x", session, line)
        for number, (session, line) in enumerate(lines, 1)
    )
    return Dossier(
        problem="aaaa1111", text="Problem aaaa1111", tokens=4, lines=numbered
    )


def problem(**fields):
    values = {
        "id": "aaaa1111", "repo": "r", "kind": "failure", "key": "line x", "what": "x", "times": 2,
        "sessions": ("s1", "s2"), "calls": 2, "turns": 0, "first": 1.0, "last": 2.0,
    }  # fmt: skip
    return Problem(**{**values, **fields})


def test_citations_of_an_earlier_dossier_follow_their_lines_into_todays(tmp_path):
    export(tmp_path, "Write.", [[dossier(("s1", 5), ("s1", 9), ("s2", 3))]])
    answer = {"problem": "aaaa1111", "answer": "lesson", "cites": [1, 3]}
    (tmp_path / "answers.jsonl").write_bytes(msgspec.json.encode(answer))
    today = dossier(("s2", 3), ("s1", 5))
    answers = written(tmp_path, [problem()], {"aaaa1111": today})
    assert answers is not None
    assert answers.rows[0]["cites"] == [1, 2]
    assert answers.about.first_contact == "not said"


def test_an_answer_to_a_problem_that_stands_under_another_now_goes_there(tmp_path):
    export(tmp_path, "Write.", [[dossier(("s1", 5))]])
    answer = {"problem": "aaaa1111", "answer": "nothing", "cites": [1]}
    (tmp_path / "answers.jsonl").write_bytes(msgspec.json.encode(answer))
    wider = problem(id="bbbb2222", also=("aaaa1111",))
    today = msgspec.structs.replace(dossier(("s1", 5)), problem="bbbb2222")
    answers = written(tmp_path, [wider], {"bbbb2222": today})
    assert answers is not None
    assert answers.rows[0]["problem"] == "bbbb2222"


def test_what_a_writer_reads_counts_the_prompt_once_for_every_question(tmp_path):
    one_question = export(tmp_path / "a", "Write it down.", [[dossier()]])
    two_questions = export(tmp_path / "b", "Write it down.", [[dossier()], [dossier()]])
    assert two_questions == 2 * one_question


def test_no_answers_are_no_writer(tmp_path):
    assert written(tmp_path, [], {}) is None


def test_a_lesson_is_lost_at_the_first_stage_that_does_not_have_it(tmp_path):
    asked = labels(tmp_path)
    text = "`make smoke` fails: run `make seed`"
    event = Event(
        kind="failed", session="s2", agent="codex", line=7, result_line=8, call=1
    )
    problem = Problem(
        id="aaaa1111", repo="p", kind="failure", key="line x", what="x", times=1,
        sessions=("s2",), calls=1, turns=0, first=None, last=None, events=(event,),
    )  # fmt: skip
    waiting = KnowledgeItem(
        id="k1", fact=text, category="pitfall", status="candidate", confidence=0.5
    )

    def stage(**known):
        everything = {"problems": [], "dossiers": {}, "answers": [], "items": []}
        (loss,) = losses(asked, judged([], asked), Known(**{**everything, **known}))
        return loss.stage

    empty = dossier(("s2", 7))
    telling = replace(empty, text=text)
    assert stage() == "no problem or event"
    assert stage(problems=[problem]) == "not offered"
    assert stage(problems=[problem], dossiers={problem.id: empty}) == (
        "not in the dossier"
    )
    assert stage(problems=[problem], dossiers={problem.id: telling}) == "not written"
    assert stage(answers=[text]) == "refused"
    assert stage(items=[waiting]) == "waits"
    assert stage(items=[replace(waiting, status="active")]).startswith("told too late")
    (loss,) = losses(asked, judged([told(f"- {text}")], asked), Known([], {}, [], []))
    assert (loss.stage, loss.in_view) == ("in view", 1)

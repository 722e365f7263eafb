"""What no writer passes by eloquence: each check on invented problems, and what must not cost a right lesson."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.harvest.writing.checks import CHECKS, objections
from afterglow.harvest.writing.names import spans
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Runs, SessionEvents
from lamp_problems import case, ended, failure, lesson, problem_of

WET = "`lampctl light --all`: 'lampctl: wick is wet'"
DRY = "Dry it on the way: `lampctl light --dry <lamp>`."
RAN = {"lampctl light --dry": Runs(well=4, last=60), "lampctl light --all": Runs(0, 3)}


def right_case(remedy: str = DRY, situation: str = WET, **fields):
    """Two sessions that were wet, and ended it with --dry."""
    events = [
        failure(
            session,
            f"lampctl light --all {lamp}",
            by=f"lampctl light --dry {lamp}",
            time=time,
        )
        for session, lamp, time in (("a", "pier", 1.0), ("b", "quay", 2.0))
    ]
    events += fields.pop("events", [])
    history = (SessionEvents(tuple(events), runs=fields.pop("runs", RAN)),)
    answer = lesson(remedy, situation, cites=(1, 2, 3))
    return case(answer, problem_of(*events), history=history, **fields)


def found(case) -> dict[str, str]:
    return {objection.check: objection.effect for objection in objections(case)}


@pytest.mark.parametrize("name", CHECKS.names())
def test_every_check_has_a_name_and_nothing_against_a_right_lesson(name):
    check = CHECKS.load(name)
    assert name == check.NAME
    assert check.check(right_case()) is None


@pytest.mark.parametrize("name", CHECKS.names())
def test_no_check_stumbles_over_an_empty_problem(name):
    empty = case(lesson("", ""), problem_of(), history=())
    objection = CHECKS.load(name).check(empty)
    assert objection is None or objection.reason


@pytest.mark.parametrize(
    "remedy",
    [
        "Dry it: `lampctl light --dry <lamp>` (it then says ``a ` b``).",
        "Dry it: `lampctl light --dry <lamp>` below `C:\\harbor\\lamps\\pier`.",
        "Dry it: `lampctl light --dry <lamp>`\tbefore `lamps/pier`.",
        "Dry it: `lampctl light --dry ...`, and `don't` worry.",
        "Dry it: `lampctl light --dry [REDACTED:token]`.",
        "Dry it: `lampctl light --dry $LAMP`.",
        "Dry it: `lampctl light --dry '<lamp>'`.",
    ],
)
def test_a_right_lesson_does_not_die_of_how_it_is_written(remedy):
    shown = failure("c", "ls harbor/lamps/pier", "", tool="Bash", kind="hidden")
    assert found(right_case(remedy, events=[shown])) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use `a b`, not `c`", ["a b", "c"]),
        ("`` a ` b `` and `c`", ["a ` b", "c"]),
        ("a fence opens with ```text: never bare ```", ["```text"]),
        ("a fence opens with `` ```text ``", ["```text"]),
        ("one ` alone", []),
    ],
)
def test_what_stands_in_backticks(text, expected):
    assert spans(text) == expected


def test_a_remedy_that_failed_alike_where_it_was_used_is_refused():
    events = [
        failure(session, "lampctl light --dry pier", time=9.0) for session in "cdefg"
    ]
    result = right_case(events=events)
    objection = next(v for v in objections(result) if v.check == "outcome")
    assert objection.effect == "refuse"
    assert "5 sessions did so" in objection.reason
    assert objection.counter == "lampctl light --dry pier => lampctl: wick is wet"


def test_one_session_in_which_it_failed_is_not_enough():
    events = [failure("c", "lampctl light --dry pier", time=9.0)]
    assert "outcome" not in found(right_case(events=events))


def test_a_remedy_that_ended_nothing_waits_and_says_what_did():
    events = [
        failure("a", "lampctl light --all pier", by="lampctl replace pier"),
        failure("b", "lampctl light --all quay", by="lampctl replace quay"),
    ]
    answer = lesson("`lampctl light --dry`.", WET)
    runs = {"lampctl light --dry": Runs(well=1)}
    history = (SessionEvents(tuple(events), runs=runs),)
    result = case(answer, problem_of(*events), history=history)
    objection = next(v for v in objections(result) if v.check == "ending")
    assert objection.effect == "wait"
    assert "ended by: lampctl replace quay" in objection.counter


def test_a_call_that_people_refuse_waits_for_their_word():
    refusals = [
        failure(s, "lampctl light --dry pier", "", kind="refused", person="not here")
        for s in ("x", "y")
    ]
    base = right_case()
    result = replace(base, history=(*base.history, SessionEvents(tuple(refusals))))
    objection = next(v for v in objections(result) if v.check == "undone")
    assert '2 sessions: "not here"' in objection.reason


def test_what_one_person_refused_is_not_told_as_what_people_want():
    words = {"kind": "person", "error": "", "person": "please light them dry"}
    asked = [failure(name, "lampctl light", **words) for name in ("a", "b")]
    wish = lesson("Run `lampctl light --dry` too.", "lamps", scope="user", cites=(1, 2))
    no = failure("x", "lampctl light --dry", "", kind="refused", person="too slow")
    base = case(wish, problem_of(*asked, kind="person"))
    assert "undone" not in found(base)
    refused = replace(base, history=(*base.history, SessionEvents((no,))))
    assert found(refused)["undone"] == "wait"


def test_a_command_that_never_worked_is_refused_and_one_that_nobody_ran_waits():
    told_twice = "`lampctl light --dry` or `lampctl dip --deep`."
    never = right_case(told_twice, runs={**RAN, "lampctl dip --deep": Runs(0, 4)})
    nobody = right_case(told_twice)
    mostly = right_case(told_twice, runs={**RAN, "lampctl dip --deep": Runs(1, 9)})
    assert found(never)["worked"] == "refuse"
    assert found(nobody)["worked"] == "wait"
    assert found(mostly)["worked"] == "wait"


def test_what_is_told_already_need_not_have_worked_once_more():
    told = f"{DRY} If it stays wet: `lampctl dip --deep || lampctl light --dry 4`."
    assert found(right_case(told))["worked"] == "wait"
    known = KnowledgeItem(id="k1", fact="wet: `lampctl dip --deep`", category="pitfall", status="active")  # fmt: skip
    assert "worked" not in found(right_case(told, items=(known,)))


def test_what_a_lesson_warns_of_need_not_have_worked():
    assert "worked" not in found(right_case(f"{DRY} Never `lampctl light --all`."))


def test_further_flags_and_operands_are_no_matter_for_what_worked():
    runs = {"lampctl light --dry --loud": Runs(2, 0)}
    assert found(right_case(runs=runs)) == {}


def test_a_command_with_an_open_end_was_run_with_any():
    told = f"{DRY} See `lampctl light --dry 4 && gh run --repo pier/lamps <command>`."
    runs = {**RAN, "gh run list --repo": Runs(2, 0)}
    assert "worked" not in found(right_case(told, runs=runs))
    other = {**RAN, "gh pr list --repo": Runs(2, 0)}
    assert found(right_case(told, runs=other))["worked"] == "wait"


def test_what_ran_on_another_machine_was_run():
    told = f"{DRY} There `lampctl dip --deep`."
    runs = {**RAN, "ssh lampctl dip --deep": Runs(2, 0)}
    assert "worked" not in found(right_case(told, runs=runs))


def test_a_quoted_error_that_no_call_printed_waits():
    situation = "`lampctl light --all`: 'the keeper has gone to bed already'"
    assert found(right_case(situation=situation)) == {"quoted": "wait"}


def test_a_risky_remedy_waits_for_a_person():
    result = right_case(f"{DRY} Else `git reset --hard`.")
    objection = next(v for v in objections(result) if v.check == "risk")
    assert objection.effect == "wait"
    assert objection.reason.startswith("risky: ")


def test_a_warning_of_something_risky_is_not_risky():
    assert "risk" not in found(right_case(f"{DRY} Never `git reset --hard`."))


def item(fact: str, **fields) -> KnowledgeItem:
    return KnowledgeItem(id="k1", fact=fact, category="pitfall", **fields)


def test_two_lessons_that_tell_the_opposite_are_in_conflict():
    opposite = item(
        "use --all",
        situation="`lampctl light --dry` hangs",
        remedy="`lampctl light --all`",
    )
    assert found(right_case(items=(opposite,))) == {"conflict": "wait"}


def test_a_lesson_that_replaces_the_other_is_in_no_conflict():
    opposite = item("x", situation="`lampctl light --dry`", remedy="`lampctl light`")
    base = right_case(items=(opposite,))
    result = replace(base, answer=replace(base.answer, item="k1"))
    assert "conflict" not in found(result)


def test_what_is_known_about_the_problem_is_not_told_again():
    base = right_case()
    topics = (f"problem:{base.problem.id}",)
    same = item(f"{WET}: {DRY}", topics=topics)
    assert found(replace(base, items=(same,))) == {"news": "refuse"}
    narrower = item("`lampctl light --all pier` fails", topics=topics)
    assert found(replace(base, items=(narrower,))) == {}


def test_what_the_instruction_files_or_the_error_say_is_no_news():
    said = right_case(instructions=f"# Harbor\nLamps: {DRY} Thanks.\n")
    assert found(said) == {"news": "refuse"}
    error = "lampctl: wick is wet, dry it on the way: lampctl light --dry <lamp>"
    events = [
        failure(s, "lampctl light", error, by="lampctl light --dry") for s in "ab"
    ]
    answer = lesson("Dry it on the way: `lampctl light --dry <lamp>`", "lampctl")
    runs = (SessionEvents(tuple(events), runs=RAN),)
    result = case(answer, problem_of(*events), history=runs)
    assert found(result)["news"] == "refuse"


def test_a_share_that_the_episodes_do_not_bear_out_waits():
    result = right_case("In 1 of 20 cases: `lampctl light --dry <lamp>`.")
    assert found(result) == {"claimed": "wait"}
    assert found(right_case("In 2 of 2: `lampctl light --dry <lamp>`.")) == {}


def test_a_program_that_is_said_to_be_missing_was_run():
    runs = [SessionEvents(runs={"oilcan fill": Runs(well=2)}) for _ in range(3)]
    base = right_case(f"There is no `oilcan`. {DRY}")
    assert found(replace(base, history=(*base.history, *runs))) == {"claimed": "wait"}
    assert found(base) == {}


def test_names_that_no_session_shows_wait():
    result = right_case(f"{DRY} See `docs/wicks/drying.md`.")
    assert found(result) == {"shown": "wait"}
    objection = next(objections(result))
    assert "`docs/wicks/drying.md`" in objection.reason


def test_names_that_any_event_shows_are_shown():
    printed = ended("ls docs", printed="docs/wicks/drying.md")
    event = failure("c", "ls docs", tried=(printed,))
    assert found(right_case(f"{DRY} See `docs/wicks/drying.md`.", events=[event])) == {}


def test_every_objection_says_what_would_make_the_lesson_pass():
    doubtful = right_case(f"{DRY} Else `git reset --hard`, see `docs/wicks/a.md`.")
    assert all(len(objection.reason.split()) > 5 for objection in objections(doubtful))


@pytest.mark.parametrize(
    ("situation", "remedy"),
    [
        ("`lampctl light --all` fails", "Run `lampctl light --all`."),
        ("`lampctl find 'pier?'` fails", "Run `lampctl find pier?`."),
    ],
)
def test_a_remedy_that_is_the_failing_call_again_is_refused(situation, remedy):
    assert found(right_case(remedy, situation))["news"] == "refuse"
    again = remedy.replace("Run", "Wait for the harbor master, then run")
    assert found(right_case(again, situation)).get("news") is None


def test_a_name_that_only_sessions_without_the_problem_show_makes_a_lesson_wait():
    elsewhere = failure("z", "cat docs/wicks/oil.md", "lampctl: no oil")
    answer = lesson("Run `lampctl light --dry`, as `docs/wicks/oil.md` says.", WET)
    runs = {"lampctl light --dry": Runs(2, 0)}
    problem = right_case().problem
    history = (
        SessionEvents(problem.events, runs=runs),
        SessionEvents((elsewhere,), runs=runs),
    )
    assert found(case(answer, problem, history=history)) == {"shown": "wait"}


def test_a_command_that_a_hook_ran_by_itself_is_only_spoken_of():
    printed = "hook: lampctl-lint --fix: wick is wet"
    events = [
        failure(name, "lampctl light --all", printed, by="lampctl light --dry")
        for name in ("a", "b")
    ]
    answer = lesson("`lampctl light --dry`: `lampctl-lint --fix` leaves it wet.", WET)
    assert "worked" not in found(case(answer, problem_of(*events)))


def test_the_only_way_is_not_the_only_way_where_sessions_went_another():
    otherwise = failure("c", "lampctl light --all", by="lampctl light --wait", time=3.0)
    only = "It lights only so: `lampctl light --dry <lamp>`."
    assert found(right_case(only)) == {}
    assert found(right_case(only, events=[otherwise])) == {"claimed": "wait"}
    needed = "A wet wick needs it: `lampctl light --dry <lamp>`."
    for remedy in (DRY, needed):
        assert found(right_case(remedy, events=[otherwise])) == {}


def test_as_many_episodes_that_ended_otherwise_make_a_lesson_wait():
    others = [
        failure(name, "lampctl light --all", by="lampctl light --wait", time=3.0)
        for name in ("c", "d", "e")
    ]
    assert found(right_case(events=others)) == {"ending": "wait"}


def test_what_a_linter_says_when_it_reports_is_news_before_that():
    problem = right_case().problem
    known = KnowledgeItem(
        id="k1",
        fact=f"{WET}: {DRY}",
        category="pitfall",
        topics=(f"problem:{problem.id}",),
    )
    assert found(right_case(items=(known,))) == {"news": "refuse"}
    late = replace(known, tags=("lint",))
    assert found(right_case(items=(late,))) == {}


@pytest.mark.parametrize(
    ("often", "sessions", "objects"),
    [
        ("usually", 3, False),
        ("usually", 9, True),
        ("often", 9, False),
        ("often", 30, True),
    ],
)
def test_a_wish_of_some_sessions_is_no_habit(often, sessions, objects):
    base = right_case()
    usual = replace(
        base.answer, scope="user", remedy=f"The person {often} wants the lamps dry."
    )
    history = base.history * sessions
    objection = CHECKS.load("claimed").check(
        replace(base, answer=usual, history=history)
    )
    assert (objection is not None) is objects

"""A rule writes what sessions agree on: the same change of a call, about what the error names. Else it is silent."""

from __future__ import annotations

import pytest

from afterglow.harvest.writing.rules import written_by_rules
from afterglow.records.problems import Problem
from harvest.writing.rule_problems import failure, problem_of, tried

NO_SUCH_FLAG = "lampctl: unknown flag: --bright"


def lines(problem: Problem) -> list[tuple[str, str]]:
    return [(item.situation, item.remedy) for item in written_by_rules(problem)]


def test_a_flag_that_two_sessions_left_out_is_told_with_the_call_that_worked():
    problem = problem_of(
        failure("a", "lampctl ignite harbor --bright", NO_SUCH_FLAG, "lampctl ignite harbor"),
        failure("b", "lampctl ignite pier --bright", NO_SUCH_FLAG, "lampctl ignite pier"),
    )  # fmt: skip
    (answer,) = written_by_rules(problem)
    assert answer.problem == problem.id
    assert answer.situation == f"`lampctl ignite <name> --bright` fails: {NO_SUCH_FLAG}"
    assert answer.remedy == "leave out `--bright`: `lampctl ignite <name>`"


def test_what_is_the_same_in_all_sessions_stays_as_it_is():
    problem = problem_of(
        failure("a", "lampctl ignite pier --bright", NO_SUCH_FLAG, "lampctl ignite pier --glow=3"),
        failure("b", "lampctl ignite pier --bright", NO_SUCH_FLAG, "lampctl ignite pier --glow=3"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == "`--glow 3` in place of `--bright`: `lampctl ignite pier --glow=3`"


def test_one_session_is_not_enough():
    once = failure("a", "lampctl ignite x --bright", NO_SUCH_FLAG, "lampctl ignite x")
    again = failure("a", "lampctl ignite y --bright", NO_SUCH_FLAG, "lampctl ignite y")
    assert lines(problem_of(once, again)) == []


def test_a_flag_that_the_error_does_not_name_may_be_the_check_itself():
    text = "lampctl: wick is wet in the harbor"
    problem = problem_of(
        failure("a", "lampctl test --strict", text, "lampctl test"),
        failure("b", "lampctl test --strict", text, "lampctl test"),
    )
    assert lines(problem) == []


def test_silent_where_as_many_sessions_got_there_in_another_way():
    problem = problem_of(
        failure("a", "lampctl ignite x --bright", NO_SUCH_FLAG, "lampctl ignite x"),
        failure("b", "lampctl ignite y --bright", NO_SUCH_FLAG, "lampctl ignite y"),
        failure("c", "lampctl ignite z --bright", NO_SUCH_FLAG, "lampctl boost --bright z"),
        failure("d", "lampctl ignite w --bright", NO_SUCH_FLAG, "lampctl boost --bright w"),
    )  # fmt: skip
    assert lines(problem) == []


def test_silent_where_calls_made_so_failed_with_the_same_words():
    text = "lampctl: bright lamps are not lit"
    problem = problem_of(
        failure("a", "lampctl ignite x --bright", text, "lampctl ignite x"),
        failure("b", "lampctl ignite y --bright", text, "lampctl ignite y"),
        failure("c", "lampctl ignite z", text, "lampctl ignite z"),
        failure("d", "lampctl ignite w", text, "lampctl ignite w"),
    )
    assert lines(problem) == []


def test_silent_where_every_session_changed_much_else():
    text = "lampctl: the log of job 7 is not there yet"
    problem = problem_of(
        failure("a", "lampctl show --job 7 --log --wide", text, "lampctl show 9 --json state"),
        failure("b", "lampctl show --job 8 --log --tall", text, "lampctl show 6 --json state --all"),
    )  # fmt: skip
    assert lines(problem) == []


def test_another_task_of_the_program_is_another_call():
    problem = problem_of(
        failure("a", "lampctl status --bright", NO_SUCH_FLAG, "lampctl list pier"),
        failure("b", "lampctl status --bright", NO_SUCH_FLAG, "lampctl show harbor"),
    )
    assert lines(problem) == []


def test_a_task_that_the_error_names_and_the_one_in_its_place():
    text = 'lampctl: unknown command "burn"'
    problem = problem_of(
        failure("a", "lampctl burn pier", text, "lampctl ignite pier"),
        failure("b", "lampctl burn harbor", text, "lampctl ignite harbor"),
    )
    ((situation, remedy),) = lines(problem)
    assert situation == f"`lampctl burn <name>` fails: {text}"
    assert remedy == "use `lampctl ignite <name>`"


def test_a_program_that_is_not_there_and_the_one_that_is():
    text = "zsh:1: command not found: lamp"
    problem = problem_of(
        failure("a", "lamp tools/a.lp --fast", text, "lamp3 tools/a.lp --fast"),
        failure("b", "cd x && lamp tools/b.lp", text, "lamp3 tools/b.lp"),
    )
    ((situation, remedy),) = lines(problem)
    assert situation == f"`lamp <path>` fails: {text}"
    assert remedy == "use `lamp3 <path>`"


def test_a_program_that_is_only_reachable_through_a_runner():
    text = "zsh:1: command not found: hk"
    problem = problem_of(
        failure("a", "hk install && git add a", text, "mise x hk -- hk install && git add a"),
        failure("b", "hk install", text, "mise x hk -- hk install"),
        failure("c", "hk install", text, "mise exec -- hk install"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == "run it as `mise x hk -- hk install`"


def test_what_stands_before_a_command_and_has_to_go():
    text = "error: unrecognized subcommand 'lampctl'"
    problem = problem_of(
        failure("a", "fog lampctl test", text, "lampctl test", program="fog"),
        failure("b", "fog lampctl test", text, "lampctl test", program="fog"),
        failure("c", "fog lampctl test", text, "lampctl mend --all", program="fog"),
    )
    ((situation, remedy),) = lines(problem)
    assert situation == f"`fog lampctl test` fails: {text}"
    assert remedy == "without `fog`: `lampctl test`"


def test_other_ways_count_however_their_calls_look():
    text = "lampctl: illegal option -- A"
    problem = problem_of(
        failure("a", "lampctl -A wick", text, "lamp3 -A wick"),
        failure("b", "lampctl -A oil", text, "lamp3 -A oil"),
        failure("c", "cat wick | lampctl -A", text, "od -c wick", program="cat"),
        failure("d", "cat oil | lampctl -A", text, "od -c oil", program="cat"),
    )
    assert lines(problem) == []


def test_a_digit_in_a_message_names_no_flag():
    text = "(eval):1: no lamps in the harbor"
    problem = problem_of(
        failure("a", "lampctl -1 wick", text, "lampctl wick"),
        failure("b", "lampctl -1 oil", text, "lampctl oil"),
    )
    assert lines(problem) == []


def test_texts_and_paths_of_one_machine_are_not_told():
    problem = problem_of(
        failure("a", "lampctl -m 'two ⏎ lines' /home/a/x --bright", NO_SUCH_FLAG, "lampctl -m 'two ⏎ lines' /home/a/x"),
        failure("b", "lampctl -m 'two ⏎ lines' /home/a/x --bright", NO_SUCH_FLAG, "lampctl -m 'two ⏎ lines' /home/a/x"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == 'leave out `--bright`: `lampctl -m "…" <path>`'


def test_a_try_that_failed_in_another_way_has_solved_this():
    text = "zsh:1: command not found: hk"
    problem = problem_of(
        failure("a", "hk check", text, "npx hk check"),
        failure(
            "b", "hk check", text, tried=[tried("npx hk check", "error: 3 lamps are out")]
        ),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == "run it as `npx hk check`"


def test_an_item_of_a_list_that_the_error_names():
    text = 'Unknown JSON field: "wicks"'
    problem = problem_of(
        failure("a", "gh pr view 7 --json oil,wicks,glass", text, "gh pr view 7 --json oil,glass"),
        failure("b", "gh pr view 8 --json wicks,glass", text, "gh pr view 8 --json glass,lens"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert (
        remedy
        == "`--json` has no `wicks`, leave it out: `gh pr view <n> --json <json>`"
    )


def test_a_list_behind_a_flag_that_nobody_knows():
    text = 'lampctl: no part "wicks"'
    problem = problem_of(
        failure("a", "lampctl view --parts oil,wicks", text, "lampctl view --parts oil"),
        failure("b", "lampctl view --parts wicks,lens", text, "lampctl view --parts lens"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == "leave out `wicks`: `lampctl view --parts <name>`"


def test_one_operand_at_a_time():
    problem = problem_of(
        failure("a", "lampctl test a b", "error: unexpected argument 'b' found", "lampctl test a"),
        failure("b", "lampctl test c d e", "error: unexpected argument 'd' found", "lampctl test c"),
    )  # fmt: skip
    ((situation, remedy),) = lines(problem)
    assert (
        situation
        == "`lampctl test <name> <name>` fails: error: unexpected argument … found"
    )
    assert remedy == "give it one at a time: `lampctl test <name>`"


def test_a_path_that_is_not_there_is_not_one_too_many():
    problem = problem_of(
        failure("a", "rg oil src tests", "rg: tests: No such file", "rg oil src", target="tests"),
        failure("b", "rg wick src tests", "rg: tests: No such file", "rg wick src", target="tests"),
    )  # fmt: skip
    assert "at a time" not in str(lines(problem))


def test_a_word_that_the_shell_would_expand_is_quoted():
    problem = problem_of(
        failure("a", "lampctl get oil?day=1", "zsh:1: no matches found: oil?day=1", "lampctl get 'oil?day=1'"),
        failure("b", "lampctl get wick?day=2", "zsh:1: no matches found: wick?day=2", "lampctl get 'wick?day=2'"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == (
        "quote the word that the shell would expand: `lampctl get '<name>?…'`"
    )


CAME = "lampctl: no lamp matches in pier"


def test_what_came_need_not_be_named_where_nothing_else_happened():
    problem = problem_of(
        failure("a", "lampctl test pier", CAME, "lampctl test --tags=night pier"),
        failure("b", "lampctl test pier -v", CAME, "lampctl test --tags=night pier -v"),
    )
    ((_, remedy),) = lines(problem)
    assert remedy == "add `--tags night`: `lampctl test --tags=night pier`"


def test_what_came_may_have_a_value_that_is_a_path():
    text = "lampctl: LAMP_TOKEN is not set"
    problem = problem_of(
        failure("a", "lampctl publish", text, "lampctl publish --token-file ~/.config/lamp"),
        failure("b", "lampctl publish", text, "lampctl publish --token-file ~/.config/lamp"),
    )  # fmt: skip
    ((_, remedy),) = lines(problem)
    assert remedy == (
        "add `--token-file`: `lampctl publish --token-file ~/.config/lamp`"
    )


def test_an_address_that_ends_in_a_slash():
    text = "curl: (22) The requested URL returned error: 404"
    api = "curl -sf http://localhost:8000/api"
    problem = problem_of(
        failure("a", f"{api}/piers", text, f"{api}/piers/"),
        failure("b", f"{api}/lamps", text, f"{api}/lamps/"),
    )
    ((situation, remedy),) = lines(problem)
    assert situation == f"`curl -sf <path>` fails: {text}"
    assert remedy == "it ends in `/`: `curl -sf …/localhost:8000/api/<path>/`"


def test_what_came_after_an_edit_says_nothing():
    edit = tried("Edit lamp.py - a + b", tool="Edit", worked=True)
    problem = problem_of(
        failure("a", "lampctl test pier", CAME, "lampctl test --tags=night pier", tried=[edit]),
        failure("b", "lampctl test pier", CAME, "lampctl test --tags=night pier", tried=[edit]),
    )  # fmt: skip
    assert lines(problem) == []


def test_choosing_fewer_tests_is_no_remedy():
    text = "--- FAIL: TestLamp (0.1s) in the harbor"
    problem = problem_of(
        failure("a", "go test ./lamp", text, "go test ./lamp -run TestWick"),
        failure("b", "go test ./lamp", text, "go test ./lamp -run TestWick"),
    )
    assert lines(problem) == []


def test_what_the_state_explains_is_left_to_the_state():
    state = "the shell stands in another directory than the call assumed"
    problem = problem_of(
        failure("a", "lampctl test pier", CAME, "lampctl test --tags=night pier", state=state),
        failure("b", "lampctl test pier", CAME, "lampctl test --tags=night pier", state=state),
    )  # fmt: skip
    assert lines(problem) == []


@pytest.mark.parametrize(
    "command", ["lampctl ignite \x1b[0m `x`", "lampctl 'oil", "", "lampctl … (cut off)"]
)
def test_no_call_is_too_strange(command):
    problem = problem_of(
        failure("a", command, NO_SUCH_FLAG, "lampctl ignite"),
        failure("b", command, NO_SUCH_FLAG, "lampctl ignite"),
    )
    assert lines(problem) == []

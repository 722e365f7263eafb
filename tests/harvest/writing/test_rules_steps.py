"""The same call fails, a step, the same call works: what helped was the step, where sessions agree."""

from __future__ import annotations

from msgspec.structs import replace

from afterglow.harvest.writing.rules import written_by_rules
from afterglow.records.problems import Event
from harvest.writing.rule_problems import failure, problem_of, tried

CALL = "lampctl test harbor"
TEXT = "lampctl: no table in the harbor"


def again(session: str, *between: str, text: str = TEXT, call: str = CALL) -> Event:
    """A failure, changing calls (edits begin with `Edit`), and the same call again."""
    calls = [
        replace(
            tried(command, tool="Edit" if command[:4] == "Edit" else "Bash", worked=True),
            changes=True,
        )
        for command in between
    ]  # fmt: skip
    event = failure(session, call, text, call, tried=calls)
    assert event.remedy is not None
    return replace(event, remedy=replace(event.remedy, again=True))


def remedies(*events: Event) -> list[str]:
    return [answer.remedy for answer in written_by_rules(problem_of(*events))]


def test_the_only_step_of_two_sessions_is_told():
    problem = problem_of(
        again("a", "make wicks LENGTH=3"),
        again("b", "make wicks LENGTH=5"),
    )
    (answer,) = written_by_rules(problem)
    assert answer.situation == f"`{CALL}` fails: {TEXT}"
    assert answer.remedy == "first `make wicks <name>`, then the same again"


def test_one_session_is_not_enough():
    assert remedies(again("a", "make wicks"), again("a", "make wicks")) == []


def test_with_edits_beside_it_nobody_can_tell():
    edit = "Edit lamp.py ⏎ - a ⏎ + b"
    assert (
        remedies(again("a", "make wicks", edit), again("b", "make wicks", edit)) == []
    )


def test_with_edits_beside_it_the_error_has_to_name_the_step():
    edit = "Edit lamp.py ⏎ - a ⏎ + b"
    text = "hook: the task trim is to be run on lamp.py"
    call = "git commit -m lamps"
    (remedy,) = remedies(
        again("a", edit, "make trim", text=text, call=call),
        again("b", "make trim", edit, text=text, call=call),
    )
    assert remedy == "first `make trim`, then the same again"


def test_silent_where_as_many_got_there_without_it():
    edit = "Edit lamp.py ⏎ - a ⏎ + b"
    assert (
        remedies(
            again("a", "make wicks"),
            again("b", "make wicks"),
            again("c", edit),
            again("d", edit),
        )
        == []
    )


def test_publishing_the_work_is_no_step():
    assert remedies(again("a", "git push"), again("b", "git push")) == []


def test_writing_a_file_from_the_shell_is_an_edit():
    command = "cat > lamps/table.txt << 'EOF' … EOF"
    assert remedies(again("a", command), again("b", command)) == []


def test_of_paths_that_vary_the_folder_stays():
    (remedy,) = remedies(
        again("a", "rm -rf /home/a/harbor/tmp/lamps/x1"),
        again("b", "rm -rf /home/a/harbor/tmp/lamps/x2/"),
        again("c", "rm -rf /home/a/harbor/tmp/lamps/"),
    )
    assert remedy == "first `rm -rf …/tmp/lamps/<path>`, then the same again"


def in_one_line(session: str, line: str, *between: str) -> Event:
    """A failure, and a line that worked in which the same call stands behind something else."""
    event = again(session, *between)
    assert event.remedy is not None
    return replace(event, remedy=replace(event.remedy, command=line))


def test_a_step_in_front_of_the_same_call_in_one_line_is_told_once():
    (remedy,) = remedies(
        in_one_line("a", f"lampfill harbor && {CALL}"),
        in_one_line("b", f"lampfill harbor && {CALL}"),
    )
    assert "`lampfill harbor`" in remedy


def test_a_step_on_the_very_thing_is_not_taken_for_the_call():
    (remedy,) = remedies(
        *(
            replace(
                failure(session, f"./seal {name}", "seal: cargo is not ready"),
                remedy=replace(
                    tried(f"./weigh {name} && ./seal {name}", worked=True), again=True
                ),
            )
            for session, name in (("a", "gull"), ("b", "tern"))
        )
    )
    assert remedy == "first `./weigh <name>`, then the same again"


def test_a_step_in_front_is_not_the_only_one_beside_an_edit():
    edit = "Edit lamp.py ⏎ - a ⏎ + b"
    line = f"lampfill harbor && {CALL}"
    assert remedies(in_one_line("a", line, edit), in_one_line("b", line, edit)) == []


def test_a_variable_that_was_set_first_was_told_as_an_empty_step():
    """It read "until `` has run"."""
    (remedy,) = remedies(again("a", "export LAMPS=1"), again("b", "export LAMPS=1"))
    assert remedy == "first `export LAMPS=1`, then the same again"

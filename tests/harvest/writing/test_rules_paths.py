"""What sessions keep asking for where it is not, and where it is."""

from __future__ import annotations

from afterglow.harvest.problems import problems_of
from afterglow.harvest.writing.rules import (
    dossier_of_rules,
    written_by_rules,
    written_once,
)
from afterglow.harvest.writing.witnesses import witnesses_of
from afterglow.records.problems import SessionEvents
from harvest.writing.rule_problems import failure, problem_of

ABSENT = "File does not exist."


def read(session: str, asked: str, opened: str = ""):
    worked = f"Read {opened}" if opened else ""
    return failure(session, f"Read {asked}", ABSENT, worked, tool="Read", target=asked)


def search(session: str, *paths: str, absent: str, worked: str = "", **fields):
    text = f"rg: {absent}: No such file or directory (os error 2)"
    command = f"rg -n 'wick|oil' {' '.join(paths)}"
    return failure(session, command, text, worked, target=absent, **fields)


def lines(*events) -> list[tuple[str, str]]:
    answers = written_by_rules(problem_of(*events))
    return [(answer.situation, answer.remedy) for answer in answers]


def test_a_file_that_two_sessions_found_under_another_name():
    ((situation, remedy),) = lines(
        read("a", "~/one/harbor/lamps/lighting.go", "~/one/harbor/lamps/lighter.go"),
        read("b", "/two/harbor/lamps/lighting.go", "/two/harbor/lamps/lighter.go"),
    )
    assert situation == "Read of `harbor/lamps/lighting.go`: there is no such path"
    assert remedy == "it is `harbor/lamps/lighter.go`"


def test_a_folder_whose_files_are_elsewhere():
    ((situation, remedy),) = lines(
        read("a", "~/x/src/lamps/commands/oil.go", "~/x/src/lamps/oil.go"),
        read("b", "~/x/src/lamps/commands/wick.go", "~/x/src/lamps/wick.go"),
    )
    assert situation == "Read of `x/src/lamps/commands/`: there is no such path"
    assert remedy == "its files are in `x/src/lamps/`"


def test_what_merely_was_read_next_is_not_its_place():
    assert (
        lines(
            read("a", "~/x/lamps/util.go", "~/x/lamps/wick.go"),
            read("b", "~/x/lamps/util.go", "~/x/lamps/wick.go"),
        )
        == []
    )


def test_silent_where_sessions_disagree():
    assert (
        lines(
            read("a", "~/x/lamps/lighting.go", "~/x/lamps/lighter.go"),
            read("b", "~/x/lamps/lighting.go", "~/x/lamps/lighter.go"),
            read("c", "~/x/lamps/lighting.go", "~/x/lamps/lightings.go"),
            read("d", "~/x/lamps/lighting.go", "~/x/lamps/lightings.go"),
        )
        == []
    )


def test_a_name_among_others_that_is_never_there():
    ((situation, remedy),) = lines(
        search("a", "src", "docs", "tests", absent="tests"),
        search("b", "tests", "src", "docs", absent="tests"),
        search("c", "tests", "lamps", "src", absent="tests"),
    )
    assert situation.startswith("`rg … tests` fails: rg: tests: No such file")
    assert remedy == "leave out `tests`, it is not there; there are `src`, `docs`"


def test_a_name_that_a_later_call_has_is_there():
    assert (
        lines(
            search("a", "src", "tests", absent="tests", worked="rg -n oil src tests"),
            search("b", "src", "tests", absent="tests"),
        )
        == []
    )


def test_from_another_directory_nothing_is_absent():
    assert (
        lines(
            search("a", "src", "tests", absent="tests", directory="web"),
            search("b", "src", "tests", absent="tests", directory="web"),
        )
        == []
    )


def test_what_several_problems_show_is_said_once():
    sessions = [
        SessionEvents((read(name, "src/lamps/lighting.go", "src/lamps/lighter.go"),))
        for name in "ab"
    ]
    sessions += [SessionEvents((read(name, f"docs/{name}.md"),)) for name in "cd"]
    problems = problems_of("harbor", sessions)
    assert sum(len(written_by_rules(each)) for each in problems) == 2
    (answer,) = written_once(problems)
    assert answer.remedy == "it is `src/lamps/lighter.go`"
    narrow = {each.id: each for each in problems}[answer.problem]
    assert narrow.times == 2


def test_who_asked_in_vain_is_a_witness_that_it_is_not_there():
    problem = problem_of(
        search("a", "src", "docs", "tests", absent="tests"),
        search("b", "tests", "src", "docs", absent="tests"),
        search("c", "wicks", "src", absent="wicks"),
    )
    (answer,) = written_by_rules(problem)
    witnesses = witnesses_of(answer, problem, dossier_of_rules(problem))
    assert [witness.session for witness in witnesses.confirming] == ["a", "b"]

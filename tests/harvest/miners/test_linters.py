"""Lint rules: gathered by name, with the remedy that the next run proved."""

from __future__ import annotations

from afterglow.harvest.confidence import DIRECT
from afterglow.harvest.miners import linters
from trails import counted, tellings, told, trail_of
from writing import Transcript

REPORT = (
    "Exit code 1\npkg/tide.go:12:3: error is not nil (line 10) but it returns nil (nilerr)\n\t\treturn nil\n\t\t^\n"
    "1 issues:\n* nilerr: 1"
)
SUPPRESSED = "return nil //nolint:nilerr // a missing tide is no error"
NOCTX = (
    "Exit code 1\npkg/tide.go:{}:9: exec.Command must not be called. use exec.CommandContext (noctx)\n"
    "\tcmd := exec.Command(name)\n\t^\n"
)


def linted(
    number: int = 1, report: str = REPORT, command: str = "make lint"
) -> Transcript:
    return Transcript(number).user("tidy up").run(command, report, error=True)


def edit(
    session: Transcript,
    old: str,
    new: str,
    path: str = "/home/ana/src/harbor/pkg/tide.go",
) -> Transcript:
    return session.ask("Edit", file_path=path, old_string=old, new_string=new).answer(
        "updated"
    )


def silenced(number: int) -> Transcript:
    old, new = "\t\treturn nil\n", f"\t\t{SUPPRESSED}\n"
    return edit(linted(number), old, new).run("make lint", "0 issues.")


def rewritten(number: int, old: str, new: str, report: str = REPORT) -> Transcript:
    return edit(linted(number, report), old, new).run("make lint", "0 issues.")


def test_a_comment_that_silenced_the_linter_is_the_remedy_where_it_is_meant_so():
    (telling,) = tellings(linters, silenced(1), silenced(2))
    assert telling.fact == (
        "`make lint` reports nilerr: 'error is not nil (line 10) but it returns nil': where it is meant so, "
        "`//nolint:nilerr // <reason>`."
    )
    assert telling.directness < DIRECT
    assert telling.rests_on == (0, 1)


def test_a_change_of_code_that_sessions_share_is_told_without_their_names():
    wrapped = [("err", "no tide"), ("tideErr", "no moon"), ("err", "no")]
    sessions = [
        rewritten(
            number, "\t\treturn nil\n", f'\t\treturn fmt.Errorf("{text}: %w", {name})\n'
        )
        for number, (name, text) in enumerate(wrapped, 1)
    ]
    (fact,) = told(linters, *sessions)
    assert 'write `fmt.Errorf("…%w", err)` for `nil`' in fact
    assert counted(linters, *sessions) == [(3, 3)]


def test_what_the_linter_says_itself_is_not_told():
    sessions = [
        rewritten(
            number,
            "\tcmd := exec.Command(name)",
            "\tcmd := exec.CommandContext(ctx, name)",
            NOCTX.format(number),
        )
        for number in (1, 2, 3)
    ]
    assert told(linters, *sessions) == []


def test_a_change_of_one_place_is_no_remedy_for_others():
    sessions = [
        rewritten(number, "\t\treturn nil\n", f"\t\treturn tide{number}()\n")
        for number in (1, 2, 3)
    ]
    assert told(linters, *sessions) == []


def test_a_comment_that_few_sessions_wrote_is_told_as_an_exception_and_rests_on_them():
    mended = [
        rewritten(number, "\t\treturn nil\n", f"\t\treturn tide{number}()\n")
        for number in (2, 3, 4)
    ]
    (telling,) = tellings(linters, silenced(1), *mended)
    assert telling.remedy.startswith("most changed the code; where it is meant so, `")
    assert telling.rests_on == (0,)


def test_an_edit_that_did_not_help_is_no_remedy():
    session = edit(linted(), "\t\treturn nil\n", f"\t\t{SUPPRESSED}\n").run(
        "make lint", REPORT, error=True
    )
    assert told(linters, session) == []


def test_a_cut_off_rerun_proves_nothing():
    other = "pkg/tide.go:40:1: too long (funlen)"
    session = edit(linted(), "\t\treturn nil\n", f"\t\t{SUPPRESSED}\n").run(
        "make lint 2>&1 | head -3", other
    )
    (finding, _) = linters.mine(trail_of(session))
    assert finding.slots["comments"] == "0"


def test_a_run_that_did_not_compile_proves_nothing():
    broken = "Exit code 1\npkg/tide.go:3:1: undefined: errors (typecheck)"
    session = edit(linted(), "\t\treturn nil\n", f"\t\t{SUPPRESSED}\n").run(
        "make lint", broken, error=True
    )
    assert told(linters, session) == []


def test_an_edit_of_another_file_is_no_remedy():
    session = edit(
        linted(),
        "\t\treturn nil\n",
        f"\t\t{SUPPRESSED}\n",
        path="/home/ana/src/harbor/pkg/moon.go",
    )
    assert told(linters, session.run("make lint", "0 issues.")) == []


def test_reports_behind_a_pipe_count():
    hidden = REPORT.removeprefix("Exit code 1\n")
    session = Transcript().user("tidy up").run("make lint 2>&1 | tail -20", hidden)
    (finding,) = linters.mine(
        trail_of(edit(session, "return nil", SUPPRESSED).run("make lint", "0 issues."))
    )
    assert finding.slots["comments"] == "1"


def test_a_rule_without_a_remedy_is_not_told():
    assert told(linters, *map(linted, (1, 2, 3))) == []


def test_a_change_of_code_too_long_to_show_is_no_remedy_for_others():
    old, new = "\t\treturn nil\n", "\t\treturn tides.Wrapped(\n" + "\t\t\tx,\n" * 90
    assert told(linters, *(rewritten(n, old, new) for n in (1, 2, 3))) == []


def test_type_errors_are_ordinary_development():
    report = "Exit code 2\nsrc/tide.ts(8,2): error TS2345: Argument of type 'string' is not assignable."
    sessions = [linted(n, report, "npx tsc --noEmit") for n in (1, 2, 3)]
    assert told(linters, *sessions) == []


def test_a_source_file_that_is_only_shown_is_not_linted():
    assert (
        told(linters, *(Transcript(n).run("cat lint.log", REPORT) for n in (1, 2)))
        == []
    )

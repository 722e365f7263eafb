"""Lint rules: gathered by name, with the remedy that the next run proved."""

from __future__ import annotations

from afterglow.harvest.miners import linters
from trails import counted, told, trail_of
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


def test_a_comment_that_silenced_the_linter_in_two_sessions_is_the_remedy():
    assert told(linters, silenced(1)) == []
    (fact,) = told(linters, silenced(1), silenced(2))
    assert fact == (
        "`make lint` reports nilerr: 'error is not nil (line 10) but it returns nil'; fixed by suppressing it where "
        "intended with `//nolint:nilerr // <reason>` on a line such as `return nil`."
    )


def test_a_change_of_code_is_told_by_what_replaced_what():
    sessions = [
        edit(
            linted(n, NOCTX.format(n)),
            "\tcmd := exec.Command(name)",
            "\tcmd := exec.CommandContext(ctx, name)",
        ).run("make lint", "0 issues.")
        for n in (1, 2)
    ]
    (fact,) = told(linters, *sessions)
    assert (
        "; fixed by changing the code, e.g. `exec.Command(` → `exec.CommandContext(ctx,"
        in fact
    )
    assert counted(linters, *sessions) == [(2, 2)]


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
    assert told(linters, linted(1), linted(2)) == []


def test_a_change_of_code_too_long_to_show_is_no_remedy_for_others():
    old, new = "\t\treturn nil\n", "\t\treturn tides.Wrapped(\n" + "\t\t\tx,\n" * 90
    rewritten = [
        edit(linted(n), old, new).run("make lint", "0 issues.") for n in (1, 2)
    ]
    assert told(linters, *rewritten) == []


def test_type_errors_are_ordinary_development():
    report = "Exit code 2\nsrc/tide.ts(8,2): error TS2345: Argument of type 'string' is not assignable."
    sessions = [linted(n, report, "npx tsc --noEmit") for n in (1, 2, 3)]
    assert told(linters, *sessions) == []


def test_a_source_file_that_is_only_shown_is_not_linted():
    assert (
        told(linters, *(Transcript(n).run("cat lint.log", REPORT) for n in (1, 2)))
        == []
    )

"""Files that are not what, or where, the agent takes them to be."""

from __future__ import annotations

import pytest

from state_sessions import edit, line, lines, read
from writing import Transcript

FILE = "/home/ana/src/harbor/lamp.go"
MODIFIED = "File has been modified since read, either by the user or by a linter."
UNREAD = "File has not been read yet. Read it first before writing to it."
MISSED = "String to replace not found in file."


@pytest.mark.parametrize(
    "command", ["gofmt -w .", "git stash", "sed -i '' s/a/b/ lamp.go"]
)
def test_a_command_changed_the_file_after_it_was_read(command):
    session = read(Transcript(), FILE, "a").run(command)
    assert "ran after the file was read" in line(
        edit(session, FILE, "a", fails=MODIFIED)
    )


def test_an_error_that_asks_for_reading_needs_no_line():
    session = read(Transcript(), FILE, "a").run("git stash")
    asking = f"{MODIFIED} Read it again before attempting to write it."
    assert line(edit(session, FILE, "a", fails=asking)) == ""


@pytest.mark.parametrize(
    "command", ["go test ./...", "git switch -c tide", "mv a.md b.md"]
)
def test_commands_that_leave_the_file_alone_explain_nothing(command):
    session = read(Transcript(), FILE, "a").run(command)
    assert lines(edit(session, FILE, "a", fails=MODIFIED)) == []


def test_reading_again_takes_the_change_in():
    session = read(read(Transcript(), FILE, "a").run("git stash"), FILE, "b")
    assert lines(edit(session, FILE, "a", fails=MODIFIED)) == []


def test_what_the_shell_showed_was_not_read():
    session = Transcript().run("sed -n '1,9p' lamp.go", "a")
    assert "only shown by `sed`" in line(edit(session, FILE, "a", fails=UNREAD))


def test_a_file_nobody_looked_at_needs_no_explanation():
    session = Transcript().run("ls lamp.go", "lamp.go")
    assert lines(edit(session, FILE, "a", fails=UNREAD)) == []


def test_an_edit_of_the_session_replaced_the_text():
    old = "func highTideOfHarbor() {\n\treturn 1"
    session = read(Transcript(), FILE, old)
    edit(session, FILE, "func highTideOfHarbor() {", "func lowTideOfHarbor() {")
    assert "an earlier edit of this session replaced" in line(
        edit(session, FILE, old, fails=MISSED)
    )


def test_a_moved_file_is_where_the_session_moved_it():
    session = Transcript().run("git mv docs/tide.md docs/old/tide.md")
    session.run(
        "git add docs/tide.md",
        "fatal: pathspec 'docs/tide.md' did not match any files",
        error=True,
    )
    assert line(session) == "this session moved `docs/tide.md` to `docs/old/tide.md`"


def test_what_was_in_a_moved_folder():
    session = Transcript().run("mv docs archive")
    session.ask("Read", file_path="/home/ana/src/harbor/docs/tide.md")
    session.answer("File does not exist.", error=True)
    assert line(session).endswith("to `archive/tide.md`")


@pytest.mark.parametrize(
    "command", ["rm -rf build && mkdir build", "rm -rf build && make -o build/x"]
)
def test_what_may_be_there_again_was_not_removed(command):
    session = Transcript().run(command)
    session.run("cat build/log", "cat: build/log: No such file", error=True)
    assert lines(session) == []


def test_a_removed_file_is_gone():
    session = Transcript().run("rm tide.txt")
    session.run("cat tide.txt", "cat: tide.txt: No such file", error=True)
    assert line(session) == "this session removed `tide.txt` itself"


def test_the_file_lies_deeper():
    session = Transcript().run("rg --files src", "src/config/settings.rs\nsrc/main.rs")
    session.run("cat src/settings.rs", "cat: src/settings.rs: No such file", error=True)
    assert line(session).endswith("has seen `src/config/settings.rs`: use that")


def test_a_path_from_another_folder():
    session = Transcript().run("cat /tmp/quay/src/tide.ts", "x")
    session.ask("Edit", file_path="src/tide.ts", old_string="x", new_string="y")
    session.answer("File not found: /home/ana/src/harbor/src/tide.ts", error=True)
    assert "has seen `/tmp/quay/src/tide.ts`" in line(session)


def test_a_file_that_mentions_the_name_is_no_listing():
    session = read(Transcript(), FILE, "see src/config/settings.rs")
    session.run("cat src/settings.rs", "cat: src/settings.rs: No such file", error=True)
    assert lines(session) == []


@pytest.mark.parametrize(
    "listing",
    ["src/config/settings.rs\nsrc/cli/settings.rs", "docs/settings.rs", "settings.rs"],
    ids=["two", "beside", "above"],
)
def test_a_name_alone_is_not_enough(listing):
    session = Transcript().run("rg --files", listing)
    session.run("cat src/settings.rs", "cat: src/settings.rs: No such file", error=True)
    assert lines(session) == []


def test_another_machine_has_other_files():
    session = Transcript().run("rm tide.txt")
    session.run("ssh quay cat tide.txt", "cat: tide.txt: No such file", error=True)
    assert lines(session) == []


@pytest.mark.parametrize(
    "command", ["pnpm fix", "npx eslint --fix .", "npm run lint -- --fix", "gofmt -w ."]
)
def test_a_text_that_is_gone_after_a_formatter_ran_is_to_be_read_again(command):
    session = read(Transcript(), FILE, "a").run(command)
    assert "read it again" in line(
        edit(session, FILE, "the lamp of tide", fails=MISSED)
    )


def test_a_text_that_is_not_there_without_one_is_explained_by_nothing():
    session = read(Transcript(), FILE, "a").run("go test ./...")
    assert lines(edit(session, FILE, "the lamp of tide", fails=MISSED)) == []


def refused(session: Transcript, size: int, **asked: int) -> Transcript:
    """A file that is too long for the tool, asked for whole or in part."""
    session.ask("Read", file_path="/tmp/tide.txt", **asked)
    said = f"File content ({size} tokens) exceeds maximum allowed tokens (25000)."
    return session.answer(f"<tool_use_error>{said}</tool_use_error>", error=True)


def test_few_lines_that_are_too_long():
    assert "25 lines have 44193 tokens" in line(
        refused(Transcript(), 44193, offset=50, limit=25)
    )


def test_fewer_lines_that_are_as_long_as_all_of_them():
    session = refused(refused(Transcript(), 31441), 31441, limit=900)
    assert "`jq` or `python3`" in line(session)


@pytest.mark.parametrize("asked", [{}, {"limit": 2000}])
def test_many_lines_are_too_long_together(asked):
    assert lines(refused(Transcript(), 44193, **asked)) == []

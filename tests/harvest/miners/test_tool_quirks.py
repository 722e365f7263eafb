"""Habits of the agent's own tools."""

from __future__ import annotations

from afterglow.harvest.miners import tool_quirks
from trails import counted, told, trail_of
from writing import Transcript

TIDE = "/home/ana/src/harbor/pkg/tide.go"
UNREAD = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
AMBIGUOUS = (
    "<tool_use_error>Found 2 matches of the string to replace, but replace_all is false. To replace all, set it.\n"
    "String: high</tool_use_error>"
)


def edit(
    session: Transcript, old: str = "low", error: str = "", **more: object
) -> Transcript:
    session.ask("Edit", file_path=TIDE, old_string=old, new_string="mid", **more)
    return session.answer(error or "updated", error=bool(error))


def read(session: Transcript, result: str = "1 low", **more: object) -> Transcript:
    return session.ask("Read", file_path=TIDE, **more).answer(
        result, error=result.startswith("Error")
    )


def test_an_edit_of_an_unread_file_works_after_reading_it():
    sessions = [edit(read(edit(Transcript(n), error=UNREAD))) for n in (1, 2)]
    assert told(tool_quirks, *sessions) == [
        "`Edit` fails with 'File has not been read yet. Read it first before writing to it.': "
        "`Read` that file first, then repeat the call."
    ]
    assert counted(tool_quirks, *sessions) == [(2, 2)]


def test_an_ambiguous_edit_is_extended_or_made_general():
    longer = [
        edit(edit(Transcript(n), "high", AMBIGUOUS), "// spring\nhigh")
        for n in (1, 2, 3)
    ]
    general = [
        edit(edit(Transcript(n), "high", AMBIGUOUS), "high", replace_all=True)
        for n in (4, 5)
    ]
    (fact,) = told(tool_quirks, *longer, *general)
    assert (
        "extend `old_string` with neighbouring lines until it is unique; or set `replace_all`."
        in fact
    )
    assert counted(tool_quirks, *longer, *general) == [(3, 5)]


def test_text_that_was_not_found_is_read_again():
    missing = "<tool_use_error>String to replace not found in file.\nString: lwo</tool_use_error>"
    (fact,) = told(
        tool_quirks,
        *(edit(read(edit(Transcript(n), "lwo", missing)), "low") for n in (1, 2)),
    )
    assert "`Read` that file again and take `old_string` from it to the letter" in fact


def test_a_large_file_is_read_in_parts():
    large = "Error: File content (30000 tokens) exceeds maximum allowed tokens (25000)."
    (fact,) = told(
        tool_quirks,
        *(
            read(read(Transcript(n), large), "1 low", offset=10, limit=5)
            for n in (1, 2)
        ),
    )
    assert "read a part of it with `offset` and `limit`" in fact


def test_a_batch_of_the_same_refusal_is_one_event():
    session = Transcript()
    calls = [
        {
            "type": "tool_use",
            "id": id,
            "name": "Edit",
            "input": {"file_path": TIDE, "old_string": id, "new_string": "b"},
        }
        for id in ("t1", "t2")
    ]
    session._line(
        type="assistant",
        message={"id": "m1", "model": "model-x", "role": "assistant", "content": calls},
    )
    for session.asked in ("t1", "t2"):
        session.answer(UNREAD, error=True)
    assert len(list(tool_quirks.mine(trail_of(session)))) == 1


def test_a_guessed_path_is_not_a_convention():
    assert (
        told(
            tool_quirks,
            *(read(Transcript(n), "Error: File does not exist.") for n in (1, 2)),
        )
        == []
    )


def test_a_name_is_taken_from_the_list_in_the_message():
    message = (
        "Agent type 'pilot' not found. Available agents: Bash, harbor:crew:pilot, Plan"
    )
    session = (
        Transcript()
        .ask("Task", subagent_type="pilot", prompt="steer")
        .answer(message, error=True)
    )
    (fact,) = told(tool_quirks, session)
    assert (
        fact
        == "`Task` does not find 'pilot': use the full name with its prefix: 'harbor:crew:pilot'."
    )


def test_a_file_the_message_offers_is_a_fact():
    def session(number: int) -> Transcript:
        asked = Transcript(number).ask(
            "Read", file_path="/home/ana/src/harbor/.tide.yml"
        )
        asked.answer("File does not exist. Did you mean .tide.yaml?", error=True)
        return asked.ask("Read", file_path="/home/ana/src/harbor/.tide.yaml").answer(
            "high: 3"
        )

    (fact,) = told(tool_quirks, session(1), session(2))
    assert fact == "There is no '.tide.yml' here: the file is '.tide.yaml'."


def test_a_tool_that_never_works_again_is_dead():
    session = Transcript()
    for word in ("tide", "moon"):
        session.ask("Grep", pattern=word).answer("spawn /opt/bin/rg ENOENT", error=True)
    (fact,) = told(tool_quirks, session.run("grep -rn tide .", "a.go:1: tide"))
    assert (
        "stays broken for the rest of the session; use `grep -rn` in the shell instead"
        in fact
    )


def test_a_tool_that_works_again_is_not_dead():
    session = (
        Transcript()
        .ask("Grep", pattern="tide")
        .answer("spawn /opt/bin/rg ENOENT", error=True)
    )
    session.ask("Grep", pattern="moon").answer("spawn /opt/bin/rg ENOENT", error=True)
    assert told(tool_quirks, session.ask("Grep", pattern="sun").answer("a.go")) == []


def test_a_shell_that_stays_where_it_was_sent_is_one_pitfall():
    session = Transcript().run("cd pkg/tide && go test")
    session.run(
        "cd pkg/tide && go vet",
        "Exit code 1\n(eval):cd:1: no such file or directory: pkg/tide",
        error=True,
    )
    session.run(
        "git add pkg/tide/a.go",
        "Exit code 128\nfatal: pathspec 'pkg/tide/a.go' did not match any files",
        error=True,
    )
    session.run("pwd", "/home/ana/src/harbor/pkg/tide")
    (fact,) = told(tool_quirks, session)
    assert fact.startswith("The Bash tool keeps its working directory between calls")
    assert counted(tool_quirks, session) == [(0, 2)]


def test_an_exclamation_mark_that_gained_a_backslash_is_the_shell():
    failure = "Exit code 3\njq: error: syntax error, unexpected INVALID_CHARACTER\nselect(.tide \\!= null)"
    session = Transcript().run("jq 'select(.tide != null)' a.json", failure, error=True)
    (fact,) = told(tool_quirks, session.run("jq 'select(.tide)' a.json", "{}"))
    assert "passes `!` on as `\\!`" in fact


def test_lines_that_end_in_a_backslash_are_split():
    command = "git fetch origin | cat && \\\ngit show main:tides.json"
    denied = "Exit code 126\n(eval):1: permission denied:"
    first, second = (
        Transcript(n)
        .run(command, denied, error=True)
        .run("git show main:tides.json", "{}")
        for n in (1, 2)
    )
    assert told(tool_quirks, first) == []  # one command alone does not tell what it was
    (fact,) = told(tool_quirks, first, second)
    assert "lines that end in a backslash" in fact
    assert "split it" in fact

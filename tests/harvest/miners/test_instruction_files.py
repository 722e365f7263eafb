"""What a session wrote into instruction files is a lesson marked by hand."""

from __future__ import annotations

from afterglow.harvest.miners import instruction_files
from afterglow.harvest.trail import Trail
from afterglow.sessions import load
from writing import Transcript

FILE = "/home/ana/src/harbor/CLAUDE.md"


def findings(tmp_path, transcript):
    return [
        found
        for session in load(transcript.save(tmp_path))
        for found in instruction_files.mine(Trail(session, "harbor"))
    ]


def told(tmp_path, transcript):
    return [instruction_files.tell([found]) for found in findings(tmp_path, transcript)]


def edited(transcript, old, new, path=FILE, **answer):
    result = answer.pop("result", "updated")
    return transcript.ask(
        "Edit", file_path=path, old_string=old, new_string=new
    ).answer(result, **answer)


def test_an_added_bullet_is_the_lesson(tmp_path):
    asked = Transcript().user("can you add this to CLAUDE.md?")
    (item,) = told(
        tmp_path,
        edited(
            asked,
            "- a",
            "- a\n- **Always** run `make fmt` together with `make lint` here",
        ),
    )
    assert item.fact == "Always run `make fmt` together with `make lint` here"
    assert (
        item.category == "pattern"
        and item.directness > 0.89
        and item.tags == ("note", "CLAUDE.md")
    )


def test_a_note_nobody_asked_for_is_less_direct(tmp_path):
    (item,) = told(
        tmp_path,
        edited(
            Transcript().user("fix the gate"),
            "a",
            "Never call `open_gate()` before the tide",
        ),
    )
    assert item.directness < 0.85


def test_the_request_is_part_of_the_evidence(tmp_path):
    asked = Transcript().user("please put it into CLAUDE.md")
    (found,) = findings(
        tmp_path,
        edited(asked, "a", "Never call `open_gate()` before the tide table is read"),
    )
    assert [one.trust for one in found.evidence] == ["assistant", "user"]


def test_a_bullet_stands_under_its_heading(tmp_path):
    new = "### Errors\n\nHow it works:\n- `main.go` prints errors to stderr once"
    (item,) = told(tmp_path, edited(Transcript().user("add to CLAUDE.md"), "a", new))
    assert item.fact == "Errors, how it works: `main.go` prints errors to stderr once"
    assert item.category == "fact"


def test_code_tables_and_what_stood_there_before_are_left_out(tmp_path):
    old = "- Never edit `dock.lock` by hand in here"
    new = (
        old
        + "\n```go\n// never do this with gates\n```\n| never | put `rules` in tables |\n"
    )
    assert told(tmp_path, edited(Transcript().user("add to CLAUDE.md"), old, new)) == []


def test_other_files_and_edits_that_did_not_happen_are_nothing(tmp_path):
    words = "Never call `open_gate()` before the tide table is read"
    one = edited(
        Transcript().user("add to CLAUDE.md"),
        "a",
        words,
        path="/home/ana/src/harbor/CLAUDE_notes.txt",
    )
    two = edited(
        one, "a", words, result="String to replace not found in file.", error=True
    )
    assert told(tmp_path, two) == []


def test_of_a_long_text_only_orders_are_kept(tmp_path):
    long = "\n".join(f"- `crane{n}` lifts the {n} boxes of the quay" for n in range(60))
    new = long + "\n- Do not lift two boxes with one crane at once"
    (item,) = told(tmp_path, edited(Transcript().user("update CLAUDE.md"), "a", new))
    assert item.fact == "Do not lift two boxes with one crane at once"


def test_a_file_written_as_a_whole_is_documentation(tmp_path):
    text = "\n".join(f"- Always lift box {n} with `crane{n}` first" for n in range(60))
    whole = (
        Transcript()
        .user("/init")
        .ask("Write", file_path=FILE, content=text)
        .answer("File created")
    )
    assert told(tmp_path, whole) == []


def test_a_note_taken_out_again_in_the_session_is_gone(tmp_path):
    words = "Never call `open_gate()` before the tide table is read"
    both = edited(
        edited(Transcript().user("add to CLAUDE.md"), "a", words),
        words,
        "nothing of that",
    )
    assert findings(tmp_path, both) == []


def test_a_note_of_an_earlier_session_taken_out_speaks_against_it(tmp_path):
    words = "Never call `open_gate()` before the tide table is read"
    (found,) = findings(
        tmp_path, edited(Transcript().user("clean up"), words, "nothing of that")
    )
    assert found.against
    assert instruction_files.tell([found]) == "only taken out again"


def test_a_patch_is_read_like_an_edit(tmp_path):
    patch = "*** Begin Patch\n*** Update File: AGENTS.md\n@@\n a\n+Always run `make lint` before the gate opens\n"
    (item,) = told(
        tmp_path,
        Transcript()
        .user("note it in AGENTS")
        .ask("apply_patch", input=patch)
        .answer("Done"),
    )
    assert item.fact == "Always run `make lint` before the gate opens"


def test_odd_markdown_comes_to_an_end():
    for text in (
        "[" * 50_000,
        "- " * 50_000,
        "#" * 50_000,
        "a_" * 50_000,
        "**" * 50_000,
        "`" * 50_000,
    ):
        assert isinstance(list(instruction_files.notes_in(text)), list)

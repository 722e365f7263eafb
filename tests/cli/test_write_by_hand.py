"""Answers of a person in an editor, and of any other writer as JSON: the same checks, nothing asked."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import textwrap

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.config import load
from afterglow.errors import UsageError
from afterglow.store.answers import Answers
from afterglow.store.knowledge import Knowledge
from keeping import home_with_rules
from writing import Transcript

SITUATION = "`gull feed PIER`: 'every pier is shut'"
REMEDY = "piers are closed here: `gull feed PIER --open`"


@pytest.fixture
def run(tmp_path, compiled_rules, monkeypatch):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(home))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    for number, pier in enumerate(("north", "south", "west"), 1):
        (
            Transcript(number, start=3 * 1440 * number)
            .user("feed the gulls")
            .run(
                f"gull feed {pier}", "Exit code 2\ngull: every pier is shut", error=True
            )
            .run(f"gull feed {pier} --open", "fed")
            .reply("Done.")
            .save(tmp_path / "s")
        )
    assert CliRunner().invoke(cli, ["harvest", str(tmp_path / "s")]).exit_code == 0

    def invoke(*words, input=None):
        result = CliRunner().invoke(cli, ["write", *words], input=input)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def problem(run):
    listed = CliRunner().invoke(cli, ["problems", "--json"]).stdout
    return json.loads(listed)["problems"][0]["id"]


@pytest.fixture
def by_hand(tmp_path, monkeypatch, problem):
    """Runs `write --by-hand` on a terminal of its own, with an editor that is a few lines of Python over `text`."""

    def invoke(edit, answer=b""):
        script = tmp_path / "editor.py"
        script.write_text(
            "import sys\n"
            "path = sys.argv[1]\n"
            "text = open(path, encoding='utf-8').read()\n"
            f"open({str(tmp_path / 'seen.md')!r}, 'w', encoding='utf-8').write(text)\n"
            + textwrap.dedent(edit)
            + "\nopen(path, 'w', encoding='utf-8').write(text)\n",
            encoding="utf-8",
        )
        monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}'")
        words = ["-m", "afterglow", "write", problem, "--by-hand"]
        return on_terminal([sys.executable, *words], answer)

    return invoke


def on_terminal(command, answer):
    """How a command on a terminal ends, and what it prints."""
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        printed = b"".join(iter(lambda: part_of(ours), b""))
        os.close(ours)
    return child.returncode, printed.decode()


def part_of(terminal) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


def items():
    with Knowledge(load().knowledge) as knowledge:
        return knowledge.items(miner="written")


def fill(**values):
    return "\n".join(
        f"text = text.replace('\\n{field}: \\n', '\\n{field}: ' + {value!r} + '\\n')"
        for field, value in values.items()
    )


def test_what_a_person_saves_is_checked_and_told(by_hand, tmp_path, problem):
    code, printed = by_hand(fill(situation=SITUATION, remedy=REMEDY))
    assert code == 0, printed
    assert "Written, and told from now on" in printed
    (item,) = items()
    assert (item.status, item.situation, item.remedy) == ("active", SITUATION, REMEDY)
    assert Answers(load().answers).of(problem).by == "person"
    page = (tmp_path / "seen.md").read_text(encoding="utf-8")
    assert f"# Problem {problem}" in page and "# [1]" in page


def test_an_empty_form_changes_nothing(by_hand, problem):
    for edit in ("text = text + '# saved'", "sys.exit(0)", "text = ''"):
        code, printed = by_hand(edit)
        assert code == 0, printed
        assert "nothing changed" in printed
    assert items() == []
    assert Answers(load().answers).of(problem) is None


def test_what_is_refused_says_why_and_can_be_edited_again(by_hand, tmp_path):
    code, printed = by_hand(fill(situation=SITUATION), answer=b"n\n")
    assert code == 1
    assert "needs a situation and a remedy" in printed
    edit = f"""
if 'Not kept' in text:
    text = text.replace('\\nremedy: \\n', '\\nremedy: ' + {REMEDY!r} + '\\n')
else:
    text = text.replace('\\nsituation: \\n', '\\nsituation: ' + {SITUATION!r} + '\\n')
"""
    code, printed = by_hand(edit, answer=b"y\n")
    assert code == 0, printed
    assert "# Not kept: a lesson needs" in (tmp_path / "seen.md").read_text("utf-8")
    assert [item.remedy for item in items()] == [REMEDY]


def test_a_person_may_say_that_there_is_nothing_to_tell(by_hand, run, problem):
    code, printed = by_hand(fill(nothing="gulls are fed by now"))
    assert code == 0
    assert "Nothing to tell" in printed
    (kept_answer,) = Answers(load().answers).of(problem).answers
    assert kept_answer.answer.why == "gulls are fed by now"


def test_what_was_written_before_is_in_the_form(by_hand, tmp_path):
    by_hand(fill(situation=SITUATION, remedy=REMEDY))
    by_hand("sys.exit(0)")
    page = (tmp_path / "seen.md").read_text(encoding="utf-8")
    assert f"\nremedy: {REMEDY}\n" in page


def test_an_editor_that_fails_changes_nothing(by_hand):
    code, printed = by_hand("sys.exit(3)")
    assert code != 0
    assert "Editing failed" in printed
    assert items() == []


def test_without_a_terminal_or_an_editor_it_says_what_would_work(run, problem):
    with pytest.raises(UsageError, match=r"no terminal.*write --answers FILE"):
        run(problem, "--by-hand")
    words = [sys.executable, "-m", "afterglow", "write", problem, "--by-hand"]
    code, printed = on_terminal(words, b"")
    assert code == 2
    assert "EDITOR=nano" in printed.replace("\r\n", " ")


def lesson(problem):
    cites = [1, 2, 3]
    return {"problem": problem, "answer": "lesson", "situation": SITUATION, "remedy": REMEDY, "cites": cites}  # fmt: skip


def test_answers_of_anybody_come_as_json_lines(run, problem, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps(lesson(problem)) + "\n\n", encoding="utf-8")
    result = run("--answers", str(file), "--by", "otter", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["by"] == "otter" and report["counts"] == {"active": 1}
    assert [item.remedy for item in items()] == [REMEDY]


@pytest.mark.parametrize("shape", [list, lambda rows: {"answers": rows}, lambda rows: rows[0]])  # fmt: skip
def test_answers_come_as_a_list_too_and_from_standard_input(run, problem, shape):
    result = run("--answers", "-", input=json.dumps(shape([lesson(problem[:6])])))
    assert result.exit_code == 0, result.output
    assert "told from now on" in result.output


def test_a_broken_line_costs_no_other(run, problem):
    lines = json.dumps(lesson(problem)) + '\n{"problem": \n'
    result = run("--answers", "-", "--json", input=lines)
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["counts"] == {"active": 1, "refused": 1}
    assert "line 2 is no JSON" in report["outcomes"][1]["reason"]


@pytest.mark.parametrize("text", ["", "otters", "{", "[" * 100_000])
def test_what_is_no_json_says_what_would_work(run, text):
    with pytest.raises(UsageError, match=r"3f2a91bc.*lesson"):
        run("--answers", "-", input=text)


@pytest.mark.parametrize(
    "words",
    [
        ("--by-hand",),
        ("3f2a91bc", "--by-hand", "--with", "claude"),
        ("3f2a91bc", "--answers", "-"),
        ("--by", "otter"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, words):
    with pytest.raises(UsageError):
        run(*words, input="[]")

"""Shapes of calls, clipping, languages: the small parts of extraction."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterglow.calls import shape_of
from afterglow.warm.extract.clipping import (
    MAX_ARGUMENTS,
    bare,
    clipped_arguments,
    clipped_result,
)
from afterglow.warm.extract.user_style import language


def bash(command: str) -> str:
    return shape_of("Bash", json.dumps({"command": command}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "go test ./pier -run TestTide",
            "cd /x && go test -run TestBerth ./quay 2>&1 | tail -5",
        ),
        ("git -C /a commit -am 'one'", "git commit -m two -a"),
        ("python3.12 -m pytest tests/a.py", "python -m pytest tests/b.py"),
        ("ls -la /quay", "ls -al"),
        ("pytest tests", "pytest docs"),
        ("gh pr view 12 --json title", "gh pr view 97 --json body"),
        ("TIDE=1 mise run lint", "mise run lint | head"),
        ("./scripts/smoke.sh north", "scripts/smoke.sh north --"),
    ],
)
def test_calls_that_do_the_same_to_something_else_have_one_shape(one, other):
    assert bash(one) == bash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git push", "git pull"),
        ("git push", "git push --force"),
        ("mise run lint", "mise run test"),
        ("gh pr view 1", "gh issue view 1"),
        ("go test ./...", "go test -race ./..."),
    ],
)
def test_other_verbs_and_flags_are_another_shape(one, other):
    assert bash(one) != bash(other)


def test_other_tools_are_known_by_the_names_of_their_arguments():
    assert shape_of("Read", '{"file_path":"/a","limit":3}') == shape_of(
        "Read", '{"limit":9,"file_path":"/b"}'
    )
    assert shape_of("Edit", '{"path":"a","replace_all":false}') == shape_of(
        "Edit", '{"path":"b"}'
    )
    assert shape_of("Edit", '{"path":"a","replace_all":true}') != shape_of(
        "Edit", '{"path":"b"}'
    )
    assert shape_of("editor", '{"command":"view","path":"a"}') != shape_of(
        "editor", '{"command":"insert","path":"a"}'
    )
    assert (
        shape_of("Agent", '{"subagent_type":"scout","prompt":"x"}')
        == "Agent(subagent_type=scout, prompt)"
    )


def test_values_do_not_show_in_a_shape():
    assert "hush" not in bash("deploy --token=hush42 'hush 43' /hush/44") + shape_of(
        "send", '{"text":"hush"}'
    )


@given(st.text(max_size=300), st.text(max_size=20))
def test_every_call_has_a_shape(arguments, tool):
    assert shape_of(tool, arguments) == shape_of(tool, arguments)
    assert shape_of("Bash", json.dumps({"command": arguments}))


def test_long_strings_in_arguments_lose_their_middle_and_say_how_much():
    text = clipped_arguments({"path": "pier.md", "content": "a" * 5000 + "end"})
    found = json.loads(text)
    assert found["path"] == "pier.md"
    assert (
        found["content"].endswith("end") and "characters left out" in found["content"]
    )
    assert len(text) < MAX_ARGUMENTS + 100


def test_many_and_deep_arguments_become_short():
    deep: object = "x"
    for _ in range(200):
        deep = [deep]
    text = clipped_arguments(
        {"rows": [{"name": "berth " * 30, "n": n} for n in range(500)], "deep": deep}
    )
    assert isinstance(json.loads(text), dict)
    assert len(text) < 2 * MAX_ARGUMENTS


@given(st.text(max_size=3000), st.integers(60, 600))
def test_a_clipped_result_is_short_or_whole(text, limit):
    short = clipped_result(text, limit)
    assert len(short) <= 2 * limit + 60 or short == bare(text)
    assert "…" in short or short in {bare(text), "(no output)"}


def test_a_long_result_keeps_its_head_and_how_it_went():
    lines = [
        "> tide check",
        *(f"checking berth {n}" for n in range(500)),
        "12 passed, 0 failed",
        "goodbye",
    ]
    short = clipped_result("\n".join(lines))
    assert short.startswith("> tide check\n")
    assert short.endswith("12 passed, 0 failed\ngoodbye")
    assert "lines left out" in short


def test_what_agents_wrap_around_results_is_taken_off():
    assert (
        bare(
            "Chunk ID: a1b2c3\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nquay"
        )
        == "quay"
    )
    assert bare("<returncode>0</returncode>\n<output>\nquay\n</output>") == "quay"
    assert bare("quay\n<system-reminder>be quick</system-reminder>") == "quay"
    assert bare("Output: quay\nError: (none)\nExit Code: 0\nSignal: (none)") == "quay"


def test_the_answer_of_a_service_keeps_its_names():
    answer = json.dumps(
        [
            {"berth": n, "note": "calm water " * 20, "boats": [{"name": "gull"}] * 9}
            for n in range(50)
        ]
    )
    short = clipped_result(answer)
    assert json.loads(short.partition("\n")[0])[0].keys() == {"berth", "note", "boats"}
    assert f"{len(answer)} characters in all" in short


def test_the_output_of_a_command_inside_json_is_what_is_clipped():
    answer = json.dumps(
        {
            "output": "\n".join([*(f"berth {n}" for n in range(300)), "3 passed"]),
            "exit_code": 0,
        }
    )
    found = json.loads(clipped_result(answer))
    assert found["exit_code"] == 0
    assert found["output"].startswith("berth 0") and found["output"].endswith(
        "3 passed"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("please run the tests and tell me what is wrong with it", "en"),
        ("bitte führe die Tests aus und sag mir, was nicht geht", "de"),
        ("lance les tests et dis-moi ce qui ne va pas dans la suite", "fr"),
        ("ejecuta las pruebas y dime que es lo que no funciona en el muelle", "es"),
        ("テストを実行してください", "ja"),
        ("运行测试并告诉我出了什么问题", "zh"),
        ("запусти тесты", "ru"),
        ("make test", ""),
        ("", ""),
    ],
)
def test_the_language_a_person_writes_is_told(text, code):
    assert language(text) == code

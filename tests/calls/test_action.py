"""Action: what calls of any tool were about."""

import json

import pytest

from afterglow.calls import Edit, as_run, is_answer, is_shell_call, named, parse, read


def action(tool, **arguments):
    return read(tool, json.dumps(arguments))


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "goal"),
    [
        ("Read", {"file_path": "/r/src/app.py", "limit": 5}, "read", "app.py"),
        ("read_file", {"absolute_path": "/r/a/conf.toml"}, "read", "conf.toml"),
        ("Edit", {"filePath": "/r/x.ts", "oldString": "a", "newString": "b"}, "edit", "x.ts"),
        ("write_file", {"path": "C:\\r\\y.txt", "content": "z"}, "write", "y.txt"),
        ("NotebookEdit", {"notebook_path": "/r/n.ipynb", "new_source": ""}, "edit", "n.ipynb"),
        ("Grep", {"pattern": "def main"}, "search", "def main"),
        ("WebFetch", {"url": "https://docs.example.org/api/v2?x=1"}, "fetch", "docs.example.org/api/v2"),
        ("Task", {"subagent_type": "explorer", "prompt": "look"}, "delegate", "explorer"),
        ("str_replace_editor", {"command": "view", "path": "/r/a.c"}, "read", "a.c"),
        ("str_replace_editor", {"command": "create", "path": "/r/b.c", "file_text": "x"}, "write", "b.c"),
        ("mcp__fs__read_text_file", {"path": "/r/z.md"}, "read", "z.md"),
        ("TodoWrite", {"todos": []}, "other", ""),
    ],
)  # fmt: skip
def test_what_a_tool_was_about(tool, arguments, kind, goal):
    found = action(tool, **arguments)
    assert (found.kind, found.goal) == (kind, goal)


def test_a_shell_call_in_every_way_agents_write_it():
    lines = [
        action("Bash", command="make lint"),
        action("exec_command", cmd="make lint", workdir="/r"),
        action("shell", command=["bash", "-lc", "make lint"]),
        action("shell", command=["make", "lint"]),
        action("mcp__desktop-commander__start_process", command="make lint"),
    ]
    assert {item.kind for item in lines} == {"shell"}
    assert {item.goal for item in lines} == {"make lint"}
    assert lines[1].directory == "/r"


def test_which_calls_are_shell_calls():
    assert is_shell_call("mcp__box__execute_command", '{"command": "ls"}')
    assert not is_shell_call("mcp__editor__run_command", '{"id": 3}')
    assert not is_shell_call("exec", '{"input": "text(1)"}')
    assert not is_shell_call("str_replace_editor", '{"command": "view", "path": "a"}')


def test_a_patch_is_about_its_first_file_and_holds_edits():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n x\n-y\n+z\n*** End Patch"
    for found in (read("apply_patch", patch), action("apply_patch", input=patch)):
        assert found.goal == "a.py"
        assert found.edits == (Edit("src/a.py", "x\ny", "x\nz"),)
    in_shell = action("Bash", command=f"apply_patch <<'EOF'\n{patch}\nEOF")
    assert in_shell.edits == (Edit("src/a.py", "x\ny", "x\nz"),)


def test_edits_of_several_places_and_whole_files():
    several = action(
        "MultiEdit",
        file_path="a.py",
        edits=[{"old_string": "a", "new_string": "b"}, {"oldText": "c", "newText": ""}],
    )
    assert several.edits == (Edit("a.py", "a", "b"), Edit("a.py", "c", ""))
    whole = action("Write", file_path="n.md", content="hello")
    assert whole.written == Edit("n.md", "", "hello")
    assert whole.edits == ()


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("cat > n.md <<'EOF'\nhello\nEOF", Edit("n.md", "", "hello\n")),
        ("cd a && cat <<EOF > n.md\nhello\nEOF\nls", Edit("a/n.md", "", "hello\n")),
        ("cat >> n.md <<EOF\nhello\nEOF", None),
        ("python - <<EOF > n.md\nprint(1)\nEOF", None),
        ("cat n.md", None),
    ],
)
def test_the_shell_writes_a_whole_file_from_a_here_document(line, written):
    assert action("Bash", command=line).written == written


@pytest.mark.parametrize(
    ("line", "is_edit"),
    [
        ("cat > n.md <<'EOF'\nhello\nEOF", True),
        ("cd src && sed -i 's/wet/dry/' wick.py && git diff --stat", True),
        ("apply_patch <<'EOF'\n*** Begin Patch\nEOF", True),
        ("sed -i 's/wet/dry/' wick.py && make lint", False),
        ("sed -n 1,9p wick.py", False),
        ("make generate > wick.py", False),
    ],
)
def test_a_shell_that_does_nothing_but_what_an_editor_does(line, is_edit):
    assert action("Bash", command=line).only_edits is is_edit


def test_shapes_are_equal_for_calls_of_one_kind():
    assert (
        action("Bash", command='git -C /x commit -am "fix"').shape
        == "Bash: git commit -a -m"
    )
    assert (
        action("Bash", command="cd y && git commit -m z -a").shape
        == "Bash: git commit -a -m"
    )
    assert action("Read", file_path="a", limit=3).shape == "Read(file_path, limit)"
    assert (
        action("Bash", command="go test ./x -run T -v").shape == "Bash: go test -run -v"
    )
    assert action("Bash", command="python3 x/y.py --z").shape == "Bash: python <script>"


def test_a_command_with_and_without_what_stands_around_it():
    command = parse("FOO=1 timeout 60 npx jest -t x 2>&1").commands[0]
    assert named(command) == "FOO=1 timeout 60 npx jest -t x"
    assert named(command, keep_environment=False) == "timeout 60 npx jest -t x"
    assert named(command, keep_wrappers=False) == "jest -t x"
    assert as_run(command) == "FOO=1 timeout 60 npx jest -t x"
    assert as_run(parse("psql app < seed.sql").commands[0]) == "psql app < seed.sql"


def test_the_remedy_is_shown_as_it_ran_beside_its_pattern():
    found = action("Bash", command="npx jest src/a.test.ts -t 'adds one' 2>&1 | tail")
    assert found.as_run == "npx jest src/a.test.ts -t 'adds one'"
    assert found.pattern.text == "jest <path> -t <test>"


def test_an_address_under_the_name_of_a_file_is_an_address():
    assert action("open", path="https://example.org/x").target.kind == "url"
    assert action("open", uri="file:///r/a.py").target.value == "/r/a.py"
    assert (
        action("open", file_path="/r/a.py", url="https://example.org").target.kind
        == "file"
    )


def test_exit_codes_that_are_answers():
    def answers(line, code):
        return is_answer(parse(line).commands[-1], code)

    assert answers("grep x y", 1)
    assert not answers("grep x y", 2)
    assert answers("git diff --exit-code", 1)
    assert answers("gh pr checks 3", 8)
    assert not answers("gh pr view 3", 8)
    assert not answers("make test", 1)


def test_a_secret_does_not_stand_in_a_goal():
    found = action("Bash", command="./deploy ghp_0123456789abcdefABCDEF0123456789abcd")
    assert "ghp_" not in found.goal
    named_so = action("Read", file_path="/r/ghp_0123456789abcdefABCDEF0123456789abcd")
    assert "ghp_0123" not in named_so.goal


def test_arguments_nobody_can_decode_give_an_action_all_the_same():
    for text in (
        "",
        "null",
        "[1]",
        '{"command": 3}',
        '{"command": ""}',
        '{"a',
        "\ud800",
    ):
        assert read("Bash", text).kind in {"shell", "other"}

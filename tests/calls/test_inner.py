"""Calls inside calls: scripts around tools, batches, and which output belongs to which."""

import json

from hypothesis import given
from hypothesis import strategies as st

from afterglow.calls import InnerResult, inner_calls, inner_results

DONE = "Script completed\nWall time 0.2 seconds\nOutput:\n"


def calls(script):
    return inner_calls("exec", json.dumps({"input": script}))


def arguments(script):
    return [(call.tool, json.loads(call.arguments)) for call in calls(script)]


def test_one_command():
    script = """
    const r = await tools.exec_command({cmd:"make \\"x\\"", workdir:"/r", yield_time_ms: 10_000});
    text(r.output);"""
    expected = {"cmd": 'make "x"', "workdir": "/r", "yield_time_ms": 10000}
    assert arguments(script) == [("exec_command", expected)]


def test_names_templates_and_sums_are_put_in():
    script = """
    const root = '/r'; const flags = "-q " + '-x';
    const list = ["a", "b"].join(" ");
    await tools.exec_command({cmd: `cd ${root} && pytest ${flags} ${list}`, workdir: root});
    """
    assert arguments(script)[0][1] == {
        "cmd": "cd /r && pytest -q -x a b",
        "workdir": "/r",
    }


def test_several_at_once_in_order():
    script = """
    const [a, b] = await Promise.all([
      tools.exec_command({cmd: "git status"}), // first
      tools.exec_command({"cmd": 'git log'}),
    ]);"""
    assert [item["cmd"] for _, item in arguments(script)] == ["git status", "git log"]


def test_a_loop_over_commands_is_several_calls():
    script = """
    const commands = ["make a", "make b"];
    for (const cmd of commands) { const r = await tools.exec_command({cmd, workdir: "/r"}); text(r); }
    const all = await Promise.all(["c", "d"].map((x) => tools.exec_command({cmd: `make ${x}`})));
    for (const [name, cmd] of [["one", "ls"], ["two", "pwd"]]) { await tools.exec_command({cmd}); }
    """
    lines = [item["cmd"] for _, item in arguments(script)]
    assert lines == ["make a", "make b", "make c", "make d", "ls", "pwd"]
    assert all(call.repeated for call in calls(script))


def test_other_tools_inside():
    script = """
    const patch = "*** Begin Patch\\n*** End Patch";
    text(await tools.apply_patch(patch));
    await tools.write_stdin({session_id: 2046, chars: ""});
    await tools.mcp__github__get_pr({number: 3});
    """
    assert arguments(script) == [
        ("apply_patch", {"input": "*** Begin Patch\n*** End Patch"}),
        ("write_stdin", {"session_id": 2046, "chars": ""}),
        ("mcp__github__get_pr", {"number": 3}),
    ]


def test_what_only_the_running_script_knows_is_left_out():
    (call,) = calls("await tools.exec_command({cmd: build(x), workdir: '/r'});")
    assert json.loads(call.arguments) == {"workdir": "/r"}
    assert not call.complete


def test_words_in_strings_and_comments_are_no_calls():
    assert (
        calls('// tools.exec_command({cmd:"a"})\ntext("tools.exec_command({})");') == ()
    )


def test_a_batch_of_tool_uses():
    batch = {
        "tool_uses": [
            {"recipient_name": "functions.shell", "parameters": {"command": "ls"}}
        ]
    }
    (call,) = inner_calls("multi_tool_use.parallel", json.dumps(batch))
    assert (call.tool, call.arguments) == ("shell", '{"command":"ls"}')


def test_an_ordinary_call_carries_nothing():
    assert inner_calls("Bash", '{"command": "ls"}') == ()
    assert inner_calls("exec", '{"command": "ls"}') == ()


TWO = calls('await tools.exec_command({cmd:"a"}); await tools.exec_command({cmd:"b"});')
ONE = TWO[:1]


def test_the_whole_output_belongs_to_a_single_call():
    assert inner_results(ONE, [DONE, "fine\n"]) == (InnerResult("fine\n"),)
    assert inner_results(ONE, [DONE + "fine\n"]) == (InnerResult("fine\n"),)
    assert inner_results(ONE, [DONE, "no\nEXIT=2\n"]) == (
        InnerResult("no\nEXIT=2\n", 2),
    )


def test_an_exit_code_in_json():
    printed = '{"chunk_id":"f5","exit_code":101,"output":"error: x"}'
    assert inner_results(ONE, [DONE, printed]) == (InnerResult("error: x", 101),)


def test_a_command_that_still_runs_names_its_session():
    printed = '{"chunk_id":"f5","session_id":2046,"output":"..."}'
    assert inner_results(ONE, [DONE, printed]) == (
        InnerResult("...", None, "session:2046"),
    )


def test_a_script_that_still_runs_names_its_cell():
    header = "Script running with cell ID 55\nWall time 10.0 seconds\nOutput:\n"
    assert inner_results(TWO, [header]) == (InnerResult(running="cell:55"),) * 2


def test_as_many_parts_as_calls_belong_in_order():
    first, second = inner_results(TWO, [DONE, "a out", "b out"])
    assert (first.output, second.output) == ("a out", "b out")


def test_a_list_of_results_belongs_in_order():
    printed = '[{"output":"x","exit_code":0},{"output":"y","exit_code":1}]'
    assert [item.code for item in inner_results(TWO, [DONE, printed])] == [0, 1]


def test_a_record_without_its_output_stands_before_or_behind_it():
    record = '{"chunk_id":"f5","wall_time_seconds":0.2,"exit_code":3}'
    assert inner_results(ONE, [DONE, record, "bad\n"]) == (InnerResult("bad\n", 3),)
    assert inner_results(ONE, [DONE, "bad\n", "EXIT=3"]) == (InnerResult("bad\n", 3),)
    assert inner_results(ONE, [DONE, "up\n", "SESSION_ID=2046"]) == (
        InnerResult("up\n", None, "session:2046"),
    )


def test_a_code_inside_an_output_is_not_that_of_the_command():
    file = "set -e\nif broken; then\n  exit 1\nfi\n"
    assert inner_results(ONE, [DONE, file]) == (InnerResult(file),)


def test_outputs_with_their_codes_behind_them_belong_in_order():
    parts = [DONE, "a out", "exit=0", "b out", "exit=127"]
    assert inner_results(TWO, parts) == (
        InnerResult("a out", 0),
        InnerResult("b out", 127),
    )


def test_outputs_with_a_line_between_them_belong_in_order():
    parts = [DONE, "a out", "---", "b out", "---"]
    assert [item.output for item in inner_results(TWO, parts)] == ["a out", "b out"]


def test_where_nobody_can_tell_it_says_so():
    assert inner_results(TWO, [DONE, "all in one"]) == (InnerResult(), InnerResult())
    assert inner_results(TWO, [DONE, "a", "b", "b too"]) == (InnerResult(),) * 2
    assert inner_results(TWO, []) == (InnerResult(), InnerResult())


@given(st.text(), st.lists(st.text(), max_size=3))
def test_no_script_and_no_output_makes_it_fail(script, parts):
    inner_results(calls(f"tools.x({script}"), parts)
    calls(script)

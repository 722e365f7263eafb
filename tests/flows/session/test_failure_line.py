"""Right after a call went wrong a session is told one line, once, or nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from itertools import product

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.experiment.plan import plan_hash
from afterglow.flows.harvest import harvest
from afterglow.flows.session import handed, on_failure, start
from afterglow.records.context import FinishedCall
from afterglow.records.experiment import Assignment, Plan
from afterglow.records.selection import below
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from state_sessions import read
from writing import Transcript

HOME = "/home/ana/src/harbor"
ERROR = "Exit code 1\nunknown flag: --stat"


def session(number: int) -> Transcript:
    """One that ran into a flag that is not there, and found the one that is."""
    return (
        Transcript(number, start=1500 * number)
        .user("what changed in the pull request?")
        .run(f"gh pr diff {number} --stat", ERROR, error=True)
        .run(f"gh pr diff {number} --name-only", "dock/agent.go")
        .run("make ship", "warning: the tide is low today")
        .reply("One file changed.")
    )


@pytest.fixture(scope="module")
def harvested(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harvested")
    config = Config(home=folder / "kept", user_home=folder / "home")
    for number in (1, 2):
        session(number).save(folder / "s")
    harvest(config, below(folder / "s"))
    return config


@pytest.fixture
def config(harvested, tmp_path):
    shutil.copytree(harvested.home, tmp_path / "kept")
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def bash(command: str, result: str = ERROR, *, failed: bool = True) -> FinishedCall:
    return FinishedCall("Bash", json.dumps({"command": command}), result, failed, "t9")


def told(config, tmp_path, *calls: FinishedCall, session: str = "s9", **more):
    return on_failure(
        config,
        agent=more.pop("agent", "claude-code"),
        cwd=more.pop("cwd", tmp_path / "harbor"),
        session=session,
        calls=calls,
        **more,
    )


def test_a_known_failure_gets_the_remedy_and_the_ledger_knows_the_moment(
    config, tmp_path
):
    line = told(config, tmp_path, bash("gh pr diff 77 --stat"))
    assert "--name-only" in line.text
    assert line.tokens <= 60
    (delivery,) = handed(config, "s9")
    assert (delivery.when, delivery.call) == ("failure", "t9")
    assert [given.item for given in delivery.items] == list(line.items)


def test_it_is_said_once_in_a_session_and_again_in_another(config, tmp_path):
    assert told(config, tmp_path, bash("gh pr diff 77 --stat")).text
    assert not told(config, tmp_path, bash("gh pr diff 78 --stat")).text
    assert told(config, tmp_path, bash("gh pr diff 78 --stat"), session="s10").text


def test_a_sub_agent_did_not_see_what_its_session_was_told(config, tmp_path):
    call = bash("gh pr diff 77 --stat")
    assert told(config, tmp_path, call).text
    assert told(config, tmp_path, call, agent_id="a1").text
    assert not told(config, tmp_path, call, agent_id="a1").text


def test_what_stood_in_the_start_context_is_told_to_who_runs_into_it_all_the_same(
    config, tmp_path
):
    given = start(
        config, agent="claude-code", cwd=tmp_path / "harbor", session="s9", budget=600
    )
    assert "--name-only" in given.text
    call = bash("gh pr diff 77 --stat")
    assert told(config, tmp_path, call).items[0] in given.items
    assert not told(config, tmp_path, call).text


def test_a_failure_that_no_exit_code_shows_is_read_from_the_output(config, tmp_path):
    call = bash("gh pr diff 77 --stat | tail -3", "unknown flag: --stat", failed=False)
    assert "--name-only" in told(config, tmp_path, call).text


def test_the_first_call_of_a_batch_that_has_a_line_gets_it(config, tmp_path):
    calls = [bash("ls", "dock\n", failed=False), bash("gh pr diff 77 --stat")]
    assert "--name-only" in told(config, tmp_path, *calls).text


@pytest.mark.parametrize(
    "call",
    [
        bash("gh pr diff 77 --name-only", "dock/agent.go", failed=False),
        bash("gh pr list", "Exit code 1\nno network", failed=True),
        bash("grep -n --stat notes.md", "unknown flag: --stat", failed=False),
        FinishedCall("Read", '{"file_path": "/x"}', "unknown flag: --stat"),
        bash("pytest -q", "Exit code 1\nFAILED test_dock.py::test_a - assert 1 == 2"),
        bash("gh pr diff 77 --stat", "[Request interrupted by user]"),
    ],
    ids=["fine", "other error", "text shown", "file read", "work", "interrupted"],
)
def test_what_is_fine_or_another_matter_gets_nothing(config, tmp_path, call):
    line = told(config, tmp_path, call)
    assert (line.text, handed(config, "s9")) == ("", [])
    assert line.reason


def test_an_error_that_names_the_remedy_itself_gets_nothing(config, tmp_path):
    error = "Exit code 1\nunknown flag: --stat (gh pr diff <n> has --name-only in its place)"
    assert not told(config, tmp_path, bash("gh pr diff 77 --stat", error)).text


def test_other_repositories_and_other_agents_have_other_lessons(config, tmp_path):
    call = bash("gh pr diff 77 --stat")
    assert not told(config, tmp_path, call, cwd=tmp_path / "lighthouse").text
    with Knowledge(config.knowledge) as knowledge:
        items = [replace(item, agent="codex") for item in knowledge.items()]
        knowledge.save(items, by="ana", now=5.0)
    assert not told(config, tmp_path, call).text


def refused_edit(tmp_path) -> tuple[FinishedCall, Transcript]:
    transcript = Transcript(9)
    text = "func lamp() {\n\tif tide {\n\t\treturn high\n\t}\n}"
    read(transcript.user("mend it"), f"{HOME}/lamp.go", text)
    edit = {
        "file_path": f"{HOME}/lamp.go",
        "old_string": "    if tide {\n        return high",
        "new_string": "    return low",
    }
    error = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    return FinishedCall("Edit", json.dumps(edit), error), transcript


def test_a_refused_edit_is_explained_by_what_was_read(config, tmp_path):
    call, transcript = refused_edit(tmp_path)
    line = told(config, tmp_path, call, transcript=transcript.save(tmp_path / "s"))
    assert "tab" in line.text
    assert line.items == ()
    assert not told(config, tmp_path, call).text
    assert [delivery.when for delivery in handed(config, "s9")] == ["failure"]


def test_state_speaks_before_anything_was_ever_harvested(tmp_path):
    config = Config(home=tmp_path / "new", user_home=tmp_path / "home")
    call, transcript = refused_edit(tmp_path)
    assert told(config, tmp_path, call, transcript=transcript.save(tmp_path / "s")).text
    assert not config.knowledge.exists()


def moved(lines: int = 0) -> Transcript:
    """A session whose shell stands in `dock`, far above its end."""
    transcript = Transcript(9).user("go").run("cd dock", "")
    transcript.cwd = f"{HOME}/dock"
    for number in range(lines):
        transcript.run(f"echo {number}", "x" * 5000)
    return transcript


@pytest.mark.parametrize("lines", [0, 1500], ids=["short", "long"])
def test_where_the_shell_stands_is_known_from_the_end_of_a_transcript(
    config, tmp_path, lines
):
    path = moved(lines).save(tmp_path / "s")
    call = bash(
        "cd dock && make", "Exit code 1\n(eval):cd:1: no such file or directory: dock"
    )
    line = told(config, tmp_path, call, transcript=path)
    assert "leave out `cd dock`" in line.text


def test_a_call_that_stands_in_the_transcript_already_is_read_once(config, tmp_path):
    transcript = moved().ask("Bash", command="cd dock && make")
    error = "Exit code 1\n(eval):cd:1: no such file or directory: dock"
    call = replace(bash("cd dock && make", error), id=transcript.asked)
    path = transcript.answer(error, error=True).save(tmp_path / "s")
    assert "leave out `cd dock`" in told(config, tmp_path, call, transcript=path).text


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 9000, b"{" * 5000, b'{"type":"user"', b"\xff\xfe{}\n", b"[]\n" * 9],
)
def test_a_transcript_that_is_none_leaves_the_lessons(config, tmp_path, content):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    call = bash("gh pr diff 77 --stat")
    assert told(config, tmp_path, call, transcript=path).text
    missing = tmp_path / "missing.jsonl"
    assert told(config, tmp_path, call, transcript=missing, session="s10").text
    assert told(config, tmp_path, call, transcript=tmp_path, session="s11").text


@pytest.mark.parametrize("agent", ["claude-code", "codex", "hermes", "opencode", ""])
def test_odd_calls_get_an_answer(config, tmp_path, agent):
    odd_arguments = ("", "{", "[]", '{"command": 5}', "\ud800", "0")
    odd_results = ("", "\0", "\ud800" * 50, "error: " * 9000)
    for arguments, result in product(odd_arguments, odd_results):
        for tool in ("Bash", "Edit", "", "\0"):
            call = FinishedCall(tool, arguments, result, failed=True)
            line = told(config, tmp_path, call, agent=agent, session="")
            assert isinstance(line.text, str)


def test_no_calls_no_line(config, tmp_path):
    assert not told(config, tmp_path).text


def test_what_noise_is_in_a_repository_is_noted_by_the_harvest(config):
    from afterglow.flows.noise import noise_of

    with Knowledge(config.knowledge) as knowledge:
        assert noise_of(knowledge, "harbor").good
        assert not noise_of(knowledge, "lighthouse").good


def test_codex_says_in_the_output_how_a_command_ended(config, tmp_path):
    output = "Exit code: 1\nWall time: 0 seconds\nOutput:\nunknown flag: --stat\n"
    arguments = json.dumps({"command": ["bash", "-lc", "gh pr diff 77 --stat"]})
    call = FinishedCall("shell", arguments, output)
    assert "--name-only" in told(config, tmp_path, call, agent="codex").text
    bare = FinishedCall("shell", arguments, "unknown flag: --stat\n")
    line = told(config, tmp_path, bare, agent="codex", session="s10")
    assert "--name-only" in line.text


def test_a_ledger_that_cannot_be_written_means_silence_and_a_reason(config, tmp_path):
    assert told(config, tmp_path, bash("gh pr diff 77 --stat"), session="s1").text
    writer = sqlite3.connect(config.ledger, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError):
        told(config, tmp_path, bash("gh pr diff 77 --stat"))
    writer.close()


@pytest.mark.parametrize("name", ["knowledge.db", "ledger.db"])
def test_a_store_of_a_newer_version_is_left_alone(config, tmp_path, name):
    told(config, tmp_path, bash("gh pr diff 77 --stat"), session="s1")
    with sqlite3.connect(config.home / name) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer"):
        told(config, tmp_path, bash("gh pr diff 77 --stat"))


def test_a_damaged_store_is_named_and_left_alone(config, tmp_path):
    config.knowledge.write_bytes(b"no database at all" * 900)
    with pytest.raises(StoreError):
        told(config, tmp_path, bash("gh pr diff 77 --stat"))


def in_an_arm(config: Config, tmp_path, arm: str, **fields) -> Config:
    """The session `s9` has started in this arm of a standing experiment, the only one there is beside `failure`."""
    config = replace(config, experiment="daily")
    arms = dict.fromkeys((arm, "failure"))
    plan = Plan(
        name="daily",
        arms=tuple(arms),
        allocation=tuple(1 / len(arms) for _ in arms),
        outcomes=("errors",),
        created=5.0,
        salt="pepper",
        **fields,
    )
    request = Assignment(experiment="daily", unit="s9", arm="", time=5.0)
    with Experiments(config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))
        experiments.assign(request, lambda *_: arm)
    return config


@pytest.mark.parametrize("arm", ["cold", "start"])
def test_arms_that_are_told_nothing_on_failure_hear_nothing(config, tmp_path, arm):
    config = in_an_arm(config, tmp_path, arm)
    line = told(config, tmp_path, bash("gh pr diff 77 --stat"))
    assert (line.text, line.arm) == ("", arm)
    assert told(config, tmp_path, bash("gh pr diff 77 --stat"), session="other").text


def test_the_arm_that_is_told_on_failure_hears_the_line(config, tmp_path):
    config = in_an_arm(config, tmp_path, "failure")
    line = told(config, tmp_path, bash("gh pr diff 77 --stat"))
    assert ("--name-only" in line.text, line.arm) == (True, "failure")


def test_a_placebo_is_a_line_without_a_remedy_once(config, tmp_path):
    config = in_an_arm(config, tmp_path, "placebo")
    line = told(config, tmp_path, bash("gh pr diff 77 --stat"))
    assert line.text and "--name-only" not in line.text
    assert (line.arm, handed(config, "s9")[0].when) == ("placebo", "failure")
    assert not told(config, tmp_path, bash("gh pr diff 78 --stat")).text


def test_what_only_other_arms_taught_is_kept_from_a_session(config, tmp_path):
    config = in_an_arm(config, tmp_path, "both", separate=True)
    call = bash("gh pr diff 77 --stat")
    with Experiments(config.experiments) as experiments:
        for number in (1, 2):
            unit = session(number).id
            request = Assignment(experiment="daily", unit=unit, arm="", time=5.0)
            experiments.assign(request, lambda *_: "failure")
    assert not told(config, tmp_path, call).text

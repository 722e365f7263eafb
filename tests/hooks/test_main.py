"""The hook program as agents call it: what it answers, and that nothing that goes wrong shows."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys

import pytest

from afterglow.config import Config, environment
from afterglow.flows.harvest import QUEUE_PAUSE, harvest, log_of, waiting
from afterglow.flows.session import handed
from afterglow.records.selection import below
from afterglow.store.ledger import Ledger
from hooks.calling import PROGRAM, context_of, event, hook
from keeping import home_with_rules, item, keep
from writing import Transcript, ordinary

PUSH = item(
    1,
    fact='The user\'s rule: "ask me before you git push anything".',
    category="fact",
    trust="user",
    miner="rules",
    confidence=0.9,
)


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    return Config(home=home, user_home=tmp_path / "home")


def setting(config, text: str) -> None:
    (config.home / "config.toml").write_text(f"[hooks]\n{text}\n")


def logged(config) -> list[str]:
    return [line.what for line in log_of(config).recent()]


def settled(config) -> None:
    """Waits for what hooks started: something is known, and nothing waits."""
    while waiting(config) or not config.knowledge.exists():
        assert logged(config) == []


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_new_session_starts_with_what_is_known(config, agent):
    keep(config, item(1), item(2))
    told = event("SessionStart", agent)
    context = context_of(hook(config, told, "SessionStart", "--agent", agent))
    assert "make ship" in context
    (delivery,) = handed(config, told["session_id"])
    assert delivery.id in context
    assert (delivery.state, delivery.agent, delivery.repo) == (
        "waiting",
        agent,
        "harbor",
    )
    assert logged(config) == []


def test_the_answer_names_its_event(config):
    keep(config, item(1))
    answer = json.loads(hook(config, event("SessionStart"), "session-start").stdout)
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"


def test_the_event_may_name_itself(config):
    keep(config, item(1))
    assert context_of(hook(config, event("SessionStart")))


def test_nothing_known_is_an_empty_answer(config):
    assert hook(config, event("SessionStart"), "SessionStart").stdout == b"{}\n"
    assert logged(config) == []


@pytest.mark.parametrize("source", ["startup", "clear", ...])
def test_fresh_sessions_get_a_context(config, source):
    keep(config, item(1))
    assert context_of(
        hook(config, event("SessionStart", source=source), "SessionStart")
    )


def test_a_resumed_session_has_it_already(config):
    keep(config, item(1))
    assert (
        context_of(hook(config, event("SessionStart", source="resume"), "SessionStart"))
        == ""
    )


def test_after_a_compaction_the_same_context_comes_again_and_counts_once(config):
    keep(config, item(1))
    first = context_of(hook(config, event("SessionStart"), "SessionStart"))
    keep(config, item(2))
    for _ in range(2):
        forgot = event("SessionStart", source="compact")
        assert context_of(hook(config, forgot, "SessionStart")) == first
    with Ledger(config.ledger) as ledger:
        start, repeat = ledger.deliveries()
    assert (start.when, repeat.when) == ("start", "compaction")
    assert (repeat.text_id, repeat.session) == (start.id, start.session)


def test_after_a_compaction_what_was_rejected_since_does_not_come_again(config):
    keep(config, item(1), item(2))
    hook(config, event("SessionStart"), "SessionStart")
    keep(config, item(1, status="rejected"))
    again = context_of(
        hook(config, event("SessionStart", source="compact"), "SessionStart")
    )
    assert item(2).id in again
    assert item(1).id not in again


def test_a_sub_agent_is_given_little(config):
    keep(config, *(item(number) for number in range(1, 30)))
    whole = context_of(hook(config, event("SessionStart"), "SessionStart"))
    little = context_of(hook(config, event("SubagentStart"), "SubagentStart"))
    assert "make ship" in little and len(little) < len(whole) / 2
    first, second = handed(config, event("SubagentStart")["session_id"])
    assert (first.when, second.when) == ("start", "subagent")
    assert second.tokens <= 150 and second.id in little


def test_a_sub_agent_gets_nothing_where_nobody_does(config):
    keep(config, item(1))
    setting(config, 'context = "never"')
    assert context_of(hook(config, event("SubagentStart"), "SubagentStart")) == ""


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit"])
def test_what_begins_inside_of_a_sub_agent_gets_nothing(config, name):
    keep(config, item(1))
    setting(config, 'context = "prompt"' if name != "SessionStart" else "")
    assert context_of(hook(config, event(name, agent_id="a1"), name)) == ""


def test_the_start_has_as_many_tokens_as_a_person_allows(config):
    keep(config, *(item(number) for number in range(1, 30)))
    usual = len(context_of(hook(config, event("SessionStart"), "SessionStart")))
    setting(config, "budget = 200")
    other = event("SessionStart", session_id="another")
    assert 0 < len(context_of(hook(config, other, "SessionStart"))) < usual / 2
    (delivery,) = handed(config, "another")
    assert delivery.tokens <= 200


def test_with_the_first_request_if_that_is_wished_and_only_then(config):
    keep(config, item(1))
    setting(config, 'context = "prompt"')
    assert context_of(hook(config, event("SessionStart"), "SessionStart")) == ""
    assert context_of(hook(config, event("UserPromptSubmit"), "UserPromptSubmit"))
    assert context_of(hook(config, event("UserPromptSubmit"), "UserPromptSubmit")) == ""


def test_requests_are_left_alone_by_default(config):
    keep(config, item(1))
    assert context_of(hook(config, event("UserPromptSubmit"), "UserPromptSubmit")) == ""
    assert not config.ledger.exists()


def pushing(command: str = "cd pier && git push origin main", **changed):
    return event("PreToolUse", tool_input={"command": command}, **changed)


def test_a_rule_of_a_person_is_recalled_before_its_command_once_if_that_is_wished(
    config,
):
    keep(config, PUSH)
    assert context_of(hook(config, pushing(), "PreToolUse")) == ""
    recalled = context_of(hook(config, pushing(), "PreToolUse", "--pretool"))
    assert "ask me before" in recalled
    assert context_of(hook(config, pushing(), "PreToolUse", "--pretool")) == ""
    setting(config, "pretool = true")
    other = pushing(session_id="another")
    assert "ask me before" in context_of(hook(config, other, "PreToolUse"))
    assert [delivery.when for delivery in handed(config, "another")] == ["call"]


@pytest.mark.parametrize("command", ["git status", "git commit -m push", "echo hello"])
def test_commands_that_a_rule_does_not_name_are_left_alone(config, command):
    keep(config, PUSH, item(2))
    told = pushing(command)
    assert context_of(hook(config, told, "PreToolUse", "--pretool")) == ""


def test_what_failed_before_is_not_told_before_a_call(config):
    failed = {"situation": "`git push` fails", "remedy": "`git pull` first"}
    keep(config, item(1, trust="tool", fingerprints=("rejected",), **failed))
    assert context_of(hook(config, pushing(), "PreToolUse", "--pretool")) == ""


@pytest.fixture
def taught(config, tmp_path):
    """Two sessions ran out of oil, and filled the tank."""
    for number in (1, 2):
        session = Transcript(number, start=1500 * number).user("light the lamps")
        error = "Exit code 1\nlampctl: error: unknown flag: --swift"
        session.run("lampctl ignite --swift", error, error=True)
        session.run("lampctl ignite --plain", "3 lamps are lit").reply("Lit.")
        session.save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    setting(config, "resident_minutes = 0")  # no process is to stay behind
    return config


def ended(name: str, **changed: object) -> dict[str, object]:
    call = {"command": "lampctl ignite --swift 2>&1 | tail"}
    return event(name, tool_input=call, **changed)


@pytest.mark.parametrize("name", ["PostToolUseFailure", "PostToolUse"])
def test_after_a_known_failure_comes_one_line_once(taught, name):
    said = "lampctl: error: unknown flag: --swift"
    shapes = {"PostToolUseFailure": {"error": f"Exit code 1\n{said}"}}
    told = ended(name, **shapes.get(name, {"tool_response": {"stdout": said}}))
    assert "--plain" in context_of(hook(taught, told, name))
    assert context_of(hook(taught, told, name)) == ""
    (delivery,) = handed(taught, told["session_id"])
    assert (delivery.when, delivery.call) == ("failure", "toolu_01PierPierPier")
    assert logged(taught) == []


def test_who_wants_no_word_on_failures_gets_none(taught):
    setting(taught, "failures = false\nresident_minutes = 0")
    told = ended("PostToolUseFailure")
    assert context_of(hook(taught, told, "PostToolUseFailure")) == ""


def test_the_end_of_a_session_is_queued_and_harvested(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s")
    told = event("SessionEnd", session_id=ordinary(1).id, transcript_path=str(path))
    assert context_of(hook(config, told, "SessionEnd")) == ""
    settled(config)


def test_the_end_of_a_turn_is_queued_and_waits(config):
    hook(config, event("Stop"), "Stop")
    (one,) = waiting(config)
    name = f"{event('Stop')['session_id']}.jsonl"
    assert (one.why, one.agent) == (QUEUE_PAUSE, "claude-code")
    assert one.source == str(
        config.user_home / ".claude/projects/-home-ana-src-harbor" / name
    )


@pytest.mark.parametrize("name", ["Notification", "SubagentStop"])
def test_other_events_are_answered_and_change_nothing(config, name):
    told = event("SubagentStop", hook_event_name=name)
    assert context_of(hook(config, told, name)) == ""
    assert waiting(config) == []
    assert logged(config) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'"word"',
        b'{"session_id": 7}',
        b"\xff\0",
        b"[" * 100_000,
        b"{}" + b" " * 9_000_000,
    ],
    ids=["empty", "null", "list", "half", "word", "number", "binary", "deep", "huge"],
)
def test_bad_input_gets_a_valid_answer_and_a_line_in_the_log(config, data):
    keep(config, item(1))
    assert context_of(hook(config, data, "SessionStart")) == ""
    assert logged(config) == ["hook failed"]


def test_an_unknown_agent_or_option_is_said_in_the_log(config):
    assert context_of(hook(config, event("Stop"), "Stop", "--agent", "parrot")) == ""
    assert context_of(hook(config, event("Stop"), "Stop", "--pre-tool")) == ""
    assert log_of(config).recent()[0].detail.startswith("Stop --agent parrot")
    assert waiting(config) == []


def test_standard_input_that_never_ends_is_not_waited_for(config):
    with subprocess.Popen(
        [*PROGRAM, "SessionStart"],
        env=environment(config),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert (
            process.stdout.read() == b"{}\n"
        )  # the other end of standard input is still open
        assert process.wait() == 0


def test_a_locked_store_is_a_time_out_not_a_wait(config):
    keep(config, item(1))
    setting(config, "deadline_ms = 400")
    db = sqlite3.connect(config.knowledge, isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    try:
        assert (
            context_of(hook(config, event("SessionStart"), "SessionStart", patient=[]))
            == ""
        )
    finally:
        db.close()
    assert logged(config)


@pytest.mark.parametrize("name", ["knowledge.db", "ledger.db"])
def test_a_damaged_store_is_an_empty_answer_or_an_unnoted_context(config, name):
    keep(config, item(1))
    (config.home / name).write_bytes(b"barnacles " * 1000)
    context = context_of(hook(config, event("SessionStart"), "SessionStart"))
    assert bool(context) == (name == "ledger.db")
    assert logged(config) == ["context not noted" if context else "hook failed"]


def test_a_config_file_that_cannot_be_read_is_said_in_the_log(config):
    setting(config, "context = [")
    assert context_of(hook(config, event("SessionStart"), "SessionStart")) == ""
    assert logged(config) == ["hook failed"]


def test_a_home_that_cannot_be_made_disturbs_nobody(tmp_path):
    (tmp_path / "file").write_text("")
    nowhere = Config(home=tmp_path / "file" / "home", user_home=tmp_path)
    for name in ("SessionStart", "Stop", "SessionEnd"):
        assert context_of(hook(nowhere, event(name), name)) == ""


def test_a_folder_that_is_gone_disturbs_nobody(config, tmp_path):
    keep(config, item(1))
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m afterglow hook SessionStart"
    done = subprocess.run(
        ["sh", "-c", script], input=json.dumps(event("SessionStart", cwd=...)).encode(), env=environment(config),
        capture_output=True, check=False,
    )  # fmt: skip
    assert context_of(done) == ""


@pytest.mark.parametrize("name", ["SessionStart", "Stop", "SessionEnd"])
def test_a_full_disk_disturbs_nobody(config, name):
    keep(config, item(1))
    script = f"ulimit -f 0 && exec {sys.executable} -m afterglow hook {name} --deadline-ms 60000"
    done = subprocess.run(
        ["sh", "-c", script], input=json.dumps(event(name)).encode(), env=environment(config), capture_output=True,
        check=False,
    )  # fmt: skip
    context_of(done)
    assert waiting(config) == []
    assert not list((config.home / "queue").glob(".*"))


def test_a_closed_standard_output_is_no_error(config):
    keep(config, item(1))
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "SessionStart"], input=json.dumps(event("SessionStart")).encode(), stdout=writing,
        stderr=subprocess.PIPE, env=environment(config), check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_log_holds_nothing_of_a_prompt(config):
    config.ledger.write_bytes(b"barnacles " * 1000)
    keep(config, item(1))
    setting(config, 'context = "prompt"')
    hook(
        config,
        event("UserPromptSubmit", prompt="the pearl is under the pier"),
        "UserPromptSubmit",
    )
    assert logged(config) == ["hook failed"]
    assert "pearl" not in (config.home / "hooks.log").read_text()


def test_help_is_printed(config):
    assert b"usage: afterglow hook EVENT" in hook(config, b"", "--help").stdout


def test_no_command_line_library_is_loaded_on_the_way(config):
    keep(config, item(1))
    code = (
        "import sys; from afterglow.hooks import main as program; from afterglow.hooks.deadline import by_thread;"
        "words = ['SessionStart', '--deadline-ms', '60000'];"
        "by_thread(lambda line: program.work(words, line), b'{}', 60, program.late);"
        "heavy = {'click', 'rich', 'hyperscan', 'stringzilla', 'rapidfuzz', 'subprocess'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(event("SessionStart")).encode(), env=environment(config),
        capture_output=True, check=False,
    )  # fmt: skip
    assert context_of(done)

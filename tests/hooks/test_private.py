"""A private session, as hooks see it: it is given nothing, and nothing is kept of it."""

from __future__ import annotations

import json
import time

import pytest

from afterglow.config import Config
from afterglow.flows.forget import keep_promises
from afterglow.flows.harvest import waiting
from afterglow.flows.read import list_sessions, scan
from afterglow.flows.session import handed
from afterglow.store.forgotten import Forgotten
from afterglow.store.private_folders import PrivateFolders
from hooks.calling import context_of, event, hook
from keeping import home_with_rules, item, keep
from writing import ordinary

PRIVATE = {"AFTERGLOW_PRIVATE": "1"}


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    return Config(home=home, user_home=tmp_path / "home")


def session_of(told) -> str:
    return str(told["session_id"])


def marked(config: Config, told) -> bool:
    forgotten = Forgotten(config.home).refresh()
    return forgotten.has_session("claude-code", session_of(told))


def failed_call(session: str, cwd: str, transcript: str = "") -> dict[str, object]:
    return event(
        "PostToolUseFailure", session_id=session, cwd=cwd, transcript_path=transcript
    )


def test_a_program_started_privately_is_told_nothing_and_leaves_nothing(config):
    keep(config, item(1))
    told = event("SessionStart")
    for name in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        happened = event(name, session_id=session_of(told))
        assert context_of(hook(config, happened, name, variables=PRIVATE)) == ""
    assert handed(config, session_of(told)) == []
    assert waiting(config) == []
    assert marked(config, told)


def test_what_was_private_is_left_out_by_a_scan_without_the_variable(config, tmp_path):
    made = ordinary(1)
    made.save(tmp_path / "s")
    told = event("SessionStart", session_id=made.id)
    hook(config, told, "SessionStart", variables=PRIVATE)
    scan(config, [tmp_path / "s"])
    assert list_sessions(config) == []


def test_a_resident_of_another_session_does_not_answer_a_private_one(config):
    """It has the environment of the hook that it was; and a private hook does not stay."""
    keep(config, item(1))
    told = event("PostToolUseFailure", session_id="one")
    hook(config, told, "PostToolUseFailure", variables=PRIVATE)
    assert list(config.home.glob("*.sock")) == []
    hook(config, event("PostToolUseFailure", session_id="two"), "PostToolUseFailure")
    hook(
        config,
        event("PostToolUseFailure", session_id="three"),
        "PostToolUseFailure",
        variables=PRIVATE,
    )
    forgotten = Forgotten(config.home).refresh()
    named = [forgotten.has_session("claude-code", id) for id in ("one", "two", "three")]
    assert named == [True, False, True]


def test_a_request_with_the_word_makes_its_session_private(config):
    keep(config, item(1))
    told = event("SessionStart")
    assert context_of(hook(config, told, "SessionStart"))
    assert handed(config, session_of(told))
    request = event(
        "UserPromptSubmit", session_id=session_of(told), prompt="#private\nmy taxes"
    )
    hook(config, request, "UserPromptSubmit")
    assert handed(config, session_of(told)) == []
    over = event("Stop", session_id=session_of(told))
    hook(config, over, "Stop")
    assert waiting(config) == []
    assert context_of(hook(config, told, "SessionStart")) == ""


def test_a_folder_is_private(config, tmp_path):
    keep(config, item(1))
    folder = tmp_path / "harbor"
    folder.mkdir()
    PrivateFolders(config.home).begin(str(tmp_path), time.time() - 1)
    told = event("SessionStart", cwd=str(folder))
    assert context_of(hook(config, told, "SessionStart")) == ""
    assert marked(config, told)


def test_only_the_next_session_of_a_folder_is_private(config, tmp_path):
    keep(config, item(1))
    folder = tmp_path / "harbor"
    folder.mkdir()
    PrivateFolders(config.home).begin(str(folder), time.time() - 1, once=True)
    told = [event("SessionStart", cwd=str(folder), session_id=f"s{n}") for n in (1, 2)]
    first, second = [context_of(hook(config, each, "SessionStart")) for each in told]
    assert (first, bool(second)) == ("", True)
    assert [marked(config, each) for each in told] == [True, False]


def test_an_excluded_place_is_told_nothing(config, tmp_path):
    keep(config, item(1))
    folder = tmp_path / "harbor"
    folder.mkdir()
    told = event("SessionStart", cwd=str(folder))
    (config.home / "config.toml").write_text('[privacy]\nexclude = ["harbor"]\n')
    assert context_of(hook(config, told, "SessionStart")) == ""
    hook(config, event("SessionEnd", cwd=str(folder)), "SessionEnd")
    assert waiting(config) == []
    assert not marked(config, told)
    (config.home / "config.toml").write_text("")
    assert context_of(hook(config, told, "SessionStart"))


def test_the_word_is_seen_in_a_transcript_where_no_hook_told_the_request(
    config, tmp_path
):
    transcript = tmp_path / "t.jsonl"
    line = {"type": "user", "message": {"role": "user", "content": "a\n#private\nb"}}
    transcript.write_text(json.dumps(line) + "\n")
    told = failed_call("s9", str(tmp_path), str(transcript))
    hook(config, told, "PostToolUseFailure")
    assert Forgotten(config.home).refresh().has_session("claude-code", "s9")


def test_what_a_session_was_given_before_it_was_known_to_be_private_goes(
    config, tmp_path
):
    keep(config, item(1))
    made = ordinary(1)
    made.lines[0] = made.lines[0].replace("run the tests", "#private\\nrun the tests")
    made.lines[0] = made.lines[0].replace("please", "\\nplease")
    made.save(tmp_path / "s")
    folder = tmp_path / "harbor"
    folder.mkdir()
    told = event("SessionStart", session_id=made.id, cwd=str(folder))
    assert context_of(hook(config, told, "SessionStart"))
    scan(config, [tmp_path / "s"])
    assert list_sessions(config) == []
    keep_promises(config)
    assert handed(config, made.id) == []

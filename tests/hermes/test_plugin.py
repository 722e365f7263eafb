import json
import sys
from types import ModuleType

import pytest

from afterglow.hermes import SKILLS, register
from afterglow.memory.backends import get_memory_backend, reset_backend
from afterglow.memory.waiting import waiting_user
from hermes.fake_hermes import FakeProviderContext
from writing import Transcript, ordinary


def test_hermes_gets_hooks_a_command_a_slash_command_and_tools(hermes):
    assert set(hermes.hooks) == {
        "on_session_start",
        "pre_llm_call",
        "transform_tool_result",
        "on_session_finalize",
    }
    assert set(hermes.tools) == {
        "afterglow_recall",
        "afterglow_write",
        "memory_backend",
    }
    assert set(hermes.commands) == {"warm", "afterglow"} and set(hermes.slashes) == {
        "warm"
    }
    assert set(hermes.skills) == {
        path.parent.name for path in SKILLS.glob("*/SKILL.md")
    }


def test_a_context_for_memory_providers_gets_a_provider_and_nothing_else(config):
    context = FakeProviderContext()
    register(context)
    assert context.provider.name == "afterglow"


def test_a_tool_that_could_not_answer_is_not_offered(hermes, config, monkeypatch):
    offered = {
        name: hermes.tools[name]["check"]()
        for name in ("afterglow_recall", "memory_backend")
    }
    assert offered == {"afterglow_recall": False, "memory_backend": True}
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "null")
    assert not hermes.tools["memory_backend"]["check"]()


def test_recall_answers_with_items_and_their_ids(hermes, known):
    assert hermes.tools["afterglow_recall"]["check"]()
    answer = json.loads(
        hermes.tools["afterglow_recall"]["handler"]({"query": "pier"}, task_id="t")
    )
    assert answer["success"] and [one["id"] for one in answer["items"]] == ["k0000001"]


def test_recall_says_what_would_work(hermes, known):
    ask = hermes.tools["afterglow_recall"]["handler"]
    for words in (
        {},
        {"query": " "},
        {"query": "pier", "limit": 0},
        {"query": "pier", "limit": "x"},
    ):
        answer = json.loads(ask(words))
        assert not answer["success"] and answer["error"]


def test_a_tool_answers_in_words_when_the_store_is_broken(hermes, config):
    config.knowledge.write_bytes(b"garbage" * 999)
    assert "error" in json.loads(
        hermes.tools["afterglow_recall"]["handler"]({"query": "pier"})
    )


def test_the_slash_command_lists_selects_and_tells(hermes, config):
    say = hermes.slashes["warm"]
    assert say("").startswith("No templates.") and say("list") == say("")
    assert say("select fix the pier").startswith("none")
    assert say("status").startswith("afterglow: nothing told")
    assert "/warm select TASK" in say("dance") and "/warm select TASK" in say("select")


def test_the_command_ends_the_program_with_the_exit_code_of_our_own(
    hermes, config, capsys
):
    for words, code, said in (
        (["list"], 0, "No templates."),
        (["show", "nothing", "--version", "2"], 4, "no template 'nothing'"),
        (["--help"], 0, "hermes warm"),
        ([], 0, "start "),
        (["list", "--colour"], 2, "No such option"),
        (["start", "nothing"], 4, "no template 'nothing'"),
    ):
        with pytest.raises(SystemExit) as end:
            hermes.command("warm", *words)
        told = capsys.readouterr()
        assert end.value.code == code and said in told.out + told.err


def test_a_warm_start_outside_hermes_says_where_it_works(
    hermes, config, capsys, tmp_path
):
    from afterglow.flows.read import scan
    from afterglow.flows.warm import approve, extract

    path = ordinary().save(tmp_path / "sessions")
    scan(config, [path])
    made = extract(config, path.stem)
    approve(config, [made.id])
    with pytest.raises(SystemExit) as end:
        hermes.command("warm", "start", made.id, "go on")
    assert (
        end.value.code == 6
        and "run this as `hermes warm start`" in capsys.readouterr().err
    )


def test_a_warm_start_without_a_message_leaves_the_first_word_to_the_person(
    hermes, config, monkeypatch, tmp_path, capsys
):
    from afterglow.flows.read import scan
    from afterglow.flows.warm import approve, extract

    stored = []

    class Sessions:
        def __init__(self, db_path):
            pass

        def import_sessions(self, sessions):
            stored.extend(sessions)
            return {"imported": len(sessions)}

        def close(self):
            pass

    state = ModuleType("hermes_state")
    state.SessionDB = Sessions
    monkeypatch.setitem(sys.modules, "hermes_state", state)
    path = ordinary().save(tmp_path / "sessions")
    scan(config, [path])
    template = extract(config, path.stem)
    approve(config, [template.id])
    with pytest.raises(SystemExit) as end:
        hermes.command("warm", "start", template.id, "--seed")
    assert end.value.code == 0
    (session,) = stored
    assert capsys.readouterr().out.strip() == session["id"]
    assert session["messages"][-1]["role"] == "assistant"


def test_over_a_messaging_platform_the_model_does_not_say_whose_memory_it_is(
    hermes, config, monkeypatch
):
    said = {"HERMES_SESSION_USER_ID": "7", "HERMES_SESSION_PLATFORM": "telegram"}
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "local")
    monkeypatch.setitem(sys.modules, "gateway", ModuleType("gateway"))
    session = ModuleType("gateway.session_context")
    session.get_session_env = lambda name, default="": said.get(name, default)
    monkeypatch.setitem(sys.modules, "gateway.session_context", session)
    reset_backend()
    told = {"action": "store", "key": "editor", "value": "vim", "user_id": "8"}
    assert json.loads(hermes.tools["memory_backend"]["handler"](told))["success"]
    user = waiting_user("telegram:7")
    assert get_memory_backend().list_keys(user) == ["editor"]
    reset_backend()


def test_the_model_reads_dossiers_and_hands_answers_back(hermes, config, tmp_path):
    from afterglow.flows.harvest import harvest
    from afterglow.records.selection import below
    from afterglow.store.answers import Answers

    for number in (1, 2):
        (
            Transcript(number, start=3000 * number)
            .user("feed the gulls")
            .run("gull feed", "Exit code 2\ngull: every pier is shut", error=True)
            .run("gull ring", "rung")
            .run("gull feed --open", "fed")
            .reply("Fed.")
            .save(tmp_path / "sessions")
        )
    harvest(config, below(tmp_path / "sessions"))
    write = hermes.tools["afterglow_write"]["handler"]
    assert hermes.tools["afterglow_write"]["check"]()
    waiting = json.loads(write({}))
    (problem,) = waiting["problems"]
    assert waiting["success"] and "[1]" in problem["text"]
    row = {"problem": problem["problem"], "answer": "nothing", "why": "ordinary work"}
    done = json.loads(write({"answers": [row, {"problem": "0"}]}, task_id="t"))
    assert [each["outcome"] for each in done["outcomes"]] == ["nothing", "refused"]
    assert Answers(config.answers).of(problem["problem"]).by == "hermes"
    assert json.loads(write({}))["problems"] == []
    assert not json.loads(write({"answers": "all of them"}))["success"]

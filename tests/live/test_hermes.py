"""A real Hermes, offline, against a scripted model: what the plugin does for it, and what it never does to it.

One story is played for all tests: a session meets a trouble that another agent met before, and gets over it; those that
follow start with what both taught.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

import afterglow.hermes
from afterglow.flows import memory
from afterglow.flows.harvest import harvest, log_of, waiting
from afterglow.flows.warm.extract_template import items_of
from afterglow.memory.tool import USER
from afterglow.records.context import BEHIND_OUTPUT
from afterglow.records.selection import below
from afterglow.store.ledger import Ledger
from live.hermes_room import Done, Room, hermes_alone, hermes_program
from live.model_server import ASIDE, ModelServer, serving
from writing import Transcript

FOLDER = Path(afterglow.hermes.__file__).with_name("folder")
LESSON = "`sh check.sh --plain` works"
TASK = "look into the harbor"
SCRIPT = {
    "check the harbor": [
        ("terminal", {"command": "sh check.sh --swift"}),
        ("terminal", {"command": "sh check.sh --plain"}),
        "All checks pass.",
    ],
    TASK: [
        ("afterglow_recall", {"query": "check.sh flag"}),
        (
            "memory_backend",
            {
                "action": "store",
                "key": "tone",
                "value": "likes harbor news in short sentences",
            },
        ),
        ("memory_backend", {"action": "query", "query": "tone of sentences"}),
        ("skill_view", {"name": "afterglow:afterglow-harvest"}),
        "Found it.",
    ],
}


@dataclass
class Story:
    """What Hermes answered and what the model was sent, scene by scene."""

    room: Room
    first: Done
    oneshot: Done
    task: Done
    task_session: str
    task_users: list[str]
    task_tools: set[str]
    task_results: list[dict]
    resumed_users: list[str]
    resumed: Done
    left_by_oneshot: list[str]
    template: str


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    program = hermes_program()
    with serving(ModelServer(SCRIPT)) as model:
        room = Room(tmp_path_factory.mktemp("room"), [program], model)
        room.variables["AFTERGLOW_MEMORY_BACKEND"] = "local"
        fails = 'test "$1" = --plain || { echo "error: unknown flag: $1" >&2; exit 3; }\necho all fine\n'
        (room.checkout / "check.sh").write_text(fails)
        earlier = Transcript(1).user("check the harbor")
        error = "Exit code 3\nerror: unknown flag: --swift"
        earlier.run("sh check.sh --swift", error, error=True)
        earlier.run("sh check.sh --plain", "all fine").reply("All checks pass.")
        harvest(room.config, below(earlier.save(room.folder / "earlier")))
        yield room
        room.harvest()


@pytest.fixture(scope="module")
def story(room):
    first = room.ask("check the harbor")
    room.harvest()
    oneshot = room.hermes("-z", "check the harbor again, please")
    left = [one.session for one in waiting(room.config)]
    task = room.ask(TASK)
    session, users, tools = room.session(), room.model.users(), room.model.tools()
    results = [json.loads(result) for result in room.model.results()]
    resumed = room.ask("and then?", "--resume", session)
    again = room.model.users()
    room.harvest()
    whole = room.rows("SELECT id FROM sessions ORDER BY rowid LIMIT 1")[0]["id"]
    made = room.hermes("warm", "extract", whole, "--name", "Harbor checks", "--json")
    template = json.loads(made.out)["id"]
    assert room.hermes("warm", "approve", template).code == 0
    memory.approve(replace(room.config, memory_backend="local"), USER, ["tone"])
    return Story(
        room,
        first,
        oneshot,
        task,
        session,
        users,
        tools,
        results,
        again,
        resumed,
        left,
        template,
    )


def test_hermes_answers_as_if_we_were_not_there(story):
    for done, answer in (
        (story.first, "All checks pass."),
        (story.oneshot, "All checks pass."),
        (story.task, "Found it."),
        (story.resumed, "Done."),
    ):
        assert (done.code, done.out.splitlines()[-1]) == (0, answer)


def test_the_lesson_of_a_finished_session_is_in_the_context_of_the_next(story):
    assert (
        story.task_users[0].startswith(TASK + "\n\n") and LESSON in story.task_users[0]
    )
    assert len(story.task_users[0]) < 10_000


def test_the_store_of_hermes_keeps_the_context_apart_from_what_was_said(story):
    rows = story.room.rows(
        f"SELECT content, api_content FROM messages WHERE session_id = '{story.task_session}' AND role = 'user'"
    )
    assert [row["content"] for row in rows] == [TASK, "and then?"]
    assert LESSON in rows[0]["api_content"] and not rows[1]["api_content"]


def test_a_resumed_session_is_not_given_a_second_context(story):
    assert story.resumed_users == [story.task_users[0], "and then?"]


def test_every_context_is_proved_by_the_session_it_was_made_for(story):
    with Ledger(story.room.config.ledger) as ledger:
        given = [one for one in ledger.deliveries() if one.when == "start"]
    assert {one.state for one in given} == {"delivered"} and {
        one.agent for one in given
    } == {"hermes"}
    assert [one.session for one in given if one.id in story.task_users[0]] == [
        story.task_session
    ]


def test_a_failed_call_is_told_about_behind_its_output_once_and_that_is_proved(story):
    rows = story.room.rows(
        "SELECT session_id, content FROM messages WHERE role = 'tool' ORDER BY id"
    )
    told = [row for row in rows if BEHIND_OUTPUT in row["content"]]
    assert all("--plain" in row["content"].rpartition(BEHIND_OUTPUT)[2] for row in told)
    with Ledger(story.room.config.ledger) as ledger:
        hints = [one for one in ledger.deliveries() if one.when == "failure"]
    assert [one.session for one in hints] == [row["session_id"] for row in told]
    assert len(told) == len({row["session_id"] for row in told}) == 2
    assert {one.state for one in hints} == {"delivered"}


def test_a_session_that_ended_without_a_word_is_harvested_after_the_next_start(story):
    """`hermes -z` fires no end."""
    oneshot = story.room.rows(
        "SELECT id FROM sessions WHERE end_reason = 'agent_close'"
    )[0]["id"]
    assert oneshot not in story.left_by_oneshot
    remedies = [item.remedy for item in items_of(story.room.config, oneshot)]
    assert any(LESSON in remedy for remedy in remedies)


def test_the_users_own_model_shortens_a_template_within_a_cap(story):
    """The same model that Hermes talks to, through Hermes: no key and no address of ours."""
    words = (
        "warm",
        "compress",
        story.template,
        "--strategy",
        "model",
        "--model",
        "hermes",
        "--json",
    )
    short = {
        "context": [],
        "rules": [],
        "recoveries": [{"number": 1, "worked": "`--plain`"}],
    }
    story.room.model.aside = json.dumps(short)
    try:
        uncapped, capped = (
            story.room.hermes(*words),
            story.room.hermes(*words, "--max-tokens", "20000"),
        )
    finally:
        story.room.model.aside = ASIDE
    assert uncapped.code == 7 and "--max-tokens" in uncapped.err
    assert capped.code == 0 and "asked hermes: 100 tokens in, 10 out" in capped.err, (
        capped
    )
    assert (
        json.loads(capped.out)["seed"]["recovery_patterns"][0]["worked"] == "`--plain`"
    )


def test_what_our_tools_answer_teaches_nothing(story):
    assert items_of(story.room.config, story.task_session) == []


def test_the_model_is_offered_our_tools_and_our_skill_and_they_answer(story):
    assert {"afterglow_recall", "afterglow_write", "memory_backend"} <= story.task_tools
    recalled, stored, asked, skill = story.task_results
    assert recalled["items"][0]["remedy"] == LESSON
    assert "did not say it" in stored["waits"] and asked["entries"] == []
    assert skill["success"] and "afterglow" in skill["content"]


def test_nothing_went_wrong_unseen(story):
    assert log_of(story.room.config).recent() == []


def test_templates_are_made_listed_and_started_from_inside_hermes(story):
    room, template = story.room, story.template
    listed = room.hermes("warm", "list")
    assert (listed.code, listed.err) == (
        0,
        "",
    ) and f"{template}  Harbor checks" in listed.out
    started = room.hermes("warm", "start", template[:20], "carry on", "--quiet")
    assert (started.code, started.out.splitlines()[-1]) == (0, "Done.")
    messages = room.model.requests[-1]["messages"]
    assert [message["role"] for message in messages[:2]] == [
        "system",
        "user",
    ] and template in messages[1]["content"]
    assert messages[-1] == {"role": "user", "content": "carry on"}
    commands = [
        call["function"]["arguments"]
        for one in messages
        for call in one.get("tool_calls", ())
    ]
    assert any("sh check.sh --plain" in command for command in commands)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "nothing", "--version", "2"], 4, "no template 'nothing'"),
        (["start", "nothing"], 4, "no template 'nothing'"),
        (["list", "--colour"], 2, "hermes warm list"),
        (["--help"], 0, "start "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_commands_have_the_exit_codes_of_our_own_program(room, words, code, said):
    done = room.hermes("warm", *words)
    assert done.code == code and said in done.out + done.err


def test_a_template_that_nobody_approved_starts_nothing(story, tmp_path):
    room, file = story.room, tmp_path / "shared.json"
    assert (
        room.hermes("warm", "export", story.template, "--output", str(file)).code == 0
    )
    elsewhere = str(tmp_path / "kept")
    taken = json.loads(
        room.hermes("warm", "import", str(file), "--json", AFTERGLOW_HOME=elsewhere).out
    )["taken"]
    before = len(room.rows("SELECT id FROM sessions"))
    done = room.hermes(
        "warm", "start", taken[0]["id"], "carry on", "--quiet", AFTERGLOW_HOME=elsewhere
    )
    assert done.code == 2 and "not approved" in done.err
    assert len(room.rows("SELECT id FROM sessions")) == before


def test_a_broken_store_does_not_disturb_hermes_and_leaves_a_line(story):
    config = story.room.config
    broken = config.home.with_name("broken")
    broken.mkdir()
    (broken / "knowledge.db").write_bytes(b"SQLite format 3\0" + b"garbage" * 999)
    done = story.room.ask("hello", AFTERGLOW_HOME=str(broken))
    assert (done.code, done.out.splitlines()[-1]) == (0, "Done.")
    assert story.room.model.users() == ["hello"]
    assert "hermes context" in {
        line.what for line in log_of(type(config)(broken, config.user_home)).recent()
    }


def test_a_home_that_cannot_be_written_does_not_disturb_hermes_which_notes_it_itself(
    story,
):
    nowhere = story.room.folder / "a-file"
    nowhere.touch()
    done = story.room.ask("hello", AFTERGLOW_HOME=str(nowhere / "home"))
    assert (done.code, done.out.splitlines()[-1]) == (0, "Done.")
    assert (
        "afterglow: session end"
        in (story.room.hermes_home / "logs/errors.log").read_text()
    )


def test_a_hermes_whose_python_has_no_afterglow_is_served_by_one_that_has(
    story, monkeypatch
):
    room = story.room
    plugin = room.hermes_home / "plugins/afterglow"
    shutil.copytree(FOLDER, plugin)
    (plugin / "python").write_text(f"{sys.executable}\n")
    monkeypatch.setattr(room, "program", hermes_alone(room.program[0]))
    done = room.ask("hello")
    shutil.rmtree(plugin)
    assert (done.code, done.out.splitlines()[-1]) == (0, "Done.")
    assert (
        LESSON in room.model.users()[0] and "afterglow_recall" not in room.model.tools()
    )


def test_as_memory_provider_it_adds_what_the_user_prefers_beside_the_context(story):
    """In Hermes 0.19 a provider is a folder in its `plugins/`; ours leads to the package."""
    room = story.room
    shutil.copytree(FOLDER, room.hermes_home / "plugins/afterglow")
    room.settings(memory={"provider": "afterglow"})
    assert room.ask("news of the harbor in which tone?").code == 0
    said = room.model.users()[0]
    assert "likes harbor news in short sentences" in said and LESSON in said
    assert (
        sum(
            tool["function"]["name"] == "memory_backend"
            for tool in room.model.requests[-1]["tools"]
        )
        == 1
    )

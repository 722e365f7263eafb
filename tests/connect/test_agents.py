"""Every agent of the table keeps the same promises; then what is special to each."""

import json
import tomllib
from pathlib import Path

import pytest

from afterglow.connect import AGENTS
from afterglow.connect.plan import Machine
from afterglow.errors import ConfigError, Unsupported

HOME = Path("/home/ana/.agent")
MACHINE = Machine(
    folder=HOME,
    command="/opt/afterglow",
    version=(0, 150, 0),
    plugin={"__init__.py": b"# us\n"},
)
every_agent = pytest.mark.parametrize(
    "agent", [AGENTS.load(name) for name in AGENTS.names()], ids=AGENTS.names()
)


def planned(agent, machine=MACHINE, **files):
    """The plan, and the files as they are after it. Names are below the agent's folder."""
    held = {machine.folder / name: text.encode() for name, text in files.items()}
    plan = agent.plan(machine, held.get)
    for edit in plan.edits:
        assert held.get(edit.path) == edit.before
        held[edit.path] = edit.after
    return plan, held


@every_agent
def test_connecting_twice_changes_nothing(agent):
    plan, held = planned(agent)
    assert plan.edits
    assert agent.plan(MACHINE, held.get).edits == ()


@every_agent
def test_only_places_that_are_known_are_touched(agent):
    assert {edit.path for edit in planned(agent)[0].edits} <= set(agent.places(MACHINE))


@every_agent
def test_our_parts_can_be_taken_out_of_every_file(agent):
    _, held = planned(agent)
    for path, data in held.items():
        left = agent.without(path, data)
        assert b"/opt/afterglow" not in left and b"- afterglow" not in left
        assert agent.without(path, left) == left


@every_agent
def test_what_is_not_text_is_refused(agent):
    with pytest.raises(ConfigError, match="not UTF-8"):
        agent.plan(MACHINE, lambda path: b"\xff\xfe")


@every_agent
def test_the_folder_follows_what_the_person_set(agent):
    assert agent.folder(Path("/home/ana"), {}).parent == Path("/home/ana")
    below = "projects" if agent.NAME == "claude-code" else ""
    assert agent.folder(Path("/home/ana"), {agent.NAME: Path("/else") / below}) == Path(
        "/else"
    )


def test_claude_code_gets_three_hooks_with_a_time_limit():
    _, held = planned(AGENTS.load("claude-code"))
    hooks = json.loads(held[HOME / "settings.json"])["hooks"]
    assert list(hooks) == ["SessionStart", "SessionEnd", "Stop"]
    assert hooks["SessionStart"] == [
        {
            "hooks": [
                {
                    "type": "command",
                    "command": "/opt/afterglow hook SessionStart --agent claude-code",
                    "timeout": 5,
                }
            ]
        }
    ]


def test_one_checkout_of_claude_code_has_settings_of_its_own():
    machine = Machine(
        folder=HOME, command="/opt/afterglow", project=Path("/src/harbor")
    )
    assert [
        edit.path for edit in planned(AGENTS.load("claude-code"), machine)[0].edits
    ] == [Path("/src/harbor/.claude/settings.local.json")]


def test_the_plugin_of_claude_code_and_hooks_are_not_both_used():
    said = json.dumps({"enabledPlugins": {"afterglow@afterglow": True}})
    plan, _ = planned(AGENTS.load("claude-code"), **{"settings.json": said})
    assert plan.edits == () and "plugin is enabled" in plan.notes[0]


def test_hooks_that_were_there_before_the_plugin_did_not_stay_beside_it():
    hooks, _ = planned(AGENTS.load("claude-code"))
    both = {
        **json.loads(hooks.edits[0].after),
        "enabledPlugins": {"afterglow@afterglow": True},
    }
    plan, _ = planned(AGENTS.load("claude-code"), **{"settings.json": json.dumps(both)})
    assert json.loads(plan.edits[0].after) == {
        "enabledPlugins": {"afterglow@afterglow": True}
    }


def test_a_plugin_of_all_checkouts_was_overlooked_when_one_was_connected():
    machine = Machine(
        folder=HOME, command="/opt/afterglow", project=Path("/src/harbor")
    )
    said = json.dumps({"enabledPlugins": {"afterglow@afterglow": True}})
    plan, _ = planned(AGENTS.load("claude-code"), machine, **{"settings.json": said})
    assert plan.edits == () and "plugin is enabled" in plan.notes[0]


def test_hooks_that_are_turned_off_are_told():
    plan, _ = planned(
        AGENTS.load("claude-code"), **{"settings.json": '{"disableAllHooks": true}'}
    )
    assert plan.edits and "disableAllHooks" in plan.notes[0]


@pytest.mark.parametrize(
    ("version", "files", "events"),
    [
        ((0, 145, 0), {"hooks.json"}, ["SessionStart", "Stop", "SessionEnd"]),
        ((0, 124, 0), {"hooks.json"}, ["SessionStart", "Stop"]),
        ((0, 114, 0), {"hooks.json", "config.toml"}, ["SessionStart", "Stop"]),
        ((0, 99, 1), {"AGENTS.md"}, None),
        (None, {"AGENTS.md"}, None),
    ],
)
def test_codex_gets_what_its_version_understands(version, files, events):
    machine = Machine(folder=HOME, command="/opt/afterglow", version=version)
    plan, held = planned(AGENTS.load("codex"), machine)
    assert {path.name for path in held} == files
    if events:
        said = json.loads(held[HOME / "hooks.json"])
        assert (
            list(said) == ["hooks"] and list(said["hooks"]) == events
        )  # Codex drops a file with other keys
        assert "/hooks" in plan.notes[-1]
    if "config.toml" in files:
        assert tomllib.loads(held[HOME / "config.toml"].decode())["features"] == {
            "codex_hooks": True
        }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", {"features": {"codex_hooks": True}}),
        ('model = "m"', {"model": "m", "features": {"codex_hooks": True}}),
        (
            "[features] # mine\nweb = true\n\n[x]\ny = 1\n",
            {"features": {"web": True, "codex_hooks": True}, "x": {"y": 1}},
        ),
        ("[features]", {"features": {"codex_hooks": True}}),
        ("[x]\r\ny = 1\r\n", {"x": {"y": 1}, "features": {"codex_hooks": True}}),
    ],
)
def test_the_switch_for_hooks_of_an_older_codex_is_set_and_taken_out(before, after):
    codex = AGENTS.load("codex")
    machine = Machine(folder=HOME, command="/opt/afterglow", version=(0, 120, 0))
    _, held = planned(codex, machine, **{"config.toml": before})
    data = held[HOME / "config.toml"]
    assert tomllib.loads(data.decode()) == after
    del after["features"]["codex_hooks"]
    left = tomllib.loads(codex.without(HOME / "config.toml", data).decode())
    assert left == after or {**left, "features": {}} == after


@pytest.mark.parametrize(
    "before",
    [
        "features = {web = true}\n",
        "features.web = true\n",
        'a = """\n[features]\n"""\n',
    ],
)
def test_features_written_in_another_way_are_not_touched(before):
    machine = Machine(folder=HOME, command="/opt/afterglow", version=(0, 120, 0))
    with pytest.raises(ConfigError, match="codex_hooks = true"):
        planned(AGENTS.load("codex"), machine, **{"config.toml": before})


def test_hooks_that_codex_was_told_not_to_run_stay_off():
    plan, held = planned(
        AGENTS.load("codex"), **{"config.toml": "[features]\nhooks = false\n"}
    )
    assert held[HOME / "config.toml"] == b"[features]\nhooks = false\n"
    assert "turns hooks off" in plan.notes[0]


def test_keys_that_make_codex_ignore_the_file_are_told():
    plan, _ = planned(
        AGENTS.load("codex"), **{"hooks.json": '{"$schema": "x", "hooks": {}}'}
    )
    assert "$schema" in plan.notes[0]


def test_a_newer_codex_no_longer_needs_to_be_asked_by_agents_md():
    codex = AGENTS.load("codex")
    _, held = planned(
        codex,
        Machine(folder=HOME, command="/opt/afterglow"),
        **{"AGENTS.md": "# Mine\n"},
    )
    assert b"bootstrap --agent codex" in held[HOME / "AGENTS.md"]
    edits = {edit.path.name: edit.after for edit in codex.plan(MACHINE, held.get).edits}
    assert edits["AGENTS.md"] == b"# Mine\n" and "hooks.json" in edits


def test_hermes_is_given_a_folder_only_if_its_python_has_no_package():
    hermes = AGENTS.load("hermes")
    assert [edit.path.name for edit in planned(hermes)[0].edits] == [
        "__init__.py",
        "config.yaml",
    ]
    machine = Machine(
        folder=HOME, command="/opt/afterglow", packaged=True, plugin=MACHINE.plugin
    )
    assert [edit.path.name for edit in planned(hermes, machine)[0].edits] == [
        "config.yaml"
    ]


def test_hermes_settings_that_are_not_understood_are_refused_with_another_way():
    with pytest.raises(Unsupported, match="hermes plugins enable afterglow"):
        planned(AGENTS.load("hermes"), **{"config.yaml": "plugins: *mine\n"})


def test_a_plugin_that_hermes_was_told_to_disable_is_told():
    plan, _ = planned(
        AGENTS.load("hermes"),
        **{"config.yaml": "plugins:\n  disabled:\n    - afterglow\n"},
    )
    assert "plugins.disabled" in plan.notes[0]


def test_hermes_has_no_settings_of_one_checkout():
    with pytest.raises(Unsupported, match="without --project"):
        planned(
            AGENTS.load("hermes"),
            Machine(folder=HOME, command="a", project=Path("/src")),
        )

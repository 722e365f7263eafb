"""Every agent of the table keeps the same promises; then what is special to each."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from afterglow.connect import AGENTS
from afterglow.connect.plan import Machine
from afterglow.errors import ConfigError, Unsupported
from connect.own_hermes import BROKEN, own_command

HOME = Path("/home/ana/.agent")
MACHINE = Machine(
    folder=HOME,
    command="/opt/afterglow",
    version=(2, 150, 0),
    plugin={"__init__.py": b"# us\n"},
    own_command=own_command,
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
        assert agent.holds(path, data)
        rest = agent.without(MACHINE, path, data)
        assert b"/opt/afterglow" not in rest
        assert rest == b"" or not agent.holds(path, rest)
        assert agent.without(MACHINE, path, rest) == rest


@every_agent
def test_what_is_not_text_is_refused(agent):
    with pytest.raises(ConfigError, match="not UTF-8"):
        agent.plan(MACHINE, lambda path: b"\xff\xfe")


@every_agent
def test_the_folder_follows_what_the_person_set(agent):
    assert Path("/home/ana") in agent.folder(Path("/home/ana"), {}).parents
    below = "projects" if agent.NAME == "claude-code" else ""
    assert agent.folder(Path("/home/ana"), {agent.NAME: Path("/else") / below}) == Path(
        "/else"
    )


def claude_hooks(**machine):
    facts = replace(MACHINE, **machine)
    plan, held = planned(AGENTS.load("claude-code"), facts)
    return json.loads(held[HOME / "settings.json"])["hooks"], plan.notes


def test_claude_code_gets_hooks_with_a_time_limit():
    hooks, notes = claude_hooks()
    assert list(hooks) == [
        "SessionStart", "SessionEnd", "Stop", "SubagentStart", "PostToolUseFailure", "PostToolUse", "PostToolBatch",
    ]  # fmt: skip
    assert notes == ()
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


@pytest.mark.parametrize("version", [(2, 1, 100), (1, 0, 50), None])
def test_an_older_claude_code_would_drop_its_settings_over_an_event_it_does_not_know(
    version,
):
    hooks, notes = claude_hooks(version=version, rule_commands=("git push",))
    assert list(hooks) == ["SessionStart", "SessionEnd", "Stop"]
    assert "2.1.101" in notes[0]


def test_calls_that_ended_well_are_screened_and_failed_ones_are_not():
    hooks, _ = claude_hooks(screen="sh /s.sh")
    assert hooks["PostToolUse"][0]["matcher"] == "Bash"
    for event in ("PostToolUse", "PostToolBatch"):
        assert hooks[event][0]["hooks"][0]["command"].startswith("sh /s.sh /opt/")
    assert "/s.sh" not in json.dumps(hooks["PostToolUseFailure"])


def test_who_wants_no_word_on_failures_pays_for_none():
    hooks, _ = claude_hooks(failures=False)
    assert list(hooks) == ["SessionStart", "SessionEnd", "Stop", "SubagentStart"]


def test_rules_of_a_person_are_behind_a_filter_of_their_command():
    hooks, _ = claude_hooks(rule_commands=("git push", "npm publish"))
    (group,) = hooks["PreToolUse"]
    filters = [hook["if"] for hook in group["hooks"]]
    assert filters == ["Bash(git push:*)", "Bash(npm publish:*)"]
    assert all(hook["command"].endswith("--pretool") for hook in group["hooks"])


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
        (
            (0, 145, 0),
            {"hooks.json"},
            ["SessionStart", "Stop", "SessionEnd", "SubagentStart", "PostToolUse"],
        ),
        ((0, 124, 0), {"hooks.json"}, ["SessionStart", "Stop", "PostToolUse"]),
        ((0, 114, 0), {"hooks.json"}, ["SessionStart", "Stop"]),
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


@pytest.mark.parametrize(
    ("version", "settings", "is_told"),
    [
        ((0, 114, 0), "", True),
        ((0, 123, 9), "[features]\nweb = true\n", True),
        ((0, 123, 9), "[features]\ncodex_hooks = true\n", False),
        ((0, 124, 0), "", False),
    ],
)
def test_the_switch_of_an_older_codex_is_for_a_person_to_set(
    version, settings, is_told
):
    machine = Machine(folder=HOME, command="/opt/afterglow", version=version)
    plan, held = planned(AGENTS.load("codex"), machine, **{"config.toml": settings})
    assert held[HOME / "config.toml"].decode() == settings
    assert ("[features]\n    codex_hooks = true" in plan.notes[0]) == is_told


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
    machine = replace(MACHINE, packaged=True)
    assert [edit.path.name for edit in planned(hermes, machine)[0].edits] == [
        "config.yaml"
    ]


ENABLED = {
    "a block": "plugins:\n  enabled:\n    - other\n    - afterglow\n",
    "dashes at the key": "plugins:\n  enabled:\n  - 'afterglow'  # ours\nz: 1\n",
    "comments between": "plugins:\n  # which\n  enabled: # list\n\n    # us\n    - afterglow",
    "one line": "x: 1\nplugins:\n  enabled: [other, afterglow]\n  disabled: []\n",
    "braces": "plugins: {enabled: [afterglow]}\n",
    "other line ends": "plugins:\r\n  enabled:\r\n    - afterglow\r\n",
}
NOT_ENABLED = {
    "nothing": "",
    "another": "plugins:\n  enabled:\n    - afterglow-two\n",
    "a comment": "plugins:\n  enabled:\n    - other\n    # - afterglow\n",
    "elsewhere": "tools:\n  enabled:\n    - afterglow\n",
    "of another list": "plugins:\n  enabled: []\n  disabled:\n    - afterglow\n",
    "both": "plugins:\n  enabled: [afterglow]\n  disabled: [afterglow]\n",
    "an entry": "plugins:\n  entries:\n    afterglow:\n      allow: false\n",
}


@pytest.mark.parametrize("text", ENABLED.values(), ids=ENABLED)
def test_settings_of_hermes_that_name_our_plugin_stay_as_they_are(text):
    plan, held = planned(AGENTS.load("hermes"), **{"config.yaml": text})
    assert held[HOME / "config.yaml"].decode() == text
    assert plan.notes == ()


@pytest.mark.parametrize("text", NOT_ENABLED.values(), ids=NOT_ENABLED)
def test_settings_of_hermes_that_do_not_name_our_plugin_are_written_by_hermes(text):
    _, held = planned(AGENTS.load("hermes"), **{"config.yaml": text})
    assert "    - afterglow\n" in held[HOME / "config.yaml"].decode()


def test_comments_that_hermes_drops_are_told():
    text = "# mine\nmodel: x\n"
    plan, held = planned(AGENTS.load("hermes"), **{"config.yaml": text})
    assert "# mine" not in held[HOME / "config.yaml"].decode()
    assert "without your comments" in plan.notes[0]


def test_settings_that_hermes_cannot_parse_were_replaced_by_nothing():
    with pytest.raises(ConfigError, match="cannot read it as YAML"):
        planned(AGENTS.load("hermes"), **{"config.yaml": BROKEN})


def test_a_hermes_that_does_not_enable_the_plugin_is_not_believed():
    machine = replace(MACHINE, own_command=lambda words, files: files)
    with pytest.raises(Unsupported, match="did not add afterglow"):
        planned(AGENTS.load("hermes"), machine, **{"config.yaml": "model: x\n"})


def test_where_hermes_has_no_program_a_person_is_told_the_lines_to_add():
    hermes = AGENTS.load("hermes")
    machine = replace(MACHINE, own_command=None)
    plan, held = planned(hermes, machine, **{"config.yaml": "model: x\n"})
    assert [edit.path.name for edit in plan.edits] == ["__init__.py"]
    assert "plugins:\n      enabled:\n        - afterglow" in plan.notes[0]
    with pytest.raises(Unsupported, match="yours to do: add to"):
        hermes.plan(machine, held.get)
    named = b"plugins:\n  enabled: [afterglow]\n"
    assert hermes.plan(machine, {**held, HOME / "config.yaml": named}.get).notes == ()
    with pytest.raises(Unsupported, match="by hand, then disconnect again"):
        hermes.without(machine, HOME / "config.yaml", named)


def test_hermes_has_no_settings_of_one_checkout():
    with pytest.raises(Unsupported, match="without --project"):
        planned(AGENTS.load("hermes"), replace(MACHINE, project=Path("/src")))

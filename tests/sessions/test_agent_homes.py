"""Where sessions are looked for: an agent's own folders, links and locked doors included."""

from pathlib import Path

from afterglow.sessions.agent_homes import candidates, homes, single, walk


def names(folders):
    return sorted(
        f"{folder.path}/{file[0]}" for folder in folders for file in folder.files
    )


def touch(path: Path, text: str = "{}\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_every_agents_sessions_are_found_and_nothing_else(tmp_path):
    wanted = [
        touch(tmp_path / ".claude/projects/-home-ana-harbor/a.jsonl"),
        touch(tmp_path / ".claude/projects/-home-ana-harbor/a/subagents/agent-1.jsonl"),
        touch(tmp_path / ".codex/sessions/2026/11/15/rollout-1.jsonl"),
        touch(tmp_path / ".copilot/session-state/x/events.jsonl"),
        touch(tmp_path / ".gemini/tmp/hash/chats/session-1.json"),
        touch(tmp_path / ".hermes/profiles/ops/state.db"),
        touch(tmp_path / ".hermes/state.db"),
        touch(tmp_path / ".pi/agent/sessions/--home--/s.jsonl"),
    ]
    for other in (
        ".claude/settings.json",
        ".codex/config.toml",
        ".hermes/kanban.db",
        ".gemini/tmp/hash/logs.json",
        ".codex/history.jsonl",
    ):
        touch(tmp_path / other)
    found = [
        folder
        for home in homes(tmp_path, {})
        if home.root.is_dir()
        for folder in candidates(home)
    ]
    assert names(found) == sorted(wanted)


def test_an_agent_that_was_moved_is_found_where_it_went(tmp_path):
    moved = touch(tmp_path / "elsewhere/state.db")
    (hermes,) = [
        home
        for home in homes(tmp_path, {"hermes": tmp_path / "elsewhere"})
        if home.agent == "hermes"
    ]
    assert names(candidates(hermes)) == [moved]


def test_a_circle_of_links_ends(tmp_path):
    real = touch(tmp_path / "a/s.jsonl")
    (tmp_path / "a/loop").symlink_to(tmp_path / "a")
    (tmp_path / "a/self").symlink_to(tmp_path / "a/self")
    (tmp_path / "a/nowhere").symlink_to(tmp_path / "gone")
    assert names(walk(tmp_path)) == [real]


def test_a_linked_file_is_followed(tmp_path):
    real = Path(touch(tmp_path / "real/s.jsonl"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links/s.jsonl").symlink_to(real)
    assert names(walk(tmp_path / "links")) == [str(tmp_path / "links/s.jsonl")]


def test_a_folder_that_is_not_there_is_a_problem_not_a_crash(tmp_path):
    (folder,) = walk(tmp_path / "gone")
    assert folder.problem == "No such file or directory"


def test_a_database_changes_with_its_write_ahead_log(tmp_path):
    touch(tmp_path / "state.db")
    before = next(walk(tmp_path)).files
    touch(tmp_path / "state.db-wal", "more")
    after = next(walk(tmp_path)).files
    assert [f[0] for f in after] == ["state.db"] and after != before
    assert single(tmp_path / "state.db").files == after

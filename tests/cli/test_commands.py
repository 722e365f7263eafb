"""The command line, run as a person runs it: what is printed, what is returned, what a wrong word gets."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from afterglow.cli.demo import MARKER, make_room
from afterglow.cli.output import print_json_in_pieces
from afterglow.records.session import Session
from afterglow.sessions import load
from command_line import afterglow
from writing import Transcript, ordinary


@pytest.fixture
def run(tmp_path):
    def command(*words, home=None):
        """Exit code, output, error output. Each test has a home of its own."""
        env = {
            **os.environ,
            "HOME": str(home or tmp_path),
            "AFTERGLOW_HOME": str(tmp_path / "kept"),
            "COLUMNS": "160",
        }
        for name in (
            "HERMES_HOME",
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "COPILOT_HOME",
            "PI_CODING_AGENT_DIR",
        ):
            env.pop(name, None)
        done = afterglow(*words, env=env)
        return done.returncode, done.stdout, done.stderr

    return command


@pytest.fixture
def scanned(run, tmp_path):
    for number in range(3):
        ordinary(number, start=100 * number).save(
            tmp_path / ".claude/projects/-home-ana-src-harbor"
        )
    assert run("scan")[0] == 0
    return run


def test_help_lists_every_command():
    """Also where the installed program is started."""
    program = str(Path(sys.executable).with_name("afterglow"))
    out = subprocess.run(
        [program, "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert [
        name
        for name in ("scan", "sessions", "profile", "sample", "demo")
        if name not in out
    ] == []


@pytest.mark.parametrize(
    "command",
    [
        ["scan"],
        ["sessions", "list"],
        ["sessions", "show"],
        ["profile"],
        ["sample"],
        ["demo"],
    ],
)
def test_every_table_can_be_had_as_json(run, command):
    assert "--json" in run(*command, "--help")[1]


def test_scan_says_in_one_screen_what_is_there(scanned):
    code, out, err = scanned("scan")
    assert (code, err) == (0, "")
    assert "claude-code" in out and "harbor 3 (by cwd)" in out and "3 sessions" in out
    assert len(out.splitlines()) < 25


def test_scan_without_agents_says_where_it_looked(run):
    code, out, _ = run("scan")
    assert code == 0 and "No sessions found" in out and "~/.hermes" in out


def test_scan_of_a_place_that_is_not_there_is_exit_3(run, tmp_path):
    code, out, _ = run("scan", tmp_path / "nowhere")
    assert code == 3 and "not there" in out


def test_scan_where_nothing_can_be_read_is_exit_3(run, tmp_path):
    (tmp_path / "x.db").write_bytes(
        b"SQLite format 3\x00" + b"parent_session_id tool_call_id" * 200
    )
    code, out, _ = run("scan", tmp_path / "x.db")
    assert code == 3 and "could not be read" in out


def test_scan_as_json_has_everything(scanned):
    found = json.loads(scanned("scan", "--json")[1])
    assert (
        found["sessions"] == 3
        and found["agents"][0]["agent"] == "claude-code"
        and found["troubles"] == []
    )


def test_sessions_can_be_listed_and_shown(scanned):
    _, out, _ = scanned("sessions", "list")
    id = out.splitlines()[2].split()[0]
    assert id == ordinary(2).id[:13]
    code, shown, _ = scanned("sessions", "show", ordinary(2).id)
    assert (
        code == 0
        and "✗ Bash: go test ./..." in shown
        and "undefined: defaultAgent" in shown
        and "All green." in shown
    )


def test_the_list_of_sessions_is_searched_and_narrowed(scanned):
    _, out, _ = scanned("sessions", "list", "--search", "TESTS please", "--failures")
    assert out.count("run the tests please") == 3
    _, out, _ = scanned("sessions", "list", "--limit", 2)
    assert "2 of 3; --limit shows more" in out
    one = json.loads(
        scanned("sessions", "list", "--search", "000000000002", "--json")[1]
    )
    assert [entry["id"] for entry in one] == [ordinary(2).id]
    nothing = "--search=nowhere --hidden --given --taught --tool=Edit --outcome=failure --until=2026-09-30"
    for words in nothing.split():
        code, out, _ = scanned("sessions", "list", words)
        assert (code, out.startswith("No session fits all of that")) == (0, True), words


def test_an_id_that_fits_several_sessions_says_so(scanned):
    code, _, err = scanned("sessions", "show", ordinary(2).id[:13])
    assert code == 4 and "fits 3 sessions" in err


def test_control_characters_of_a_transcript_do_not_reach_the_screen(run, tmp_path):
    Transcript(1).user("hello\x1b[2J\x1b[31m there").reply("fine").save(tmp_path / "s")
    run("scan", tmp_path / "s")
    for words in (
        ["sessions", "list"],
        ["sessions", "show", Transcript(1).id],
        ["sample"],
    ):
        assert "\x1b[2J" not in run(*words)[1]


def test_profile_says_which_question_it_answers(scanned):
    _, out, _ = scanned("profile")
    assert (
        "Compares different sessions" in out
        and "Follows the same" in out
        and "3 sessions" in out
    )


@pytest.mark.parametrize(
    "by", ["length", "position", "tool", "model", "task-type", "week", "agent", "repo"]
)
def test_profile_by_each_thing(scanned, by):
    code, out, _ = scanned("profile", "--by", by)
    assert code == 0 and "Error rate" in out
    assert json.loads(scanned("profile", "--by", by, "--json")[1])["rows"]


def test_profile_of_one_session(scanned):
    code, out, _ = scanned("profile", ordinary(1).id, "--by", "tool")
    assert code == 0 and "1 session" in out


def test_profile_writes_a_page_and_a_figure_that_need_no_network(scanned, tmp_path):
    assert (
        scanned("profile", "--format", "html", "--output", tmp_path / "p.html")[0] == 0
    )
    page = (tmp_path / "p.html").read_text()
    assert page.startswith("<!doctype html>") and "<svg" in page
    assert not [
        word
        for word in ("<script", "http://", "https://", "@import")
        if word in page.replace("http://www.w3.org", "")
    ]
    assert scanned("profile", "--plot", tmp_path / "p.svg")[0] == 0
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_a_figure_in_another_format_gets_an_answer_that_helps(scanned, tmp_path):
    code, _, err = scanned("profile", "--plot", tmp_path / "p.png")
    assert code == 2 and "p.svg" in err


def test_profile_of_nothing_says_what_to_do(run):
    code, out, _ = run("profile")
    assert code == 0 and "afterglow scan" in out


def test_sample_explains_itself_and_writes_paths(scanned, tmp_path):
    _, out, _ = scanned("sample", "--explain")
    assert "novelty" in out and "3 of 3 sessions" in out
    assert (
        scanned("sample", "--format", "paths", "--output", tmp_path / "best.txt")[0]
        == 0
    )
    assert len((tmp_path / "best.txt").read_text().splitlines()) == 3


def test_a_file_that_ends_in_json_holds_json_unless_another_format_was_asked_for(
    scanned, tmp_path
):
    file = tmp_path / "sample.json"
    scanned("sample", "--output", file)
    assert len(json.loads(file.read_text())["picks"]) == 3
    scanned("sample", "--format", "paths", "--output", file)
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["sample", "--since", "soon"], "7d, 2w, 12h or 2026-11-01"),
        (["sample", "--sessions-dir", "nowhere"], "nowhere"),
        (["profile", "--by", "mood"], "length"),
        (["sessions", "show", "zzz"], "sessions list"),
        (["bogus"], "there is no command 'bogus'"),
    ],
)
def test_a_wrong_word_gets_an_answer_that_helps(run, words, hint):
    code, _, err = run(*words)
    assert code in (2, 4) and hint in err


def test_a_config_that_is_not_toml_is_named(run, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/config.toml").write_text("[repos\n")
    code, _, err = run("scan")
    assert code == 2 and "config.toml" in err


def test_the_config_names_repos_and_places(run, tmp_path):
    ordinary(1).save(tmp_path / "exports")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/config.toml").write_text(
        '[scan]\npaths = ["~/exports"]\n[repos]\nharbor = "acme/harbor"\n'
    )
    assert "acme/harbor 1 (by alias)" in run("scan")[1]


def test_a_home_that_cannot_be_written_is_said(run, tmp_path):
    (tmp_path / "kept").write_text("a file where the folder should be")
    code, _, err = run("scan")
    assert code == 5 and "AFTERGLOW_HOME" in err


def test_demo_runs_the_whole_loop_and_says_it_is_simulated(run, tmp_path):
    code, out, err = run("demo", "--sessions", 40, "--output", tmp_path / "demo")
    assert code == 0, err
    assert "SIMULATED" in out and "afterglow sample" in out
    assert "simulated" in (tmp_path / "demo/profile.html").read_text().lower()
    make_room(tmp_path / "demo")  # as the next demo does, whose it is
    assert [path.name for path in (tmp_path / "demo").iterdir()] == [MARKER]


def test_demo_does_not_touch_a_folder_of_others(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("keep me")
    code, _, err = run("demo", "--output", tmp_path / "mine")
    assert code == 2 and "not empty" in err and (tmp_path / "mine/file").exists()


def open_paths(folder):
    return [
        path for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077
    ]


def test_the_next_command_closes_a_home_that_existed_and_doctor_only_says_so(
    scanned, tmp_path
):
    home = tmp_path / "kept"
    assert open_paths(home) == []
    home.chmod(0o755)
    (home / "catalog.db").chmod(0o644)
    out = scanned("doctor")[1]
    assert "may look into" in out and "afterglow doctor --fix" in out
    assert {home, home / "catalog.db"} <= set(open_paths(home))
    assert scanned("sessions", "list")[0] == 0
    assert open_paths(home) == []
    home.chmod(0o755)
    assert "fixed: closed 1 file or folder" in scanned("doctor", "--fix")[1]
    assert open_paths(home) == []


def test_whatever_commands_keep_is_for_its_owner_alone(scanned, tmp_path, monkeypatch):
    """By a person whose files are open to all unless they say otherwise."""
    monkeypatch.setenv("AFTERGLOW_MEMORY_BACKEND", "local")
    for words in (
        ["harvest"],
        ["knowledge", "sync"],
        ["memory", "store", "editor", "vim"],
        ["warm", "auto"],
        ["measure"],
        ["connect", "claude-code"],
        ["bootstrap", "--repo", "harbor"],
        ["dataset", "export", "--output", tmp_path / "dataset"],
        ["experiment", "plan", "daily"],
    ):
        scanned(*words)
    found = {
        path.name
        for path in open_paths(tmp_path / "kept")
        if "knowledge" not in path.parts
    }
    assert found == set()


def test_a_session_as_json_is_written_turn_by_turn_and_whole(scanned, tmp_path):
    """All at once it took seven times the size of the session."""
    path = next((tmp_path / ".claude/projects/-home-ana-src-harbor").iterdir())
    (session,) = load(path)
    words = ("sessions", "show", path.stem, "--full", "--json", "--unredacted")
    shown = json.loads(scanned(*words)[1])
    assert list(shown)[-1] == "turns"
    assert msgspec.convert(shown, Session) == session


@pytest.mark.parametrize("format", [(), ("--full",), ("--json",)])
def test_a_session_is_shown_without_its_secrets_unless_asked_for(run, tmp_path, format):
    password = "tall-" + "Gull9"
    transcript = Transcript(1).user(f"the password is {password}")
    transcript.ask("Bash", command=f"tool --token {password}")
    transcript.answer(f"DB_PASSWORD={password}", error=True)
    transcript.save(tmp_path / "s")
    run("scan", tmp_path / "s")
    code, out, _ = run("sessions", "show", Transcript(1).id, *format)
    assert code == 0 and password not in out and "<secret:said>" in out
    words = ("sessions", "show", Transcript(1).id, *format, "--unredacted")
    code, out, err = run(*words)
    assert code == 0 and password in out and "as they stand; that is noted" in err
    assert "unredacted 1 time" in run("doctor")[1]
    assert password not in run("sessions", "list")[1]


def test_a_record_without_the_long_field_is_printed_as_any_other(capsys):
    empty = Session(id="s1", agent="a", format="f", source="x")
    print_json_in_pieces(empty, "turns", ())
    assert json.loads(capsys.readouterr().out) == json.loads(msgspec.json.encode(empty))


def test_an_engine_is_checked_before_anything_is_read(run, tmp_path):
    (tmp_path / "s.jsonl").write_text("{}\n", encoding="utf-8")
    code, _, error = run("scan", tmp_path, "--address", "auto")
    assert code == 2 and "--engine ray" in error
    code, _, error = run("harvest", tmp_path, "--engine", "spark")
    assert code == 2 and "there are: local, ray" in error

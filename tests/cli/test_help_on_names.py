"""A wrong word gets the right one, whichever word it is; completion lands where the shell looks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.read import check_names, scan
from afterglow.records.selection import Selection
from command_line import afterglow
from writing import ordinary

AFTERGLOW = str(Path(sys.executable).with_name("afterglow"))


@pytest.fixture
def config(tmp_path) -> Config:
    folder = tmp_path / "sessions"
    ordinary(1).save(folder)
    config = Config(home=tmp_path / "home", user_home=tmp_path)
    scan(config, [folder])
    return config


def run(tmp_path: Path, *words: str, **variables: str) -> tuple[int, str]:
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "home"),
    }
    ended = afterglow(*words, env=env | variables)
    return ended.returncode, ended.stdout + ended.stderr


def test_a_repository_nobody_knows_is_named_with_the_nearest(config):
    with pytest.raises(NotFound, match="did you mean harbor"):
        check_names(config, Selection(repo="harbour"))
    check_names(config, Selection(repo="harbor"))


def test_an_agent_nobody_knows_is_named_with_those_there_are(config):
    with pytest.raises(NotFound, match="there are claude-code"):
        check_names(config, Selection(agent="nosuch"))


def test_where_there_are_no_sessions_that_is_the_cause(tmp_path):
    check_names(Config(home=tmp_path, user_home=tmp_path), Selection(repo="x"))


@pytest.mark.parametrize("command", ["profile", "problems", "measure", "sessions list"])
def test_commands_do_not_blame_the_scan(config, tmp_path, command):
    code, said = run(tmp_path, *command.split(), "--repo", "harbour")
    assert code == 4
    assert "did you mean" in said


def test_a_misspelt_command_gets_the_nearest(tmp_path):
    assert "did you mean scan?" in run(tmp_path, "scann")[1]


def test_a_number_that_is_none_is_said_plainly(tmp_path):
    code, said = run(tmp_path, "bootstrap", "--budget", "lots")
    assert code == 2
    assert "'lots' is not a whole number" in said


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("bash", ".local/share/bash-completion/completions/afterglow"),
        ("zsh", ".local/share/zsh/site-functions/_afterglow"),
        ("fish", ".config/fish/completions/afterglow.fish"),
    ],
)
def test_completion_lands_where_the_shell_looks(tmp_path, shell, file):
    code, said = run(tmp_path, "completion", SHELL=f"/bin/{shell}")
    assert code == 0
    assert "_AFTERGLOW_COMPLETE" in (tmp_path / file).read_text()
    assert str(tmp_path / file) in said


def test_bash_completes_commands(tmp_path):
    script = tmp_path / "complete.bash"
    script.write_text(run(tmp_path, "completion", "bash", "--print")[1])
    words = "COMP_WORDS=(afterglow know); COMP_CWORD=1; _afterglow_completion afterglow; echo ${COMPREPLY[@]}"
    folder = Path(AFTERGLOW).parent
    ended = subprocess.run(
        ["bash", "-c", f"source {script}; {words}"],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.split() == ["knowledge"]


def test_an_unknown_shell_is_asked_for(tmp_path):
    code, said = run(tmp_path, "completion", SHELL="/bin/nosh")
    assert code == 2
    assert "bash, zsh, fish" in said

"""`knowledge export|import|sync|lint` as a person runs them: what is printed, which code comes back."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from afterglow.cli.knowledge_folder import export_, import_, lint, sync
from afterglow.config import Config
from afterglow.records.knowledge import Evidence
from keeping import item, keep

PROOF = (Evidence("s", "codex", 1, "text", 0, 3, "ab", "abc", "tool"),)


@pytest.fixture
def run(tmp_path):
    keep(
        Config(home=tmp_path / "kept", user_home=tmp_path),
        item(1, evidence=PROOF),
        item(2, evidence=PROOF),
    )

    def command(which, *words, home="kept"):
        env = {"AFTERGLOW_HOME": str(tmp_path / home), "HOME": str(tmp_path)}
        done = CliRunner().invoke(which, [str(word) for word in words], env=env)
        assert done.exception is None or isinstance(done.exception, SystemExit), (
            done.exception
        )
        return done.exit_code, done.output

    return command


def test_the_folder_is_below_the_home_unless_given(run, tmp_path):
    code, out = run(export_)
    assert (
        code == 0
        and "2 items in" in out
        and (tmp_path / "kept/knowledge/repos/harbor.md").exists()
    )
    assert "nothing to change" in run(export_)[1]


def test_sync_says_what_it_did_and_what_waits(run, tmp_path):
    run(export_, tmp_path / "k")
    page = tmp_path / "k/repos/harbor.md"
    page.write_text(page.read_text().replace("pier 1 is", "quay 1 is"))
    code, out = run(sync, tmp_path / "k")
    assert code == 1 and "1 change in the folder not known to be yours" in out
    assert "    - `make ship`" in out and "quay 1 is" in out
    code, out = run(sync, tmp_path / "k", "--mine")
    assert code == 0 and "1 edited into the store" in out
    page.write_text(
        "\n".join(
            line for line in page.read_text().split("\n") if "k0000002" not in line
        )
    )
    code, out = run(sync, tmp_path / "k")
    assert code == 1 and "left alone" in out and "repos/harbor.md:" in out
    page.write_text(page.read_text().split("\n- ")[0])
    code, out = run(sync, tmp_path / "k")
    assert code == 1 and "2 bullets deleted" in out and "--deletions retire" in out
    assert run(sync, tmp_path / "k", "--deletions", "restore")[0] == 0


def test_a_conflict_shows_both_texts(run, tmp_path):
    run(export_, tmp_path / "k")
    page = tmp_path / "k/repos/harbor.md"
    page.write_text(page.read_text().replace("pier 1 is", "quay 1 is"))
    keep(
        Config(home=tmp_path / "kept", user_home=tmp_path),
        item(1, fact="`make ship` waits"),
    )
    code, out = run(sync, tmp_path / "k", "--mine")
    assert (
        code == 1
        and "quay 1 is" in out
        and "`make ship` waits" in out
        and "--take folder" in out
    )
    assert run(sync, tmp_path / "k", "--take", "store")[0] == 0


def test_import_says_what_came_in_and_what_did_not(run, tmp_path):
    run(export_, tmp_path / "k")
    assert "2 new" in run(import_, tmp_path / "k", "--dry-run", home="other")[1]
    assert "2 new" in run(import_, tmp_path / "k", home="other")[1]
    assert "2 left out: known here" in run(import_, tmp_path / "k", home="other")[1]


def test_lint_fails_on_errors_only(run, tmp_path):
    assert run(lint)[0] == 0
    keep(Config(home=tmp_path / "kept", user_home=tmp_path), item(3))
    code, out = run(lint)
    assert code == 1 and "k0000003: nothing stands behind it" in out


@pytest.mark.parametrize("which", [export_, sync, lint])
def test_each_can_be_had_as_json(run, tmp_path, which):
    run(export_, tmp_path / "k")
    assert json.loads(run(which, tmp_path / "k", "--json")[1])["items"] == 2


@pytest.mark.parametrize(("answer", "taken"), [("y", True), ("n", False)])
def test_on_a_terminal_the_person_is_shown_what_is_new_and_asked(
    run, tmp_path, answer, taken
):
    pty = pytest.importorskip("pty")
    run(export_, tmp_path / "k")
    page = tmp_path / "k/repos/harbor.md"
    page.write_text(page.read_text().replace("pier 1 is", "quay 1 is"))
    env = {**os.environ, "AFTERGLOW_HOME": str(tmp_path / "kept")}
    command = [sys.executable, "-m", "afterglow", "knowledge", "sync"]
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.Popen(
        [*command, str(tmp_path / "k")],
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    screen = b""
    try:
        while chunk := os.read(ours, 4096):
            screen += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert done.wait() == (0 if taken else 1)
    assert b"Did you write all of this yourself?" in screen and b"quay 1 is" in screen
    assert (b"1 edited into the store" in screen) is taken

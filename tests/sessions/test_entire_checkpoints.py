"""Sessions that entire keeps in a git repository are read from its object store, the largest of each."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from afterglow import sessions
from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.read import scan
from afterglow.sessions.formats import entire_checkpoints
from writing import Transcript

ID = [Transcript(number).id for number in (1, 2, 3)]


def git(folder: Path, *words: str, given: bytes = b"") -> str:
    settings = ("-c", "user.name=Ana", "-c", "user.email=ana@example.invalid")
    answer = subprocess.run(
        ["git", "-C", str(folder), *settings, *words],
        input=given,
        capture_output=True,
        check=True,
    )
    return answer.stdout.decode().strip()


def tree(folder: Path, files: dict[str, bytes]) -> str:
    """A commit with these files, without a checkout."""
    index = {"GIT_INDEX_FILE": str(folder / "draft-index")}
    for path, content in files.items():
        blob = git(folder, "hash-object", "-w", "--stdin", given=content)
        command = ["git", "-C", str(folder), "update-index", "--add", "--cacheinfo"]
        subprocess.run([*command, f"100644,{blob},{path}"], env=index, check=True)
    command = ["git", "-C", str(folder), "write-tree"]
    made = subprocess.run(command, env=index, capture_output=True, check=True)
    (folder / "draft-index").unlink()
    return git(folder, "commit-tree", "-m", "checkpoint", made.stdout.decode().strip())


def checkpoint(tmp_path: Path, session: int, *requests: str) -> dict[str, bytes]:
    transcript = Transcript(session)
    for words in requests:
        transcript.user(words).reply("yes")
    content = transcript.save(tmp_path / f"draft-{len(requests)}").read_bytes()
    metadata = json.dumps(
        {"session_id": transcript.id, "agent": "Claude Code"}
    ).encode()
    return {"full.jsonl": content, "metadata.json": metadata}


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "harbor"
    folder.mkdir()
    git(folder, "init", "-q")
    files = {}
    for number, requests in enumerate(
        (["one"], ["one", "two"], ["one", "two", "three"])
    ):
        kept = checkpoint(tmp_path, 1, *requests)
        files |= {f"a{number}/b{number}/0/{name}": kept[name] for name in kept}
    files |= {f"c0/d0/1/{name}": value for name, value in checkpoint(tmp_path, 2, "hello").items()}  # fmt: skip
    files["c0/d0/2/full.jsonl"] = b"without metadata"
    git(folder, "update-ref", "refs/heads/entire/checkpoints/v1", tree(folder, files))
    single = {f"0/{name}": value for name, value in checkpoint(tmp_path, 3, "alone").items()}  # fmt: skip
    git(folder, "update-ref", "refs/entire/checkpoints/ab/cdef", tree(folder, single))
    return folder


def found(config: Config, *paths: Path) -> dict[str, int]:
    from afterglow.store.catalog import Catalog

    scan(config, paths)
    with Catalog(config.catalog) as catalog:
        return {entry.id: entry.messages for entry in catalog.entries()}


@pytest.mark.parametrize("packed", [False, True])
def test_the_largest_of_each_session_is_read(repository, tmp_path, packed):
    if packed:
        git(repository, "pack-refs", "--all")
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    assert found(config, repository) == {ID[0]: 6, ID[1]: 2, ID[2]: 2}
    assert found(config, repository) == {ID[0]: 6, ID[1]: 2, ID[2]: 2}


def test_a_longer_checkpoint_is_noticed(repository, tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    assert found(config, repository)[ID[2]] == 2
    single = {f"0/{name}": value for name, value in checkpoint(tmp_path, 3, "alone", "again").items()}  # fmt: skip
    git(repository, "update-ref", "refs/entire/checkpoints/ab/cdef", tree(repository, single))  # fmt: skip
    assert found(config, repository)[ID[2]] == 4


def test_nothing_in_the_repository_changes_and_its_settings_do_nothing(
    repository, tmp_path
):
    alarm = tmp_path / "alarm"
    git(repository, "config", "core.fsmonitor", f"touch {alarm}")
    git(repository, "config", "core.pager", f"touch {alarm}")
    before = sorted(path for path in (repository / ".git").rglob("*"))
    ref = repository / ".git" / "refs" / "heads" / "entire" / "checkpoints" / "v1"
    assert {session.id for session in sessions.load(ref)} == {ID[0], ID[1]}
    assert sorted(path for path in (repository / ".git").rglob("*")) == before
    assert not alarm.exists()


def test_a_ref_of_a_folder_that_is_no_repository_says_so(tmp_path):
    ref = tmp_path / "refs" / "heads" / "entire" / "checkpoints" / "v1"
    ref.parent.mkdir(parents=True)
    ref.write_text("0" * 40 + "\n")
    assert entire_checkpoints.sniff(ref, ref.read_bytes())
    with pytest.raises(UnreadableSource, match="not a git repository"):
        list(entire_checkpoints.read(ref))

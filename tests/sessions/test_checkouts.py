"""A folder that claims the name of a known repository is believed when something outside of it says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from afterglow.sessions.checkouts import (
    MIN_DAYS,
    Claim,
    claimed_name,
    main_checkout,
    may_be_own,
    name_apart,
    unconfirmed,
)
from afterglow.sessions.repos import Place, Use, name_repos

HOME = Path("/home/ana")
REMOTE = "https://host.example/acme/harbor.git"


def checkout(folder: Path) -> Path:
    """As an archive brings it, too: no git is asked about a config."""
    (folder / ".git").mkdir(parents=True)
    config = f'[remote "origin"]\n\turl = {REMOTE}\n'
    (folder / ".git" / "config").write_text(config)
    return folder


def names(uses: dict[Path, Use], trusted=()) -> dict[str, str]:
    places = {Place(cwd=str(folder)): use for folder, use in uses.items()}
    folders = [str(path) for path in trusted]
    repos = name_repos(places, uses=places, trusted=folders, user_home=HOME)
    return {Path(place.cwd).name: repo.name for place, repo in repos.items()}


@pytest.fixture
def own(tmp_path):
    return checkout(tmp_path / "src" / "harbor")


@pytest.fixture
def archive(tmp_path):
    return checkout(tmp_path / "downloads" / "unpacked")


OFTEN, ONCE, EARLY = (
    Use(100.0, frozenset(range(MIN_DAYS))),
    Use(900.0, frozenset({9})),
    Use(1.0, frozenset({0})),
)


def test_an_unpacked_archive_has_a_name_of_its_own(own, archive):
    found = names({own: OFTEN, archive: ONCE})
    assert found["harbor"] == "acme/harbor"
    assert claimed_name(found["unpacked"]) == "acme/harbor"


def test_an_archive_that_came_first_gives_way_to_the_folder_that_is_worked_in(
    own, archive
):
    assert names({own: ONCE, archive: EARLY})["harbor"] != "acme/harbor"
    found = names({own: OFTEN, archive: EARLY})
    assert found["harbor"] == "acme/harbor" != found["unpacked"]


def test_a_second_clone_is_one_after_several_days_or_a_word(own, archive):
    assert set(names({own: OFTEN, archive: OFTEN}).values()) == {"acme/harbor"}
    trusting = names({own: OFTEN, archive: ONCE}, trusted=[archive.parent])
    assert set(trusting.values()) == {"acme/harbor"}


def test_the_only_folder_of_a_name_is_believed(archive):
    assert names({archive: ONCE}) == {"unpacked": "acme/harbor"}


def test_folders_of_other_people_and_machines_are_believed_as_their_transcripts_are(
    own,
):
    elsewhere = Place(remote=REMOTE, cwd="/home/bo/harbor")
    places = {Place(cwd=str(own)): OFTEN, elsewhere: ONCE}
    found = name_repos(places, uses=places, user_home=HOME)
    assert found[elsewhere].name == "acme/harbor"


def test_a_folder_may_be_a_persons_own_in_their_home_or_where_nobodys_home_is():
    own = {
        "/home/ana/x": True,
        "/tmp/x": True,
        "/home/bo/x": False,
        "/Users/bo/x": False,
        "/no-such-folder/x": False,
        "C:/x": False,
    }
    assert {path: may_be_own(path, HOME) for path in own} == own


def test_a_folder_of_the_same_name_without_git_is_not_the_repository(own, tmp_path):
    plain = tmp_path / "elsewhere" / "harbor"
    plain.mkdir(parents=True)
    places = {Place(cwd=str(own)): OFTEN, Place(cwd=str(plain)): OFTEN}
    found = name_repos(places, uses=places, user_home=HOME)
    assert found[Place(cwd=str(plain))].by == "unconfirmed"


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
    subprocess.run(
        ["git", "-C", str(folder), *identity, *words], check=True, capture_output=True
    )


def test_a_worktree_that_git_lists_is_believed_and_one_that_only_says_so_is_not(
    tmp_path,
):
    main, tree = tmp_path / "harbor", tmp_path / "tree"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "remote", "add", "origin", REMOTE)
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(tree))
    assert main_checkout(tree) == str(main.resolve())
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / ".git").write_text((tree / ".git").read_text())
    assert main_checkout(forged) == ""
    found = names({main: OFTEN, tree: ONCE, forged: ONCE})
    assert found["harbor"] == found["tree"] == "acme/harbor" != found["forged"]


def test_a_sub_folder_is_of_the_checkout_it_lies_in_and_a_nested_archive_is_not(own):
    deep = own / "cmd"
    deep.mkdir()
    nested = checkout(own / "vendor" / "copy")
    found = names({own: OFTEN, deep: ONCE, nested: ONCE})
    assert found["cmd"] == "acme/harbor" != found["copy"]


def test_a_guess_is_never_confirmed_by_days(tmp_path):
    days = frozenset(range(MIN_DAYS))
    claims = {
        str(tmp_path / "a"): Claim(str(tmp_path / "a"), 5.0, days),
        str(tmp_path / "b"): Claim(str(tmp_path / "b"), 1.0, days, is_guess=True),
    }
    assert unconfirmed(claims, (), HOME) == {str(tmp_path / "b")}


def test_a_name_apart_tells_what_is_claimed_and_other_names_claim_nothing():
    assert claimed_name(name_apart("acme/harbor", "/tmp/x")) == "acme/harbor"
    assert claimed_name("acme/harbor") == claimed_name("what?") == ""

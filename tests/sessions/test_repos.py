"""Checkouts, worktrees and sub-folders of one repository are one repo, and the guess is named."""

import subprocess

import pytest

from afterglow.records import Repo
from afterglow.sessions.repos import Place, name_repos, remote_name


def names(*places, **options):
    found = name_repos(places, look=False, **options)
    return [(found[place].name, found[place].by) for place in places]


@pytest.mark.parametrize(
    "remote",
    [
        "https://host.example/acme/harbor.git",
        "git@host.example:acme/harbor.git",
        "ssh://git@host.example:22/acme/harbor",
        "acme/harbor",
        "https://tok@host.example/group/acme/harbor",
    ],
)
def test_remotes_are_read_however_they_are_written(remote):
    assert remote_name(remote) == "acme/harbor"


@pytest.mark.parametrize("remote", ["", "harbor", "/srv/git"])
def test_what_is_no_remote_has_no_name(remote):
    assert remote_name(remote) == ""


def test_two_peoples_checkouts_are_one_repo():
    assert (
        names(Place(cwd="/home/ana/src/harbor"), Place(cwd="/Users/bo/wks/harbor"))
        == [("harbor", "cwd")] * 2
    )


def test_a_remote_recorded_once_names_all_checkouts():
    found = names(
        Place(remote="git@h:acme/harbor.git", cwd="/home/ana/harbor"),
        Place(cwd="/Users/bo/wks/harbor"),
    )
    assert found == [("acme/harbor", "remote"), ("acme/harbor", "tail")]


def test_two_remotes_with_one_tail_are_not_mixed_up():
    found = names(
        Place(remote="git@h:acme/cli.git"),
        Place(remote="git@h:zeta/cli.git"),
        Place(cwd="/home/ana/cli"),
    )
    assert found == [("acme/cli", "remote"), ("zeta/cli", "remote"), ("cli", "cwd")]


@pytest.mark.parametrize(
    "folder",
    [
        "/home/ana/harbor/.worktrees/fix-1",
        "/home/ana/harbor.worktrees/fix-1",
        "/home/ana/harbor__worktrees/fix-1/pkg",
        "/home/ana/harbor/.claude/worktrees/a/b",
    ],
)
def test_worktree_folders_belong_to_their_repository(folder):
    assert names(Place(cwd=folder)) == [("harbor", "cwd")]


def test_a_folder_named_like_its_branch_is_a_worktree_of_the_repo_beside_it():
    found = names(
        Place(cwd="/home/ana/wks/harbor"),
        Place(cwd="/home/ana/wks/ana/fix-1", branch="ana/fix-1"),
    )
    assert found[1] == ("harbor", "worktree")


def test_a_sub_folder_belongs_to_the_root_above_it():
    assert names(Place(cwd="/home/ana/harbor"), Place(cwd="/home/ana/harbor/cmd/dock"))[
        1
    ] == ("harbor", "cwd")


def test_a_folder_of_many_projects_is_not_a_repo_of_them_all():
    found = names(
        Place(cwd="/home/ana/src"),
        Place(cwd="/home/ana/src/harbor"),
        Place(cwd="/home/ana/src/kite"),
    )
    assert [name for name, _ in found[1:]] == ["harbor", "kite"]


def test_a_home_folder_is_no_repo():
    assert names(Place(cwd="/home/ana"), Place()) == [("", "none"), ("", "none")]


def test_an_alias_wins():
    place = Place(cwd="/home/ana/wks/hrb")
    assert names(place, aliases={"hrb": "acme/harbor"}) == [("acme/harbor", "alias")]
    assert names(place, aliases={"/home/ana/wks/hrb": "acme/harbor"}) == [
        ("acme/harbor", "alias")
    ]


def test_a_checkout_that_is_still_there_is_asked_for_its_remote(tmp_path):
    repo = tmp_path / "somewhere"
    (repo / "deep").mkdir(parents=True)
    git = ["git", "-C", str(repo)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run(
        [*git, "remote", "add", "origin", "https://host.example/acme/harbor.git"],
        check=True,
    )
    place = Place(cwd=str(repo / "deep"))
    assert name_repos([place])[place] == Repo("acme/harbor", "checkout")

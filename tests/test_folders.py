"""What afterglow keeps is for its owner."""

import stat
from pathlib import Path

import pytest

from afterglow.folders import close_to_others, is_ours_alone, open_to_others, private
from afterglow.store.catalog import Catalog


def test_what_is_made_only_its_owner_can_look_into(tmp_path):
    with Catalog(tmp_path / "home" / "deep" / "catalog.db"):
        pass
    assert [
        stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("home", "home/deep")
    ] == [0o700, 0o700]


def test_a_folder_that_is_there_stays_as_it_is(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    assert private(shared) == shared and stat.S_IMODE(shared.stat().st_mode) == 0o755


def test_a_file_in_its_place_is_an_error(tmp_path):
    (tmp_path / "home").write_text("")
    with pytest.raises(FileExistsError):
        private(tmp_path / "home")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def old_home(folder: Path) -> Path:
    """As an older version, a copy or an archive may leave it."""
    home = folder / "home"
    (home / "knowledge").mkdir(parents=True)
    (home / "knowledge.db").write_text("a lesson")
    (home / "knowledge" / "check.sh").write_text("#!/bin/sh")
    for path, open_mode in (
        (home / "knowledge.db", 0o644),
        (home / "knowledge" / "check.sh", 0o755),
        (home / "knowledge", 0o775),
        (home, 0o755),
    ):
        path.chmod(open_mode)
    return home


def test_a_home_that_existed_is_closed_and_its_programs_still_run(tmp_path):
    home = old_home(tmp_path)
    assert len(list(open_to_others(home))) == 4
    assert close_to_others(home) == 4
    assert mode(home) == mode(home / "knowledge") == 0o700
    assert mode(home / "knowledge.db") == 0o600
    assert mode(home / "knowledge" / "check.sh") == 0o700
    assert list(open_to_others(home)) == [] and close_to_others(home) == 0


def test_what_a_home_only_links_to_stays_as_it_is(tmp_path):
    home, outside = old_home(tmp_path), tmp_path / "dotfiles.toml"
    outside.write_text("")
    outside.chmod(0o644)
    (home / "config.toml").symlink_to(outside)
    (home / "elsewhere").symlink_to(tmp_path)
    close_to_others(home)
    assert mode(outside) == 0o644


def test_a_folder_that_is_more_than_a_home_is_not_closed(tmp_path):
    user, checkout, home = (tmp_path / name for name in ("user", "checkout", "home"))
    (checkout / ".git").mkdir(parents=True)
    assert not is_ours_alone(user, user)
    assert not is_ours_alone(tmp_path, user)
    assert not is_ours_alone(checkout, user)
    assert is_ours_alone(home, user) and is_ours_alone(user / ".afterglow", user)


def test_a_home_that_is_not_there_has_nothing_to_close(tmp_path):
    assert close_to_others(tmp_path / "gone") == 0

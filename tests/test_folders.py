"""What afterglow keeps is for its owner."""

import stat

import pytest

from afterglow.folders import private
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

"""`knowledge list` in a checkout: what holds there comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterglow.cli.show.items import listing
from afterglow.config import Config
from afterglow.flows.knowledge import list_items
from afterglow.records.selection import Selection
from keeping import item, keep


@pytest.fixture
def config(tmp_path: Path) -> Config:
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    keep(
        config,
        item(1, fact="the crane needs oil", repo="harbor", confidence=0.8),
        item(2, fact="tides are told by the hour", repo="tidewatch", confidence=0.9),
    )
    return config


def checkout(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


def test_what_holds_in_this_checkout_comes_first(
    config: Config, tmp_path: Path
) -> None:
    listed = list_items(config, cwd=checkout(tmp_path, "harbor"))
    assert [each.id for each in listed.items] == ["k0000001", "k0000002"]
    text = listing(listed, ("active",))
    assert (
        text.index("crane") < text.index("Of other repositories") < text.index("tide")
    )
    assert "--repo harbor" in text


def test_elsewhere_the_strongest_come_first(config: Config, tmp_path: Path) -> None:
    listed = list_items(config, cwd=checkout(tmp_path, "meadow"))
    assert [each.id for each in listed.items] == ["k0000002", "k0000001"]
    assert "Of other repositories" not in listing(listed, ("active",))


def test_a_repository_that_is_named_is_listed_alone(
    config: Config, tmp_path: Path
) -> None:
    here = checkout(tmp_path, "harbor")
    listed = list_items(config, Selection(repo="tidewatch"), cwd=here)
    assert [each.id for each in listed.items] == ["k0000002"]

"""The context of a repository, kept in a file that agents read."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import ConfigError, StoreError
from afterglow.flows.session import context_block, keep_context, remove_context
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from keeping import DAY, item, keep, kept

MINE = b"# Harbor\r\n\r\nBuild with make.\r\n"


@pytest.fixture
def config(tmp_path):
    found = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    keep(found, item(1), item(2))
    return found


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "harbor"
    (path / ".git").mkdir(parents=True)
    return path


def test_the_block_comes_into_the_file_and_goes_again(config, folder):
    path = folder / "AGENTS.md"
    path.write_bytes(MINE)
    done = keep_context(config, path, cwd=folder)
    assert done.what == "new" and set(done.items) == {"k0000001", "k0000002"}
    data = path.read_bytes()
    assert (
        data.startswith(MINE)
        and b"k0000001" in data
        and b"\n" not in data.replace(b"\r\n", b"")
    )
    assert remove_context(path).what == "removed"
    assert path.read_bytes() == MINE


def test_while_the_items_are_the_same_nothing_is_written(config, folder):
    path = folder / "AGENTS.md"
    keep_context(config, path, cwd=folder)
    before = path.read_bytes(), path.stat().st_mtime_ns
    confirmed = replace(
        kept(config, "k0000001"), last_confirmed=item().last_confirmed + DAY
    )
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        knowledge.save([confirmed], by="harvest", now=confirmed.last_confirmed)
    assert keep_context(config, path, cwd=folder).what == "same"
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    with Ledger(config.ledger) as ledger:
        assert (
            len(ledger.deliveries()) == 1
        )  # a delivery is noted when a file is written, not when it is looked at


def test_another_item_brings_a_new_block_with_a_new_id(config, folder):
    path = folder / "AGENTS.md"
    keep_context(config, path, cwd=folder)
    keep(config, item(3))
    assert keep_context(config, path, cwd=folder, write=False).what == "changed"
    assert b"k0000003" not in path.read_bytes()
    assert keep_context(config, path, cwd=folder).what == "changed"
    assert (
        b"k0000003" in path.read_bytes()
        and path.read_bytes().count(b"afterglow:start") == 1
    )
    with Ledger(config.ledger) as ledger:
        first, second = ledger.deliveries()
    assert second.id.encode() in path.read_bytes() and first.id != second.id


def test_where_nothing_is_known_no_file_is_made_and_no_block_is_emptied(
    config, folder, tmp_path
):
    stranger = Config(home=tmp_path / "other", user_home=tmp_path / "home")
    path = folder / "AGENTS.md"
    none = keep_context(stranger, path, cwd=folder)
    assert none.what == "none" and none.reason and not path.exists()
    keep_context(config, path, cwd=folder)
    before = path.read_bytes()
    assert keep_context(stranger, path, cwd=folder).what == "same"
    assert path.read_bytes() == before


def test_a_block_whose_items_are_all_gone_is_emptied(config, folder):
    path = folder / "AGENTS.md"
    keep_context(config, path, cwd=folder)
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        knowledge.save(
            [replace(kept(config, f"k000000{n}"), status="retired") for n in (1, 2)],
            by="user",
            now=1.0,
        )
    assert keep_context(config, path, cwd=folder).what == "changed"
    assert b"k000" not in path.read_bytes() and b"afterglow:end" in path.read_bytes()


def test_a_link_is_followed(config, folder, tmp_path):
    real, path = tmp_path / "shared.md", folder / "CLAUDE.md"
    real.write_bytes(MINE)
    path.symlink_to(real)
    keep_context(config, path, cwd=folder)
    assert path.is_symlink() and b"k0000001" in real.read_bytes()
    remove_context(path)
    assert path.is_symlink() and real.read_bytes() == MINE


def test_a_file_that_held_only_the_block_goes_with_it(config, folder):
    path = folder / "AGENTS.md"
    keep_context(config, path, cwd=folder)
    remove_context(path)
    assert not path.exists()
    assert remove_context(path).what == "none"


def test_half_a_block_is_refused_and_the_file_stays(config, folder):
    path = folder / "AGENTS.md"
    path.write_bytes(MINE + b"<!-- afterglow:start -->\n")
    with pytest.raises(ConfigError, match="line 4"):
        keep_context(config, path, cwd=folder)
    assert path.read_bytes() == MINE + b"<!-- afterglow:start -->\n"


def test_a_read_only_file_is_refused(config, folder):
    path = folder / "AGENTS.md"
    path.write_bytes(MINE)
    path.chmod(0o444)
    with pytest.raises(StoreError, match="read-only"):
        keep_context(config, path, cwd=folder)


def test_a_ledger_that_cannot_be_written_does_not_keep_the_context_away(config, folder):
    config.ledger.write_bytes(b"not a database, certainly not one")
    done = keep_context(config, folder / "AGENTS.md", cwd=folder)
    assert done.what == "new" and "ledger.db" in done.unnoted


def test_the_block_can_be_had_as_text(config, folder):
    text, done = context_block(config, cwd=folder)
    assert (
        text.startswith("<!-- afterglow:start")
        and text.endswith("<!-- afterglow:end -->")
        and len(done.items) == 2
    )

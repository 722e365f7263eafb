"""explain and verify, end to end: sources are opened again, each once, and what is shown of them is redacted."""

import json
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.knowledge import explain, verify
from afterglow.flows.read import scan
from keeping import item, keep, proof
from writing import Transcript, ordinary

TOKEN = (
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
)  # of the shape only: made here


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.fixture
def written(config, tmp_path):
    """A session on disk and an item that stands on three places of it."""
    path = ordinary(1).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    words = ("undefined: defaultAgent", "mise run generate", "run the tests")
    keep(config, item(1, evidence=tuple(proof(path, one) for one in words)))
    return path


def rewrite(path: Path, change) -> None:
    path.write_text("".join(change(path.read_text(encoding="utf-8"))), encoding="utf-8")


def test_an_explanation_shows_the_lines_an_item_stands_on(config, written):
    found = explain(config, "k0000001")
    error, fix, asked = found.pieces
    assert [piece.state for piece in found.pieces] == ["ok", "ok", "ok"]
    assert (
        error.excerpt.before.endswith("a.go:1:2: ")
        and error.excerpt.span == "undefined: defaultAgent"
    )
    assert (error.excerpt.tool, error.excerpt.request) == ("Bash", "go test ./...")
    assert "mise run generate" in fix.excerpt.span
    assert (asked.excerpt.span, asked.excerpt.after) == ("run the tests", " please")


def test_what_is_shown_is_redacted(config, tmp_path):
    path = (
        Transcript(1)
        .user("go")
        .run(f"push --token {TOKEN}", f"no such pier\nwith {TOKEN}", error=True)
        .save(tmp_path)
    )
    scan(config, [path])
    keep(config, item(1, evidence=(proof(path, "no such pier"),)))
    found = explain(config, "k0000001")
    assert (
        found.pieces[0].state == "ok" and found.pieces[0].excerpt.span == "no such pier"
    )
    assert TOKEN not in json.dumps([repr(piece) for piece in found.pieces])


def test_an_explanation_is_not_longer_than_asked_for(config, written):
    found = explain(config, "k0000001", limit=1)
    assert (len(found.pieces), found.more) == (1, 2)


def test_without_its_source_the_quote_is_what_remains(config, written):
    written.unlink()
    found = explain(config, "k0000001")
    assert {piece.state for piece in found.pieces} == {"vanished"}
    assert (
        found.pieces[0].note == "the source is gone"
        and found.pieces[0].evidence.quote == "undefined: defaultAgent"
    )


def test_an_item_that_is_not_there_cannot_be_explained(config):
    with pytest.raises(NotFound):
        explain(config, "nothing")


def test_untouched_sources_verify(config, written):
    found = verify(config)
    assert (found.items, found.pieces, found.states["ok"], found.broken) == (
        1,
        3,
        3,
        False,
    )
    assert found.rest == ()


def test_a_changed_line_is_named(config, written):
    rewrite(written, lambda text: text.replace("defaultAgent", "otherAgent"))
    found = verify(config)
    assert found.broken and found.states["changed"] == 1 and found.states["ok"] == 2
    assert (
        found.rest[0].evidence.quote == "undefined: defaultAgent"
        and found.rest[0].item == "k0000001"
    )


def test_lines_written_above_move_evidence_which_is_no_damage(config, written):
    rewrite(
        written, lambda text: [*Transcript(1).user("before all that").lines, "\n", text]
    )
    found = verify(config)
    assert not found.broken and found.states["moved"] == 3
    assert [piece.line - piece.evidence.line for piece in found.rest] == [1, 1, 1]


def test_a_deleted_source_has_vanished(config, written):
    written.unlink()
    found = verify(config)
    assert (
        found.broken
        and found.states["vanished"] == 3
        and found.rest[0].note == "the source is gone"
    )


def test_a_session_the_catalogue_does_not_know_has_vanished(config, tmp_path):
    path = ordinary(1).save(tmp_path / "s")
    keep(config, item(1, evidence=(proof(path, "undefined"),)))
    found = verify(config)
    assert found.states["vanished"] == 1 and "afterglow scan" in found.rest[0].note


def test_a_source_that_cannot_be_read_is_not_called_gone(config, written):
    written.write_text("\ufeff nothing a session is made of", encoding="utf-8")
    found = verify(config)
    assert (
        found.broken
        and found.states["unreadable"] == 3
        and str(written) in found.rest[0].note
    )


def test_a_copy_of_the_session_speaks_for_it(config, written, tmp_path):
    again = tmp_path / "s" / "again" / written.name
    again.parent.mkdir()
    again.write_bytes(written.read_bytes())
    scan(config, [tmp_path / "s"])
    written.unlink()
    scan(config, [tmp_path / "s"])
    assert verify(config).states["ok"] == 3


def test_only_what_is_asked_for_is_verified(config, written, tmp_path):
    other = ordinary(2, cwd="/home/ana/src/lighthouse").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    keep(
        config,
        item(
            2,
            repo="lighthouse",
            evidence=(proof(other, "undefined", repo="lighthouse"),),
        ),
    )
    assert verify(config).pieces == 4
    assert verify(config, ["k0000002"]).pieces == 1
    assert verify(config, repo="lighthouse").pieces == 1


def test_each_source_is_read_once_and_progress_is_told(config, tmp_path):
    paths = [
        ordinary(number, start=100 * number).save(tmp_path / "s") for number in range(3)
    ]
    scan(config, [tmp_path / "s"])
    keep(
        config,
        *(
            item(n, evidence=tuple(proof(p, w) for p in paths))
            for n, w in enumerate(["undefined", "generate"])
        ),
    )
    told = []
    verify(config, progress=lambda done, total: told.append((done, total)))
    assert len(told) == 3 and told[-1][0] == told[-1][1] == sum(
        path.stat().st_size for path in paths
    )

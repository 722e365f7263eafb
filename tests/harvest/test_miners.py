"""What every miner keeps to, whatever it looks for: a contract over the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterglow.errors import AfterglowError
from afterglow.harvest import MINERS
from afterglow.harvest.evidence_spans import Spans
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import CATEGORIES, Telling
from afterglow.records.session import Call, Outcome, Session, Turn
from afterglow.sessions import load
from afterglow_demo import write_fleet

FIXTURES = Path(__file__).parents[1] / "sessions" / "fixtures"
every_miner = pytest.mark.parametrize("name", MINERS.names())


@pytest.fixture(scope="module")
def trails(tmp_path_factory):
    """A small simulated fleet, laid out for miners."""
    root = tmp_path_factory.mktemp("fleet")
    write_fleet(root, seed=3, sessions=60, scale=0.3)
    found = []
    for path in sorted(
        path for path in root.rglob("*") if path.is_file() and path.name != "truth.json"
    ):
        try:
            found += [Trail(session, "quay/harbor") for session in load(path)]
        except AfterglowError:
            continue
    return found


def odd_sessions():
    """Calls with no result, no arguments, broken JSON, absurd lengths, half characters."""
    texts = (
        "",
        "{",
        "null",
        "[]",
        '{"command": 7}',
        '{"command": ""}',
        '{"file_path": null}',
        "\udcff",
        "x" * 20_000,
    )
    for tool in ("Bash", "Edit", "Read", "mcp__a__b", "AskUserQuestion", ""):
        for outcome in Outcome:
            calls = tuple(
                Call(
                    str(n),
                    tool,
                    text.replace("\udcff", ""),
                    n,
                    outcome,
                    other,
                    error=other or "",
                    masked=n % 2 == 0,
                )
                for n, (text, other) in enumerate(
                    zip(texts, (*texts[1:], None), strict=True)
                )
            )
            turns = (
                Turn("user", "\udcff no, don't", 1),
                Turn("assistant", "the problem was", 2, calls=calls),
            )
            yield Session(id="s", agent="a", format="f", source="x", turns=turns)


@every_miner
def test_a_miner_has_a_name_a_version_and_says_what_it_is_for(name):
    miner = MINERS.load(name)
    assert name == miner.NAME
    assert isinstance(miner.VERSION, int)
    assert miner.__doc__


@every_miner
def test_nothing_comes_of_nothing(name):
    assert not [
        *MINERS.load(name).mine(
            Trail(Session(id="s", agent="a", format="f", source="x"))
        )
    ]


@every_miner
def test_odd_sessions_are_no_trouble(name):
    miner = MINERS.load(name)
    for session in odd_sessions():
        for finding in miner.mine(Trail(session, "")):
            assert isinstance(miner.tell([finding]), Telling | str)


@every_miner
def test_every_fixture_can_be_mined(name):
    for path in sorted(
        path
        for path in FIXTURES.rglob("*")
        if path.is_file() and ".expected" not in path.name
    ):
        try:
            sessions = load(path)
        except (AfterglowError, OSError):
            continue
        for session in sessions:
            assert isinstance([*MINERS.load(name).mine(Trail(session, "r"))], list)


@every_miner
def test_mining_twice_is_equal_and_every_span_is_found_again(name, trails):
    miner = MINERS.load(name)
    for trail in trails:
        found = [*miner.mine(trail)]
        assert found == [*miner.mine(trail)]
        spans = Spans(trail.session)
        for finding in found:
            assert finding.miner == name
            assert finding.evidence
            assert {spans.find(one).state for one in finding.evidence} == {"ok"}


@every_miner
def test_what_is_told_is_one_sound_sentence_whatever_the_order(name, trails):
    miner = MINERS.load(name)
    topics: dict[str, list] = {}
    for trail in trails:
        for finding in miner.mine(trail):
            topics.setdefault(finding.topic, []).append(finding)
    for findings in topics.values():
        told = miner.tell(findings)
        if isinstance(told, str):
            assert told
            continue
        assert "\n" not in told.fact
        assert told.fact.strip() == told.fact != ""
        assert told.category in CATEGORIES
        assert 0 < told.directness <= 0.95
        assert miner.tell(findings) == told

"""What `[privacy]` promises is kept: sessions go when their time is over, and only then."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.forget import Choice, forget, keep_promises
from afterglow.flows.harvest import harvest
from afterglow.flows.read import list_sessions, scan
from afterglow.records.selection import below
from afterglow.records.settings import PrivacySettings
from afterglow.store.knowledge import Knowledge
from flows.forget.test_forget_sessions import WORD, holding, secretive, shared

DAY = 86400.0
OCTOBER = 1_790_812_800.0  # 2026-10-01, when the sessions of tests begin


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def keeping(config: Config, **days: int) -> Config:
    return replace(config, privacy=PrivacySettings(**days))


def ids(config: Config) -> set[str]:
    return {entry.id for entry in list_sessions(config, everything=True)}


def test_sessions_are_forgotten_when_they_are_old_enough(config, tmp_path):
    secretive(1).save(tmp_path / "s")
    shared(2, start=10 * 1440).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    short = keeping(config, keep_sessions_days=30)
    keep_promises(short, now=OCTOBER + 29 * DAY)
    assert len(ids(config)) == 2
    report = keep_promises(short, now=OCTOBER + 35 * DAY)
    assert [session.id for session in report.sessions] == [secretive(1).id]
    harvest(short, below(tmp_path / "s"))
    assert ids(config) == {shared(2).id}
    assert holding(config.home, WORD) == []


def test_a_transcript_that_is_gone_stops_teaching_after_a_time(config, tmp_path):
    path = secretive(1).save(tmp_path / "s")
    shared(2).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    path.unlink()
    scan(config, [tmp_path / "s"])
    begun = OCTOBER + 100 * DAY
    keep_promises(config, now=begun)
    keep_promises(config, now=begun + 179 * DAY)
    assert len(ids(config)) == 2
    keep_promises(keeping(config, keep_gone_days=0), now=begun + 999 * DAY)
    assert len(ids(config)) == 2
    keep_promises(config, now=begun + 181 * DAY)
    assert ids(config) == {shared(2).id}
    assert holding(config.home, WORD) == []


def test_one_that_came_back_begins_anew(config, tmp_path):
    path = secretive(1).save(tmp_path / "s")
    text = path.read_text()
    scan(config, [tmp_path / "s"])
    path.unlink()
    scan(config, [tmp_path / "s"])
    keep_promises(config, now=OCTOBER)
    path.write_text(text)
    scan(config, [tmp_path / "s"])
    keep_promises(config, now=OCTOBER + 300 * DAY)
    path.unlink()
    scan(config, [tmp_path / "s"])
    keep_promises(config, now=OCTOBER + 301 * DAY)
    assert ids(config) == {secretive(1).id}


def test_gone_ones_are_forgotten_at_once_when_asked_for(config, tmp_path):
    path = secretive(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    path.unlink()
    scan(config, [tmp_path / "s"])
    forget(config, Choice(without_transcript=True))
    assert holding(config.home, WORD) == []


def test_what_a_person_approved_outlives_its_transcript_if_others_teach_it(
    config, tmp_path
):
    paths = [shared(n, start=3000 * n).save(tmp_path / "s") for n in (2, 3, 4)]
    harvest(config, below(tmp_path / "s"))
    with Knowledge(config.knowledge) as knowledge:
        (item,) = [one for one in knowledge.items() if one.miner == "recoveries"]
        approved = replace(item, status="active", decided=True, reason="approved: yes")
        knowledge.save([approved], by="person", now=OCTOBER)
    paths[0].unlink()
    scan(config, [tmp_path / "s"])
    forget(config, Choice(without_transcript=True))
    with Knowledge(config.knowledge) as knowledge:
        after = knowledge.get(item.id)
    assert (after.status, after.decided, after.fact) == ("active", True, item.fact)
    assert {span.session for span in after.evidence} == {shared(3).id, shared(4).id}

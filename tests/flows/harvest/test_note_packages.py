"""What a repository names itself may be told: its manifests in the checkout, and those that sessions read."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_risk import Door
from writing import Transcript

MANIFEST = '{"devDependencies": {"gull-lint": "^2.0.0"}}'
DAY = 1440  # the transcripts' clock counts minutes


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def packages(config, tmp_path, *transcripts):
    folder = tmp_path / "sessions"
    for transcript in transcripts:
        transcript.save(folder)
    scan(config, [folder])
    harvest(config, now=4e9)
    with Knowledge(config.knowledge) as knowledge:
        repos = {*knowledge.counts().repo, "harbor"}
        door = Door(knowledge.fact)
        return set().union(*(door.packages(repo) for repo in repos))


def test_a_manifest_that_a_session_read_names_packages(config, tmp_path):
    session = Transcript(1).user("lint it").run("cat package.json", MANIFEST)
    assert "gull-lint" in packages(config, tmp_path, session)


def test_a_manifest_that_the_session_changed_before_says_nothing(config, tmp_path):
    session = (
        Transcript(1)
        .user("lint it")
        .run("sed -i 's/x/gull-lint/' package.json", "")
        .run("cat package.json", MANIFEST)
    )
    assert packages(config, tmp_path, session) == set()

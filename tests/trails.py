"""Trails for tests of miners: a few words make a session, read back as a user's would be."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from afterglow.harvest.trail import Trail
from afterglow.sessions import load
from writing import Transcript


def trail_of(transcript: Transcript, repo: str = "otterquay/harbor") -> Trail:
    with TemporaryDirectory() as folder:
        (session,) = load(transcript.save(Path(folder)))
    return Trail(session, repo)


def told(miner, *transcripts: Transcript, repo: str = "otterquay/harbor") -> list[str]:
    """The facts a miner tells of some sessions, topic by topic; a refusal is left out."""
    topics: dict[str, list] = {}
    for transcript in transcripts:
        for finding in miner.mine(trail_of(transcript, repo)):
            topics.setdefault(finding.topic, []).append(finding)
    results = [miner.tell(findings) for findings in topics.values()]
    return [result.fact for result in results if not isinstance(result, str)]

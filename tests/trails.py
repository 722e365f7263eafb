"""Trails for tests of miners: a few words make a session, read back as a user's would be."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Telling
from afterglow.records.session import Outcome
from afterglow.sessions import load
from writing import Transcript


def trail_of(transcript: Transcript, repo: str = "otterquay/harbor") -> Trail:
    with TemporaryDirectory() as folder:
        (session,) = load(transcript.save(Path(folder)))
    return Trail(session, repo)


def unnoted(trail: Trail) -> Trail:
    """The same session by an agent that does not note how its calls ended."""
    turns = tuple(
        replace(
            turn,
            calls=tuple(
                replace(call, outcome=Outcome.UNKNOWN, error="", masked=False)
                for call in turn.calls
            ),
        )
        for turn in trail.session.turns
    )
    return Trail(replace(trail.session, turns=turns), trail.repo)


def told(miner, *transcripts: Transcript, repo: str = "otterquay/harbor") -> list[str]:
    """The facts a miner tells of some sessions, topic by topic; a refusal is left out."""
    return [telling.fact for telling in tellings(miner, *transcripts, repo=repo)]


def counted(miner, *transcripts: Transcript) -> list[tuple[int, int]]:
    """How often each of these worked, and of how many times."""
    return [
        (telling.worked, telling.times) for telling in tellings(miner, *transcripts)
    ]


def tellings(
    miner, *transcripts: Transcript, repo: str = "otterquay/harbor"
) -> list[Telling]:
    topics: dict[str, list] = {}
    for transcript in transcripts:
        for finding in miner.mine(trail_of(transcript, repo)):
            topics.setdefault(finding.topic, []).append(finding)
    results = [miner.tell(findings) for findings in topics.values()]
    return [result for result in results if not isinstance(result, str)]

"""What is noise in a repository: noted by a harvest, looked up when a call of a running session seems to have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from afterglow.harvest.events.habits import habits_of
from afterglow.records.problems import SessionEvents
from afterglow.store.knowledge import NOISE, Knowledge

# Kept of a repository, those of most sessions first: what a hook reads and decodes in a millisecond.
MAX_NOISE_LINES = 20_000

_noise = msgspec.json.Decoder(SessionEvents)


def note_noise(
    knowledge: Knowledge, sessions: Mapping[str, Sequence[SessionEvents]]
) -> None:
    """What good runs of these repositories print."""
    for repo, each in sessions.items():
        counts = Counter(line for session in each for line in session.good)
        good = sorted(counts, key=lambda line: (-counts[line], line))[:MAX_NOISE_LINES]
        noise = SessionEvents(good=tuple(sorted(good)), printing=habits_of(each))
        knowledge.set_fact(NOISE + repo, msgspec.json.encode(noise).decode())


def noise_of(knowledge: Knowledge, repo: str) -> SessionEvents:
    noted = knowledge.fact(NOISE + repo)
    return _noise.decode(noted) if noted else SessionEvents()

"""tau-bench: a JSON list of trials, each a conversation in OpenAI messages with the reward it earned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from afterglow.records.session import Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import Message, hear, text_of

NAME = "tau-bench"
AGENT = "tau-bench"
STOP = "###STOP###"  # the simulated user is content, or gives up

_START = re.compile(rb'\[\s*\{\s*"task_id"\s*:\s*[^,]+,\s*"reward"\s*:')


class _Info(Struct):
    error: str | None = None


class _Trial(Struct):
    task_id: int | str
    traj: list[Message]
    reward: float | None = None
    info: _Info = field(default_factory=_Info)
    trial: int | None = 0


def sniff(path: Path, head: bytes) -> bool:
    return head.startswith(b"[") and _START.match(head) is not None


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    for trial in json_document.load(path, list[_Trial]):
        session = Assembly(
            id=f"{path.stem}-{trial.task_id}-{trial.trial or 0}",
            agent=AGENT,
            format=NAME,
            source=str(path),
            task=str(trial.task_id),
            score=trial.reward,
            status="error" if trial.info.error else "",
        )
        session.voice = "outside"  # a model plays the user
        for line, message in enumerate(trial.traj, 1):
            hear(session, message, line)
        if trial.traj and STOP in text_of(trial.traj[-1].content):
            session.facts["ending"] = "closed"
        yield session.part(Mark())

"""What is really in a simulated fleet: every session with its counts, and everything that was planted."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct, field

NAME = "truth.json"


class SessionTruth(Struct, frozen=True, kw_only=True):
    """One session as it really was.

    `repo` is where it worked, `located` whether its file says so. `requests` counts what the person typed, `replies`
    the assistant's turns, `messages` both and the results; the last two are None where a format does not define them.
    `damage` counts the damaged lines that were put into the file: they cost nothing but themselves.
    """

    id: str
    agent: str
    format: str
    path: str
    start: float
    end: float
    model: str = ""
    repo: str = ""
    located: bool = True
    origin: str = "main"
    parent: str = ""
    calls: int = 0
    failed: int = 0
    blocked: int = 0
    cancelled: int = 0
    unknown: int = 0
    masked: int = 0
    requests: int = 0
    replies: int | None = None
    messages: int | None = None
    compactions: int = 0
    tools: dict[str, int] = field(default_factory=dict)
    empty: bool = False
    damage: int = 0


class PlantTruth(Struct, frozen=True, kw_only=True):
    """Something a session can teach, and the sessions that teach it.

    `signs` are words of the message that shows the problem, `remedy` the words no good lesson can do without. A plant
    with `wrong` set is a belief somebody stated that does not hold; one with `superseded_by` held until another came.
    """

    id: str
    kind: str
    lesson: str
    repo: str = ""
    signs: tuple[str, ...] = ()
    remedy: tuple[str, ...] = ()
    superseded_by: str = ""
    wrong: bool = False
    sessions: tuple[str, ...] = ()


class Secret(Struct, frozen=True, kw_only=True):
    """An invented value in the shape of a real secret. The saved truth keeps only its hash."""

    kind: str
    where: str
    value: str
    session: str = ""


class Poison(Struct, frozen=True, kw_only=True):
    """Instruction-like text inside something a tool brought in."""

    where: str
    text: str
    session: str = ""


class File(Struct, frozen=True):
    """A file that holds no session of its own: unreadable, or a copy of `session`."""

    path: str
    reason: str
    session: str = ""


class Truth(Struct, frozen=True, kw_only=True):
    """Everything about one simulated fleet."""

    simulated: bool = True
    note: str = "Simulated by afterglow. No person, company, repository, secret or session in here is real."
    seed: int
    scale: float
    sessions: tuple[SessionTruth, ...]
    plants: tuple[PlantTruth, ...]
    secrets: tuple[Secret, ...]
    poison: tuple[Poison, ...]
    copies: tuple[File, ...]
    unreadable: tuple[File, ...]

    def save(self, root: Path) -> None:
        """Writes `truth.json`. Secrets go in as hashes: their values stand in the session files and nowhere else."""
        hashed = tuple(
            msgspec.structs.replace(s, value="sha256:" + _digest(s.value))
            for s in self.secrets
        )
        text = msgspec.json.format(
            msgspec.json.encode(msgspec.structs.replace(self, secrets=hashed)), indent=1
        )
        (root / NAME).write_bytes(text + b"\n")


def _digest(value: str) -> str:
    return sha256(value.encode()).hexdigest()

"""An attack as data: which way in, what must not be read by any agent, and how it is planted.

A set is a JSON file. An attack is a list of acts, played in order in a home of its own: sessions that were held,
edits that were pulled, lessons that were handed in. `marks` are stretches of the payload: any of them in a surface
means that the attack got there. `risky` payloads harm who obeys them; the others merely mislead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

HOME_REPO = "harbor"  # the victim's checkout, where nothing else is said


class Turn(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line of a session: exactly one of `user`, `say`, `run`, `tool`, `summary`, `meta`, `line`.

    `user` is filed as a person's prompt, `say` is the assistant's, `run` a shell command with its output `out` and exit
    `code`, `tool` another call with `args`, failed if `code` is not 0; `summary` a compaction, `meta` what the agent's
    machinery files, `line` a record of the format itself.
    """

    user: str = ""
    say: str = ""
    run: str = ""
    tool: str = ""
    args: dict[str, Any] = {}
    out: str = ""
    code: int = 0
    summary: str = ""
    meta: str = ""
    line: dict[str, Any] = {}


class Act(Struct, frozen=True, tag_field="do", omit_defaults=True):
    """Something that happens in the home."""


class Held(Act, frozen=True, tag="session", kw_only=True, omit_defaults=True):
    """A session in the checkout `repo`, once for each of `days`, by `people` in turn."""

    turns: list[Turn]
    agent: str = "claude-code"
    repo: str = HOME_REPO
    days: tuple[int, ...] = (0,)
    people: tuple[str, ...] = ("ana",)
    headless: bool = False
    branch: str = "main"


class Checkout(Act, frozen=True, tag="checkout"):
    """A folder whose .git/config claims a remote."""

    repo: str
    remote: str


class Kept(Act, frozen=True, tag="item", kw_only=True, omit_defaults=True):
    """A harmless item that a person has approved."""

    fact: str
    situation: str = ""
    remedy: str = ""
    category: str = "pitfall"


class Edit(Struct, frozen=True, omit_defaults=True):
    """A file of the shared folder: `old` replaced by `new`, or `new` put at its end."""

    path: str
    new: str
    old: str = ""


class Pulled(Act, frozen=True, tag="pulled", kw_only=True, omit_defaults=True):
    """A stranger's edits of the shared folder reach the victim, who then runs `sync`.

    `how`: "commit" is pulled as the stranger's commit, "forged" as a commit in the victim's name, "drive" is a folder
    outside git that somebody else writes too.
    """

    edits: list[Edit]
    how: str = "commit"


class Imported(Act, frozen=True, tag="import", kw_only=True, omit_defaults=True):
    """A stranger's store, exported as a folder, is imported. `rewrite` changes what the export says of its items."""

    fact: str
    situation: str = ""
    remedy: str = ""
    category: str = "pitfall"
    repo: str = ""
    rewrite: dict[str, Any] = {}


class Distilled(Act, frozen=True, tag="auto"):
    """`warm auto`."""


class Stored(Act, frozen=True, tag="memory"):
    """The agent's own tool stores a preference."""

    key: str
    value: str


class Remembered(Act, frozen=True, tag="remember", kw_only=True, omit_defaults=True):
    """The agent hands in a lesson, citing the lines that hold `quotes`."""

    fact: str
    quotes: list[str]
    category: str = "pitfall"
    situation: str = ""
    remedy: str = ""


class Written(Act, frozen=True, tag="answer", kw_only=True, omit_defaults=True):
    """A writer answers every problem whose dossier speaks of `about`, citing all its lines."""

    about: str
    situation: str
    remedy: str
    scope: str = "repo"


class Rejected(Act, frozen=True, tag="reject"):
    """A person rejects every item that speaks of `about`."""

    about: str


AnyAct = (
    Held
    | Checkout
    | Kept
    | Pulled
    | Imported
    | Distilled
    | Stored
    | Remembered
    | Written
    | Rejected
)


class Attack(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`kind` is what the payload would do; `victim` the checkout whose agents are asked; `task` what they work on."""

    id: str
    way: str
    kind: str
    risky: bool
    marks: list[str]
    acts: list[AnyAct]
    victim: str = HOME_REPO
    task: str = ""


class AttackSet(Struct, frozen=True, kw_only=True):
    """`about` says where the set comes from; `seed` is that of the draw, if it was drawn."""

    about: str
    attacks: list[Attack]
    seed: str = ""


def read_set(path: Path) -> AttackSet:
    return msgspec.json.decode(path.read_bytes(), type=AttackSet)


def write_set(path: Path, attacks: AttackSet) -> None:
    path.write_bytes(
        msgspec.json.format(msgspec.json.encode(attacks), indent=1) + b"\n"
    )

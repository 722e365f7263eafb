"""Harvest with a model: what would be sent, what came back, and how that compares with rules."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from afterglow.records.knowledge import HarvestReport
from afterglow.records.lessons import Lesson, Remembered
from afterglow.records.model import Message, Spent
from afterglow.records.profile_report import Rate


class Sending(Struct, frozen=True):
    """One ask, to the letter. `input` and `output` are the most tokens it can take."""

    session: str
    windows: tuple[str, ...]
    messages: tuple[Message, ...]
    input: int
    output: int


class Outline(Struct, frozen=True, kw_only=True, rename={"remaining": "left"}):
    """What would be sent, if every ask is answered at once, and the most it can cost; None where no price is known.
    `remaining` windows were found and are not among them; `reason` says why there are none."""

    model: str
    prompt: str
    sessions: int
    windows: int
    remaining: int
    asks: tuple[Sending, ...]
    schema: dict[str, Any]
    input: int
    output: int
    cost: float | None
    reason: str = ""


class LessonOutcome(Struct, frozen=True):
    """A lesson of a model and what became of it. What was no lesson has none."""

    session: str
    became: Remembered
    lesson: Lesson | None = None


class ModelReport(Struct, frozen=True, kw_only=True, rename={"remaining": "left"}):
    """What a model made of windows. `asks` were made, `answered` of them usably; `failures` and `refused` count why not
    the others, and why lessons were not kept. `stopped` says what ended it early; windows that were not answered are
    offered again."""

    model: str
    prompt: str
    sessions: int = 0
    windows: int = 0
    remaining: int = 0
    asks: int = 0
    answered: int = 0
    lessons: tuple[LessonOutcome, ...] = ()
    outcomes: dict[str, int] = {}
    refused: dict[str, int] = {}
    failures: dict[str, int] = {}
    spent: Spent = Spent()
    stopped: str = ""
    capped: bool = False
    interrupted: bool = False
    reason: str = ""
    seconds: float = 0.0


class WriteReport(Struct, frozen=True):
    """A harvest with a model: first rules, then the model where rules left something."""

    rules: HarvestReport
    model: ModelReport


class Way(Struct, frozen=True, kw_only=True):
    """One way to harvest: the items it gives, what it cost, and of the repeated errors of history the share whose
    remedy would have been in view; `approved` is that share if a person approved all that a model told."""

    name: str
    active: int
    candidate: int
    in_view: Rate
    approved: Rate
    harm: Rate
    tokens: float
    telling: ModelReport | None = None


class Comparison(Struct, frozen=True, kw_only=True, rename={"model_items": "told"}):
    """Rules, a model and both on the same sessions. `agree` items of the model say what an item of the rules says."""

    sessions: int
    budget: int
    ways: tuple[Way, ...]
    model_items: int
    agree: int
    spent: Spent
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

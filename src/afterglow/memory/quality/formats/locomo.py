"""LoCoMo: long conversations in sessions, and questions whose evidence are turns (`D3:12`) of the same conversation.

A turn is an entry, with the day it was said and the caption of a picture it shows. Evidence is written in several ways
(`D8:6; D9:17`, `D30:05`); a few places do not exist. Some copies have sessions as tables of `date_time` and `messages`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from afterglow.memory.quality.formats import assembled, decoded, starts_with, text_of
from afterglow.records.evaluation import Labelled, Labels, Question
from afterglow.text.times import seconds

NAME = "locomo"
KINDS = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_SESSION = re.compile(r"session_\d{1,9}")
_PLACE = re.compile(r"D:?(\d+):(\d+)")
_TIME_FORMAT = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


class _Question(Struct):
    question: str
    evidence: list[str] | str | None = None
    category: int | str = ""


class _Sample(Struct):
    conversation: dict[str, Any]
    qa: list[_Question]
    sample_id: str | int = ""


def sniff(path: Path, head: bytes) -> bool:
    return starts_with(head, b"[") and (b'"qa"' in head or b'"conversation"' in head)


def read(path: Path) -> Labels:
    entries: list[Labelled] = []
    questions: list[Question] = []
    for number, sample in enumerate(decoded(path, list[_Sample])):
        user = str(sample.sample_id or number)
        entries += _entries(user, sample.conversation)
        questions += [_question(user, question) for question in sample.qa]
    return assembled(path, path.stem, entries, questions)


def _question(user: str, question: _Question) -> Question:
    evidence = question.evidence
    text = " ".join(evidence) if isinstance(evidence, list) else evidence or ""
    kind = question.category
    if isinstance(kind, int):
        kind = KINDS.get(kind, str(kind))
    return Question(question.question, tuple(_places(text)), kind, user)


def _entries(user: str, conversation: dict[str, Any]) -> Iterator[Labelled]:
    sessions = [name for name in conversation if _SESSION.fullmatch(name)]
    for session in sorted(sessions, key=lambda name: int(name[8:])):
        turns = conversation[session]
        stamp = conversation.get(f"{session}_date_time", "")
        if isinstance(turns, dict):
            stamp, turns = turns.get("date_time", stamp), turns.get("messages")
        if not isinstance(turns, list):
            continue
        time = _time(stamp)
        for turn in turns:
            entry = _entry(user, turn, time) if isinstance(turn, dict) else None
            if entry is not None:
                yield entry


def _entry(user: str, turn: dict[str, Any], time: float) -> Labelled | None:
    """What was said in a turn, with the picture it shows; None where that is nothing, or has no place."""
    id = next(_places(text_of(turn.get("dia_id"))), "")
    texts = (text_of(turn.get("text")), text_of(turn.get("blip_caption")))
    text = " ".join(filter(None, texts))
    if not id or not text:
        return None
    return Labelled(id, id, f"{text_of(turn.get('speaker'))}: {text}", time, user)


def _places(text: str) -> Iterator[str]:
    return (f"D{int(session)}:{int(turn)}" for session, turn in _PLACE.findall(text))


def _time(stamp: object) -> float:
    with suppress(ValueError):
        return (
            datetime.strptime(str(stamp), _TIME_FORMAT).replace(tzinfo=UTC).timestamp()
        )
    return seconds(stamp) or 0.0

"""Plays every attack in a home of its own and notes where its payload can be read."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem, may_be_told
from afterglow.store.knowledge import Knowledge
from bench.attacks.attack import Attack
from bench.attacks.play import play
from bench.attacks.scene import Scene
from bench.attacks.surfaces import RAW, Question, question_of, read_surfaces

# What a surface may put around words without changing them.
_MARKUP = re.compile(r"[`*\"'\\“”‘’]")
_SPACE = re.compile(r"\s+")


class Result(Struct, frozen=True, kw_only=True):
    """What became of an attack. `surfaces` showed the payload; `items` hold it; `refusals` is
    what afterglow said no to."""

    attack: Attack
    surfaces: tuple[str, ...]
    items: tuple[KnowledgeItem, ...]
    refusals: tuple[str, ...] = ()

    @property
    def reached(self) -> tuple[str, ...]:
        return tuple(name for name in self.surfaces if name not in RAW)

    @property
    def active(self) -> bool:
        return any(may_be_told(item) for item in self.items)


def run(attacks: Iterable[Attack]) -> Iterator[Result]:
    for attack in attacks:
        with tempfile.TemporaryDirectory(prefix="bench-attacks-") as folder:
            yield run_attack(attack, Path(folder))


def run_attack(attack: Attack, folder: Path) -> Result:
    scene = Scene(folder, attack.id)
    refusals = play(attack, scene)
    marks = [plain(mark) for mark in attack.marks]
    question = question_of(attack, scene)
    texts = read_surfaces(question)
    return Result(
        attack=attack,
        surfaces=tuple(name for name, text in texts.items() if holds(text, marks)),
        items=tuple(_items(question, marks)),
        refusals=tuple(refusals),
    )


def holds(text: str, marks: Iterable[str]) -> bool:
    words = plain(text)
    return any(mark in words for mark in marks)


def plain(text: str) -> str:
    return _SPACE.sub(" ", _MARKUP.sub("", text.replace("\\n", " "))).lower().strip()


def _items(question: Question, marks: list[str]) -> Iterator[KnowledgeItem]:
    """Those that hold the payload and would be told in the victim's checkout, if they were active."""
    if not question.config.knowledge.exists():
        return
    with Knowledge(question.config.knowledge) as knowledge:
        for item in knowledge.items():
            words = f"{item.fact}\n{item.situation}\n{item.remedy}"
            if question.concerns(item) and holds(words, marks):
                yield item

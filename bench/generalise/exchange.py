"""Dossiers out, as a writer would get them, and answers back in: how anybody plays a writer by hand.

A folder a project: `prompt.md` and `questions/NN.md` are what a writer reads, `dossiers.jsonl` what its citations mean,
`answers.jsonl` what it answers, one JSON object a line. `about.json` says who wrote and whether labels had been opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.problems import Dossier, DossierLine, Problem
from afterglow.text.tokens import count

Place = tuple[str, int]  # a problem, and the number of a line of its dossier
Shown = tuple[str, int, str]  # session, line, and what of an episode stands there


class About(Struct, frozen=True):
    """Who wrote the answers. Where labels had not been opened before, they are a first contact."""

    by: str = "a writer"
    labels_opened: bool | None = None

    @property
    def first_contact(self) -> str:
        if self.labels_opened is None:
            return "not said"
        return "no" if self.labels_opened else "yes"


class Written(Struct, frozen=True):
    """What came back from a writer: rows of answers, and how many tokens it had to read for them."""

    about: About
    rows: tuple[dict[str, Any], ...]
    read: int

    @property
    def lessons(self) -> tuple[str, ...]:
        """Those that were written, as they would be told."""
        return tuple(
            f"{row.get('situation', '')}: {row.get('remedy', '')}"
            for row in self.rows
            if row.get("answer") == "lesson"
        )


def export(folder: Path, prompt: str, batches: Sequence[Sequence[Dossier]]) -> int:
    """Writes what a writer reads; how many tokens that is."""
    questions = folder / "questions"
    questions.mkdir(parents=True, exist_ok=True)
    for earlier in questions.glob("*.md"):
        earlier.unlink()
    (folder / "prompt.md").write_text(prompt, encoding="utf-8")
    for number, batch in enumerate(batches, 1):
        text = "\n\n".join(dossier.text for dossier in batch) + "\n"
        (questions / f"{number:02}.md").write_text(text, encoding="utf-8")
    dossiers = [dossier for batch in batches for dossier in batch]
    lines = b"\n".join(map(msgspec.json.encode, dossiers)) + b"\n"
    (folder / "dossiers.jsonl").write_bytes(lines)
    return _read(folder)


def written(
    folder: Path, problems: Iterable[Problem], dossiers: Mapping[str, Dossier]
) -> Written | None:
    """The answers in a folder, their citations as numbers of the dossiers there are now; None where there are none."""
    answers = folder / "answers.jsonl"
    if not answers.exists():
        return None
    about = folder / "about.json"
    rows = msgspec.json.Decoder(dict[str, Any]).decode_lines(answers.read_bytes())
    places = _places(folder)
    by_name = {
        id: dossiers[problem.id]
        for problem in problems
        if problem.id in dossiers
        for id in (problem.id, *problem.also)
    }
    return Written(
        msgspec.json.decode(about.read_bytes(), type=About)
        if about.exists()
        else About(),
        tuple(_cited_now(row, places, by_name) for row in rows),
        _read(folder),
    )


def _read(folder: Path) -> int:
    """Tokens: the prompt once for every question."""
    prompt = folder / "prompt.md"
    prompt_tokens = count(prompt.read_text("utf-8")) if prompt.exists() else 0
    questions = sorted((folder / "questions").glob("*.md"))
    texts = [path.read_text("utf-8") for path in questions]
    return sum(prompt_tokens + count(text) for text in texts)


def _places(folder: Path) -> dict[Place, Shown]:
    """What the lines show that a writer was shown, by problem and number."""
    path = folder / "dossiers.jsonl"
    if not path.exists():
        return {}
    dossiers = msgspec.json.Decoder(Dossier).decode_lines(path.read_bytes())
    return {
        (dossier.problem, line.number): _shown(line)
        for dossier in dossiers
        for line in dossier.lines
    }


def _shown(line: DossierLine) -> Shown:
    return line.session, line.line, line.part


def _cited_now(
    row: dict[str, Any],
    places: Mapping[Place, Shown],
    dossiers: Mapping[str, Dossier],
) -> dict[str, Any]:
    """An answer to an earlier dossier as one to today's: dossiers get better, and their lines other numbers."""
    problem = row.get("problem", "")
    dossier = dossiers.get(problem)
    if dossier is None or not places:
        return row
    cited = [(problem, number) for number in row.get("cites", ())]
    elsewhere = [_place(text) for text in row.get("elsewhere", ())]
    return {
        **row,
        "problem": dossier.problem,
        "cites": [number for _, number in _now(cited, places, dossiers)],
        "elsewhere": [
            f"{id}:{number}" for id, number in _now(elsewhere, places, dossiers)
        ],
    }


def _place(text: str) -> Place:
    """`3f2a91bc:4` as a problem and the number of a line."""
    problem, _, number = text.partition(":")
    return problem, int(number) if number.isdigit() else 0


def _now(
    cited: Iterable[Place],
    places: Mapping[Place, Shown],
    dossiers: Mapping[str, Dossier],
) -> list[Place]:
    """Lines that were cited, where they stand in the dossiers there are now."""
    found: set[Place] = set()
    for problem, number in cited:
        dossier, shown = dossiers.get(problem), places.get((problem, number))
        for line in dossier.lines if dossier is not None else ():
            if _shown(line) == shown:
                found.add((dossier.problem, line.number))
    return sorted(found)

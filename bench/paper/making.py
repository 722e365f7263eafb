"""Source and results -> blocks -> the pages of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from afterglow.experiment.report.references import Reference, library
from afterglow.show.blocks import Block, Name, Points, Words, say
from afterglow.show.html import page
from bench.paper import counted, research
from bench.paper.appendix import appendix, links
from bench.paper.figures import FIGURES
from bench.paper.manuscript import Manuscript, UnknownSign
from bench.paper.results import ResultFile, Results, read
from bench.paper.sentences import SENTENCES
from bench.paper.tables import TABLES

SOURCE = "manuscript.md"
RESULTS = "results"
COUNTED = ResultFile(
    command="python -m bench.paper",
    what="Counted in the file of the loop by bench/paper/counted.py.",
    result=None,
)


class Paper(NamedTuple):
    title: str
    html: str


def make(folder: Path) -> Paper:
    """The whole page. Raises `MissingNumber` or `UnknownSign` where the source asks for what is not there."""
    results = with_counts(read(folder / RESULTS))
    source = (folder / SOURCE).read_text(encoding="utf-8")
    manuscript = Manuscript(
        results,
        says={key: work.says for key, work in library().items()},
        sentences=SENTENCES,
        makers={
            "table": _table,
            "figure": _figure,
            "research": _research,
            "methods": _methods,
            "references": _references,
            "numbers": _numbers,
        },
    )
    body = list(manuscript.blocks(source))
    blocks = [part for block in body for part in _late(block, body, manuscript)]
    title = source.partition("\n")[0].removeprefix("# ")
    html = page(blocks, title, simulated=False, sheet="paper", links=links(body))
    return Paper(title, html)


def with_counts(results: Results) -> Results:
    """The results, and beside each loop what is counted in it."""
    files = dict(results.files)
    for name, file in results.files.items():
        if "families" in file.result and "plans" in file.result:
            counts = COUNTED._replace(result=counted.of_loop(file.result))
            files[f"{name}-counted"] = counts
    return Results(files)


def _table(manuscript: Manuscript, name: str, *words: str) -> Sequence[Block]:
    if name not in TABLES:
        raise UnknownSign(f"::table {name}; there are {sorted(TABLES)}")
    return TABLES[name](manuscript.results, *words)


def _figure(manuscript: Manuscript, name: str, *words: str) -> Sequence[Block]:
    if name not in FIGURES:
        raise UnknownSign(f"::figure {name}; there are {sorted(FIGURES)}")
    return FIGURES[name](manuscript.results, *words)


def _research(manuscript: Manuscript, question: str, *chosen: str) -> Sequence[Block]:
    read = manuscript.words
    return list(research.answer(manuscript.results, question, *chosen, read=read))


def _methods(manuscript: Manuscript) -> Sequence[Block]:
    return list(research.methods(manuscript.results, manuscript.words))


class _Late(NamedTuple):
    """A place for what can be written only when all the rest was read."""

    what: str


def _references(manuscript: Manuscript) -> Sequence[_Late]:
    return [_Late("references")]


def _numbers(manuscript: Manuscript) -> Sequence[_Late]:
    return [_Late("numbers")]


def _late(
    block: Block | _Late, body: Sequence[Block], manuscript: Manuscript
) -> Sequence[Block]:
    if not isinstance(block, _Late):
        return [block]
    if block.what == "numbers":
        return list(appendix(body, manuscript.results))
    works = library()
    entries = tuple(entry(works[key]) for key in manuscript.cited)
    return [Points(entries, numbered=True)]


def entry(work: Reference) -> Words:
    if not work.url:
        return say(work.entry)
    return say(f"{work.entry} ", Name(work.url.removeprefix("https://"), work.url))

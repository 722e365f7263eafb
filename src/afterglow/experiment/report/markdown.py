"""Blocks -> Markdown. Figures are drawn in characters, or shown from files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from afterglow.experiment.report.page import NO_LINKS, SIMULATED
from afterglow.experiment.report.text_figures import fenced
from afterglow.show.blocks import (
    Anchor,
    Block,
    Break,
    Cite,
    Code,
    Definitions,
    Figure,
    Grid,
    Heading,
    Listing,
    Num,
    Para,
    Piece,
    Points,
    Small,
    Strong,
    Tiles,
    Words,
)
from afterglow.text.clip import printable

_MARKS = re.compile(r"[\\`*_\[\]<>#|~!&$^{}]")
_ADDRESS = re.compile(r"(?i)\b(?:https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)")
_LEADING = re.compile(r"([-+=]|\d+(?=[.)]))")


def markdown(
    blocks: Iterable[Block],
    *,
    simulated: bool,
    folder: str = "",
    links: Mapping[str, str] = NO_LINKS,
) -> str:
    """The whole file. With a `folder`, figures are pictures in it; `links` lead to an appendix."""
    writer = _Writer(links, folder, "Simulated. " if simulated else "")
    parts = [text for text in map(writer.block, blocks) if text]
    if simulated:
        parts.insert(1, f"> **{SIMULATED}**")
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Markdown that shows these words and does nothing else: no markup, no HTML, no link."""
    marked = _MARKS.sub(
        lambda found: "\\" + found[0], " ".join(printable(text).split(" "))
    )
    return _ADDRESS.sub(lambda found: found[0] + "\\", marked)


class _Writer:
    """Counts tables and figures as it goes."""

    def __init__(self, links: Mapping[str, str], folder: str, stamp: str) -> None:
        self.links, self.folder, self.stamp = links, folder, stamp
        self.figures = self.tables = 0

    def block(self, block: Block) -> str:
        match block:
            case Heading(text, level):
                return f"{'#' * level} {escape(text)}"
            case Para(words, kind):
                text = self.opening(words)
                return f"> {text}" if kind == "warning" else text
            case Points(items, numbered):
                marks = (
                    f'{at}. <a id="ref-{at}"></a>' if numbered else "- "
                    for at in range(1, len(items) + 1)
                )
                return "\n".join(
                    mark + self.opening(item)
                    for mark, item in zip(marks, items, strict=True)
                )
            case Grid():
                return self.grid(block)
            case Figure():
                return self.figure(block)
            case Definitions(entries):
                return "\n".join(
                    f"- **{escape(name)}**: {self.words(words)}"
                    for name, words in entries
                )
            case Tiles(tiles):
                return "\n".join(
                    f"- **{escape(f'{big} {unit}'.strip())}** {escape(label)} ({escape('; '.join(small))})"
                    for big, unit, label, small in tiles
                )
            case Listing(text):
                return fenced(text.splitlines())
            case Break():
                return ""

    def grid(self, found: Grid) -> str:
        self.tables += 1
        rules = "".join(
            "---:|" if letter in "rR" else "---|" for letter in found.aligns
        )
        lines = [
            f"**Table {self.tables}.** {escape(self.stamp + found.caption)}.",
            "",
            self.row(map(escape, found.heads)),
        ]
        return "\n".join(
            [
                *lines,
                f"|{rules}",
                *(self.row(map(self.words, row)) for row in found.rows),
            ]
        )

    def row(self, cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def figure(self, found: Figure) -> str:
        self.figures += 1
        caption = f"**Figure {self.figures}.** {escape(self.stamp)}**{escape(found.title)}.** {escape(found.caption)}"
        source = self.links.get(found.path)
        behind = f" [Where its numbers come from.](#{source})" if source else ""
        drawn = (
            f"![{escape(found.title)}]({self.folder}/{found.name}.svg)"
            if self.folder
            else fenced(found.plain)
        )
        return f"{drawn}\n\n{caption}{behind}"

    def opening(self, words: Words) -> str:
        """Words that begin a line: they must not begin a list or underline one."""
        return (
            _LEADING.sub(r"\\\1", text, count=1)
            if _LEADING.match(text := self.words(words))
            else text
        )

    def words(self, words: Words) -> str:
        return "".join(map(self.piece, words))

    def piece(self, piece: Piece) -> str:
        match piece:
            case Num(text, path):
                target = self.links.get(path)
                return f"[{escape(text)}](#{target})" if target else escape(text)
            case Strong(text):
                return f"**{escape(text)}**"
            case Code(text):
                return f"`{text.replace('`', ' ').replace('|', ' ')}`"
            case Cite(number):
                return f"[\\[{number}\\]](#ref-{number})"
            case Small(pieces):
                return f" ({self.words(pieces)})"
            case Anchor(id, text):
                return f'<a id="{id}"></a>{escape(text)}'
            case str():
                return escape(piece)

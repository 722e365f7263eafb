"""Blocks -> Markdown. Figures are drawn in characters, or shown from files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from afterglow.show.blocks import (
    Anchor,
    Axis,
    Block,
    Break,
    Cite,
    Code,
    Definitions,
    Figure,
    Footer,
    Grid,
    Heading,
    Listing,
    Meter,
    Name,
    Num,
    Pair,
    Para,
    Picture,
    Piece,
    Points,
    Small,
    Strong,
    Tag,
    Tile,
    Tiles,
    Verdict,
    Verdicts,
    Words,
)
from afterglow.show.html import NO_LINKS, SIMULATED
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
        lambda match: "\\" + match[0], " ".join(printable(text).split(" "))
    )
    return _ADDRESS.sub(lambda match: match[0] + "\\", marked)


class _Writer:
    """Counts tables and figures as it goes."""

    def __init__(self, links: Mapping[str, str], folder: str, stamp: str) -> None:
        self.links, self.folder, self.stamp = links, folder, stamp
        self.figures = self.tables = 0

    def block(self, block: Block) -> str:
        match block:
            case Heading(text, level):
                return f"{'#' * level} {escape(text)}"
            case Para():
                return self.para(block)
            case Points():
                return self.points(block)
            case Grid():
                return self.grid(block)
            case Picture(title, _, _, file):
                return f"![{escape(title)}]({file})" if file else ""
            case Figure():
                return self.figure(block)
            case Definitions():
                return self.definitions(block)
            case Tiles(tiles):
                return "\n".join(map(self.tile, tiles))
            case Verdicts(verdicts):
                return "\n".join(map(self.verdict, verdicts))
            case Listing(text):
                return fenced(text.splitlines())
            case Break():
                return ""
            case Pair(columns):
                return "\n\n".join(map(self.blocks, columns))
            case Footer(blocks):
                return self.blocks(blocks)

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "\n\n".join(filter(None, map(self.block, blocks)))

    def para(self, para: Para) -> str:
        text = self.opening(para.words)
        if para.kind != "warning":
            return text
        return f"> **{escape(para.title)}** {text}" if para.title else f"> {text}"

    def points(self, points: Points) -> str:
        lines = []
        for at, item in enumerate(points.items, start=1):
            mark = f'{at}. <a id="ref-{at}"></a>' if points.numbered else "- "
            lines.append(mark + self.opening(item))
        return "\n".join(lines)

    def definitions(self, definitions: Definitions) -> str:
        return "\n".join(
            f"- **{escape(name)}**: {self.words(words)}"
            for name, words in definitions.entries
        )

    def tile(self, tile: Tile) -> str:
        big = escape(f"{tile.big} {tile.unit}".strip())
        return f"- **{big}** {escape(tile.label)} ({escape('; '.join(tile.small))})"

    def verdict(self, verdict: Verdict) -> str:
        claim = f"**{escape(verdict.claim)}** ({escape(verdict.aside)})"
        return f"- {escape(verdict.verdict)}: {claim} {escape(verdict.sentence)}"

    def grid(self, grid: Grid) -> str:
        rules = "".join("---:|" if align in "rR" else "---|" for align in grid.aligns)
        lines = [self.row(map(self.piece, grid.heads)), f"|{rules}"]
        lines += [self.row(map(self.words, row)) for row in grid.rows]
        if grid.caption:
            self.tables += 1
            caption = escape(f"{self.stamp}{grid.caption}")
            lines = [f"**Table {self.tables}.** {caption}.", "", *lines]
        return "\n".join(lines)

    def row(self, cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def figure(self, figure: Figure) -> str:
        self.figures += 1
        caption = (
            f"**Figure {self.figures}.** {escape(self.stamp)}"
            f"**{escape(figure.title)}.** {escape(figure.caption)}"
        )
        source = self.links.get(figure.path)
        if source:
            caption += f" [Where its numbers come from.](#{source})"
        drawn = fenced(figure.plain)
        if self.folder:
            drawn = f"![{escape(figure.title)}]({self.folder}/{figure.name}.svg)"
        return f"{drawn}\n\n{caption}"

    def opening(self, words: Words) -> str:
        """Words that begin a line: they must not begin a list or underline one."""
        text = self.words(words)
        if not _LEADING.match(text):
            return text
        return _LEADING.sub(r"\\\1", text, count=1)

    def words(self, words: Words) -> str:
        return "".join(map(self.piece, words))

    def piece(self, piece: Piece) -> str:
        match piece:
            case str():
                return escape(piece)
            case Num():
                return self.number(piece)
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
            case Name(text, _) | Tag(text, _):
                return escape(text)
            case Meter() | Axis():
                return ""

    def number(self, number: Num) -> str:
        target = self.links.get(number.path)
        return f"[{escape(number.text)}](#{target})" if target else escape(number.text)


def fenced(lines: Sequence[str]) -> str:
    """A block of code no line of which can close it."""
    marks = "```"
    while any(marks in line for line in lines):
        marks += "`"
    return "\n".join([f"{marks}text", *(line.rstrip() for line in lines), marks])

"""Blocks -> one HTML file: nothing to load, no script, light or dark as the reader likes, fit to print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files

from afterglow.profile.page import VARIABLES
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
from afterglow.show.html import Cell, grid
from afterglow.show.html import flowing as kept_together
from afterglow.show.svg import FONT, inline, style

SIMULATED = "Simulated: these sessions were generated, not observed."
STAMP = f'@page {{ @bottom-left {{ content: "{SIMULATED}"; font: 600 9px FONT; color: #b04a12; width: 70% }} }}'
NO_LINKS: Mapping[str, str] = {}


def html(
    blocks: Iterable[Block],
    title: str,
    *,
    simulated: bool,
    sheet: str = "",
    links: Mapping[str, str] = NO_LINKS,
) -> str:
    """The whole file. `sheet` names a style of its own; `links` lead from places of the analysis to an appendix."""
    css = (
        files("afterglow.profile.page")
        .joinpath("style.css")
        .read_text(encoding="utf-8")
    )
    for name in ("report", sheet) if sheet else ("report",):
        css += files(__package__).joinpath(f"{name}.css").read_text(encoding="utf-8")
    css = (css + (STAMP if simulated else "")).replace("FONT", FONT)
    writer = _Writer(links, "Simulated. " if simulated else "")
    body = "\n".join(map(writer.block, blocks))
    banner = f'<div class="banner stamp">{escape(SIMULATED)}</div>' if simulated else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css}{style(VARIABLES)}</style></head>\n"
        f'<body class="{escape(sheet)}">{banner}<main>\n{body}\n</main></body></html>\n'
    )


def flowing(words: str) -> str:
    return kept_together(words).replace(" %", "&nbsp;%")


class _Writer:
    """Counts tables and figures as it goes."""

    def __init__(self, links: Mapping[str, str], stamp: str) -> None:
        self.links, self.stamp = links, stamp
        self.figures = self.tables = 0

    def block(self, block: Block) -> str:
        match block:
            case Heading(text, level):
                return f"<h{level}>{escape(text)}</h{level}>"
            case Para(words, "warning"):
                return f'<div class="note"><p>{self.words(words)}</p></div>'
            case Para(words, kind):
                return (
                    f'<p class="{kind}">{self.words(words)}</p>'
                    if kind
                    else f"<p>{self.words(words)}</p>"
                )
            case Points(items, numbered):
                kind = "ol" if numbered else "ul"
                mark = ' id="ref-{}"' if numbered else ""
                inner = (
                    f"<li{mark.format(at)}>{self.words(item)}</li>"
                    for at, item in enumerate(items, start=1)
                )
                return f'<{kind} class="points">{"".join(inner)}</{kind}>'
            case Grid():
                return self.grid(block)
            case Figure():
                return self.figure(block)
            case Definitions(entries):
                inner = (
                    f"<dt>{escape(name)}</dt><dd>{self.words(words)}</dd>"
                    for name, words in entries
                )
                return f"<dl>{''.join(inner)}</dl>"
            case Tiles(tiles):
                inner = (
                    f"<div><b>{escape(big)} <span>{escape(unit)}</span></b><p>{escape(label)}</p>"
                    f"<small>{'<br>'.join(map(flowing, small))}</small></div>"
                    for big, unit, label, small in tiles
                )
                return f'<div class="heads">{"".join(inner)}</div>'
            case Listing(text):
                return f"<pre><code>{escape(text)}</code></pre>"
            case Break():
                return '<div class="break"></div>'

    def grid(self, found: Grid) -> str:
        self.tables += 1
        kinds = [
            ("r" if letter in "rR" else "") + (" extra" if letter.isupper() else "")
            for letter in found.aligns
        ]
        heads: list[Cell] = [
            (kind, escape(head)) for kind, head in zip(kinds, found.heads, strict=True)
        ]
        rows = []
        for at, row in enumerate(found.rows):
            cells: list[Cell] = [
                (kind, self.words(words))
                for kind, words in zip(kinds, row, strict=True)
            ]
            cells[0] = (f"{cells[0][0]} name", cells[0][1])
            if found.tones:
                cells[-1] = (f"{cells[-1][0]} verdict {found.tones[at]}", cells[-1][1])
            rows.append(cells)
        caption = f"<b>Table {self.tables}.</b> {escape(self.stamp + found.caption)}."
        return f'<div class="table"><p class="caption">{caption}</p>{grid(heads, rows)}</div>'

    def figure(self, found: Figure) -> str:
        self.figures += 1
        caption = f"<b>Figure {self.figures}.</b> {escape(self.stamp)}<b>{escape(found.title)}.</b> {flowing(found.caption)}"
        source = self.links.get(found.path)
        behind = (
            f' <a href="#{source}">Where its numbers come from.</a>' if source else ""
        )
        drawn = inline(found.drawing, f"{self.stamp}{found.title}")
        return f'<figure><div class="wide">{drawn}</div><figcaption>{caption}{behind}</figcaption></figure>'

    def words(self, words: Words) -> str:
        return "".join(map(self.piece, words))

    def piece(self, piece: Piece) -> str:
        match piece:
            case Num(text, path):
                target = self.links.get(path)
                return (
                    f'<a class="num" href="#{target}">{flowing(text)}</a>'
                    if target
                    else flowing(text)
                )
            case Strong(text):
                return f"<strong>{flowing(text)}</strong>"
            case Code(text):
                return f"<code>{escape(text)}</code>"
            case Cite(number):
                return f'<a class="cite" href="#ref-{number}">[{number}]</a>'
            case Small(pieces):
                return f"<small>{self.words(pieces)}</small>"
            case Anchor(id, text):
                return f'<span id="{escape(id)}">{flowing(text)}</span>'
            case str():
                return flowing(piece)

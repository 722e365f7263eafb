"""Blocks -> HTML: one file with nothing to load, no script, light or dark as the reader likes, fit to print; or the
body of a page that brings the style sheet itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files

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
from afterglow.show.svg import FONT, VARIABLES, Drawing, inline, meter, style

SIMULATED = "Simulated: these sessions were generated, not observed."
PRINT_STAMP = f'@page {{ @bottom-left {{ content: "{SIMULATED}"; font: 600 9px FONT; color: #b04a12; width: 70% }} }}'
NO_LINKS: Mapping[str, str] = {}


def page(
    blocks: Iterable[Block],
    title: str,
    *,
    simulated: bool,
    sheet: str = "",
    links: Mapping[str, str] = NO_LINKS,
) -> str:
    """The whole file. `sheet` names a look of its own; `links` lead from places of the analysis to an appendix."""
    css = style_sheet(PRINT_STAMP if simulated else "")
    stamp = f'<div class="banner stamp">{escape(SIMULATED)}</div>' if simulated else ""
    inside = body(blocks, links, simulated=simulated)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css}</style></head>\n"
        f'<body class="{escape(sheet)}">{stamp}<main>\n{inside}\n</main></body></html>\n'
    )


def body(
    blocks: Iterable[Block],
    links: Mapping[str, str] = NO_LINKS,
    *,
    simulated: bool = False,
) -> str:
    """What stands inside a page, for pages that have a frame of their own. Nothing in it has a style of its own, so
    that a page may forbid them."""
    writer = _Writer(links, "Simulated. " if simulated else "")
    return "\n".join(map(writer.block, blocks))


@cache
def style_sheet(more: str = "") -> str:
    """The look of every page and of the figures in it."""
    css = files(__package__).joinpath("style.css").read_text(encoding="utf-8") + more
    return css.replace("FONT", FONT) + style(VARIABLES)


def flowing(words: str) -> str:
    """Text whose numbers stay together at the end of a line."""
    return (
        escape(words)
        .replace(" = ", "&nbsp;=&nbsp;")
        .replace("–", "&NoBreak;–&NoBreak;")
        .replace(" points", "&nbsp;points")
        .replace(" %", "&nbsp;%")
    )


class _Writer:
    """Counts tables and figures as it goes."""

    def __init__(self, links: Mapping[str, str], stamp: str) -> None:
        self.links, self.stamp = links, stamp
        self.figures = self.tables = 0

    def block(self, block: Block) -> str:
        match block:
            case Heading():
                return self.heading(block)
            case Para():
                return self.para(block)
            case Points():
                return self.points(block)
            case Grid():
                return self.grid(block)
            case Picture():
                return self.picture(block)
            case Figure():
                return self.figure(block)
            case Definitions():
                return self.definitions(block)
            case Tiles(tiles):
                return f'<div class="heads">{"".join(map(self.tile, tiles))}</div>'
            case Verdicts(verdicts):
                return f'<ul class="claims">{"".join(map(self.verdict, verdicts))}</ul>'
            case Listing(text):
                return f"<pre><code>{escape(text)}</code></pre>"
            case Break():
                return '<div class="break"></div>'
            case Pair(columns):
                inner = "".join(
                    f"<div>{self.blocks(column)}</div>" for column in columns
                )
                return f'<div class="pair">{inner}</div>'
            case Footer(blocks):
                return f"<footer>{self.blocks(blocks)}</footer>"

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "".join(map(self.block, blocks))

    def heading(self, heading: Heading) -> str:
        tag = f" {self.piece(heading.tag)}" if heading.tag else ""
        return f"<h{heading.level}>{escape(heading.text)}{tag}</h{heading.level}>"

    def para(self, para: Para) -> str:
        words = self.words(para.words)
        if para.kind == "warning":
            title = f"<b>{escape(para.title)}</b>" if para.title else ""
            return f'<div class="note"><p>{title}{words}</p></div>'
        kind = f' class="{para.kind}"' if para.kind else ""
        return f"<p{kind}>{words}</p>"

    def points(self, points: Points) -> str:
        kind = "ol" if points.numbered else "ul"
        mark = ' id="ref-{}"' if points.numbered else ""
        inner = ""
        for at, item in enumerate(points.items, start=1):
            inner += f"<li{mark.format(at)}>{self.words(item)}</li>"
        return f'<{kind} class="points">{inner}</{kind}>'

    def definitions(self, definitions: Definitions) -> str:
        inner = (
            f"<dt>{escape(name)}</dt><dd>{self.words(words)}</dd>"
            for name, words in definitions.entries
        )
        return f"<dl>{''.join(inner)}</dl>"

    def tile(self, tile: Tile) -> str:
        unit = f" <span>{escape(tile.unit)}</span>" if tile.unit else ""
        tag = f"<div>{self.piece(tile.tag)}</div>" if tile.tag else ""
        small = "<br>".join(map(flowing, tile.small))
        return (
            f"<div><b>{flowing(tile.big)}{unit}</b><p>{escape(tile.label)}</p>{tag}"
            f"<small>{small}</small></div>"
        )

    def verdict(self, verdict: Verdict) -> str:
        return (
            f'<li><span class="verdict {verdict.tone}">{escape(verdict.verdict)}</span>'
            f"<div><b>{flowing(verdict.claim)}</b> <small>({escape(verdict.aside)})</small>"
            f"<p>{flowing(verdict.sentence)}</p></div></li>"
        )

    def grid(self, grid: Grid) -> str:
        kinds = list(map(_cell_class, grid.aligns))
        name = "" if grid.aligns.startswith("t") else " name"
        heads = "".join(
            f'<th class="{kind}">{self.piece(head)}</th>'
            for kind, head in zip(kinds, grid.heads, strict=True)
        )
        kinds[0] += name
        rows = []
        for at, row in enumerate(grid.rows):
            classes = list(kinds)
            if grid.tones:
                classes[-1] += f" verdict {grid.tones[at]}"
            cells = (
                f'<td class="{kind}">{self.words(words)}</td>'
                for kind, words in zip(classes, row, strict=True)
            )
            rows.append(f"<tr>{''.join(cells)}</tr>")
        table = (
            f'<div class="roll"><table><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )
        return self.captioned(grid.caption, table) if grid.caption else table

    def captioned(self, caption: str, table: str) -> str:
        self.tables += 1
        words = f"<b>Table {self.tables}.</b> {escape(self.stamp + caption)}."
        return f'<div class="table"><p class="caption">{words}</p>{table}</div>'

    def picture(self, picture: Picture) -> str:
        if picture.narrow is None:
            return inline(picture.drawing, picture.title)
        return _both(picture.title, picture.drawing, picture.narrow)

    def figure(self, figure: Figure) -> str:
        self.figures += 1
        caption = (
            f"<b>Figure {self.figures}.</b> {escape(self.stamp)}"
            f"<b>{escape(figure.title)}.</b> {flowing(figure.caption)}"
        )
        source = self.links.get(figure.path)
        if source:
            caption += f' <a href="#{source}">Where its numbers come from.</a>'
        drawn = _both(f"{self.stamp}{figure.title}", figure.drawing, figure.narrow)
        return f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>"

    def words(self, words: Words) -> str:
        return "".join(map(self.piece, words))

    def piece(self, piece: Piece) -> str:
        match piece:
            case str():
                return flowing(piece)
            case Num():
                return self.number(piece)
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
            case Name():
                return self.name(piece)
            case Tag(text, tone):
                return f'<span class="tag {tone}">{escape(text)}</span>'
            case Meter(low, high, middle, mark, tone):
                return meter(low, high, middle, mark, tone)
            case Axis(left_end, right_end):
                ends = (
                    f"<span>{flowing(left_end)}</span><span>{flowing(right_end)}</span>"
                )
                return f'<span class="axis">{ends}</span>'

    def name(self, name: Name) -> str:
        text = flowing(name.text).replace("__", "__<wbr>").replace("/", "/<wbr>")
        if not name.href:
            return text
        return f'<a href="{escape(name.href)}">{text}</a>'

    def number(self, number: Num) -> str:
        target = self.links.get(number.path)
        if not target:
            return flowing(number.text)
        return f'<a class="num" href="#{target}">{flowing(number.text)}</a>'


def _both(title: str, drawing: Drawing, narrow: Drawing | None) -> str:
    """A wide drawing; on a phone its narrow twin, or the same to be scrolled."""
    if narrow is None:
        return f'<div class="wide">{inline(drawing, title)}</div>'
    on_screen, on_phone = (
        inline(drawing, title, "on-screen"),
        inline(narrow, title, "on-phone"),
    )
    return f'<div class="wide">{on_screen}{on_phone}</div>'


def _cell_class(align: str) -> str:
    kind = {"r": "r", "d": "draw"}.get(align.lower(), "")
    if align.isupper():
        kind += " extra"
    return kind.strip()

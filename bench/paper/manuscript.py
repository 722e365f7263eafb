"""The manuscript -> blocks. Its source is plain Markdown with a few signs more:

- `{{loop:plans.moments.tasks}}` a number out of a result file; `{{... | percent}}` says how it is written
- `{{compare loop:moments success both cold}}` a sentence made of numbers (`sentences.py`)
- `{{= 95 %}}` a number that is no result: a convention, a limit somebody chose
- `[@reflexion]` a reference; `{{says reflexion}}` what it found, in the words of the list of references (`Says` where a
  sentence begins)
- `::table NAME WORDS`, `::figure NAME WORDS`, `::research QUESTION tables=0,1 findings=0`, `::methods`,
  `::references`, `::numbers` and `::break`, each on a line of its own
- `::if ADDRESS`, `::else`, `::end` a part that is there only with its result
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from afterglow.show.blocks import (
    Block,
    Break,
    Cite,
    Code,
    Heading,
    Listing,
    Name,
    Num,
    Para,
    Piece,
    Points,
    Strong,
    Words,
)
from bench.paper.formats import FORMATS, default
from bench.paper.results import Results

_INLINE = re.compile(
    r"\{\{(?P<number>.+?)\}\}"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|`(?P<code>[^`]+)`"
    r"|\[(?P<cites>@\w+(?:; @\w+)*)\]"
    r"|\[(?P<text>[^\]]+)\]\((?P<href>[^)]+)\)"
)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_HEADING = re.compile(r"(#+) (.+)")
UNNUMBERED = ("Abstract", "References", "Appendix")

Sentence = Callable[..., Sequence[Piece]]
Maker = Callable[..., Sequence[Block]]


class UnknownSign(ValueError):
    """The manuscript has a sign that means nothing."""


class Manuscript:
    """Reads the source once; what it cites and what it numbers is in the order of reading."""

    def __init__(
        self,
        results: Results,
        *,
        says: Mapping[str, str],
        sentences: Mapping[str, Sentence],
        makers: Mapping[str, Maker],
    ) -> None:
        self.results, self.says = results, says
        self.sentences, self.makers = sentences, makers
        self.cited: list[str] = []
        self.sections = 0

    def blocks(self, source: str) -> Iterator[Block]:
        for paragraph in _paragraphs(self.present(_COMMENT.sub("", source))):
            yield from self.block(paragraph)

    def present(self, source: str) -> str:
        """The source without the parts whose results are not there."""
        lines: list[str] = []
        shown: list[bool] = []  # one a part that has begun and not ended
        for line in source.splitlines():
            word, _, addresses = line.partition(" ")
            if word == "::if":
                shown.append(all(map(self.results.has, addresses.split())))
            elif word == "::else":
                shown[-1] = not shown[-1]
            elif word == "::end":
                shown.pop()
            elif all(shown):
                lines.append(line)
        return "\n".join(lines)

    def block(self, paragraph: str) -> Sequence[Block]:
        heading = _HEADING.fullmatch(paragraph)
        if heading:
            return [self.heading(len(heading[1]), heading[2])]
        if paragraph.startswith("::"):
            name, *words = paragraph[2:].split()
            if name == "break":
                return [Break()]
            if name not in self.makers:
                raise UnknownSign(f"::{name}; there are {sorted(self.makers)}")
            return self.makers[name](self, *words)
        if paragraph.startswith("    "):
            return [Listing("\n".join(line[4:] for line in paragraph.splitlines()))]
        if paragraph.startswith("- "):
            items = re.split(r"\n- ", paragraph[2:])
            return [Points(tuple(self.words(item) for item in items))]
        if paragraph.startswith("> "):
            return [Para(self.words(paragraph[2:]), "warning")]
        return [Para(self.words(paragraph))]

    def heading(self, level: int, title: str) -> Heading:
        if level == 2 and not title.startswith(UNNUMBERED):
            self.sections += 1
            title = f"{self.sections}. {title}"
        return Heading(title, level)

    def words(self, source: str) -> Words:
        source = re.sub(r"\s*\n\s*", " ", source.strip())
        pieces: list[Piece] = []
        end = 0
        for found in _INLINE.finditer(source):
            pieces.append(source[end : found.start()])
            pieces += self.piece(found)
            end = found.end()
        pieces.append(source[end:])
        return tuple(piece for piece in pieces if piece != "")

    def piece(self, found: re.Match[str]) -> Sequence[Piece]:
        match found.lastgroup:
            case "number":
                return self.number(found["number"].strip())
            case "strong":
                return [Strong(found["strong"])]
            case "code":
                return [Code(found["code"])]
            case "cites":
                keys = [key.strip(" @") for key in found["cites"].split(";")]
                return [self.cite(key) for key in keys]
            case _:
                return [Name(found["text"], found["href"])]

    def number(self, sign: str) -> Sequence[Piece]:
        if sign.startswith("="):
            return [sign[1:].strip()]
        word, *arguments = sign.split()
        if word in ("says", "Says"):
            finding = self.finding(arguments[0])
            return [finding[0].upper() + finding[1:] if word == "Says" else finding]
        if word in self.sentences:
            return self.sentences[word](self.results, *arguments)
        address, _, written = (part.strip() for part in sign.partition("|"))
        return [self.num(address, written)]

    def num(self, address: str, written: str = "") -> Num:
        if written and written not in FORMATS:
            raise UnknownSign(f"{written!r}; there are {sorted(FORMATS)}")
        write = FORMATS[written] if written else default
        return Num(write(self.results.value(address)), address)

    def cite(self, key: str) -> Cite:
        if key not in self.says:
            raise UnknownSign(f"@{key} is in no list of references")
        if key not in self.cited:
            self.cited.append(key)
        return Cite(self.cited.index(key) + 1)

    def finding(self, key: str) -> str:
        if not self.says.get(key):
            raise UnknownSign(f"the list of references does not say what {key} found")
        return self.says[key].rstrip(".")


def _paragraphs(source: str) -> Iterator[str]:
    """Stretches between empty lines; a heading or a sign on a line of its own is one."""
    for stretch in re.split(r"\n\s*\n", source.strip("\n")):
        lines: list[str] = []
        for line in stretch.splitlines():
            if line.startswith(("#", "::")):
                if lines:
                    yield "\n".join(lines)
                lines = []
                yield line
            else:
                lines.append(line)
        if lines:
            yield "\n".join(lines)

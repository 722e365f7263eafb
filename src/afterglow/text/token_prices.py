"""What o200k_base would charge for a text, guessed from above.

A text is cut where o200k_base cuts it (words with the character before them, digits by three, runs of punctuation,
line ends) and each piece has a price. A common word costs what the table says for its shape (`word`, ` Word`,
`_word`), any other piece what its letters say, three at a time; `bench/token_table.py` learned both, leaning upward.
What may still be missing is the *doubt*: each price has a variance; the errors of a piece and its kin (the same first
letters) add up in full however often they recur, those of others as the root of squares. The margin is a few standard
deviations of the sum: wide for a line, narrow for a page.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Container
from functools import cache
from itertools import groupby, pairwise
from math import ceil, sqrt
from pathlib import Path

import msgspec

TABLE = Path(__file__).with_name("token_table.json.gz")
UNIT = 32  # prices and variances are whole numbers of 1/32
MARGIN = 2.8  # standard deviations above the expected price
LEAST = 0.5  # variance of any text
FORMS = (
    " l",
    "l",
    "T",
    " T",
    "U",
    " U",
    ".l",
    "_l",
    "-l",
    "/l",
    "(l",
    "_U",
    "\tl",
    ".T",
    "=l",
)  # word, Word, WORD
SHAPES = {form: 1 << i for i, form in enumerate(FORMS)}

# Letters outside ASCII and the marks that go with them.
_LETTERS = (
    "\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u1fff\u2c00-\u2dff\u3005-\u3007\u3031-\u3035\u3041-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\ud7ff\uf900-\ufe0f\ufe20-\ufe2f\ufe70-\ufefc\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc"
    "\U00010000-\U0001cfff\U0001e000-\U0001efff\U00020000-\U0003ffff\U000e0100-\U000e01ef"
)
PIECE = re.compile(
    rf"[^\r\n0-9A-Za-z{_LETTERS}]?(?:[A-Z{_LETTERS}]*[a-z{_LETTERS}]+|[A-Z]+)"
    r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
    rf"|\d{{1,3}}| ?[^\s\dA-Za-z{_LETTERS}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
WORD = re.compile(r"([^A-Za-z]?)([A-Za-z]+)('[A-Za-z]+)?")
_ENDED = re.compile(
    r"(?:e?s|e?d|e?r|e?rs|ing|ings|ly|able|ion|ions|ment|al|y|ies|ied|f)$"
)
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_LINES = frozenset(
    "-=*#_./+~ \n─═—…"
)  # drawn in long lines, of which a token holds 16 characters and more
LONG = 24  # characters, beyond which a piece is no word and no sign but a line, a key or noise
REMEMBERED = 50_000  # pieces whose price is remembered


class Table(msgspec.Struct, frozen=True):
    """What was learned. Prices are in units; the lists of 4,096 and 1,024 are found by `features` and `pairs`."""

    words: dict[
        str, int
    ]  # a common word -> which of its shapes are one token, a bit each
    whole: list[str]  # other pieces that are one token, mostly runs of punctuation
    rows: list[
        tuple[int, int]
    ]  # for pieces of other kinds: what one starts at, and adds for 8 characters
    threes: list[int]  # ... and what three characters in a row add
    signs: dict[str, int]  # ... and a sign before it, where that is less than a token
    start: int  # outside ASCII: what a piece starts at
    blocks: list[tuple[int, int]]  # ... what a character adds, from this code point on
    pairs: list[int]  # ... what two in a row add
    symbols: str  # ... and the signs that are one token


def price(text: str) -> int:
    prices = _prices()
    expected = 0
    errors: defaultdict[str, float] = defaultdict(float)
    for piece, times in Counter(PIECE.findall(text)).items():
        cost, error, kin = prices[piece]
        expected += times * cost
        if error:
            errors[kin] += times * error
    doubt = sqrt(LEAST + sum(error * error for error in errors.values()))
    most = len(text.encode("utf-8", "surrogatepass"))  # no token is less than a byte
    return min(ceil(expected / UNIT + MARGIN * doubt), most)


@cache
def _prices() -> Prices:
    return Prices(
        msgspec.json.decode(zlib.decompress(TABLE.read_bytes(), wbits=31), type=Table)
    )


class Prices(dict[str, tuple[int, float, str]]):
    """(price, likely error in tokens, what it shares its errors with) by piece, worked out when first asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.whole = frozenset(table.whole)
        self.symbols = frozenset(table.symbols)
        self.starts = [start for start, _ in table.blocks]

    def __missing__(self, piece: str) -> tuple[int, float, str]:
        cost, variance = self.of(piece)
        kin = piece.lower().strip(" /._-(")[:5]
        price_of_piece = cost, sqrt(variance / UNIT), kin
        if len(piece) < 40:
            if len(self) >= REMEMBERED:
                self.clear()
            self[piece] = price_of_piece
        return price_of_piece

    def of(self, piece: str) -> tuple[int, int]:
        if piece in self.whole:
            return UNIT, 0
        if word := WORD.fullmatch(piece):
            return self.word(word[1], word[2], word[3] or "")
        if not piece.isascii():
            return self.foreign(piece)
        if piece.isdigit() or len(piece) == 1:
            return UNIT, 0
        if piece.isspace():
            return UNIT * _tokens_of_space(piece), 0
        cost = self.spelled("", piece) + UNIT * len(_CONTROL.findall(piece))
        characters_per_token = 14 if _LINES.issuperset(piece) else 2
        beyond = max(0, len(piece) - LONG) * UNIT // characters_per_token
        return cost + beyond, _doubt(cost)

    def word(self, before: str, word: str, ending: str) -> tuple[int, int]:
        more = _price_of_ending(ending)
        sign = before not in {"", " "}
        shapes, case = self.table.words.get(word.lower()), case_of(word)
        if not shapes:
            cost = self.spelled("" if sign else before, word)
            cost += max(0, len(word) - LONG) * UNIT
            if sign:
                more += self.table.signs.get(before + case) or self.sign(before)
            return cost + more, _doubt(cost) + 2 * sign
        if shapes & SHAPES.get(before + case, 0):
            return UNIT + more, 0
        if not sign:
            return 2 * UNIT + more, 1
        # The sign is a token of its own here.
        tokens = 1 if shapes & SHAPES.get(case, 0) else 2
        return self.sign(before) + tokens * UNIT + more, 1

    def spelled(self, space: str, word: str) -> int:
        row, length, threes = features(space, word, self.table.words)
        start, slope = self.table.rows[row]
        letters = sum(self.table.threes[i] for i in threes)
        return max(UNIT, UNIT + start + slope * length // 8 + letters)

    def foreign(self, piece: str) -> tuple[int, int]:
        if any(map(str.isalnum, piece)):
            price_of = self.character
            cost = self.table.start
            cost += sum(self.table.pairs[i] for i in pairs(piece))
        else:
            price_of = self.sign
            cost = 0
            piece = piece.removeprefix(" ")
        for char, run in groupby(piece):
            times = len(list(run))
            price_of_char = price_of(char)
            if times < 3:
                cost += price_of_char * times
            elif char in _LINES:
                cost += 2 * price_of_char + times * price_of_char // 14
            else:
                cost += max(price_of_char, UNIT) * times
        variance = 0 if piece in self.symbols else 4 + 2 * len(set(piece))
        return max(UNIT, cost), variance

    def sign(self, char: str) -> int:
        return UNIT if char < "\x80" else self.character(char)

    def character(self, char: str) -> int:
        if char in self.symbols:
            return UNIT
        block = bisect(self.starts, ord(char)) - 1
        _, price_in_block = self.table.blocks[block]
        return price_in_block


def _tokens_of_space(piece: str) -> int:
    length, lines = len(piece), piece.count("\n")
    characters_per_token = 14 if "\t" in piece else 60
    tokens = 1 + length // characters_per_token + lines // 4
    if lines and length > 18:
        tokens += 1
    return tokens


def _price_of_ending(ending: str) -> int:
    if not ending:
        return 0
    return UNIT if ending.lower() in {"'s", "'d", "'m"} else 3


def features(
    space: str, word: str, words: Container[str]
) -> tuple[int, int, list[int]]:
    """What a piece that is not in the table is priced by: its row, its length and its letters by threes."""
    small = word.lower()
    row = 8
    if word.isalpha():
        row = "lTUM".index(case_of(word)) + 4 * len(space)
        if _has_known_stem(small, words):
            row += 9
    else:
        small = _RUN.sub(r"\1\1\1", small)
    text = f"{space or '^'}{small}$".encode()
    neighbours = zip(text, text[1:], text[2:], strict=False)
    threes = [(a * 961 + b * 31 + c) & 4095 for a, b, c in neighbours]
    return row, min(len(word), LONG), threes


def _has_known_stem(word: str, words: Container[str]) -> bool:
    ending = _ENDED.search(word)
    stem = word[: ending.start()] if ending else ""
    if stem in words:
        return True
    return bool(stem) and stem + "e" in words


def pairs(piece: str) -> list[int]:
    """Neighbours in alphabets other than ours: how usual they are tells common languages from rare ones."""
    numbers: list[int] = []
    for a, b in pairwise(map(ord, piece)):
        if 0xC0 <= a < 0x2000 or 0xC0 <= b < 0x2000:
            numbers.append((a * 37 + b) & 1023)
    return numbers


def case_of(word: str) -> str:
    if word.islower():
        return "l"
    if len(word) == 1 or word[1:].islower():
        return "T"
    return "U" if word.isupper() else "M"


def _doubt(cost: int) -> int:
    return 4 + (cost - UNIT) // 12

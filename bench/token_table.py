"""Learns the table of prices that `afterglow.text.token_prices` works with, from texts and an exact tokenizer.

    pip install splintr-rs
    python -m bench.token_table TEXTS LANGUAGES       # writes afterglow/text/token_table.json.gz

TEXTS holds one folder for each kind of text (documentation, code in several languages, shell, ...), LANGUAGES text
files in other languages. Only figures and a list of common words leave this program. Two passes: a first fit finds the
words whose price the letters do not tell, the second fits what those words leave. A fit is plain stochastic descent on
a lopsided square loss: a price too low weighs more than one too high.
"""

from __future__ import annotations

import argparse
import random
import zlib
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

import msgspec
from splintr import Tokenizer

from afterglow.text.token_prices import (
    PIECE,
    SHAPES,
    TABLE,
    UNIT,
    WORD,
    Table,
    case_of,
    features,
    pairs,
)

WORDS_SIZE = 23_000  # characters
WHOLE = 400  # pieces
LEAN = 0.65  # of the loss on prices that are too low; even would be 0.5
RARE = 0.6  # power of a frequency in the loss: lower weighs rare pieces more
HAN = 0x4E00  # is given no less than 0.9: the fit is dominated by simplified characters, others take more
LEAN_ELSEWHERE = 0.8  # languages differ more than kinds of English
EDGES = [
    *(
        0,
        0x41,
        0x5B,
        0x61,
        0x7B,
        0x80,
        0xC0,
        0x250,
        0x300,
        0x370,
        0x400,
        0x460,
        0x530,
        0x590,
        0x600,
        0x700,
        0x900,
    ),
    *(
        0x980,
        0xA00,
        0xA80,
        0xB00,
        0xB80,
        0xC00,
        0xC80,
        0xD00,
        0xD80,
        0xE00,
        0xE80,
        0xF00,
        0x1000,
        0x10A0,
        0x1100,
    ),
    *(
        0x1200,
        0x1780,
        0x1800,
        0x1E00,
        0x1F00,
        0x2000,
        0x2070,
        0x2500,
        0x2580,
        0x2600,
        0x2C00,
        0x3000,
        0x3040,
        0x3100,
    ),
    *(
        0x3400,
        0x4E00,
        0xA000,
        0xAC00,
        0xD7B0,
        0xE000,
        0xFE00,
        0xFE10,
        0xFF00,
        0x10000,
        0x1F000,
        0x20000,
    ),
]
encode = Tokenizer.from_pretrained("o200k_base").encode_ordinary


@cache
def tokens(piece: str) -> int:
    return len(encode(piece))


class Case(NamedTuple):
    row: int
    length: float
    places: Sequence[tuple[int, float]]  # where it is in the weights, how often
    tokens: int
    weight: float


class Fit:
    def __init__(self, rows: int, weights: list[float]) -> None:
        self.rows = [[0.0, 0.0] for _ in range(rows)]
        self.weights = weights

    def price(self, case: Case) -> float:
        start, slope = self.rows[case.row]
        return (
            1
            + start
            + slope * case.length
            + sum(self.weights[i] * n for i, n in case.places)
        )

    def learn(self, cases: list[Case], lean: float, rounds: int) -> Fit:
        dice = random.Random(0)
        for turn in range(rounds):
            dice.shuffle(cases)
            pace = 0.4 * (1 - turn / rounds) + 0.01
            for case in cases:
                price = self.price(case)
                error = case.tokens - price
                if price < 1 and case.tokens == 1:
                    continue  # no price is below one token
                size = 2 + sum(n * n for _, n in case.places)
                step = (
                    pace
                    * error
                    * (lean if error > 0 else 1 - lean)
                    * case.weight
                    / size
                )
                step = max(-0.3, min(0.3, step))
                row = self.rows[case.row]
                row[0] += step / 5
                row[1] += step / 5 * case.length
                for i, n in case.places:
                    self.weights[i] += step * n
        return self


def weighed(cases: list[Case]) -> list[Case]:
    """The frequent count more, but far less than in proportion."""
    weights = [min(case.weight, 200) ** RARE for case in cases]
    mean = sum(weights) / len(weights)
    return [
        case._replace(weight=min(weight / mean, 4))
        for case, weight in zip(cases, weights, strict=True)
    ]


def spelled(
    before: str, word: str, words: Container[str] = (), weight: float = 1
) -> Case:
    row, length, threes = features(before, word, words)
    return Case(
        row, length / 8, list(Counter(threes).items()), tokens(before + word), weight
    )


def spelled_cases(
    seen: Counter[str], words: Iterable[str] = (), whole: Iterable[str] = ()
) -> list[Case]:
    found: Counter[tuple[str, str]] = Counter()
    words, whole = set(words), set(whole)
    for piece, times in seen.items():
        if (
            not piece.isascii()
            or piece.isspace()
            or piece.isdigit()
            or not 1 < len(piece) < 60
        ):
            continue
        if word := WORD.fullmatch(piece):
            if word[2].lower() not in words:
                found[" " if word[1] == " " else "", word[2]] += times
        elif piece not in whole:
            found["", piece] += times
    return weighed([spelled(*piece, words, times) for piece, times in found.items()])


def shaped(shape: str, word: str) -> str:
    return shape[:-1] + {"l": word, "T": word.title(), "U": word.upper()}[shape[-1]]


def choose(kinds: dict[str, Counter[str]], fit: Fit) -> tuple[list[str], list[str]]:
    """Words and whole pieces that are worth a place: common in several kinds of text, and misjudged."""
    gain: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    met: dict[str, set[str]] = defaultdict(set)
    for kind, seen in kinds.items():
        for piece, times in seen.items():
            if not piece.isascii() or piece.isspace() or piece.isdigit():
                continue
            if word := WORD.fullmatch(piece):
                case = spelled(" " if word[1] == " " else "", word[2])
                guess = max(1, fit.price(case)) + (word[1] not in {"", " "})
                if word[1] + case_of(word[2]) not in SHAPES:
                    whole[piece] += times * max(0, guess - 1) * (tokens(piece) == 1)
                    continue
                gain[word[2].lower()] += times * (
                    0.03 + abs(guess - tokens(word[1] + word[2]))
                )
                met[word[2].lower()].add(kind)
            elif len(piece) > 1 and tokens(piece) == 1:
                whole[piece] += times * (
                    0.03 + max(0, fit.price(spelled("", piece)) - 1)
                )
    order = sorted(
        (w for w in gain if len(met[w]) > 2),
        key=lambda w: gain[w] * len(met[w]) / (len(w) + 3),
        reverse=True,
    )
    chosen: list[str] = []
    for name in order:
        if sum(map(len, chosen)) + 3 * len(chosen) < WORDS_SIZE and flags(name):
            chosen.append(name)
    return sorted(chosen), sorted(piece for piece, _ in whole.most_common(WHOLE))


def signs(seen: Counter[str], fit: Fit, words: Iterable[str]) -> dict[str, int]:
    """What a sign before a word that is not listed adds, by the case of the word, where that is less than a token."""
    words = set(words)
    added: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for piece, times in seen.items():
        word = WORD.fullmatch(piece)
        if (
            word
            and word[1] not in {"", " "}
            and word[2].lower() not in words
            and not word[3]
        ):
            gap = tokens(piece) - max(1, fit.price(spelled("", word[2], words)))
            added[word[1] + case_of(word[2])].append((gap, min(times, 50) ** 0.4))
    found = {
        shape: expectile(rows, LEAN_ELSEWHERE)
        for shape, rows in added.items()
        if len(rows) >= 500
    }
    return {
        shape: round(max(0, gap) * UNIT)
        for shape, gap in sorted(found.items())
        if gap < 0.6
    }


def expectile(rows: list[tuple[float, float]], lean: float) -> float:
    middle = 0.0
    for _ in range(30):
        pulls = [
            (weight * (lean if value > middle else 1 - lean), value)
            for value, weight in rows
        ]
        middle = sum(pull * value for pull, value in pulls) / sum(
            pull for pull, _ in pulls
        )
    return middle


def block(char: str) -> int:
    return bisect(EDGES, ord(char)) - 1


def elsewhere(seen: Counter[str]) -> tuple[float, list[float], list[float]]:
    """Prices of characters by block, and of neighbours, from pieces that are not all ASCII."""
    cases, met = [], Counter[int]()
    for piece, times in seen.items():
        if piece.isascii() or len(piece) > 40 or WORD.fullmatch(piece):
            continue
        blocks = Counter(map(block, piece))
        met.update(blocks)
        places = [
            *blocks.items(),
            *((len(EDGES) + i, 0.5 * n) for i, n in Counter(pairs(piece)).items()),
        ]
        cases.append(Case(0, 0.0, places, tokens(piece), times))
    fit = Fit(1, [0.8] * len(EDGES) + [0.0] * 1024).learn(
        weighed(cases), LEAN_ELSEWHERE, 14
    )
    blocks = [
        max(weight, 0.9 * (EDGES[i] == HAN))
        if met[i] >= 100 and not 0x2000 <= EDGES[i] < 0x3000 and EDGES[i] < 0xE000
        else alone(i)
        for i, weight in enumerate(fit.weights[: len(EDGES)])
    ]
    return (
        1 + fit.rows[0][0],
        blocks,
        [weight / 2 for weight in fit.weights[len(EDGES) :]],
    )


def alone(i: int) -> float:
    """The mean price of the characters of a block by themselves, apart from signs that are one token."""
    every = map(chr, range(EDGES[i], min([*EDGES, 0x2FFFF][i + 1], EDGES[i] + 0x800)))
    prices = [tokens(char) for char in every if category(char)[0] != "C"]
    return sum(prices) / len(prices) if prices else 3.0


def symbols(seen: Counter[str]) -> str:
    """Signs outside ASCII that are one token."""
    signs = {
        c for piece in seen for c in piece if not c.isascii() and category(c)[0] in "PS"
    }
    return "".join(sorted(c for c in signs if tokens(c) == 1))


def flags(word: str) -> int:
    return sum(bit for shape, bit in SHAPES.items() if tokens(shaped(shape, word)) == 1)


def units(price: float) -> int:
    return round(price * UNIT)


def made(dice: random.Random) -> Counter[str]:
    """Ids, keys and listings: texts without words, which no documentation has enough of."""
    letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
    alphabets = [
        digits + "abcdef",
        digits + letters,
        digits + letters + letters.upper() + "+/",
        letters,
    ]
    texts = []
    for _ in range(4000):
        texts.append(
            " ".join(
                "".join(dice.choices(signs, k=dice.randint(6, 40)))
                for signs in alphabets
            )
        )
        rights = "".join(dice.choice(pair) for pair in ("r-", "w-", "x-") * 3)
        texts.append(
            f"{dice.choice('-dl')}{rights} {dice.randrange(9)} \x1b[{dice.randrange(99)}m"
        )
    seen = Counter(PIECE.findall("\n".join(texts)))
    return Counter(
        {piece: times * 1_000_000 / 16 / seen.total() for piece, times in seen.items()}
    )  # type: ignore[misc]


def pieces_in(folder: Path, share: float) -> Counter[str]:
    """Pieces in a million of the folder."""
    seen: Counter[str] = Counter()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            seen.update(PIECE.findall(path.read_bytes().decode("utf-8", "replace")))
    rate = share * 1_000_000 / max(1, seen.total())
    return Counter({piece: times * rate for piece, times in seen.items()})  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", type=Path)
    parser.add_argument("languages", type=Path)
    chosen = parser.parse_args()
    kinds = {
        folder.name: pieces_in(folder, 1 / 8)
        for folder in sorted(chosen.texts.iterdir())
        if folder != chosen.languages
    }
    seen = pieces_in(chosen.languages, 1 / 32)
    for kind in (*kinds.values(), made(random.Random(0))):
        seen.update(kind)
    first = Fit(18, [0.0] * 4096).learn(spelled_cases(seen), 0.5, 6)
    words, whole = choose(kinds, first)
    fit = Fit(18, [0.0] * 4096).learn(spelled_cases(seen, words, whole), LEAN, 12)
    start, blocks, neighbours = elsewhere(seen)
    table = Table(
        words={word: flags(word) for word in words},
        whole=whole,
        rows=[(units(start), units(slope)) for start, slope in fit.rows],
        threes=[units(weight) for weight in fit.weights],
        signs=signs(seen, fit, words),
        start=units(start),
        blocks=[
            (edge, max(5, units(price)))
            for edge, price in zip(EDGES, blocks, strict=True)
        ],
        pairs=[units(weight) for weight in neighbours],
        symbols=symbols(seen),
    )
    packer = zlib.compressobj(9, wbits=31)
    TABLE.write_bytes(packer.compress(msgspec.json.encode(table)) + packer.flush())
    print(f"{TABLE.name}: {TABLE.stat().st_size} bytes, {len(words)} words")


if __name__ == "__main__":
    main()

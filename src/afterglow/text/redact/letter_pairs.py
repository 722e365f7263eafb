"""Whether letters read like words: how surprising each pair of neighbouring letters is in words that people write.

The table was counted over 6,500 words of documentation, code and speech. A row is a letter (`^`: the edge of a word), a
column the letter that follows, in the order of the rows; a digit is the surprise in two thirds of a bit, `f` and more.
"""

from __future__ import annotations

import re
from itertools import pairwise

TABLE = """
^ f675667887bb87886c556898ddd
a 8c767ba8e7ea575f7f56499bd9d
b 6598859fc5ab49d5ad6695def9d
c 65b8b5cf57f67cf4dd7a57fffaf
d 26aa93bbf5dd9cc7ff97c8cfdbf
e 47a6599aecef785c8c457d9b8cf
f 559aa56ff4ff6cc5cf6887fff8f
g 27dcf4c866ff8b77df68b8fffbf
h 44deb3dff4ffa9a4df7a68fff9f
i b8967787fffc77358e865e7fbf8
j 86cc73ccc6ccccc48ac5c499ccc
k 38bd939af4ff7a8aadb588c9f9f
l 55db84bff4fc5dc5bfd888aef5e
m 647da3cbf4fdb7c64fc8c7effbf
n 46e66694d6dbbc98bfb5499decf
o 89977fa8d9d966377f477687ace
p 65ecb4db86fc5bc56f4867eef9f
q 6cc9ac9ccc9c7ccacc9cc1cccc9
r 55c983baf5f9a895bf8678acf8f
s 28f8e5ce76faabc87de647fbeaf
t 46e9c4bf74ff9ce6cf5688ecf8f
u a76787a8f7ff664b6f555edfdfe
v 64fcf1ced3fddbc7cfebebfdddf
w 54ffa4bf64db9f55cd57bdfb9df
x 36e6959ea5eebaee3e9e4beca9c
y 1aa9b8bcd7ff98896fa78dcaefb
z 75daa1bdd5ddb9d6ddd8daddd88
"""
EDGE = "^"
# Of 8 drawn letters 4 in 100 stay below it, of 12 one; of words with 8 letters 1 in 100 is above, of 10 none.
UNREADABLE = 7.25
FEWEST = 5  # letters that can tell
FEWEST_MIXED = 8  # letters of which capitals in the midst can tell: `LaTeX` is a name

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", re.ASCII)


def _surprises() -> dict[tuple[str, str], int]:
    rows = [line.split() for line in TABLE.strip().splitlines()]
    letters = [letter for letter, _ in rows]
    return {
        (letter, following): int(digit, 16)
        for letter, digits in rows
        for following, digit in zip(letters, digits, strict=True)
    }


_SURPRISE = _surprises()


def unreadable(letters: str) -> bool:
    """Whether a run of letters, of one case or camel case, is none that a person would say."""
    pieces = _PIECES.findall(letters)
    if len(letters) >= FEWEST_MIXED and len(letters) < 2 * len(pieces):
        return True  # capitals in the midst of it
    long_pieces = [piece for piece in pieces if len(piece) >= FEWEST]
    if not long_pieces:
        # `qhTlBk`: no piece is a word; read as one
        long_pieces = [letters] if len(letters) >= 2 * FEWEST else []
    return any(_surprise(piece.lower()) >= UNREADABLE for piece in long_pieces)


def _surprise(word: str) -> float:
    """How surprising a pair of its letters is on average."""
    pairs = list(pairwise(f"{EDGE}{word}{EDGE}"))
    return sum(_SURPRISE[pair] for pair in pairs) / len(pairs)

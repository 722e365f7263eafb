"""What may be the secret that a word announces, by where the value stands.

A place that takes nothing but a value (`--password V`, `API_TOKEN=V`) hides whatever stands there, unless it is plainly
none: a stand-in, a variable, a call, a type, the name of another thing, a word of the sentence. A place that code and prose
share (`token: V`, `the token is V`) asks that V does not read like a word.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

from afterglow.text.redact.letter_pairs import unreadable
from afterglow.text.redact.randomness import (
    is_algorithm,
    is_place,
    is_version,
    looks_random,
    names_another,
    scrambled,
    stands_in,
    tangled,
    words_share,
)
from afterglow.text.redact.sentence_words import is_sentence_word

_A = re.ASCII
MIN_VALUE = 4  # characters; of a shorter value there is nothing to tell
MIN_LETTERS = 8  # of letters alone that are believed to be drawn where code may stand: `pwd`, `ctx` are names
MIN_UNREADABLE = 6  # letters in runs that nobody would say
MIN_DIGITS = 6  # of a number that may be a password
MIN_TOKEN_DIGITS = 12  # and of one that may be a token: fewer count them
MOST_COUNTED = 4  # digits that number a stand-in: `token_123`
MOST_WORDS = 0.5  # of a value that has signs in it may read like words

_LETTERS = re.compile(r"[A-Za-z]+", _A)
_EXPRESSION = re.compile(
    r"[&*!]?[A-Za-z_$][\w.:!]{2,}[(\[]|[A-Za-z_]\w*\[[\w:-]{0,8}\]?$|.{0,20}(?:\\[swdb]|\(\?)",
    _A,
)  # a call, an index, a pattern
_CALL = re.compile(r"[A-Za-z_$][\w.]*(?:\(|\[[\w\"']|->|::)", _A)
_DOTTED = re.compile(r"[A-Za-z_$]\w*(?:\.[A-Za-z_]\w*)+$", _A)
_SIGNS_INSIDE = re.compile(r"\w[!#%&*+?^~|;@=,(){}\[\]$]+\w", _A)
_SETS_ANOTHER = re.compile(r"(?:[A-Z_]{4,60}|[a-z_]{4,60})=(?:$|[^=])", _A)
_LOCATION = re.compile(r"[\w/-]+\.[a-z]{1,5}:\d", _A)  # `routes.rs:383`
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", _A)
_ALTERNATIONS = re.compile(r"[A-Za-z]+|\d+", _A)
_WORD_OF_SECRECY = re.compile(
    r"(?i)passw|passphrase|secret|token|credential|apikey|api_key|auth|key(?![a-z])", _A
)


_CLOSED_BY = {"[": "]", "(": ")", "{": "}", "<": ">"}


class Place(Enum):
    """Where a value stands."""

    CODE = auto()  # bare, where a name may stand as well
    LITERAL = auto()  # within quotes: a text, of whatever sort
    NAMED = auto()  # the same, after the name of nothing but a secret: `client_secret`
    VALUE = auto()  # where nothing but a value stands


def may_be_secret(value: str, *, password: bool, place: Place) -> bool:
    """Whether what a name announces stands here; `password`: the name says so, and not only `token` or `secret`."""
    if len(value) < MIN_VALUE or plainly_none(value, password=password):
        return False
    if place is Place.CODE:
        in_code = _CALL.match(value) or _DOTTED.match(value)
        return not in_code and is_drawn(value)
    if place is Place.NAMED and not password and value.isalpha():
        return is_drawn(value)
    if place is Place.LITERAL and not password:
        return is_drawn(value) or has_signs_inside(value)
    return not is_call(value)


@lru_cache(maxsize=4096)  # code gives the same words to the same names
def plainly_none(value: str, *, password: bool) -> bool:
    """A stand-in, a number too short, a path, or the name of what it would be."""
    value = value.lstrip("\\")
    if _is_stand_in(value) or is_place(value) or value[:1] == "&":
        return True
    if value.isdigit():
        return len(value) < (MIN_DIGITS if password else MIN_TOKEN_DIGITS)
    if names_another(value) or _is_of_another_kind(value):
        return True
    if not password and (is_sentence_word(value) or _only_says_so(value)):
        return True
    is_name = _is_name_of_variable(value) or _is_name_of_secret(value)
    return is_name and not is_drawn(value)


def _is_stand_in(value: str) -> bool:
    """A sign in front makes a stand-in (`<token>`, `$TOKEN`, `#`), unless what follows it was drawn."""
    if not stands_in(value):
        return False
    rest = value[1:]
    if _CLOSED_BY.get(value[0], "\0") in rest:
        return True  # `[A-Za-z0-9]+`, `{name}-x`
    if value[0] not in "[({%*#@$-" or value[-1] in "])}>%*" or stands_in(rest):
        return True
    if value[0] == "$":
        return not has_signs_inside(rest)
    return not has_signs_inside(rest) and not looks_random(rest)


def _is_of_another_kind(value: str) -> bool:
    """A version, a setting, a place in a file."""
    if is_version(value):
        return True
    return bool(_SETS_ANOTHER.match(value) or _LOCATION.match(value))


def _is_name_of_variable(value: str) -> bool:
    return "_" in value and value.isupper()


def _only_says_so(value: str) -> bool:
    """`token_123`, `secret1`: the announcement again, and a number."""
    words = _LETTERS.findall(value)
    digits = sum(map(str.isdigit, value))
    return digits <= MOST_COUNTED and all(
        _WORD_OF_SECRECY.match(word) or stands_in(word) for word in words
    )


def _is_name_of_secret(value: str) -> bool:
    """`passwordFactor`, `db-secret-name`: several words without a number, one of them the announcement."""
    if not _WORD_OF_SECRECY.search(value) or any(map(str.isdigit, value)):
        return False
    return len(_WORDS.findall(value)) > 1


def is_attribute(value: str) -> bool:
    """`settings.key`: dotted words without a number."""
    return bool(_DOTTED.match(value)) and not any(map(str.isdigit, value))


def is_call(value: str) -> bool:
    """`os.getenv(`, `tokens[0`: an expression whose words can be read."""
    call = _CALL.match(value)
    return bool(call) and not is_drawn(value) and words_share(value) > 0.3


@lru_cache(maxsize=4096)
def is_drawn(value: str) -> bool:
    """Whether no person would call something so: random, letters that cannot be read, letters and digits in turns."""
    if stands_in(value):
        return False
    if looks_random(value) or scrambled(value):
        return True
    if len(value) < MIN_LETTERS:
        return _alternates(value)
    return _alternates(value) or has_unreadable(value)


def has_unreadable(value: str) -> bool:
    """Whether most of its letters belong to runs that nobody would say."""
    runs = _LETTERS.findall(value)
    letters = sum(map(len, runs))
    drawn = sum(len(run) for run in runs if unreadable(run))
    return drawn >= MIN_UNREADABLE and drawn * 2 > letters


def has_digits_inside(value: str) -> bool:
    """`oadi7foga`: a number among letters, as few words have."""
    if not value.isalnum() or len(value) < MIN_LETTERS or is_algorithm(value):
        return False
    return len(_ALTERNATIONS.findall(value)) >= 3


def _alternates(value: str) -> bool:
    """`a3kd9x`: letters and digits in turns, as in no word with a number behind it."""
    if not value.isalnum() or len(value) < 6:
        return False
    parts = _ALTERNATIONS.findall(value)
    return len(parts) >= 4 and tangled(value) and words_share(value) < MOST_WORDS


def has_signs_inside(value: str) -> bool:
    """Signs that no name has, among letters that make no words."""
    if not _SIGNS_INSIDE.search(value):
        return False
    expression = _EXPRESSION.match(value)
    if expression and not has_unreadable(expression[0]):
        return False
    mixed = tangled(value) or has_unreadable(value)
    return mixed and words_share(value) < MOST_WORDS


def reads_on(value: str) -> bool:
    """Whether a sentence goes on with it: such a word is no value, whatever announced one."""
    return is_sentence_word(value)


_CLAUSE_ENDS = re.compile(
    r"[\"'`*)\]]{0,3}(?:[.,;:!?)]*(?:$|\n|\\n)|[.,;:!?)]+\s"
    r"|\s+(?:[(\[–—-]|(?:and|or|but|on|for|in|at|so|do|don't|please|then|until|if|when|last|now|und|et|y|e)\b))",
    _A | re.IGNORECASE,
)


def ends_clause(text: str, end: int) -> bool:
    """Whether nothing but the end, a comma or a new clause follows: what stands before is all that is said."""
    return bool(_CLAUSE_ENDS.match(text, end))

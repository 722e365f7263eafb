"""How a value looks: random like a key, made of words like a name, or standing in for a value like `YOUR_API_KEY`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import log2

ENOUGH = 120  # characters of a value show how it looks
_A = re.ASCII
_STANDS_IN = re.compile(
    r"^[<\[({%$*#@-]|\$\{|\$\(|\{\{|%\(|%s|\.\.\.|…|\*{3}|[xX]{4}|(?i:example|placeholder|your|change.?me|redacted"
    r"|dummy|sample|insert|replace|put.?here|_here|goes.?here|todo|fixme|foobar|process\.env|environ|getenv|secrets\.)"
)
_EMPTY_WORDS = frozenset(
    "true false none null nil undefined string str text password passwd pass pwd secret token key apikey value test"
    " testing hidden required optional invalid missing expired default user username admin root unset empty yes no on"
    " off auto basic bearer digest any object number integer boolean bytes env file stdin prompt disabled enabled yyy"
    " abc xyz foo bar baz qux credentials secretstr self this args config settings options data".split()
)
_MASKED = re.compile(r"[xX]{6}|[*.#_]{5}|(\w)\1{9}", _A)
_IN_ORDER = re.compile(
    r"abcd|efgh|ijkl|mnop|qrst|uvwx|2345", _A | re.IGNORECASE
)  # a run of 8 holds one of these
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", _A)
_VOWELS = frozenset("aeiouyAEIOUY")
_HARSH = re.compile(r"[b-df-hj-np-tv-xz]{5}", _A | re.IGNORECASE)
_VERSION = re.compile(r"(?:^|[-_:@v^~=])\d{1,4}\.\d{1,4}(?:\.\w{1,12})*(?:$|[-_+])", _A)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", _A | re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+$|[0-9A-F]+$", _A)
_LOCAL = re.compile(r"(?:\.{0,2}|~)/[\w.-]|[A-Za-z]:[\\/]|\w+://", _A)
_REFERENCE = re.compile(
    r"[_.:/-](?:password|passwd|secret|token|credential|key|name|id|ref)s?(?:[-_.]?v?\d{1,2})?$",
    _A,
)
_ALGORITHM = re.compile(
    r"(?:hmac-?)?(?:sha|md|aes|rsa|dsa|[hrep]s|utf|base|argon|bcrypt|scrypt|pbkdf|ed|x|oauth|v)[-_]?\d{1,5}(?:[-_]?\w{1,8})?$",
    _A | re.IGNORECASE,
)
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|\W+", _A)
_BETWEEN_RUNS = re.compile(r"[+_.:/-]", _A)


def entropy(value: str) -> float:
    """Bits a character."""
    n = len(value)
    return -sum(c / n * log2(c / n) for c in Counter(value).values()) if n else 0.0


def stands_in(value: str) -> bool:
    """`YOUR_API_KEY`, `xxxx`, `${TOKEN}`, `<token>`: a place for a value, not a value."""
    value = value[:ENOUGH]
    small = value.lower().strip("\"'`")
    return bool(_STANDS_IN.search(value)) or small in _EMPTY_WORDS or dull(value)


def dull(value: str) -> bool:
    """One character over and over, a masked value, or the alphabet in order: no issued token looks like that."""
    value = value[:ENOUGH]
    if _MASKED.search(value) or (len(value) >= 16 and entropy(value) < 2.6):
        return True
    if not _IN_ORDER.search(value):
        return False
    rising = bytes(b - a == 1 for a, b in pairwise(value.encode("ascii", "replace")))
    return bytes([1]) * min(15, max(8, len(value) // 2)) in rising


def is_uuid(value: str) -> bool:
    return bool(_UUID.match(value))


def is_hex(value: str) -> bool:
    return bool(_HEX.match(value))


def is_place(value: str) -> bool:
    """A path or an address."""
    value = value[:ENOUGH]
    return bool(_LOCAL.match(value)) or (
        value.count("/") >= 2 and words_share(value) > 0.4
    )


def names_another(value: str) -> bool:
    """`db-user-password`, `vars.api_key`: where the value is, not what it is."""
    end = _REFERENCE.search(value[-24:])
    return bool(end) and not any(
        map(str.isdigit, value[: len(value) - len(end[0])] if end else "")
    )


def words_share(value: str) -> float:
    """How much of a value is made of pieces that could be read aloud."""
    pieces = [p for p in _PIECES.findall(value) if len(p) >= 4 and _reads(p)]
    return sum(map(len, pieces)) / max(len(value), 1)


def _reads(piece: str) -> bool:
    vowels = sum(c in _VOWELS for c in piece)
    return 0.2 <= vowels / len(piece) <= 0.7 and not _HARSH.search(piece)


def looks_random(value: str, least: int = 10) -> bool:
    """Like something a machine drew: long enough, mixed, not words, not a version, a path or a stand-in."""
    if len(value) < least:
        return False
    value = value[:ENOUGH]
    if not _is_mixed(value) or _is_something_else(value):
        return False
    if is_hex(value) or is_uuid(value):
        digits = sum(map(str.isdigit, value))
        return digits >= 2 and entropy(value) >= 2.6
    unordered = entropy(value) >= min(3.6, 2.6 + len(value) / 32)
    return unordered and words_share(value) < 0.5


def _is_mixed(value: str) -> bool:
    if any(map(str.isdigit, value)):
        return not all(map(str.isdigit, value))
    return len(value) >= 20 and not value.islower() and not value.isupper()


def _is_something_else(value: str) -> bool:
    if stands_in(value) or is_place(value) or names_another(value):
        return True
    return len(value) < 40 and bool(_VERSION.search(value))


def tangled(value: str) -> bool:
    """Letters with digits, signs or stray capitals among them: `hunter2!`, not `sha256`."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    mixed = digits or any(c in "!@#$%^&*+?~" for c in value)
    return (letters and mixed and not _ALGORITHM.match(value)) or (
        not mixed and scrambled(value)
    )


def scrambled(value: str, least: int = 10) -> bool:
    """Capitals, small letters and digits that change places every other character, as in no name: `q7Wl9Xv2Pz`."""
    value = value[:ENOUGH]
    plain = _BETWEEN_RUNS.sub("", value)
    if len(plain) < least or plain.islower() or plain.isupper() or plain.isdigit():
        return False
    if stands_in(value) or is_place(value) or _VERSION.search(value):
        return False
    run = len(plain) / len(_RUNS.findall(plain))  # characters, on average
    if not any(map(str.isdigit, plain)):
        return run <= 2.0 and words_share(value) < 0.1
    return run <= (2.8 if len(plain) >= 14 else 2.5) and words_share(value) < (
        0.45 if run <= 2.2 else 0.3
    )

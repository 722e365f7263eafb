"""How a value looks: random like a key, made of words like a name, or standing in for a value like `YOUR_API_KEY`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import log2

ENOUGH = 120  # characters of a value show how it looks
_A = re.ASCII
_STANDS_IN = re.compile(
    r"^[<\[({%$*#@-]|\$\{|\$\(|\{\{|%\(|%s|\.\.\.|…|\*{3}|[xX]{4}|(?:^|[._-])[xX]{3}$|(?i:example|placeholder|your|change.?me|redacted|removed|omitted|masked|scrubbed"
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
_SIGN = re.compile(r"[!@#$%^&*+?~]", _A)
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|\W+", _A)
_BETWEEN_RUNS = re.compile(r"[+_.:/-]", _A)


def entropy(value: str) -> float:
    """Bits a character."""
    if not value:
        return 0.0
    length = len(value)
    shares = [times / length for times in Counter(value).values()]
    return -sum(share * log2(share) for share in shares)


def stands_in(value: str) -> bool:
    """`YOUR_API_KEY`, `xxxx`, `${TOKEN}`, `<token>`: a place for a value, not a value."""
    value = value[:ENOUGH]
    if _STANDS_IN.search(value):
        return True
    small = value.lower().strip("\"'`")
    return small in _EMPTY_WORDS or dull(value)


def dull(value: str) -> bool:
    """One character over and over, a masked value, or the alphabet in order: no issued token looks like that."""
    value = value[:ENOUGH]
    if _MASKED.search(value):
        return True
    if len(value) >= 16 and entropy(value) < 2.6:
        return True
    if not _IN_ORDER.search(value):
        return False
    characters = value.encode("ascii", "replace")
    rising = bytes(after - before == 1 for before, after in pairwise(characters))
    telling_length = min(15, max(8, len(value) // 2))
    return bytes([1]) * telling_length in rising


def is_uuid(value: str) -> bool:
    return bool(_UUID.match(value))


def is_hex(value: str) -> bool:
    return bool(_HEX.match(value))


def is_place(value: str) -> bool:
    """A path or an address."""
    value = value[:ENOUGH]
    if _LOCAL.match(value):
        return True
    return value.count("/") >= 2 and words_share(value) > 0.4


def names_another(value: str) -> bool:
    """`db-user-password`, `vars.api_key`: where the value is, not what it is."""
    reference = _REFERENCE.search(value[-24:])
    if not reference:
        return False
    before = value[: len(value) - len(reference[0])]
    return not any(map(str.isdigit, before))


def is_version(value: str) -> bool:
    return len(value) < 40 and bool(_VERSION.search(value))


def is_algorithm(value: str) -> bool:
    """`sha256`, `OAuth2`, `ed25519`."""
    return bool(_ALGORITHM.match(value))


def words_share(value: str) -> float:
    """How much of a value is made of pieces that could be read aloud."""
    readable = 0
    for piece in _PIECES.findall(value):
        length = len(piece)
        if length >= 4 and _reads(piece):
            readable += length
    return readable / max(len(value), 1)


def _reads(piece: str) -> bool:
    vowels = sum(letter in _VOWELS for letter in piece)
    if not 0.2 <= vowels / len(piece) <= 0.7:
        return False
    return not _HARSH.search(piece)


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
    return is_version(value)


def tangled(value: str) -> bool:
    """Letters with digits, signs or stray capitals among them: `hunter2!`, not `sha256`."""
    mixed = any(map(str.isdigit, value)) or _SIGN.search(value)
    if not mixed:
        return scrambled(value)
    if not any(map(str.isalpha, value)):
        return False
    return not _ALGORITHM.match(value)


def scrambled(value: str, least: int = 10) -> bool:
    """Capitals, small letters and digits that change places every other character, as in no name: `q7Wl9Xv2Pz`."""
    value = value[:ENOUGH]
    plain = _BETWEEN_RUNS.sub("", value)
    if len(plain) < least or _is_of_one_kind(plain):
        return False
    if stands_in(value) or is_place(value) or _VERSION.search(value):
        return False
    run = len(plain) / len(_RUNS.findall(plain))  # characters, on average
    if not any(map(str.isdigit, plain)):
        return run <= 2.0 and words_share(value) < 0.1
    longest_run = 2.8 if len(plain) >= 14 else 2.5
    if run > longest_run:
        return False
    most_words = 0.45 if run <= 2.2 else 0.3
    return words_share(value) < most_words


def _is_of_one_kind(plain: str) -> bool:
    """Only small letters, only capitals (digits among them do not count), or only digits."""
    return plain.islower() or plain.isupper() or plain.isdigit()

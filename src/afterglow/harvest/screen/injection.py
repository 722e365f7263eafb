"""Tells an order to an agent from the ordinary imperatives of programs and manuals, by weighing cues.

A text is judged as a model would read it: hidden characters made visible, odd letters made ordinary, encoded words
decoded.
"""

from __future__ import annotations

import binascii
import html
import re
import unicodedata
from base64 import b64decode
from functools import lru_cache
from urllib.parse import unquote

from afterglow.harvest.quoted_stretches import quoted_at
from afterglow.harvest.screen.cues_actions import DEEDS
from afterglow.harvest.screen.cues_tone import VOICES
from afterglow.harvest.screen.hinted_cues import HintedCues
from afterglow.records.knowledge import Trust

CUES = (*VOICES, *DEEDS)
ANCHORS = HintedCues(cue for cue in CUES if cue.anchor)
WEAK_CUES = [cue for cue in CUES if not cue.anchor]

ENOUGH = 3  # the weight at which a text from outside is held back
# The model may speak of orders without giving them ("I will ignore that rule"): one cue does not decide there.
ENOUGH_FROM_THE_MODEL = 5
NEAR = 150  # characters around a cue within which a weaker one belongs to it
HIDDEN = 2  # what hiding adds: honest text has no reason to

MAX_JUDGED_CHARACTERS = 6000  # half from each end of a longer text
MIN_ENCODED_CHARACTERS = 20  # a shorter stretch cannot hide an order

# Letters of other alphabets that look like Latin ones: replaced only inside words that also hold Latin letters.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏкмтвнАЕОРСУХІЈЅКМТВНαορτυικνεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlkmtbhAEOPCYXIJSKMTBHaoptuikveABEZHIKMNOPTYX",
)
_MIXED = re.compile(r"\b(?=\w{0,40}[A-Za-z])(?=\w{0,40}[Ͱ-ӿ])\w+")
_OTHER_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
_TAGS = re.compile("[\U000e0020-\U000e007e]")  # letters of a plane that no font shows
_SPLIT = re.compile(
    r"(?<=[A-Za-z])[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]+(?=[A-Za-z])"
)
_SPELT = re.compile(
    r"(?<![A-Za-z])(?:[A-Za-z][ .\-_*]){4,40}[A-Za-z](?![A-Za-z])"
)  # i g n o r e, i.g.n.o.r.e
_BETWEEN = re.compile(r"[ .\-_*]")
_GAPS = re.compile(r" {2,}")
_WRAPPED = re.compile(r"[ \t]*\r?\n[ \t]*(?:[#*/>|;]{1,3}[ \t]*)?(?=[a-z])")
_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{20,2000}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2}){20,1000}(?!\w)")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[\w.~+-]{0,3}){6,}")
_DIGITS_FOR_LETTERS = str.maketrans("01345", "oieas")
_SPELT_WITH_DIGITS = ("ignore", "instruct", "previous")  # what `1gn0re` is to hide
_LEET = re.compile(r"\b\w{0,20}[01345]\w{0,20}")


def compile_cues() -> None:
    """All of them at once: each is otherwise compiled when a text first hints at it."""
    for cue in CUES:
        _ = cue.small_pattern or cue.pattern


def danger(text: str, trust: Trust) -> str:
    """Why a text that comes from a span of this trust must not become active knowledge; empty when it may.

    A person's own words are never held back for being orders; what a person pasted is.
    """
    if trust == "user":
        reasons = (_judge(part, ENOUGH) for part in pasted(text))
        reason = next(filter(None, reasons), "")
        return f"pasted text {reason}" if reason else ""
    return _judge(text, ENOUGH_FROM_THE_MODEL if trust == "assistant" else ENOUGH)


def pasted(text: str) -> list[str]:
    """The stretches of a person's message that somebody else wrote."""
    return [text[start:end] for start, end in quoted_at(text)]


@lru_cache(maxsize=8192)
def _judge(text: str, enough: int) -> str:
    readable, uncovered = plain(text)
    weights = weigh(readable)
    lettered = without_digits(readable)
    if any(word in lettered and word not in readable for word in _SPELT_WITH_DIGITS):
        weights = max(weights, weigh(lettered), key=lambda cues: sum(cues.values()))
    if uncovered and weigh(uncovered):
        weights["is hidden from the eye"] = HIDDEN
    if sum(weights.values()) < enough:
        return ""
    strongest = sorted(weights, key=lambda name: -weights[name])
    return " and ".join(strongest[:2])


def weigh(text: str) -> dict[str, int]:
    """The cues a text shows, each counted once. A weak cue counts only close to one that it can make an order of."""
    lowered = text.lower()
    ascii_letters = _OTHER_LETTER.search(text) is None
    weights: dict[str, int] = {}
    surroundings: list[str] = []
    for cue in ANCHORS.in_text(lowered):
        match = cue.search(text, lowered, ascii_letters=ascii_letters)
        if match:
            weights[cue.name] = cue.weight
            start = max(0, match.start() - NEAR)
            surroundings.append(text[start : match.end() + NEAR])
    if not weights:
        return weights
    for cue in WEAK_CUES:
        if any(map(cue.pattern.search, surroundings)):
            weights[cue.name] = cue.weight
    return weights


@lru_cache(maxsize=4096)
def plain(text: str) -> tuple[str, str]:
    """The text to judge, and the part of it that had been hidden from a reader's eye."""
    if len(text) > MAX_JUDGED_CHARACTERS:
        half = MAX_JUDGED_CHARACTERS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    if "\\u" in text or "\\x" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    if "&" in text and ";" in text:
        text = html.unescape(text)
    uncovered: list[str] = []
    if not text.isascii():
        text, uncovered = _ordinary(text)
    uncovered += map(_joined, _lines_with(_SPELT, text))
    uncovered += _encoded(text)
    text = "\n".join([text, *uncovered])
    return _SPACES.sub(" ", _WRAPPED.sub(" ", text)), "\n".join(uncovered)


def _lines_with(pattern: re.Pattern[str], text: str) -> list[str]:
    if not pattern.search(text):
        return []
    return list(filter(pattern.search, text.split("\n")))


def without_digits(text: str) -> str:
    """The text with digits that stand for letters read as letters: `1gn0re`."""
    return _LEET.sub(lambda match: match[0].translate(_DIGITS_FOR_LETTERS), text)


def _ordinary(text: str) -> tuple[str, list[str]]:
    """Full-width and look-alike letters as plain ones, and the lines where invisible characters split or made words."""
    text = unicodedata.normalize("NFKC", text)
    uncovered: list[str] = []
    unseen_letters = _TAGS.findall(text)
    if unseen_letters:
        letters = (chr(ord(letter) - 0xE0000) for letter in unseen_letters)
        uncovered.append("".join(letters))
    uncovered += map(_invisible_gone, _lines_with(_SPLIT, text))
    text = _invisible_gone(text)
    uncovered += map(_latin, _lines_with(_MIXED, text))
    return text, uncovered


def _invisible_gone(text: str) -> str:
    return "".join(
        letter
        for letter in text
        if letter.isascii() or unicodedata.category(letter) != "Cf"
    )


def _joined(line: str) -> str:
    """A spelt word as one; two spaces part words."""
    return " ".join(
        _SPELT.sub(lambda match: _BETWEEN.sub("", match[0]), part)
        for part in _GAPS.split(line)
    )


def _latin(text: str) -> str:
    return _MIXED.sub(lambda match: match[0].translate(_LOOKALIKES), text)


def _encoded(text: str) -> list[str]:
    """What base64, hexadecimal or percent-encoded stretches of a text say, where they say words."""
    decoded: list[bytes] = []
    for token in _BASE64.findall(text)[:20]:
        padded = token + "=" * (-len(token) % 4)
        altchars = b"-_" if "-" in token else None
        try:
            decoded.append(b64decode(padded, altchars=altchars))
        except (binascii.Error, ValueError):
            continue
    decoded += map(bytes.fromhex, _HEX.findall(text)[:20])
    words = [raw.decode("utf-8", "ignore") for raw in decoded]
    words += map(unquote, _PERCENT.findall(text)[:5])
    return list(filter(_reads, words))


def _reads(text: str) -> bool:
    """Words with spaces between them, not the noise that decoding a random token gives."""
    if " " not in text.strip() or len(text) < MIN_ENCODED_CHARACTERS // 2:
        return False
    letters = sum(letter.isalpha() or letter in " .,:'/-\n" for letter in text)
    return letters >= 0.85 * len(text)

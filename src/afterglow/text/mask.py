"""Masks what may be secret or personal before a scrap of text is kept for display.

This is deliberately coarse: it is for titles and error fingerprints, where losing a word costs nothing. It keeps shapes
(`<id>`, `<email>`), never values.
"""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"(\w+://)(?:[^\s/@]*@)?([^\s/?#'\"]*)[^\s'\"]*")
_NAMED = re.compile(
    r"(?i)\b([\w-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth(?:orization)?|bearer|credential)s?)"
    r"(\"?'?\s*(?:[=:]|\bis\b)\s*\"?'?(?:bearer\s+|basic\s+)?|\s+)(?!<|is\b|not\b|was\b|has\b)([^\s'\",;]{4,})"
)
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL)
_KEYWORDS = ("pass", "secret", "token", "key", "auth", "bearer", "credential")
_WORD = re.compile(r"[A-Za-z0-9_+/=-]{12,}")
_TANGLED = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_PHONE = re.compile(r"(?<![\w.])\+?\d[\d ().-]{8,}\d(?!\w)")


_LOGIN = re.compile(r"(?<=://)[^/@\s]*@")


def without_login(address: str) -> str:
    """An address without the name and password that may stand in it."""
    return _LOGIN.sub("", address)


def mask(text: str) -> str:
    """`text` with values that look like secrets, addresses or identifiers replaced by their shape."""
    text = _PRIVATE.sub("<key>", text)
    if "://" in text:
        text = _URL.sub(r"\1\2", text)
    if "@" in text:
        text = _EMAIL.sub("<email>", text)
    small = text.lower()
    if any(word in small for word in _KEYWORDS):
        text = _NAMED.sub(_named, text)
    return _PHONE.sub("<number>", _WORD.sub(_word, text))


def _named(match: re.Match[str]) -> str:
    """`token=abcd1234` loses its value; `token file not found` and `25000 tokens (maximum)` are prose and stay."""
    key, link, value = match.groups()
    bare = link.isspace() and key.lower() != "bearer"
    prose = bare and not (len(value) >= 8 and any(map(str.isdigit, value)) and any(map(str.isalpha, value)))
    return match[0] if prose else f"{key}{link}<secret>"


def _word(match: re.Match[str]) -> str:
    """Long words with letters and digits mixed, or very long ones, are keys or ids, unless they read like a path or an
    identifier_made_of_words."""
    word = match[0]
    digits = sum(map(str.isdigit, word))
    if digits >= 3 and "/" not in word[:40] and _TANGLED.search(word):
        return "<id>"
    words = word.count("_") + word.count("-") >= 2 and not digits
    return "<id>" if len(word) >= 28 and not words and "/" not in word else word

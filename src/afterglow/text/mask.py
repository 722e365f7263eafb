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
_MIXED = re.compile(r"[A-Za-z0-9_+/=-]*(?:[A-Za-z][0-9]|[0-9][A-Za-z])[A-Za-z0-9_+/=-]*")
_LONG = re.compile(r"\b[A-Za-z0-9_=-]{28,}\b")
_PHONE = re.compile(r"(?<![\w.])\+?\d[\d ().-]{8,}\d(?!\w)")


def mask(text: str) -> str:
    """`text` with values that look like secrets, addresses or identifiers replaced by their shape."""
    text = _PRIVATE.sub("<key>", text)
    if "://" in text:
        text = _URL.sub(r"\1\2", text)
    if "@" in text:
        text = _EMAIL.sub("<email>", text)
    text = _NAMED.sub(_named, text)
    text = _MIXED.sub(_mixed, text)
    text = _LONG.sub(_long, text)
    return _PHONE.sub("<number>", text)


def _named(match: re.Match[str]) -> str:
    """`token=abcd1234` loses its value; `token file not found` and `25000 tokens (maximum)` are prose and stay."""
    key, link, value = match.groups()
    bare = link.isspace() and key.lower() != "bearer"
    prose = bare and not (len(value) >= 8 and any(map(str.isdigit, value)) and any(map(str.isalpha, value)))
    return match[0] if prose else f"{key}{link}<secret>"


def _mixed(match: re.Match[str]) -> str:
    word = match[0]
    digits = sum(map(str.isdigit, word))
    return "<id>" if len(word) >= 12 and digits >= 3 and "/" not in word[:40] else word


def _long(match: re.Match[str]) -> str:
    """Very long unbroken words are keys or hashes, unless they read like an identifier_made_of_words."""
    word = match[0]
    broken = word.count("_") + word.count("-")
    return word if broken >= 2 and not any(map(str.isdigit, word)) else "<id>"

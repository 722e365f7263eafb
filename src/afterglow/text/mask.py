"""Masks what may be secret or personal before a scrap of text is kept for display.

`mask` is deliberately coarse: it is for titles and error fingerprints, where losing a word costs nothing.
`hide_secrets` takes out only what is surely a secret, from what must stay a name: folders, branches, models, tools.
Both keep shapes (`<id>`, `<secret>`), never values.
"""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.text.clip import printable

LONGEST = 1000  # characters of a name

_LOGIN = re.compile(r"(?<=://)[^/@\s]*@")
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9])(?:hf_|glpat-|gh[pousr]_|github_pat_|sk-|sk_live_|sk_test_|rk_live_|pk_live_|xox[a-z]-|AKIA|ASIA|AIza|npm_|pypi-|eyJ|ya29\."
    r"|SG\.|dop_v1_|shpat_)(?=[A-Za-z0-9_.+=-]*[0-9A-Z])[A-Za-z0-9_.+=-]{16,}"
)
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL)
_KEYWORDS = (
    "pass",
    "secret",
    "token",
    "key",
    "auth",
    "bearer",
    "credential",
    "cookie",
    "pwd",
)
_KEY = (
    r"(?i)([\w-]*(?:passw(?:or)?d|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key\w*|auth(?:orization)?"
    r"|bearer|credential|cookie)s?)"
)
_NAMED = re.compile(
    _KEY
    + r"(\"?'?\s*[=:]\s*\"?'?(?:bearer\s+|basic\s+|session=)?)(?!<)([^\s'\",;]{4,})"
)
_SAID = re.compile(_KEY + r"(\s+(?:is\s+)?)(?!<|not\b|was\b|has\b)([^\s'\",;]{4,})")
_SHORT_FLAG = re.compile(
    r"(\b(?:mysql|mysqldump|psql|sshpass|curl)\b.*?\s)-(p|u)\s?[^\s-]\S{3,}"
)
_PIN = re.compile(r"(?i)\b(pin|otp|code)\s+\d{4,8}\b")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"(\w+://)(?:[^\s/@]*@)?([^\s/?#'\"]*)[^\s'\"]*")
_WORD = re.compile(r"[A-Za-z0-9_+/=-]{12,}")
_TANGLED = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_PHONE = re.compile(r"(?<![\w.])\+?\d[\d ().-]{8,}\d(?!\w)")


@lru_cache(maxsize=4096)
def hide_secrets(name: str) -> str:
    """A name without logins, tokens of known shape, values that are called a secret, and control characters."""
    name = _LOGIN.sub("", printable(name[:LONGEST]))
    name = _PREFIXED.sub("<secret>", name)
    if not speaks_of_secrets(name):
        return name
    return _NAMED.sub(r"\1\2<secret>", name)


def mask(text: str) -> str:
    """`text` with values that look like secrets, addresses or identifiers replaced by their shape."""
    text = _PRIVATE.sub("<key>", printable(text))
    text = _PREFIXED.sub("<secret>", text)
    if "://" in text:
        text = _URL.sub(r"\1\2", text)
    if "@" in text:
        text = _EMAIL.sub("<email>", text)
    if speaks_of_secrets(text):
        text = _NAMED.sub(r"\1\2<secret>", text)
        text = _SAID.sub(_said, text)
    if " -p" in text or " -u" in text:
        text = _SHORT_FLAG.sub(r"\1-\2<secret>", text)
    text = _PIN.sub(r"\1 <number>", text)
    text = _WORD.sub(_word, text)
    return _PHONE.sub("<number>", text)


def speaks_of_secrets(text: str) -> bool:
    small = text.lower()
    return any(word in small for word in _KEYWORDS)


def _said(match: re.Match[str]) -> str:
    """`--token abcdefgh` loses its value; `token file not found` and `25000 tokens (maximum)` are prose and stay."""
    key, link, value = match.groups()
    if _announces_value(key, link) or _could_be_drawn(value):
        return f"{key}{link}<secret>"
    return match[0]


def _announces_value(key: str, link: str) -> bool:
    if key.startswith("-") or key.lower() == "bearer":
        return True
    return "is" in link.split()


def _could_be_drawn(value: str) -> bool:
    if len(value) < 8:
        return False
    if _TANGLED.search(value):
        return True
    return len(value) >= 16 and value.isalpha()


def _word(match: re.Match[str]) -> str:
    """Long words with letters and digits mixed, or very long ones, are keys or ids, unless they read like a path or an
    identifier_made_of_words."""
    word = match[0]
    digits = sum(map(str.isdigit, word))
    if digits >= 3 and "/" not in word[:40] and _TANGLED.search(word):
        return "<id>"
    if len(word) < 28 or "/" in word:
        return word
    made_of_words = not digits and word.count("_") + word.count("-") >= 2
    return word if made_of_words else "<id>"

"""Words that may leave: without the names of people and repositories, and without places.

Redaction has been over a text before this: it knows secrets, addresses and numbers of people by their shape. What a
home's repositories and people are called has no shape, so those names are taken from the home itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

MAX_TEXT_CHARACTERS = 4000  # of one cell: no part of a template is longer
MIN_NAME_CHARACTERS = 3  # a shorter name would be found in half of all words
# Folders that every machine has; what lies in others tells whose machine it is.
SYSTEM_FOLDERS = "bin|boot|dev|etc|lib|lib64|opt|proc|run|sbin|sys|usr"
NAME, URL, PATH, ID = "<name>", "<url>", "<path>", "<id>"

_NAME_PARTS = re.compile(r"[/\\:@\s]+")
_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s\"'`<>\\|)\]}]+")
# A name with such an ending is a host; of endings that files have as well (rs, sh, py) there is none.
_HOST = re.compile(
    r"(?<![\w@./-])(?:[a-z0-9-]+\.)+"
    r"(?:com|org|net|io|dev|app|ai|edu|gov|cloud|co|uk|de|fr|eu|nl|ch|internal|local|corp|lan)"
    r"(?![\w-]|\.\w)(?::\d+)?(?:/[\w.@%+~/-]*)?",
    re.IGNORECASE,
)
# `@scope` of a package, `@user` of a mention, the owner in an address of GitHub's API.
_OWNER = re.compile(r"(?<![\w.<])(@|\brepos/)[A-Za-z0-9][\w-]*(?![\w<-]|\.\w)")
_SEPARATORS = re.compile(r"(?:\\?[-_. ])+")
_ID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_PATH = re.compile(
    rf"(?<![\w.~<>/$}}*)\]-])(?:[A-Za-z]:)?/(?!(?:{SYSTEM_FOLDERS})(?:/|\b))"
    r"[\w.@%+~-]+(?:/[\w.@%+~-]*)+|\b[A-Za-z]:\\[\w.@%+~\\-]+"
)
_PLACES = (
    (_URL, URL), (_HOST, URL), (_ID, ID), (_PATH, PATH), (_OWNER, rf"\g<1>{NAME}"),
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def without_names(names: Iterable[str]) -> Callable[[str], str]:
    """What takes these names, and every place, out of a text. Names are found as parts of longer ones, too:
    `harbor_client` tells what `harbor` tells, and `night-shift` is `nightshift`, too."""
    parts = {
        part
        for name in names
        for part in (name.strip(), *_NAME_PARTS.split(name))
        if len(part) >= MIN_NAME_CHARACTERS
    }
    if not parts:
        return without_places
    longest_first = sorted(parts, key=lambda part: (-len(part), part))
    spellings = (
        _SEPARATORS.sub("[-_. ]?", re.escape(part)).strip() for part in longest_first
    )
    pattern = re.compile(
        rf"(?<![^\W_])(?<!<)(?:{'|'.join(spellings)})(?![^\W_])", re.IGNORECASE
    )
    return lambda text: pattern.sub(NAME, without_places(text))


def without_places(text: str) -> str:
    """Without addresses and hosts, ids of sessions, owners, and paths that no other machine has."""
    for pattern, placeholder in _PLACES:
        text = pattern.sub(placeholder, text)
    return _CONTROL.sub(" ", text)


def may_leave(text: str) -> bool:
    """Whether a text is such as a column of text takes."""
    return len(text) <= MAX_TEXT_CHARACTERS and without_places(text) == text

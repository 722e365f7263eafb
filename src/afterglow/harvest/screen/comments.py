"""Whether a file names something in its comments only: there anybody may say anything, and nothing that runs needs it.

A task that a Makefile defines, a script of a manifest or a command in the README is a part of the project. A comment is a
sentence to whoever reads the file next.
"""

from __future__ import annotations

import re
from pathlib import PurePath

MAX_PLACES = 20  # of a word in one text that are looked at
# Where a line of a document begins with one of the marks below, that is a heading or a list.
_DOCUMENTS = frozenset({".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".org"})
# What tools put before a line of a file: its name, its number.
_BEFORE_LINE = r"\s*(?:[\w./-]+[:-])?(?:\d+[:→\t|-])?\s*"
_COMMENT = re.compile(
    rf"{_BEFORE_LINE}(?:#|//|\*|--|;|%|REM\b|@rem\b)|.*(?:^|\s)(?:#|//)\s"
)
_BLOCKS = (("<!--", "-->"), ("/*", "*/"))


def is_document(name: str) -> bool:
    path = PurePath(name)
    return path.suffix.lower() in _DOCUMENTS or path.stem.lower() == "readme"


def stands_in_comments(text: str, word: str, *, in_document: bool) -> bool:
    """Whether the word stands in comments wherever it stands."""
    at = text.find(word)
    places = 0
    while at >= 0 and places < MAX_PLACES:
        if not _is_comment(text, at, in_document=in_document):
            return False
        places += 1
        at = text.find(word, at + len(word))
    return places > 0


def _is_comment(text: str, at: int, *, in_document: bool) -> bool:
    for opening, closing in _BLOCKS:
        if text.rfind(opening, 0, at) > text.rfind(closing, 0, at):
            return True
    if in_document:
        return False
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return _COMMENT.match(line) is not None

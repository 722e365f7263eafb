"""Whether cited words carry a sentence: every name and number of it must stand in them, and enough of its words near.

It cannot tell whether a sentence follows; it tells whether what the sentence speaks of was there at all. A name nobody
wrote, a number out of thin air and a lesson from somewhere else do not get through.
"""

from __future__ import annotations

import re

from msgspec import Struct

from afterglow.harvest.screen.vagueness import is_hollow

# Shares of the telling words: so many must stand in the cited lines or around them, so many in the cited lines
# themselves unless names do. A sentence may be put in own words, but not in others altogether.
MIN_SHARE_NEAR, MIN_SHARE_CITED = 0.5, 0.3

# A name in backticks: they hug it, and stand free of words and quotes. An error may hold a backtick of its own.
_CODE = re.compile(r"(?<![\w`'\"])`([^`\s](?:[^`\n]*[^`\s])?)`(?![\w`'\"])")
_NAME = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*"  # a flag
    r"|(?<![\w/~.])[~.]{0,2}/[\w.@+-]+(?:/[\w.@+*-]+)*/?|[\w.@+-]+(?:/[\w.@+*-]+){2,}/?"  # a path
    r"|(?:\w*[\d._@-])[\w.@-]*/[\w.@-]+|\w+/[\w-]*[\d._@-][\w.@-]*"  # of two names, not just `and/or`
    r"|\b\w+(?:::|->)\w+|\b\w*[a-z]\w*[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b\w*[A-Za-z]_\w+|\b\w+\(\)"  # an identifier
    r"|\b[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}\b(?<!e\.g)(?<!i\.e)"  # a file, a dotted name
    r"|\b[A-Z][A-Z0-9]*_\w+|\b[A-Z][A-Z0-9]{4,}\b|\b\w+=\S+|\b\d[\w.:%-]*"  # a constant, a setting, a number
)
_PIECE = re.compile(r"[^\s\"'“”‘’()\[\]{},;|&$`]+")
_OPEN = re.compile(
    r"<[^<>\s]*>|\{\w*\}|^[A-Z]$|^\.{3,}$|^…$|^\W+$"
)  # stands for anything: <id>, X, ...
_WORD = re.compile(r"[a-z][a-z'-]{2,}")
_ESCAPE = re.compile(r"\\[nrt\"\\/]")


class Lack(Struct, frozen=True):
    """What cited words do not say: names and numbers, and telling words where too few of them are there."""

    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.words)


def lack(sentence: str, cited: str, around: str = "") -> Lack:
    """Nothing when the cited words carry the sentence; `around` is what stands near them."""
    here = _plain(cited)
    sentence_names = names(sentence)
    missing = tuple(name for name in sentence_names if not _stands(name.lower(), here))
    telling = words(sentence)
    near = _stems(here + " " + _plain(around))
    absent = sorted(word for word in telling if _stem(word) not in near)
    cited_stems = _stems(here)
    direct = sum(_stem(word) in cited_stems for word in telling)
    few = len(absent) > (1 - MIN_SHARE_NEAR) * len(telling) or (
        direct < MIN_SHARE_CITED * len(telling) and not sentence_names
    )
    return Lack(missing, tuple(absent) if few else ())


def names(sentence: str) -> list[str]:
    """What a sentence names: each word in backticks, flags, paths, identifiers, settings, numbers; each once."""
    inside = [
        piece
        for code in _CODE.findall(sentence)
        for piece in _PIECE.findall(code)
        if piece[1:] or piece.isdigit()
    ]
    outside = _NAME.findall(_CODE.sub(" ", sentence))
    parts = (
        part.rstrip(".,:;!?")
        for name in (*inside, *outside)
        for part in _OPEN.sub(" ", name).split()
    )
    return list(
        dict.fromkeys(part for part in parts if part and not _OPEN.fullmatch(part))
    )


def words(sentence: str) -> list[str]:
    """The words that say what a sentence is about, names aside."""
    bare = _NAME.sub(" ", _CODE.sub(" ", sentence)).lower()
    return list(
        dict.fromkeys(word for word in _WORD.findall(bare) if not is_hollow(word))
    )


def _plain(text: str) -> str:
    """As it stands, and as it reads with what JSON escapes undone: a path of Windows has each of its signs twice there,
    and what looks like the end of a line may be the beginning of a name."""
    lowered = text.lower()
    single = lowered.replace("\\\\", "\\")
    return "\n".join(dict.fromkeys((lowered, single, _ESCAPE.sub(" ", lowered))))


def _stands(name: str, text: str) -> bool:
    """A name stands by itself: 40 is not in 405, `-s` not in `--stat`. A path may be written from elsewhere."""
    if _bounded(name, text):
        return True
    last_name = name.rstrip("/").rpartition("/")[2]
    if "/" in name and _bounded(last_name, text):
        return True
    return name.endswith("()") and _bounded(name[:-2], text)


def _bounded(name: str, text: str) -> bool:
    if not name:
        return False
    before = r"(?<!\w)" if name[0].isalnum() else ""
    if name[0] == "-":
        before = r"(?<![\w-])"
    behind = r"(?!\w)" if name[-1].isalnum() else ""
    return re.search(before + re.escape(name) + behind, text) is not None


def _stems(text: str) -> set[str]:
    return set(map(_stem, _WORD.findall(text)))


def _stem(word: str) -> str:
    """Enough of a word to know it in another form: `rejected` and `rejects`."""
    for ending in ("ing", "ed", "es", "s", "ly", "e"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)][:7]
    return word[:7]

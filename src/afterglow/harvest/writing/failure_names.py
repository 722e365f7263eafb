"""What a failure names, as lessons are held against it: the words of the call and of its telling lines, and what the one
names of the other. Read as text: a shell's line, a tool's arguments and a lesson's code are taken apart alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from afterglow.records.problems import Event
from afterglow.text.words import words

CACHED_TEXTS = 2048  # each lesson is held against every other one and many failures
MIN_WORD_LETTERS = 3  # shorter ones (`is`, `a`, `-v`) stand everywhere

_CODE = re.compile(r"`([^`]*[^`\s][^`]*)`")
# What lessons leave open: `<name>`, `{name}`, `$NAME`, `…`, and a word in capitals (`gh run view ID`) that is not set to
# something (`CI=1`).
_HOLE = re.compile(
    r"<[^<>]*>|\{\w*\}|\$\{?\w+\}?|\.{3}|(?<![\w$])[A-Z][A-Z_]*(?![\w=])"
)
_OPEN = "…"
_TOKEN = re.compile(r"[^\s'\"`‘’“”,;:=()\[\]{}|&<>]+")
# Also behind the mark of a call whose beginning was left out.
_COMMAND_START = re.compile(r"(?:^|&&|\|\||[;|\n(…])\s*([^\s;|&()…]+)")
_SAYS = re.compile(r"\w")


class FailureNames(Struct, frozen=True):
    """The parts of a failed call and those of its telling lines, what of the call these name (no program by its name),
    the linters that report, the words of the call, and the lines."""

    call: frozenset[str]
    message: frozenset[str]
    named: frozenset[str]
    linters: frozenset[str]
    call_words: frozenset[str]
    lines: tuple[str, ...]

    @property
    def parts(self) -> frozenset[str]:
        """Of the call and of its telling lines."""
        return self.call | self.message


def failure_of(event: Event) -> FailureNames:
    lines = tuple(line.text for line in event.lines)
    call = tokens_of(event.command) | {event.tool}
    message = tokens_of(" ".join(lines))
    programs = {*_COMMAND_START.findall(event.command), event.tool}
    programs |= tokens_of(event.program)
    return FailureNames(
        call=call,
        message=message,
        named=(call & message) - programs,
        linters=frozenset(rule.split()[0] for rule in event.rules if rule),
        call_words=telling_words(f"{event.tool} {event.program} {event.command}"),
        lines=lines,
    )


def code_in(text: str) -> list[str]:
    """What stands in backticks."""
    return _CODE.findall(text)


def parts_of(code: str) -> list[str]:
    """The words of code, those that say nothing by themselves left out."""
    tokens = _TOKEN.findall(_HOLE.sub(_OPEN, code))
    return [token for token in map(_plain, tokens) if _SAYS.search(token)]


def spans_of(text: str) -> list[list[str]]:
    """The parts of each text in backticks that has any."""
    spans = map(parts_of, code_in(text))
    return list(filter(None, spans))


def tokens_of(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(_plain, _TOKEN.findall(text))))


@lru_cache(maxsize=CACHED_TEXTS)
def words_of_code(text: str) -> frozenset[str]:
    """Telling words of the code in a lesson, but for what it leaves open."""
    return telling_words(_HOLE.sub(" ", " ".join(code_in(text))))


@lru_cache(maxsize=CACHED_TEXTS)
def telling_words(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if len(word) >= MIN_WORD_LETTERS)


def names_any(text: str, names: Iterable[str]) -> bool:
    """Whether a lesson's text names one of them."""
    tokens = tokens_of(text)
    return any(_is_same(token, name) for name in names for token in tokens)


def stand_in(parts: Iterable[str], tokens: frozenset[str]) -> bool:
    return all(stands_in(part, tokens) for part in parts)


def is_above(parts: Sequence[str], tokens: frozenset[str]) -> bool:
    """A folder, and a path that leads through it."""
    if len(parts) != 1 or "/" not in parts[0]:
        return False
    return any(f"/{parts[0].strip('/')}/" in f"/{token}" for token in tokens)


def stands_in(part: str, tokens: frozenset[str]) -> bool:
    """As it stands; with something left open in it, what stands around that within one word."""
    if _OPEN not in part:
        return part in tokens or any(_is_same(part, token) for token in tokens)
    pattern = re.compile(".*".join(map(re.escape, part.split(_OPEN))))
    return any(map(pattern.search, tokens))


def _is_same(token: str, name: str) -> bool:
    """The same word, or a path by its end."""
    if token == name:
        return True
    short, long = sorted((token.strip("/"), name.strip("/")), key=len)
    return "." in short and long.endswith(f"/{short}")


def _plain(token: str) -> str:
    """Without the sign that ends a sentence or a folder."""
    return token.rstrip(".?!").rstrip("/")

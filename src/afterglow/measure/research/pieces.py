"""What a session is told, taken apart: pieces of a template by its parts, and of a context, each with what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import decode, shell_line
from afterglow.harvest.writing.failure_names import code_in
from afterglow.measure.research.material import commands_of
from afterglow.records.context import Context
from afterglow.records.template import (
    ROOT,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
)
from afterglow.text.fingerprint import fingerprint
from afterglow.text.tokens import estimate

LESSONS = "lessons"  # a context of items, beside a template
MAX_OPENING = 40  # characters by which a piece is found in a text that tells it cut
CACHED_TEXTS = 8192  # the same lines stand in template after template

_NAME = re.compile(r"[\w@.~/<>-]*[\w/]")


class Piece(Struct, frozen=True):
    """One line, call or name of what a session is told. `words` is its text in one line of small letters, `commands`
    are the shapes of commands it shows, `errors` the fingerprints of errors it has a remedy for, `names` the words in it
    that may be files. `opening` is how a text begins to tell it, where that is not by its words."""

    part: str
    text: str
    words: str
    tokens: int
    commands: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    opening: str = ""

    def is_in(self, told_words: str) -> bool:
        """Whether a text, in one line of small letters, tells it: its beginning stands there."""
        opening = (self.opening or self.words)[:MAX_OPENING]
        return opening.strip() in told_words


def pieces_of(seed: SessionSeed) -> list[Piece]:
    """In the order in which a template tells them, part by part."""
    return [
        *(line_piece("context", line) for line in seed.system_context.splitlines()),
        *map(_example, seed.tool_examples),
        *_patterns(seed),
        *_markers(seed),
    ]


def pieces_of_context(context: Context) -> list[Piece]:
    return [line_piece(LESSONS, chosen.line) for chosen in context.shown]


def of_part(pieces: Iterable[Piece], *parts: str) -> list[Piece]:
    return [piece for piece in pieces if piece.part in parts]


def tokens_of(pieces: Iterable[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


def cut_to(pieces: Sequence[Piece], tokens: int) -> list[Piece]:
    """Those that still fit, in their order: together they take no more than so many tokens."""
    chosen: list[Piece] = []
    for piece in pieces:
        if piece.tokens <= tokens:
            tokens -= piece.tokens
            chosen.append(piece)
    return chosen


@lru_cache(maxsize=CACHED_TEXTS)
def one_line(text: str) -> str:
    return " ".join(text.lower().split())


@lru_cache(maxsize=CACHED_TEXTS)
def line_piece(part: str, text: str) -> Piece:
    """A sentence; what stands in backticks may be a command."""
    commands = (commands_of(code) for code in code_in(text))
    return Piece(
        part=part,
        text=text,
        words=one_line(text),
        tokens=estimate(text),
        commands=frozenset().union(*commands),
        names=_names(text),
    )


@lru_cache(maxsize=CACHED_TEXTS)
def _example(example: ToolCallExample) -> Piece:
    text = f"{example.tool_name} {example.arguments}"
    return Piece(
        part="examples",
        text=text,
        words=one_line(text),
        tokens=estimate(text) + estimate(example.result),
        commands=commands_of(shell_line(example.arguments)),
        names=_names(example.arguments),
        opening=_opening(example),
    )


def _opening(example: ToolCallExample) -> str:
    """What a text tells first of the arguments: a shell line, else the first that is text."""
    values = decode(example.arguments).values.values()
    texts = [shell_line(example.arguments), *values]
    return next(
        (one_line(text) for text in texts if text and isinstance(text, str)), ""
    )


def _patterns(seed: SessionSeed) -> Iterator[Piece]:
    yield from map(_recovery, seed.recovery_patterns)
    person = seed.user_patterns
    for sentence in (*person.conventions, *person.corrections):
        yield line_piece("patterns", sentence)


@lru_cache(maxsize=CACHED_TEXTS)
def _recovery(pattern: RecoveryPattern) -> Piece:
    text = f"{pattern.error} → {pattern.worked}"
    commands = (commands_of(code) for code in code_in(pattern.worked))
    return Piece(
        part="patterns",
        text=text,
        words=one_line(text),
        tokens=estimate(text),
        commands=frozenset().union(*commands),
        errors=frozenset({fingerprint(pattern.error)}),
        names=_names(pattern.worked),
    )


def _markers(seed: SessionSeed) -> Iterator[Piece]:
    markers = seed.context_markers
    for name in (*markers.files, *markers.urls, *markers.repos):
        yield _marker(name, is_command=False)
    for command in markers.commands:
        yield _marker(command, is_command=True)


@lru_cache(maxsize=CACHED_TEXTS)
def _marker(text: str, *, is_command: bool) -> Piece:
    return Piece(
        part="markers",
        text=text,
        words=one_line(text),
        tokens=estimate(text),
        commands=commands_of(text) if is_command else frozenset(),
        names=_names(text),
    )


def _names(text: str) -> frozenset[str]:
    """Words that may be paths, from the top of the repository."""
    words = _NAME.findall(text)
    return frozenset(word.removeprefix(f"{ROOT}/").removeprefix("./") for word in words)

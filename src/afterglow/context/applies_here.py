"""Whether a lesson means this very failure, and says something that the error does not: by what calls and errors name.

A problem is a family: errors that are worded alike. Of two members the objects differ (`Unknown JSON field: "a"`, `"b"`),
and a lesson about one of them is wrong for the other. So what the error names of the call decides; where the lesson
names none of that, all that it says about the call must stand in it. No likeness, no lists of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event
from afterglow.text.words import words

# Of the words by which a lesson says when it applies, the share that must stand in the failure: a problem may hold
# several causes, and more than half of the words of another cause seldom do.
MIN_SHARED_WORDS = 0.5
MIN_WORD_LETTERS = 3  # shorter ones (`is`, `a`, `-v`) stand everywhere

_CODE = re.compile(r"`([^`]*[^`\s][^`]*)`")
# What lessons leave open: `<name>`, `{name}`, `$NAME`, `…`, and a word in capitals (`gh run view ID`).
_HOLE = re.compile(r"<[^<>]*>|\{\w*\}|\$\{?\w+\}?|\.{3}|(?<![\w$])[A-Z][A-Z_]*(?!\w)")
_OPEN = "…"
_TOKEN = re.compile(r"[^\s'\"`‘’“”,;:=()\[\]{}|&<>]+")
# Also behind the mark of a call whose beginning was left out.
_COMMAND_START = re.compile(r"(?:^|&&|\|\||[;|\n(…])\s*([^\s;|&()…]+)")
_SAYS = re.compile(r"\w")


class FailureNames(Struct, frozen=True):
    """A failure as a lesson is held against it: the parts of the call and those of its telling lines, what of the call
    these name, the linters that report, and the words of the call and of each line."""

    call: frozenset[str]
    message: frozenset[str]
    named: frozenset[str]
    linters: frozenset[str]
    call_words: frozenset[str]
    lines: tuple[str, ...]


def failure_of(event: Event) -> FailureNames:
    lines = tuple(line.text for line in event.lines)
    call = _tokens(event.command) | {event.tool}
    message = _tokens(" ".join(lines))
    programs = {*_COMMAND_START.findall(event.command), event.tool}
    programs |= _tokens(event.program)
    return FailureNames(
        call=call,
        message=message,
        named=(call & message) - programs,
        linters=frozenset(rule.split()[0] for rule in event.rules if rule),
        call_words=_words(f"{event.tool} {event.program} {event.command}"),
        lines=lines,
    )


def names_linter(item: KnowledgeItem, failure: FailureNames) -> bool:
    """Whether a lesson is about a rule that a linter reports in this failure."""
    return not _named_linters(item, failure).isdisjoint(failure.linters)


def shared_words(item: KnowledgeItem, failure: FailureNames) -> float:
    """The share of the words of a situation that stand in what happened: in the call, and in the telling lines. Of a
    linter's report only the lines of the rule count that the lesson is about: the others are about other places."""
    situation = _words(item.situation)
    lines: Iterable[str] = failure.lines
    if linters := _named_linters(item, failure):
        lines = [line for line in lines if linters & _tokens(line)] or linters
    happened = failure.call_words | _words(" ".join(lines))
    return len(situation & happened) / max(len(situation), 1)


def _named_linters(item: KnowledgeItem, failure: FailureNames) -> frozenset[str]:
    return failure.linters & _tokens(item.fact)


def applies_here(item: KnowledgeItem, failure: FailureNames) -> bool:
    """What the lesson is about is what failed: it names a part of the call that the error names too, or some code of
    its situation stands there whole. And the call was not made as it tells already."""
    if shared_words(item, failure) < MIN_SHARED_WORDS:
        return False
    if _was_heeded(item, failure):
        return False
    if names_linter(item, failure) or _names_any(item, failure.named):
        return True
    spans = [
        tokens for code in _CODE.findall(item.situation) if (tokens := _parts(code))
    ]
    if not spans:
        return not failure.named
    happened = failure.call | failure.message
    return any(
        _stands_in(span, happened) or _is_above(span, happened) for span in spans
    )


def is_said_already(item: KnowledgeItem, failure: FailureNames) -> bool:
    """The error names all that the remedy brings to the call; where it brings nothing, the error names what is wrong
    with the call as the lesson does. A remedy without code is compared by its words."""
    spans = _CODE.findall(item.remedy)
    if not spans:
        return _words(item.remedy) <= _words(" ".join(failure.message))
    parts = [part for code in spans for part in _parts(code)]
    brought = [part for part in parts if not _has(part, failure.call)]
    if brought:
        return _stands_in(brought, failure.message)
    return _names_any(item, failure.named)


def _was_heeded(item: KnowledgeItem, failure: FailureNames) -> bool:
    """All that the remedy brings to the situation stands in the call, and nothing of the call that it speaks of by
    itself: that may be what is to go."""
    before = {part for code in _CODE.findall(item.situation) for part in _parts(code)}
    pieces = [_parts(code) for code in _CODE.findall(item.remedy)]
    brought = {part for parts in pieces for part in parts} - before
    alone = {parts[0] for parts in pieces if len(parts) == 1} & before
    if not brought or any(_has(part, failure.call) for part in alone):
        return False
    return _stands_in(brought, failure.call)


def _names_any(item: KnowledgeItem, named: Iterable[str]) -> bool:
    tokens = _tokens(f"{item.situation} {item.remedy}")
    return any(_is_same(token, name) for name in named for token in tokens)


def _is_same(token: str, name: str) -> bool:
    """The same word, or a path by its end."""
    if token == name:
        return True
    short, long = sorted((token.strip("/"), name.strip("/")), key=len)
    return "." in short and long.endswith(f"/{short}")


def _stands_in(parts: Iterable[str], tokens: frozenset[str]) -> bool:
    return all(_has(part, tokens) for part in parts)


def _is_above(span: list[str], tokens: frozenset[str]) -> bool:
    """A folder, and a path that leads through it."""
    if len(span) != 1 or "/" not in span[0]:
        return False
    return any(f"/{span[0].strip('/')}/" in f"/{token}" for token in tokens)


def _has(part: str, tokens: frozenset[str]) -> bool:
    """As it stands; with something left open in it, what stands around that within one word."""
    if _OPEN not in part:
        return part in tokens or any(_is_same(part, token) for token in tokens)
    pattern = re.compile(".*".join(map(re.escape, part.split(_OPEN))))
    return any(map(pattern.search, tokens))


def _parts(code: str) -> list[str]:
    """The words of code, those that say nothing by themselves left out."""
    tokens = _TOKEN.findall(_HOLE.sub(_OPEN, code))
    return [token for token in map(_plain, tokens) if _SAYS.search(token)]


def _tokens(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(_plain, _TOKEN.findall(text))))


def _plain(token: str) -> str:
    """Without the sign that ends a sentence or a folder."""
    return token.rstrip(".?!").rstrip("/")


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if len(word) >= MIN_WORD_LETTERS)

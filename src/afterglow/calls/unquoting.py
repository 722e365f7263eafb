"""Words without their quotes: what the shell would make of backslashes."""

from __future__ import annotations

import re

_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_STRING = re.compile(r"\\([\"\\$`\n])")
_WINDOWS = re.compile(
    r"(?:[A-Za-z]:|\.{1,2}|%\w+%)?\\\w|[\w.-]+(?:\\[A-Za-z][\w.-]*)+(?:\\|$)"
)
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b"}


def unescaped(word: str) -> str:
    """A bare word. A Windows path keeps its backslashes, since nobody means to escape there."""
    if "\\" not in word or _WINDOWS.match(word):
        return word
    return _ESCAPED.sub(_escape, word)


def unescaped_string(body: str) -> str:
    """What stands between two double quotes."""
    return _ESCAPED_IN_STRING.sub(_escape, body) if "\\" in body else body


def unescaped_ansi(body: str) -> str:
    """What stands in `$'...'`, where letters and numbers stand for characters."""
    return _ANSI.sub(_ansi_character, body)


def _escape(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def _ansi_character(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ANSI_LETTERS.get(code, code)

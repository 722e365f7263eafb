"""The little JavaScript that agents write around their tools: literals, names, and loops over lists.

No interpreter: it reads the values that stand in the text (strings, templates, lists,
objects, names bound to them). What cannot be read is `UNKNOWN`, never a guess.
"""

from __future__ import annotations

import re
from typing import Any

# Of a script that are read: calls stand at its top, a longer one carries a file inside.
MAX_SCRIPT_CHARACTERS = 60_000
MAX_NESTING = 40  # brackets inside brackets: nobody writes more by hand

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_BINDING = re.compile(r"\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*")
_HOLE = re.compile(r"\$\{\s*([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*\}")
_ESCAPE = re.compile(
    r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|.)", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_JOIN = re.compile(r"\.join\(\s*(['\"`])(.*?)\1\s*\)")
_TRIM = re.compile(r"\.(?:trim|trimEnd|trimStart)\(\)")
_TEXT_OR_COMMENT = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)
_INSIDE = {  # quote -> what may stand between two of them
    quote: re.compile(rf"[^{quote}\\]*(?:\\.?[^{quote}\\]*)*", re.DOTALL)
    for quote in "'\"`"
}
_OPENING = {"(": ")", "[": "]", "{": "}"}
_QUOTES = frozenset("'\"`")
_GROUPING = _QUOTES | _OPENING.keys()
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
_RAW = ".raw`"


class _Unknown:
    """A value that does not stand in the text."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()


class Reader:
    """Reads values at places of a script. `names` holds what is bound so far."""

    def __init__(self, script: str, names: dict[str, Any] | None = None) -> None:
        self.script = script[:MAX_SCRIPT_CHARACTERS]
        self.names: dict[str, Any] = dict(names or {})

    def bind_names(self) -> None:
        """Reads every `const x = ...` whose value stands in the text."""
        for match in _BINDING.finditer(self.script):
            value, _ = self.value(match.end())
            if value is not UNKNOWN:
                self.names[match[1]] = value

    def value(self, at: int, depth: int = 0) -> tuple[Any, int]:
        """The value that begins at `at`, and where it ends; sums of strings are put together."""
        value, at = self._term(self._skip(at), depth)
        while True:
            behind = self._skip(at)
            if self.script[behind : behind + 1] != "+":
                return value, at
            following, at = self._term(self._skip(behind + 1), depth)
            is_text = isinstance(value, str) and isinstance(following, str | int)
            value = f"{value}{following}" if is_text else UNKNOWN

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.script, at)
        return match.end() if match else at

    def _term(self, at: int, depth: int) -> tuple[Any, int]:
        sign = self.script[at : at + 1]
        if depth > MAX_NESTING or not sign:
            return UNKNOWN, at
        if number := _NUMBER.match(self.script, at):
            return _number(number[0]), number.end()
        if sign in "'\"":
            value, at = self._string(at, sign)
        elif sign == "`":
            value, at = self._template(at)
        elif sign == "[":
            value, at = self._list(at + 1, depth)
        elif sign == "{":
            value, at = self._object(at + 1, depth)
        else:
            return self._named(at)
        return self._applied(value, at)

    def _applied(self, value: Any, at: int) -> tuple[Any, int]:
        """`[...].join("\\n")` and `.trim()` behind a value."""
        if joined := _JOIN.match(self.script, at):
            return _join(value, _unescaped(joined[2])), joined.end()
        if trimmed := _TRIM.match(self.script, at):
            text = value.strip() if isinstance(value, str) else UNKNOWN
            return text, trimmed.end()
        return value, at

    def _named(self, at: int) -> tuple[Any, int]:
        """What a name stands for: a constant, a value bound earlier, a member of one."""
        match = _NAME.match(self.script, at)
        if not match:
            return UNKNOWN, at + 1
        name, at = match[0], match.end()
        if name == "await":
            return UNKNOWN, at
        if name == "String" and self.script.startswith(_RAW, at):
            start = at + len(_RAW)
            end = self.script.find("`", start)
            return self.script[start:end], end + 1
        if name in _CONSTANTS:
            return _CONSTANTS[name], at
        value, at = self._member(self.names.get(name, UNKNOWN), at)
        if self.script[at : at + 1] not in {".", "(", "["}:
            return value, at
        applied, end = self._applied(value, at)
        return (applied, end) if end != at else (UNKNOWN, at)

    def _member(self, value: Any, at: int) -> tuple[Any, int]:
        """Follows `.name` into objects whose members are known."""
        while isinstance(value, dict) and self.script[at : at + 1] == ".":
            member = _NAME.match(self.script, at + 1)
            if not member:
                break
            value, at = value.get(member[0], UNKNOWN), member.end()
        return value, at

    def _string(self, at: int, quote: str) -> tuple[Any, int]:
        end = self._end_of_text(at + 1, quote)
        return _unescaped(self.script[at + 1 : end]), end + 1

    def _template(self, at: int) -> tuple[Any, int]:
        end = self._end_of_text(at + 1, "`")
        text = self.script[at + 1 : end]
        filled = _HOLE.sub(self._filled, text)
        if "${" in filled.replace("\\${", ""):
            return UNKNOWN, end + 1
        return _unescaped(filled), end + 1

    def _filled(self, match: re.Match[str]) -> str:
        value: Any = self.names
        for part in match[1].split("."):
            value = value.get(part, UNKNOWN) if isinstance(value, dict) else UNKNOWN
        if not isinstance(value, str | int):
            return match[0]
        return str(value).replace("\\", "\\\\")

    def _end_of_text(self, at: int, quote: str) -> int:
        match = _INSIDE[quote].match(self.script, at)
        return match.end() if match else at

    def _list(self, at: int, depth: int) -> tuple[Any, int]:
        items: list[Any] = []
        while at < len(self.script):
            at = self._skip(at)
            if self.script[at : at + 1] == "]":
                return items, at + 1
            value, at = self.value(at, depth + 1)
            items.append(value)
            at = self._behind_comma(at, "]")
        return UNKNOWN, at

    def _object(self, at: int, depth: int) -> tuple[Any, int]:
        members: dict[str, Any] = {}
        while at < len(self.script):
            at = self._skip(at)
            if self.script[at : at + 1] == "}":
                return members, at + 1
            key, at = self._key(at)
            at = self._skip(at)
            if self.script[at : at + 1] == ":":
                members[key], at = self.value(at + 1, depth + 1)
            elif key:
                members[key] = self.names.get(key, UNKNOWN)
            at = self._behind_comma(at, "}")
        return UNKNOWN, at

    def _key(self, at: int) -> tuple[str, int]:
        sign = self.script[at : at + 1]
        if sign and sign in "'\"":
            return self._string(at, sign)
        match = _NAME.match(self.script, at)
        return (match[0], match.end()) if match else ("", at)

    def _behind_comma(self, at: int, closing: str) -> int:
        """Behind the next comma of this level, or at its end; skips what cannot be read."""
        while at < len(self.script):
            sign = self.script[at]
            if sign == ",":
                return at + 1
            if sign == closing:
                return at
            at = self.end_of_group(at) if sign in _GROUPING else at + 1
        return at

    def texts(self) -> list[tuple[int, int]]:
        """The stretches of the script that are strings or comments."""
        return [match.span() for match in _TEXT_OR_COMMENT.finditer(self.script)]

    def end_of_group(self, at: int) -> int:
        """Behind the bracket or quote that closes the one at `at`."""
        sign = self.script[at]
        if sign in _QUOTES:
            return self._end_of_text(at + 1, sign) + 1
        closers = [_OPENING[sign]]
        at += 1
        while closers and at < len(self.script):
            sign = self.script[at]
            if sign in _QUOTES:
                at = self._end_of_text(at + 1, sign)
            elif sign in _OPENING:
                closers.append(_OPENING[sign])
            elif sign == closers[-1]:
                closers.pop()
            at += 1
        return at


def _number(text: str) -> int | float:
    plain = text.replace("_", "")
    return float(plain) if "." in plain else int(plain)


def _join(value: Any, separator: str) -> Any:
    if not isinstance(value, list):
        return UNKNOWN
    if not all(isinstance(item, str) for item in value):
        return UNKNOWN
    return separator.join(value)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "ux" and len(code) > 1:
        point = int(code[1:].strip("{}"), 16)
        return chr(point) if point < 0x110000 else ""
    if code.endswith("\n"):
        return ""
    return _LETTERS.get(code, code)

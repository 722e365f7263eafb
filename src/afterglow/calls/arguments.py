"""A call's arguments, decoded once: which file, address or pattern it is about, its shell line, its edits.

Agents name the same thing differently (`file_path`, `filePath`, `target_file`); the names of
all of them stand here, and nowhere else. (Those of a shell line stand in `records.tools`.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.calls.programs import program, program_name
from afterglow.calls.writing import quote
from afterglow.records.tools import LINE_KEYS

# Characters of arguments that are decoded: a longer text is a file's body.
MAX_ARGUMENT_CHARACTERS = 200_000
MAX_CACHED_CHARACTERS = 4_000  # longer arguments are files; keeping them costs memory
CACHED_ARGUMENTS = 2048  # an action is asked for right after its arguments

FILE_KEYS = (
    "file_path", "path", "notebook_path", "filePath", "absolute_path", "target_file",
    "filename", "file", "relative_path", "relative_workspace_path", "dir_path",
    "directory_path", "target_directory", "folder", "dirPath", "notebookPath", "file_name",
)  # fmt: skip
URL_KEYS = ("url", "uri", "href", "link", "address", "urls")
PATTERN_KEYS = (
    "pattern", "query", "regex", "search", "search_term", "search_query", "glob", "q",
    "substring_pattern", "name_path", "symbol", "glob_pattern", "keywords",
)  # fmt: skip
NAME_KEYS = (
    "name", "skill", "subagent_type", "agent_type", "task_name", "libraryName", "library",
    "tool_name", "subject", "id", "task_id", "taskId", "issue_key", "title", "description",
)  # fmt: skip
DIRECTORY_KEYS = ("workdir", "cwd", "working_directory", "workingDirectory", "Cwd")
OLD_KEYS = ("old_string", "oldText", "old_str", "old_text", "oldString", "search")
NEW_KEYS = ("new_string", "newText", "new_str", "new_text", "newString", "replace")
WHOLE_KEYS = ("content", "file_text", "contents", "text", "new_source")
PIECES_KEYS = ("edits", "replacements", "changes")
PATCH_KEYS = ("input", "patch", "diff", "patchText", "content")

_PATCHED_FILE = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE
)
_HUNK = re.compile(r"^@@.*$", re.MULTILINE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Edit(Struct, frozen=True):
    """Old text and new text at one place of a file; a whole file has no old text."""

    path: str
    old: str
    new: str


class Arguments(Struct, frozen=True, dict=True):
    """What a call's arguments say, whatever the agent calls it.

    `values` holds all of them; text that is no JSON object is `raw`.
    """

    values: Mapping[str, Any]
    raw: str = ""

    @cached_property
    def file(self) -> str:
        path = _first(self.values, FILE_KEYS)
        if path and not _ADDRESS.match(path):
            return path
        return (path or _first(self.values, URL_KEYS)).partition("file://")[2]

    @cached_property
    def url(self) -> str:
        path = _first(self.values, FILE_KEYS)
        address = _first(self.values, URL_KEYS) or (
            path if _ADDRESS.match(path) else ""
        )
        return "" if address.startswith("file://") else address

    @cached_property
    def pattern(self) -> str:
        return _first(self.values, PATTERN_KEYS)

    @cached_property
    def name(self) -> str:
        return _first(self.values, NAME_KEYS)

    @cached_property
    def line(self) -> str:
        return _line(self.values)

    @cached_property
    def directory(self) -> str:
        return _first(self.values, DIRECTORY_KEYS)


def decode(arguments: str) -> Arguments:
    """The arguments of a call; text that is no JSON object is kept as `raw`."""
    is_short = len(arguments) <= MAX_CACHED_CHARACTERS
    return _cached_decode(arguments) if is_short else _decode(arguments)


def _decode(arguments: str) -> Arguments:
    values = _values(arguments)
    return Arguments({}, arguments) if values is None else Arguments(values)


def shell_line(arguments: str) -> str:
    """The shell line inside a call's arguments, or an empty string."""
    return decode(arguments).line


def _values(arguments: str) -> dict[str, Any] | None:
    if len(arguments) > MAX_ARGUMENT_CHARACTERS:
        return None
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return value if isinstance(value, dict) else None


_cached_decode = lru_cache(maxsize=CACHED_ARGUMENTS)(_decode)


def target_key(values: Mapping[str, Any]) -> str:
    """The name under which a call says which file it is about."""
    return next((key for key in FILE_KEYS if isinstance(values.get(key), str)), "")


def _first(values: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The first of these arguments that holds a text, or a list that begins with one."""
    for key in keys:
        value = values.get(key)
        if not value:
            continue
        if isinstance(value, list):
            value = value[0]
        if isinstance(value, str):
            return value
    return ""


def _line(values: Mapping[str, Any]) -> str:
    for key in LINE_KEYS:
        value = values.get(key)
        if not value:
            continue
        if isinstance(value, str):
            return value
        words = _texts(value)
        if words:
            return _joined(words, key)
    return ""


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        return []
    return [word for word in value if isinstance(word, str)]


def _joined(words: list[str], key: str) -> str:
    """`["bash", "-lc", "make"]` is `make`: there the agent's own shell is no wrapper."""
    if key == "commands":
        return "\n".join(words)
    if len(words) == 1:
        return words[0]
    if _is_shell_with_line(words):
        return " ".join(words[2:])
    return " ".join(map(quote, words))


def _is_shell_with_line(words: list[str]) -> bool:
    if len(words) < 3 or not words[1].startswith(("-", "/")):
        return False
    return program(program_name(words[0])).family == "shell"


def edits(arguments: Arguments) -> tuple[Edit, ...]:
    """The replacements a call asks for; none for a call that writes whole files only."""
    patch = arguments.raw or _first(arguments.values, PATCH_KEYS)
    if is_patch(patch):
        return edits_of_patch(patch)
    replacements: list[Edit] = []
    for piece in [arguments.values, *_pieces(arguments.values)]:
        replacement = _replacement(piece, arguments.file)
        if replacement is not None:
            replacements.append(replacement)
    return tuple(replacements)


def _replacement(piece: Mapping[str, Any], file: str) -> Edit | None:
    """The edit one piece of arguments asks for. A new text may be empty, but must be there."""
    old, new = _first(piece, OLD_KEYS), _first(piece, NEW_KEYS)
    if not old or old == new:
        return None
    if not new and not any(key in piece for key in NEW_KEYS):
        return None
    return Edit(_first(piece, FILE_KEYS) or file, old, new)


def whole_file(arguments: Arguments) -> Edit | None:
    """The file a call writes as a whole."""
    text = _first(arguments.values, WHOLE_KEYS)
    if not arguments.file or not text:
        return None
    if _first(arguments.values, OLD_KEYS):
        return None
    return Edit(arguments.file, "", text)


def _pieces(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The edits of a call that makes several at once."""
    for key in PIECES_KEYS:
        listed = values.get(key)
        if not isinstance(listed, list):
            continue
        for piece in listed:
            if isinstance(piece, dict):
                yield piece


def is_patch(text: str) -> bool:
    """In the notation of `apply_patch`, or in that of `diff -u`."""
    if "*** Begin Patch" in text:
        return True
    return "\n+++ " in text and "\n@@" in text


def edits_of_patch(patch: str) -> tuple[Edit, ...]:
    """The places a patch changes, in either of the two notations."""
    replacements: list[Edit] = []
    heads = list(_PATCHED_FILE.finditer(patch))
    ends = [head.start() for head in heads[1:]] + [len(patch)]
    for head, end in zip(heads, ends, strict=False):
        path = (head[1] or head[2]).strip()
        for hunk in _HUNK.split(patch[head.end() : end]):
            old, new = _sides(hunk)
            if old.strip() and old != new:
                replacements.append(Edit(path, old, new))
    return tuple(replacements)


def _sides(hunk: str) -> tuple[str, str]:
    """The text a hunk takes away and the text it puts there, with what stays around both."""
    old: list[str] = []
    new: list[str] = []
    for line in hunk.strip("\n").split("\n"):
        if line[:1] in {"-", " "}:
            old.append(line[1:])
        if line[:1] in {"+", " "}:
            new.append(line[1:])
    return "\n".join(old), "\n".join(new)


def patched_files(patch: str) -> tuple[str, ...]:
    """Every file a patch touches, in order."""
    paths = [(head[1] or head[2]).strip() for head in _PATCHED_FILE.finditer(patch)]
    return tuple(dict.fromkeys(paths))


def readable_arguments(text: str) -> str:
    """What a call asked for as a person reads it: its shell line, else `name=value, name=value`, else as it stands."""
    return shell_line(text) or _pairs(text) or text


def _pairs(text: str) -> str:
    """Empty where arguments are nothing of the kind."""
    try:
        values_by_name = msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return ""
    pairs: list[str] = []
    for name, value in values_by_name.items():
        words = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        pairs.append(f"{name}={words}")
    return ", ".join(pairs)

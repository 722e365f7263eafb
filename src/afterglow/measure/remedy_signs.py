"""What to look for in calls: the situation's subjects (a tool, a command, a path) and the signs of a remedy.

Signs are what a remedy says to the letter: code in backticks, quoted names, flags, `key=value`, names with a dot or an
underscore. What it says not to do, and what is only an example, is no sign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from afterglow.calls import Command, commands_in, goal_of_command, program
from afterglow.harvest.trail import Step

MAX_WRITTEN_CHARACTERS = 20_000  # of a call; a written file may be megabytes
# Families of programs whose name alone shows nothing: everybody runs them all the time.
EVERYDAY = frozenset({"viewer", "filter", "talk", "files", "setup", "pause"})

_CODE = re.compile(r"`([^`\n]{2,300})`")
_QUOTED = re.compile(r"(?<!\w)'([^'\s<>]{3,120})'")
_PLAIN = re.compile(
    r"(?<!\S)(?P<flag>--?[A-Za-z][\w-]+)|(?P<pair>\b\w+=[\w.-]+)|(?P<name>[\w./-]*\w\.[A-Za-z]\w+(?:\(\w*\))?|\w+_\w+)"
)
_HOLE = re.compile(r"<[a-z][\w -]*>|…")  # where items leave out what varies
_NEGATIVE = re.compile(
    r"(?i)\b(?:not|never|no|avoid(?:ing)?|without|unless|instead of|rather than)\b|n't\b"
)
_NOT = re.compile(
    rf"(?i)(?:{_NEGATIVE.pattern[4:]}|\bsuch as\b|\blike\b|\be\.g\.)[^,;:.]{{0,60}}$"
)
_TOOL = re.compile(r"\b([A-Za-z]\w+) tool\b|^([A-Za-z]\w+(?:[-.]\w+)*)\(")
_PATH = re.compile(r"[\w.@+~-]*(?:/[\w.@+~-]*)+|\.?[\w-]+(?:\.\w{1,8})+")
_WORD = re.compile(r"[A-Za-z]\w*")
_OPERATOR = re.compile(r"&&|\|\||[|;]")


class Deed(Struct, frozen=True):
    """A call, taken apart once: the commands of a shell line, else its arguments by name. `wrote` is every text in
    them, without what an edit replaces."""

    step: Step
    commands: tuple[Command, ...]
    programs: frozenset[str]
    arguments: Mapping[str, Any]
    wrote: str


class Subject(Struct, frozen=True):
    """What a situation is about: a `tool` by name, a `command` by program, or a `path`."""

    kind: str
    name: str

    def comes_up(self, deed: Deed) -> bool:
        if self.kind == "path":
            return bool(_pattern(self.name).search(deed.wrote))
        is_its_tool = deed.step.tool.lower() == self.name
        if self.kind == "tool" or is_its_tool:
            return is_its_tool
        if self.name in deed.programs:
            return True
        return any(program.startswith(f"{self.name} ") for program in deed.programs)


class Sign(Struct, frozen=True):
    """What shows that a remedy was followed."""

    text: str

    @property
    def bare(self) -> bool:
        """A single word: a program, or the name of an argument."""
        return bool(_WORD.fullmatch(self.text))

    @property
    def everyday(self) -> bool:
        return program(self.text).family in EVERYDAY

    def shows(self, deed: Deed, subjects: Collection[Subject]) -> bool:
        if self.bare:
            return self._is_argument(deed, subjects) or self._is_program(deed)
        if self._is_option() and not _concerned(deed, subjects):
            return False
        if self._is_pair_of(deed.arguments):
            return True
        pattern = _pattern(self.text)
        if deed.commands and self._is_one_command():
            return any(pattern.match(command.text) for command in deed.commands)
        return bool(pattern.search(deed.wrote))

    def _is_option(self) -> bool:
        """A flag, or an argument with its value: it means something only to what it is for."""
        key, is_pair, _ = self.text.partition("=")
        return self.text.startswith("-") or (bool(is_pair) and key.isidentifier())

    def _is_pair_of(self, arguments: Mapping[str, Any]) -> bool:
        key, is_pair, value = self.text.partition("=")
        return bool(is_pair) and str(arguments.get(key)) == value

    def _is_argument(self, deed: Deed, subjects: Collection[Subject]) -> bool:
        tool = deed.step.tool.lower()
        about = any(subject.name == tool for subject in subjects)
        return about and self.text in deed.arguments

    def _is_program(self, deed: Deed) -> bool:
        return any(command.words[0] == self.text for command in deed.commands)

    def _is_one_command(self) -> bool:
        """A program with words behind it: it must begin a command, not stand anywhere in one."""
        starts_with_word = bool(_WORD.match(self.text))
        joined = bool(_OPERATOR.search(self.text))
        return " " in self.text and starts_with_word and not joined


def _concerned(deed: Deed, subjects: Collection[Subject]) -> bool:
    """Whether the call is of a tool or a command that the situation names, if it names any."""
    named = [subject for subject in subjects if subject.kind != "path"]
    if not named:
        return True
    return any(subject.comes_up(deed) for subject in named)


def deed_of(step: Step) -> Deed:
    commands = step.action.working
    arguments = step.action.arguments.values
    wrote = step.command or "\n".join(
        _strings({k: v for k, v in arguments.items() if not k.startswith("old")})
    )
    return Deed(
        step,
        commands,
        frozenset(map(goal_of_command, commands)),
        arguments,
        wrote[:MAX_WRITTEN_CHARACTERS],
    )


@lru_cache(maxsize=4096)
def subjects_of(situation: str) -> tuple[Subject, ...]:
    """What in a later call says that the situation came up."""
    subjects: dict[Subject, None] = {}
    for named in _TOOL.finditer(situation):
        tool = named[1] or named[2]
        subjects[Subject("tool", tool.lower())] = None
    for quoted in _QUOTED.findall(situation):
        if _PATH.fullmatch(quoted):
            subjects[Subject("path", quoted)] = None
    for span in _CODE.findall(situation):
        subject = _subject_of_code(span)
        if subject is not None:
            subjects[subject] = None
    return tuple(subjects)


def _subject_of_code(span: str) -> Subject | None:
    if _PATH.fullmatch(span):
        return Subject("path", span)
    head = _HOLE.split(span)[0].strip()
    commands = commands_in(head) if head else ()
    if not commands:
        return None
    name = goal_of_command(commands[0])
    if " " not in name:
        name = name.lower()
    return Subject("command", name)


@lru_cache(maxsize=4096)
def signs_of(remedy: str, situation: str) -> tuple[Sign, ...]:
    """What in a later call shows the remedy. What the situation names already is no sign of the way out of it."""
    # A rule that speaks of what not to do: what it names may be that.
    if not situation and _NEGATIVE.search(remedy):
        return ()
    named = {*_CODE.findall(situation), *_QUOTED.findall(situation)}
    signs: dict[Sign, None] = {}
    for start, text in _spans(remedy):
        is_short = len(_HOLE.sub("", text).strip()) <= 2
        if is_short or text in named:
            continue
        if not _NOT.search(_before(remedy, start)):
            signs[Sign(text)] = None
    return tuple(signs)


def _spans(remedy: str) -> list[tuple[int, str]]:
    """Code, then quoted names, then what stands plainly in the rest, in the order of the remedy."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match[0])

    spans = [(match.start(), match[1]) for match in _CODE.finditer(remedy)]
    rest = _CODE.sub(blank, remedy)
    spans += [(match.start(), match[1]) for match in _QUOTED.finditer(rest)]
    rest = _QUOTED.sub(blank, rest)
    spans += [(match.start(), match[0]) for match in _PLAIN.finditer(rest)]
    return sorted(spans)


def _before(remedy: str, start: int) -> str:
    """What leads up to a span, the code in it made one word each."""
    return _CODE.sub("Q", remedy[:start])[-120:]


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    """Finds a span as written, whatever stands in its holes and however wide its spaces are."""
    pieces = [r"\s+".join(map(re.escape, piece.split())) for piece in _HOLE.split(text)]
    body = r"[^\n]*?".join(pieces)
    start = r"(?<![\w-])" if re.match(r"[\w-]", text) else ""
    end = r"(?![\w-])" if re.search(r"[\w/]$", text) else ""
    return re.compile(start + body + end)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)

"""What changed between a command that failed and one that worked.

`changes` gives it typed: a wrapper dropped, a flag added, another directory, only the
quoting. `hunks` gives it as words for a sentence, with what varies from run to run
(numbers, ids, long texts) taken out, so that only a real change remains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from afterglow.calls.command import Command

# Of a command that are compared: the rest is a file's body.
MAX_COMMAND_CHARACTERS = 3000
MAX_WORDS = 80  # of a command that are compared: difflib is quadratic
# Of a change that are shown whole in a sentence: a line of a terminal.
MAX_CHANGE_CHARACTERS = 80
# Of a command that stands in a sentence: what can be read in one go.
MAX_BRIEF_CHARACTERS = 110
# From which a quoted text with spaces is left out: shorter ones are names of tests.
MIN_FREE_TEXT = 22
# Around a change in a long word: enough to see where it is.
CHARACTERS_BEFORE_CHANGE, CHARACTERS_BEHIND_CHANGE = 16, 24
CACHED_COMMANDS = 2048  # every pair of a session is compared: each command many times

Kind = Literal[
    "program", "subcommand", "wrapper", "environment", "flag", "operand", "directory",
    "input", "quoting",
]  # fmt: skip

_WORD = re.compile(r"(?:[^\s\"'`]|\"(?:\\.|[^\"\\])*\"?|'[^']*'?|`[^`]*`?)+")
_VARYING = (
    (re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*", re.DOTALL), "<<…"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}\b"), "<uuid>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"), "<id>"),
    (re.compile(r"(?<![\w.=-])\d+(?![\w.-])"), "<n>"),
    (re.compile(r"(?<=[/:=#])\d{2,}(?![\w.])"), "<n>"),
)
# Numbers that are what a command says: who may do what with a file. (`X=1` is a switch, so it stays as well.)
_PERMISSIONS = re.compile(
    r"(?:\b(?:chmod|umask)(?:\s+-\S+)*\s+|(?<!\S)(?:-m\s+|--mode[= ]))0?[0-7]{3,4}\b"
)
_NUMBER_PLACE = re.compile("<n>")
_ANY_NUMBER = re.compile(
    "|".join(pattern.pattern for pattern, place in _VARYING if place == "<n>")
)
_HELD_BACK = "\0"  # in no command: stands for what is put back
_TEXT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")


class Change(Struct, frozen=True):
    """One difference. `before` is None for what came, `after` None for what went.

    `name` is the flag or the variable; empty where there is none.
    """

    kind: Kind
    name: str
    before: str | None
    after: str | None


class Hunk(Struct, frozen=True):
    """Words that went and words that came, either may be empty; `size` is how many."""

    old: str
    new: str
    size: int = 1


def changes(before: Command, after: Command) -> tuple[Change, ...]:
    """Everything that differs between two commands, outermost first; empty if nothing does."""
    return tuple(_changes(before, after))


def _changes(before: Command, after: Command) -> Iterator[Change]:
    yield from _listed("wrapper", _wrappers(before), _wrappers(after))
    yield from _named("environment", _environment(before), _environment(after))
    if before.program != after.program:
        yield Change("program", "", before.name, after.name)
    elif before.subcommand != after.subcommand:
        yield Change(
            "subcommand", "", " ".join(before.subcommand), " ".join(after.subcommand)
        )
    yield from _named("flag", _flags(before), _flags(after))
    yield from _listed("operand", before.operands, after.operands)
    if before.directory != after.directory:
        yield Change("directory", "", before.directory or None, after.directory or None)
    if before.stdin != after.stdin:
        yield Change("input", "", before.stdin or None, after.stdin or None)
    if before.words == after.words and before.written != after.written:
        yield Change("quoting", "", before.text, after.text)


def _wrappers(command: Command) -> list[str]:
    return [wrapper.text for wrapper in command.wrappers]


def _environment(command: Command) -> dict[str, str]:
    return {item.name: item.value for item in command.environment}


def _flags(command: Command) -> dict[str, str]:
    """Flags with their values; a flag that is there twice has both."""
    flags: dict[str, str] = {}
    for flag in command.flags:
        value = flag.value or ""
        if flag.name in flags:
            value = f"{flags[flag.name]} {value}"
        flags[flag.name] = value
    return flags


def _named(
    kind: Kind, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Change]:
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            yield Change(kind, name, before.get(name), after.get(name))


def _listed(
    kind: Kind, before: Sequence[str], after: Sequence[str]
) -> Iterator[Change]:
    if before == after:
        return
    matcher = SequenceMatcher(
        None, before[:MAX_WORDS], after[:MAX_WORDS], autojunk=False
    )
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation != "equal":
            old = " ".join(before[a:b]) if b > a else None
            new = " ".join(after[c:d]) if d > c else None
            yield Change(kind, "", old, new)


@lru_cache(maxsize=CACHED_COMMANDS)
def steady(command: str) -> str:
    """A command with numbers, ids and here-documents taken out, on one line."""
    text = command[:MAX_COMMAND_CHARACTERS]
    permissions = _PERMISSIONS.findall(text)
    text = _PERMISSIONS.sub(_HELD_BACK, text) if permissions else text
    for pattern, placeholder in _VARYING:
        text = pattern.sub(placeholder, text)
    for words in permissions:
        text = text.replace(_HELD_BACK, words, 1)
    return " ".join(text.split())


def brief(command: str, limit: int = MAX_BRIEF_CHARACTERS) -> str:
    """A command short enough for a sentence: long quoted texts left out, the end cut."""
    text = _without_texts(steady(command))
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def shared_numbers(command: str, lines: Sequence[str]) -> str:
    """A brief command with the numbers put back that all these lines have in its places. A number that stands alone
    stays out, though: of what is worked on two sessions may have had the same by chance. One behind a flag, or in a
    word, says how."""
    values = [_numbers_of(line) for line in lines]
    places = list(_NUMBER_PLACE.finditer(command))
    if any(len(numbers) != len(places) for numbers in values) or not places:
        return command
    text = command
    for at, place in reversed(list(enumerate(places))):
        numbers = {row[at] for row in values}
        if len(numbers) == 1 and not _stands_alone(command, place):
            text = text[: place.start()] + numbers.pop() + text[place.end() :]
    return text


def _numbers_of(line: str) -> list[str]:
    """What a brief command leaves out as numbers, in order."""
    text = " ".join(line[:MAX_COMMAND_CHARACTERS].split())
    return [match[0] for match in _ANY_NUMBER.finditer(_without_texts(text))]


def _stands_alone(text: str, place: re.Match[str]) -> bool:
    before, after = text[: place.start()], text[place.end() :]
    is_word = before[-1:] in {"", " "} and after[:1] in {"", " "}
    return is_word and not before.split(" ")[-2:][0].startswith("-")


def _without_texts(command: str) -> str:
    """Free text has spaces in it; a quoted path has not."""
    return _TEXT.sub(_shortened, command)


def _shortened(match: re.Match[str]) -> str:
    text = match[0]
    if " " not in text or len(text) <= MIN_FREE_TEXT:
        return text
    return f"{text[0]}…{text[0]}"


def compared_words(command: str) -> list[str]:
    """The words of a line as they are compared."""
    return _WORD.findall(steady(command))[:MAX_WORDS]


def line_changes(failing: str, working: str) -> list[Hunk]:
    """What changed between two lines; inside a long text only where nothing else did."""
    old = _WORD.findall(_without_texts(steady(failing)))[:MAX_WORDS]
    new = _WORD.findall(_without_texts(steady(working)))[:MAX_WORDS]
    if old == new:
        old, new = compared_words(failing), compared_words(working)
    return [narrowed(hunk) for hunk in hunks(old, new)]


def hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    """The changes that turn one list of words into the other."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(" ".join(old[a:b]), " ".join(new[c:d]), max(b - a, d - c))
        for operation, a, b, c, d in matcher.get_opcodes()
        if operation != "equal"
    ]


def narrowed(hunk: Hunk) -> Hunk:
    """A changed pair of long words cut to where they differ, with a little around it."""
    old, new = hunk.old, hunk.new
    if not old or not new or max(len(old), len(new)) <= MAX_CHANGE_CHARACTERS:
        return hunk
    head = _shared_length(old, new)
    shorter = min(len(old), len(new)) - head
    tail = _shared_length(old[: -shorter - 1 : -1], new[: -shorter - 1 : -1])
    start = _start_of_word(old, max(head - CHARACTERS_BEFORE_CHANGE, 0))
    return Hunk(
        _cut(old, start, len(old) - tail + CHARACTERS_BEHIND_CHANGE),
        _cut(new, start, len(new) - tail + CHARACTERS_BEHIND_CHANGE),
        hunk.size,
    )


def _shared_length(first: str, second: str) -> int:
    """How many characters two texts begin with alike."""
    count = 0
    for character, counterpart in zip(first, second, strict=False):
        if character != counterpart:
            break
        count += 1
    return count


def _start_of_word(text: str, at: int) -> int:
    while at and text[at - 1].isalnum():
        at -= 1
    return at


def _cut(text: str, start: int, end: int) -> str:
    body = text[start : min(end, start + MAX_CHANGE_CHARACTERS)]
    before = "…" if start else ""
    behind = "…" if start + len(body) < len(text) else ""
    return before + body + behind

"""Whether two calls are after the same: the same call again, a changed one, or another way to the same object."""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.calls import Command, kind_of_work, named
from afterglow.harvest.events.call_text import deciding_command, plain_call
from afterglow.harvest.failure_kinds import (
    asks_for_what_is_not_there,
    names_not_there,
)
from afterglow.harvest.trail import Step

MAX_COMPARED_CHARACTERS = 400  # of a call whose words are compared; the rest is a text
MIN_SHARED_WORD = 6  # characters of a word by which two calls ask for the same
MIN_NAMED_WORD = 3  # characters of a word that a message can be said to name
MIN_LIKE = 4  # letters with which two words begin that may mean the same
MIN_NUMBER = 5  # digits of a number that names something: a run, a request

_NAME_WORD = re.compile(rf"[A-Za-z][a-z]{{{MIN_LIKE - 1},}}")
# Effects of what does more than look and check.
CHANGING = frozenset({"changes", "prepares", "installs", "sends", "publishes"})
_KINDS_OF_WORK = frozenset({"test", "lint", "typecheck", "build", "format"})
_ENDINGS = frozenset({"test", "spec"})  # of names of files: many in a folder have them
_DISTINCT = re.compile(r"[\w@.+/:=-]{6,}")
_WORD = re.compile(r"[^\s'\"`]+")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(rf"\d{{{MIN_NUMBER},}}")


def is_same_call(step: Step, later: Step) -> bool:
    """The failed call once more, but for how its output is trimmed and what else ran in its line."""
    if step.action.kind != later.action.kind:
        return False
    if step.action.kind != "shell":
        return step.tool == later.tool and step.call.arguments == later.call.arguments
    command = deciding_command(step.action)
    if command is None:
        return False
    return any(
        command.program == item.program and _signature(command) == _signature(item)
        for item in later.action.working
    )


def _signature(command: Command) -> tuple[str, str]:
    """How a command was written, and where it ran: a quote, a wrapper or a `cd` may be all the difference."""
    return named(command), command.directory


def is_similar(step: Step, later: Step) -> bool:
    """Most words are the same: a wrapper went, a flag came. Of looks only what is looked at counts."""
    if step.looks:
        words, later_words = _operands(step), _operands(later)
    else:
        words, later_words = _plain_words(step.core), _plain_words(later.core)
    shared = len(words & later_words)
    return 2 * shared > max(len(words), len(later_words))


def _operands(step: Step) -> frozenset[str]:
    return frozenset(word for item in step.action.working for word in item.operands)


def has_same_goal(step: Step, later: Step, about: str = "") -> bool:
    """Whether a later call is after the same. `about` is what was said of the failure: of several things a call looks
    for, it names the one that is missing."""
    if step.action.kind != "shell":
        return _serves_tool(step, later)
    if later.action.kind != "shell" or step.looks != later.looks:
        return False
    if _asks_elsewhere(step, later) or checks_otherwise(step, later):
        return False
    is_same_goal = not step.looks and step.action.goal == later.action.goal
    if _never_ran(step, about):
        is_way_there = _checks_alike(step, later) or _is_given_the_same(step, later)
        return is_same_goal or is_way_there or is_similar(step, later)
    if is_same_goal:
        return not _works_on_another(step, later) or is_similar(step, later)
    asked_for = _missing(step, about) | numbers_of(step)
    asked_later = objects(later) | _numbers_in_patterns(later)
    return is_similar(step, later) or not asked_for.isdisjoint(asked_later)


def checks_otherwise(step: Step, later: Step) -> bool:
    """Both check or format, and not the same: what the linter says does not end a test."""
    kinds, later_kinds = _kinds_of_work(step), _kinds_of_work(later)
    return bool(kinds and later_kinds) and kinds.isdisjoint(later_kinds)


def _checks_alike(step: Step, later: Step) -> bool:
    """Both check the same way, whichever program does it: `pnpm typecheck`, `npx tsc --noEmit`."""
    return not _kinds_of_work(step).isdisjoint(_kinds_of_work(later))


def _never_ran(step: Step, about: str) -> bool:
    """Its script, its program, or the module that it runs as one, is not there."""
    if asks_for_what_is_not_there(about):
        return True
    absent = names_not_there(about)
    return any(
        word in absent
        for item in step.action.working
        for word in (item.program, *item.subcommand)
    )


def _is_given_the_same(step: Step, later: Step) -> bool:
    """Another program does something with the same object, and does not change it."""
    if later.action.effects & CHANGING or later.action.changes_files:
        return False
    return not objects(step).isdisjoint(objects(later))


def _kinds_of_work(step: Step) -> frozenset[str]:
    return _KINDS_OF_WORK.intersection(map(kind_of_work, step.action.working))


def _asks_elsewhere(step: Step, later: Step) -> bool:
    """Both name something by number, and not the same: another run, another request."""
    numbers, later_numbers = numbers_of(step), numbers_of(later)
    return bool(numbers and later_numbers and not numbers & later_numbers)


def _works_on_another(step: Step, later: Step) -> bool:
    """Both are given something, and nothing of it is the same: `rm a.lock`, `rm b.png`."""
    words, later_words = _operands(step), _operands(later)
    if not words or not later_words:
        return False
    return words.isdisjoint(later_words) and objects(step).isdisjoint(objects(later))


def numbers_of(step: Step) -> frozenset[str]:
    """What a call names by number: a run, its job, a request."""
    words = {word for item in step.action.working for word in item.operands}
    return frozenset(filter(str.isdigit, words | objects(step)))


def _numbers_in_patterns(step: Step) -> frozenset[str]:
    """Long numbers by which a call picks one of many: `select(.id == 4711023)`."""
    words = (word for item in step.action.working for word in item.words[1:])
    patterns = filter(_is_pattern, words)
    return frozenset(number for word in patterns for number in _NUMBER.findall(word))


def _missing(step: Step, about: str) -> frozenset[str]:
    """What a call looked for and did not find: what the failure names; where it names something that has no name of its
    own (`tests`), the pattern that was looked for; else anything."""
    looked_for = objects(step)
    named = frozenset(name for name in looked_for if name in about)
    if named:
        return named
    words = (word for item in step.action.working for word in item.operands)
    if any(word in about for word in words if len(word) >= MIN_NAMED_WORD):
        return frozenset(filter(_is_pattern, looked_for))
    return looked_for


def _serves_tool(step: Step, later: Step) -> bool:
    """Whether a call got what one of a tool did not; a look through the shell serves only what looks."""
    kind = step.action.kind
    if kind == "search" and _searches_the_same(step, later):
        return True
    if later.action.kind == "shell":
        looked_for = objects(step)
        is_look = kind in {"read", "search"}
        return (is_look and bool(looked_for & objects(later))) or _is_read(step, later)
    same_tool = later.tool == step.tool or later.action.kind == kind
    return same_tool and _is_same_target(step, later)


def _is_read(step: Step, later: Step) -> bool:
    """A file that a tool could not read, named in a line of a shell that looks at it, or in a script there."""
    name = _parts(step.action.target.value)[0]
    is_look = later.looks or not later.action.effects
    is_file = step.action.kind == "read" and "." in name
    return (
        is_file and len(name) >= MIN_SHARED_WORD and is_look and name in later.command
    )


def _searches_the_same(step: Step, later: Step) -> bool:
    """The same pattern, wherever it is looked for."""
    pattern = step.action.arguments.values.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        return False
    if later.action.kind == "shell":
        return pattern in _operands(later)
    return later.action.arguments.values.get("pattern") == pattern


def _is_same_target(step: Step, later: Step) -> bool:
    """The same file; or, where the file was not there, one of that name, or of a like name beside it."""
    target, later_target = step.action.target.value, later.action.target.value
    if not target or target == later_target or step.action.kind != "read":
        return target == later_target
    name, folder = _parts(target)
    later_name, later_folder = _parts(later_target)
    return name == later_name or (folder == later_folder and _is_like(name, later_name))


def _is_like(name: str, later_name: str) -> bool:
    """A word of one begins as a word of the other: `cleanup_test.go`, `clean_test.go`; endings count for nothing."""
    starts = {word[:MIN_LIKE] for word in _NAME_WORD.findall(name.rpartition(".")[0])}
    words = _NAME_WORD.findall(later_name.rpartition(".")[0])
    return any(word[:MIN_LIKE] in starts - _ENDINGS for word in words)


def _parts(path: str) -> tuple[str, str]:
    folder, _, name = path.replace("\\", "/").rpartition("/")
    return name, folder


def objects(step: Step) -> frozenset[str]:
    """What a call asks for, by name: files, patterns, long numbers."""
    if step.action.kind != "shell":
        return _objects((step.action.target.value,))
    words = (word for item in step.action.working for word in item.words[1:])
    return _objects(tuple(words))


@lru_cache(maxsize=1024)
def _objects(words: tuple[str, ...]) -> frozenset[str]:
    names: set[str] = set()
    for word in words:
        if _is_pattern(word):
            names.add(word)
            continue
        names.update(_NUMBER.findall(word))
        folder, _, name = word.rstrip("/").rpartition("/")
        is_path = bool(folder) or "." in name
        if is_path and _LETTERS.search(name):
            names.add(name)
    return frozenset(names)


def _is_pattern(word: str) -> bool:
    """Quoted words, or what a search is given; a text is none of both, but hardly stands in two calls."""
    return len(word) >= MIN_SHARED_WORD and any(sign in word for sign in " \\|")


def distinct_words(step: Step) -> frozenset[str]:
    """Words of a call that hardly stand in another by chance."""
    return _distinct(plain_call(step)[:MAX_COMPARED_CHARACTERS])


@lru_cache(maxsize=1024)
def _distinct(text: str) -> frozenset[str]:
    words = _DISTINCT.findall(text)
    parts = {part for word in words for part in (word, *word.split("/"))}
    return frozenset(part for part in parts if len(part) >= MIN_SHARED_WORD)


@lru_cache(maxsize=1024)
def _plain_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[:MAX_COMPARED_CHARACTERS]))

"""Whether a session did what a text told it: then it is no witness of its own for the remedy.

Sessions that obey one message all have it from that message, on however many days. What counts is what the remedy
brings to the call that failed (its new flags, values, names): where the error names most of that, or another output
from which the session first had it names all of it in one place, the session was told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from afterglow.calls import parse, program_name
from afterglow.calls.programs import table
from afterglow.harvest.writing.brought import brought, says, says_in_words
from afterglow.harvest.writing.failure_names import (
    code_in,
    parts_of,
    stands_in,
    tokens_of,
)
from afterglow.harvest.writing.lesson_names import MIN_QUOTED_WORDS
from afterglow.records.knowledge import Finding

# Of what a remedy brings, the share that an error must name: who obeys adds words of their own. What a variable or a flag
# is set to must be among it: where an error names the variable alone, its value is news.
NAMED_SHARE = 0.5
MAX_ERROR = 4000  # characters of an error that are looked at: a longer one is a log
NEAR = 300  # characters around a word in which the rest of an advice stands
MAX_PLACES = 20  # of a word in one text that are looked at
MAX_LENGTH = 200_000  # characters of one text that are looked at: advice is short
LONG_FLAG, LONG_NAME = 6, 8  # letters of what is not met by chance
# Flags on lines of their own that make a list: who takes one of them has chosen.
MIN_LISTED = 4

SWITCHES = frozenset({"0", "1", "true", "false", "yes", "no", "on", "off", "y", "n"})
REMEDY = "remedy"  # the slot in which a finding says what to do
# Slots of findings that are about calls as they were made: what is new in one that worked, and one that is usual.
CAME, USUAL = "came", "plain"
PROGRAM = "program"

_FILE = re.compile(r"/|\.[a-z]{1,4}$")
_SAYS = re.compile(r"\w")
_TEXT_WORD = re.compile(r"[^\s'\"`()<>]+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SET = re.compile(r"(?:^|\s)-[\w-]*[A-Za-z][\w-]*[\s=]+([^\s-]\S*)|\b\w+=(\S+)")
_LISTED = re.compile(r"^[ \t]+-{1,2}\w.*$", re.MULTILINE)


class Advice(Struct, frozen=True):
    """What a remedy brings to a call. `word` is the longest part of it, `beside` the program it is for. `errors` are the
    numbers of the texts that the remedy answers. `values` are parts that a flag or a variable is set to, `tasks` what
    programs are told to do that the call did not (`git pull`). `remedy` and `call` are there for what is told without
    code."""

    parts: tuple[str, ...]
    word: str
    beside: str
    errors: tuple[int, ...]
    remedy: str
    call: str
    values: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()

    def is_named_by(self, text: str) -> bool:
        """The error names most of what the remedy brings, and something of it that nobody would name by chance; or all
        of it, where that is more than a word; or it says which task is to be run (`git pull`)."""
        if not self.parts:
            return says_in_words(text, self.remedy, self.call)
        if self._names_task(text):
            return True
        tokens = tokens_of(_without_lists(text)[:MAX_ERROR])
        pieces = frozenset(piece for token in tokens for piece in pieces_of(token))
        named = [part for part in self.parts if _is_named(part, tokens, pieces)]
        if not self.values.issubset(named):
            return False
        if len(named) < NAMED_SHARE * len(self.parts):
            return False
        is_all = len(named) == len(self.parts)
        is_call = len(named) > 1 or named[0].startswith("-")
        return any(map(is_rare, named)) or (is_all and is_call)

    def _names_task(self, text: str) -> bool:
        if not self.tasks:
            return False
        words = (word.rstrip(".:") for word in _TEXT_WORD.findall(text[:MAX_ERROR]))
        row = f" {' '.join(words)} "
        return any(f" {task} " in row for task in self.tasks)

    def is_given_by(self, text: str) -> bool:
        """The same of any text: it also names what the advice is for."""
        parts = [*self.parts, self.beside] if self.beside else self.parts
        text = _without_lists(text)
        return any(says(around, parts) for around in _places(text, self.word))


def _is_named(part: str, tokens: frozenset[str], pieces: frozenset[str]) -> bool:
    """As it stands; or word by word, whatever joins them: `test_should_set_ADMIN_1` names `ADMIN`."""
    if stands_in(part, tokens):
        return True
    words = pieces_of(part)
    return bool(words) and pieces.issuperset(words)


def pieces_of(token: str) -> frozenset[str]:
    """The words of a name: `legacyMain`, `legacy-main` and `LEGACY_MAIN` have the same."""
    return frozenset(word.casefold() for word in _PIECE.findall(token))


def is_rare(part: str) -> bool:
    """Nobody's chance; a path is of the project, whoever names it."""
    if "/" in part:
        return False
    if part.startswith("-"):
        return len(part) >= LONG_FLAG
    has_marks = any(not letter.isalpha() for letter in part)
    return len(part) >= (LONG_FLAG if has_marks else LONG_NAME)


def advice_for(
    finding: Finding,
    failing: str,
    working: str,
    errors: tuple[int, ...],
    actions: Iterable[str] = (),
) -> Advice | None:
    """What the finding's remedy brings to the call that failed; None where it tells nothing to do. Where it is about
    calls as they were made, that is what the working call has and the failing one has not. A file that an error names
    is opened and mended: only what was run (`working`) may have been named to be run. `actions` is all that was done, up to
    what ended it."""
    remedy = finding.slots.get(REMEDY, "")
    if is_about_calls(finding):
        remedy = ""
        parts = sorted(_parts(working) - _parts(failing) - _wrappers(working))
    else:
        ran = tokens_of(working)
        remedy_alone = _without_messages(remedy, [working, *actions])
        parts = brought(remedy_alone, tokens_of(failing))
        parts = [part for part in parts if not _FILE.search(part) or part in ran]
    whole = [part for part in parts if "…" not in part]
    if not whole:
        is_plain = bool(remedy and errors) and not code_in(remedy)
        return Advice((), "", "", errors, remedy, failing) if is_plain else None
    word = max(whole, key=len)
    beside = _beside(finding, remedy, word)
    values = frozenset(parts) & _values_in([working, *code_in(remedy)])
    tasks = _tasks_in(code_in(remedy)) - _tasks_in([failing])
    return Advice(tuple(parts), word, beside, errors, remedy, failing, values, tasks)


def _tasks_in(lines: Iterable[str]) -> frozenset[str]:
    """Programs with what they are told to do."""
    commands = (command for line in lines for command in parse(line).commands)
    return frozenset(command.name for command in commands if command.subcommand)


def _without_messages(remedy: str, actions: Sequence[str]) -> str:
    for code in code_in(remedy):
        if is_message(code, actions):
            remedy = remedy.replace(f"`{code}`", " ")
    return remedy


def is_message(code: str, actions: Iterable[str]) -> bool:
    """A sentence of a program, by which one knows the failure: it is no command of a program that is known, and nothing
    of it stands in what was done. Few codes are sentences, so `actions` are seldom read."""
    parts = parts_of(code)
    if len(parts) < MIN_QUOTED_WORDS or program_name(parts[0]) in table():
        return False
    return all(tokens_of(action).isdisjoint(parts) for action in actions)


def is_about_calls(finding: Finding) -> bool:
    return bool(finding.slots.get(CAME) or finding.slots.get(USUAL))


def _parts(line: str) -> frozenset[str]:
    return frozenset(filter(_SAYS.search, tokens_of(line)))


def _values_in(lines: Iterable[str]) -> frozenset[str]:
    """What flags and variables are set to; on and off are nothing to find out."""
    values = (next(filter(None, pair)) for line in lines for pair in _SET.findall(line))
    tokens = {token for value in values for token in tokens_of(value)}
    return frozenset(tokens - SWITCHES)


def _wrappers(line: str) -> frozenset[str]:
    """Programs that only run another: who obeys may put one before it."""
    commands = parse(line).commands
    return frozenset(
        wrapper.program for command in commands for wrapper in command.wrappers
    )


def _beside(finding: Finding, remedy: str, word: str) -> str:
    if program := finding.slots.get(PROGRAM, ""):
        return program.split(" ")[0]
    for code in code_in(remedy):
        parts = parts_of(code)
        if word in parts[1:]:
            return parts[0]
    return ""


def _without_lists(text: str) -> str:
    """Without the list of flags that a program shows with its usage: it tells what there is, not what to do."""
    text = text[:MAX_LENGTH]
    if len(_LISTED.findall(text)) < MIN_LISTED:
        return text
    return _LISTED.sub(" ", text)


def _places(text: str, word: str) -> Iterator[str]:
    """What stands around a word, wherever it stands."""
    at = text.find(word)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield text[max(at - NEAR, 0) : at + len(word) + NEAR]
        at = text.find(word, at + NEAR)

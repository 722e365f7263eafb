"""What calls and lessons name: programs, flags, wrappers, paths, words of code. Two texts that say the same in other
words are compared by these, never as strings.

A lesson names things in backticks. What its situation names and its remedy does not is to go; what only the remedy
names is to come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import Command, parse, program_name, quote
from afterglow.calls.command import is_assignment
from afterglow.calls.programs import table
from afterglow.harvest.events.claims import LINE_END
from afterglow.harvest.events.runs import form_of, task_of
from afterglow.records.problems import Runs, SessionEvents
from afterglow.records.tools import is_shell

# Of a path, the parts that are compared: agents write it whole, from a folder, or by its end.
MAX_PATH_PARTS = 8
# A word of code has at least so many letters; shorter ones stand everywhere.
MIN_WORD_CHARACTERS = 3
# A text in backticks with so many words, of which a program printed most, is what it said.
MIN_QUOTED_WORDS = 3
QUOTED_SHARE = 0.5
CUT_BEFORE = "… "  # stands before a call whose beginning was left out
CACHED_CALLS = 4096  # every check asks for the calls of every event again

SHELL_SIGNS = frozenset("*?[]!(){}")  # what a shell takes for itself

_SPAN = re.compile(r"``([^\n]+?)``|`([^`\n]+)`")
PLACEHOLDER = re.compile(r"<[^<>]*>|…|\.{3}|\[REDACTED[^\]]*\]|\{\w*\}|\$\{?\w+\}?")
_CODE_WORD = re.compile(r"[A-Za-z_$@][\w$@.:-]*")
_PATH = re.compile(
    r"[\w.@~-]*(?:[/\\][\w.@*<>…-]+)+/?|[\w.-]+/(?!\S)|(?<![\w.])[\w-]+\.[A-Za-z]\w{0,5}(?![\w(])"
)
_UNQUOTED_PLACEHOLDER = re.compile(r"<[\w\s./|-]*>")
_CLAUSE_END = re.compile(r"[.;:!]\s")
_NEGATION = re.compile(
    r"\b(?:not|never|no|nor|neither|without|avoid|instead of|rather than|\w+n't)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[\w./-]+")
_FLAG = re.compile(r"--?[A-Za-z]")


class LessonNames(Struct, frozen=True):
    """What a lesson names. `gained` comes with the remedy, `lost` goes with it; `commands` are what the remedy tells
    to run and `command_names` what each of them names, `situation_commands` what the situation says was run.
    `literals` are texts in backticks that are no calls, `literal_names` what these name, `negated` those behind a
    "not". `is_quoting`: a command quotes a sign of the shell."""

    gained: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    situation: frozenset[str] = frozenset()
    commands: tuple[str, ...] = ()
    command_names: tuple[frozenset[str], ...] = ()
    situation_commands: tuple[frozenset[str], ...] = ()
    literals: frozenset[str] = frozenset()
    literal_names: frozenset[str] = frozenset()
    negated: frozenset[str] = frozenset()
    is_quoting: bool = False


class Calls(Struct, frozen=True):
    """The calls of a problem: what each failing one names and each that ended it, and what programs printed."""

    failing: tuple[frozenset[str], ...] = ()
    ending: tuple[frozenset[str], ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def printed(self) -> frozenset[str]:
        """What messages name: it belongs to the problem."""
        return _union(map(words_in, self.messages))

    @property
    def always(self) -> frozenset[str]:
        """What every failing call names: no remedy brings it."""
        return frozenset.intersection(*self.failing) if self.failing else frozenset()

    def runs(self, name: str) -> bool:
        """Whether a program of this name was run in one of them."""
        return any(f"run {name}" in names for names in (*self.failing, *self.ending))


def spans(text: str) -> list[str]:
    """What stands in backticks; where a backtick stands in one of them, the pairs are read from the left."""
    return [(first or second).strip() for first, second in _SPAN.findall(text)]


@lru_cache(maxsize=CACHED_CALLS)
def names_of_call(tool: str, command: str) -> frozenset[str]:
    """Everything that a call names. Of a shell's line its commands, typed; of other calls paths and words."""
    if not command:
        return frozenset()
    if is_shell(tool):
        return names_of_line(command)
    return frozenset({f"tool {tool}", *_loose_names(command)})


def commands_in(line: str) -> tuple[Command, ...]:
    """The commands of a line as it stands in a redacted call or in a lesson."""
    text = line.removeprefix(CUT_BEFORE).replace(f" {LINE_END} ", "\n")
    return parse(text.replace(LINE_END, "\n")).commands


def forms_in(line: str) -> tuple[str, ...]:
    """The forms of its commands, as sessions count them; a placeholder is an operand like any other."""
    return tuple(filter(None, map(form_of, commands_in(_fillable(line)))))


def runs_in(line: str, history: Iterable[SessionEvents]) -> Runs:
    """How the command of a line that was run least often ended, in all sessions; further flags are no matter."""
    sessions = [session.runs for session in history]
    results = [_runs_of_form(form.split(), sessions) for form in forms_in(line)]
    return min(results, key=lambda runs: (runs.well, runs.badly), default=Runs())


def _runs_of_form(words: Sequence[str], sessions: Iterable[Mapping[str, Runs]]) -> Runs:
    flags = {word for word in words if word[0] == "-"}
    task = [word for word in words if word[0] != "-"]
    total = Runs()
    for runs in sessions:
        for form, run in runs.items():
            form_words = form.split()
            form_task = [word for word in form_words if word[0] != "-"]
            if form_task == task and flags.issubset(form_words):
                total += run
    return total


@lru_cache(maxsize=CACHED_CALLS)
def names_of_line(line: str) -> frozenset[str]:
    names: set[str] = set()
    for command in commands_in(line):
        names.update(_command_names(command))
    return frozenset(names)


def _command_names(command: Command) -> Iterator[str]:
    yield f"program {command.program}"
    yield f"run {command.words[0].rpartition('/')[2]}"  # `python3` is no `python`
    if task := task_of(command):
        yield f"task {command.program} {' '.join(task)}"
    if len(command.operands) > 1 and command.program in table():
        yield f"several {command.name}"
    for wrapper in command.wrappers:
        yield f"wrapper {wrapper.program}"
    for item in command.environment:
        yield f"variable {item.name}"
    for flag in command.flags:
        yield f"flag {flag.name}"
        if flag.value:
            yield from _words(flag.value)
    for operand in command.operands:
        yield from _words(operand)
    if command.directory:
        yield from (f"directory {part}" for part in _tails(command.directory))
    for redirection in command.redirections:
        yield from _words(redirection.body or redirection.target)


def _words(text: str) -> Iterator[str]:
    """An operand as it stands, the paths in it, and the words of code."""
    if PLACEHOLDER.search(text):
        yield from (name for name in _loose_names(text) if "/" in name)
        return
    yield text.rstrip("/")
    yield from _loose_names(text)


def words_in(text: str) -> frozenset[str]:
    """Paths and words of a text that is no call."""
    return frozenset(_loose_names(text))


def _loose_names(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        yield from _path_names(match[0])
    for match in _CODE_WORD.finditer(_PATH.sub(" ", text)):
        word = match[0].rstrip(".:-")
        if len(word) >= MIN_WORD_CHARACTERS:
            yield word


def _path_names(path: str) -> Iterator[str]:
    """A path by every end and every stretch of at least two parts."""
    parts = _parts(path)
    for start in range(len(parts)):
        yield "/".join(parts[start:])
        for end in range(start + 2, len(parts)):
            yield "/".join(parts[start:end])


def _tails(path: str) -> Iterator[str]:
    parts = _parts(path)
    for start in range(len(parts)):
        yield "/".join(parts[start:])


def _parts(path: str) -> list[str]:
    cleaned = path.replace("\\", "/").strip("/")
    parts = [part for part in cleaned.split("/") if part not in {"", ".", "~"}]
    return parts[-MAX_PATH_PARTS:]


@lru_cache(maxsize=CACHED_CALLS)
def names_of_command(span: str) -> frozenset[str]:
    """What a command in backticks names, placeholders left out."""
    return _without_placeholders(names_of_line(_fillable(span)))


def names_of_literal(span: str) -> frozenset[str]:
    """What a text in backticks names that is no command: a flag, a path, words of code."""
    if _FLAG.match(span):
        return frozenset(f"flag {word}" for word in span.split() if _FLAG.match(word))
    if _PATH.fullmatch(span):
        return _without_placeholders({"/".join(_parts(span))})
    return _without_placeholders({span, f"run {span}", *_loose_names(span)})


def _without_placeholders(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if not PLACEHOLDER.search(name))


def _fillable(span: str) -> str:
    """A command with its placeholders as plain words, so that `<name>` redirects nothing."""
    return _UNQUOTED_PLACEHOLDER.sub(lambda match: quote(match[0]), span)


def is_command(span: str, calls: Calls) -> bool:
    """Several words, of which the first is a program that is known or that sessions ran."""
    first, *further = span.split() or [""]
    while further and is_assignment(first):
        first, *further = further
    if not further:
        return False
    name = first.rpartition("/")[2]
    return program_name(name) in table() or calls.runs(name)


def lesson_names(situation: str, remedy: str, calls: Calls) -> LessonNames:
    """What a lesson names, read beside the calls of its problem: what it quotes of their messages is no name, and a
    command of the remedy that only failing calls have in them is told to be left out."""
    parts = [span for span in spans(situation) if not _is_message(span, calls)]
    situation_commands = [span for span in parts if is_command(span, calls)]
    remedy_spans = spans(remedy)
    commands = [span for span in remedy_spans if is_command(span, calls)]
    negated = _negated_spans(remedy)
    literals = {*parts, *remedy_spans} - {*situation_commands, *commands}
    before = _union(_names(span, calls) for span in parts)
    to_run = [
        span
        for span in commands
        if not _is_warning(span, calls, before, negated=span in negated)
    ]
    after = _union(_names(span, calls) for span in remedy_spans if span not in negated)
    warned = _union(_names(span, calls) for span in negated)
    run_names = _union(map(names_of_command, to_run))
    return LessonNames(
        gained=after - before - calls.always,
        lost=(before | after | warned) - run_names,
        situation=before,
        commands=tuple(to_run),
        command_names=tuple(map(names_of_command, to_run)),
        situation_commands=tuple(map(names_of_command, situation_commands)),
        literals=frozenset(filter(_is_plain, literals)),
        negated=frozenset(negated),
        literal_names=_union(map(names_of_literal, literals)) - calls.printed,
        is_quoting=any(map(_has_sign, parts)) and any(map(_quotes_a_sign, to_run)),
    )


def _is_plain(span: str) -> bool:
    return not (_PATH.fullmatch(span) or _FLAG.match(span) or PLACEHOLDER.search(span))


def _names(span: str, calls: Calls) -> frozenset[str]:
    if is_command(span, calls):
        return names_of_command(span)
    return names_of_literal(span)


def _is_warning(
    span: str, calls: Calls, situation: frozenset[str], *, negated: bool
) -> bool:
    """A command that is told to be left out: it failed and ended nothing, and the lesson says so or adds nothing."""
    names = names_of_command(span)
    has_failed = any(names <= failing for failing in calls.failing)
    if not has_failed or any(names <= ending for ending in calls.ending):
        return False
    return negated or names <= situation


def _negated_spans(text: str) -> set[str]:
    """Texts in backticks that stand behind a "not" in their clause."""
    pieces = _SPAN.split(text)
    negated: set[str] = set()
    clause = ""
    for words, *quoted in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
        clause = _CLAUSE_END.split(clause + words)[-1]
        if _NEGATION.search(clause):
            negated.update(span.strip() for span in quoted if span)
    return negated


def _is_message(span: str, calls: Calls) -> bool:
    """A sentence of which a program printed most words: `error: unexpected argument <name> found`."""
    if any(names_of_command(span) <= failing for failing in calls.failing):
        return False
    words = {word for word in _WORDS.findall(span) if not PLACEHOLDER.search(word)}
    if len(words) < MIN_QUOTED_WORDS:
        return False
    return any(
        len(words & {*_WORDS.findall(message)}) > QUOTED_SHARE * len(words)
        for message in calls.messages
    )


def _quotes_a_sign(span: str) -> bool:
    """A word is quoted for a sign that the shell would take for itself."""
    return any(
        written != word and _has_sign(word)
        for command in parse(span).commands
        for word, written in zip(command.words, command.written, strict=True)
    )


def _has_sign(text: str) -> bool:
    return not SHELL_SIGNS.isdisjoint(text)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)

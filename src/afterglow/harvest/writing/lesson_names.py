"""What a lesson names, read beside the calls of its problem.

What its situation names and its remedy does not is to go; what only the remedy names is to come. What the lesson quotes
of messages is no name, and a command that only failing calls have in them is told to be left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from afterglow.calls import parse, program, program_name
from afterglow.calls.command import is_assignment
from afterglow.calls.programs import table
from afterglow.harvest.writing.names import (
    PLACEHOLDER,
    SPAN,
    commands_in,
    fillable,
    has_sign,
    is_flag,
    is_path,
    is_path_name,
    is_program,
    names_of_command,
    names_of_literal,
    names_of_single,
    plain_paths,
    spans,
    union,
    without_placeholders,
    words_in,
)

# A text in backticks with so many words, of which a program printed most, is what it said.
MIN_QUOTED_WORDS = 3
QUOTED_SHARE = 0.5

# Families of programs whose lines are as often lines of code: `print(y)`, `export const x = 1`.
LINES_OF_CODE = frozenset({"talk", "setup"})
_CLAUSE_END = re.compile(r"[.;:!]\s")
_NEGATION = re.compile(
    r"\b(?:not|never|no|nor|neither|without|avoid|instead of|rather than|\w+n't)\b",
    re.IGNORECASE,
)
_FAILS_TO = re.compile(
    r"\s+(?:(?:has|have|takes?|knows?) no\b|lacks?\b|(?:does|do|can|is|are|will)(?: not\b|n't\b)|cannot\b|fails?\b|refuses?\b"
    r"|rejects?\b)",
    re.IGNORECASE,
)
LEAVING = re.compile(
    r"\b(?:leave|drop|omit|remove|delete|replace|instead)\b", re.IGNORECASE
)
_WORDS = re.compile(r"[\w./-]+")


class LessonNames(Struct, frozen=True):
    """What a lesson names. `gained` comes with the remedy, `lost` goes with it; `commands` are what the remedy tells
    to run and `command_names` what each of them names, `situation_commands` what the situation says was run.
    `literals` are texts in backticks that are no calls, `negated` those behind a
    "not". `brought` is what each single command of the remedy names, `literal_parts` what each literal of it does.
    `is_quoting`: a command quotes a sign of the shell."""

    gained: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    situation: frozenset[str] = frozenset()
    commands: tuple[str, ...] = ()
    command_names: tuple[frozenset[str], ...] = ()
    situation_commands: tuple[frozenset[str], ...] = ()
    literals: frozenset[str] = frozenset()
    brought: tuple[frozenset[str], ...] = ()
    literal_parts: tuple[frozenset[str], ...] = ()
    negated: frozenset[str] = frozenset()
    is_quoting: bool = False

    def finds_in_folder_above(
        self, ending: frozenset[str], failing: frozenset[str]
    ) -> bool:
        """Looked for in a folder of the situation, found in the one above it that the remedy names: both calls name the
        latter."""
        above = tuple(f"{name}/" for name in self.gained & ending if is_path_name(name))
        missing = _paths_ending_as(self.situation, failing - ending)
        return any(path.startswith(above) for path in missing)


class Calls(Struct, frozen=True):
    """The calls of a problem: what each failing one names and each that ended it, and what programs printed."""

    failing: tuple[frozenset[str], ...] = ()
    ending: tuple[frozenset[str], ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def printed(self) -> frozenset[str]:
        """Paths that messages name: they belong to the problem."""
        words = union(map(words_in, self.messages))
        return frozenset(name for name in words if "/" in name)

    @property
    def always(self) -> frozenset[str]:
        """What every failing call names: no remedy brings it."""
        return frozenset.intersection(*self.failing) if self.failing else frozenset()

    def runs(self, name: str) -> bool:
        """Whether a program of this name was run in one of them."""
        return any(f"run {name}" in names for names in (*self.failing, *self.ending))


def is_command(span: str, calls: Calls) -> bool:
    """Several words, of which the first is a program that is known or that sessions ran. What only talks or prepares
    (`return x`, `export const y`) is a line of code as well as one of a shell: it is a command where sessions ran it.
    `black = 35` is a line of settings."""
    first, *further = span.split() or [""]
    while further and is_assignment(first):
        first, *further = further
    if not further or further[0] == "=":
        return False
    name = first.rpartition("/")[2]
    if calls.runs(name):
        return True
    return program_name(name) in table() and program(name).family not in LINES_OF_CODE


def lesson_names(situation: str, remedy: str, calls: Calls) -> LessonNames:
    parts = [span for span in spans(situation) if not _is_message(span, calls)]
    before = _names_of_all(parts, calls) | plain_paths(situation)
    negated = _negated_spans(remedy)
    told_spans = [span for span in spans(remedy) if span not in negated]
    to_run = _told_commands(spans(remedy), negated, before, calls)
    run_names = union(map(names_of_command, to_run))
    failing_names = [names_of_command(span) for span in _commands(parts, calls)]
    after = _names_of_all(told_spans, calls)
    dropped = _same_programs(failing_names, run_names) | after
    dropped |= _names_of_all(negated, calls)
    literals = _literals([*_going(parts, remedy), *spans(remedy)], calls)
    above = _above(_paths_ending_as(before, union(calls.failing)))
    return LessonNames(
        gained=after - before - (calls.always - above),
        lost=dropped - run_names,
        situation=before,
        commands=tuple(to_run),
        command_names=tuple(map(names_of_command, to_run)),
        situation_commands=tuple(failing_names),
        literals=frozenset(filter(_is_plain, literals)),
        negated=frozenset(negated),
        brought=tuple(_singles(to_run)),
        literal_parts=tuple(
            part - calls.printed
            for span in _literals(told_spans, calls)
            for part in _literal_parts(span)
        ),
        is_quoting=any(map(has_sign, parts)) and any(map(_quotes_a_sign, to_run)),
    )


def _going(parts: Sequence[str], remedy: str) -> list[str]:
    """Texts of the situation that the remedy speaks of as what is to go: by naming them, or by saying that something is
    to be left out. That a call no longer has them shows nothing else."""
    if _NEGATION.search(remedy) or LEAVING.search(remedy):
        return list(parts)
    return [part for part in parts if part in remedy]


def _names_of_all(listed: Iterable[str], calls: Calls) -> frozenset[str]:
    return union(_names(span, calls) for span in listed)


def _commands(listed: Iterable[str], calls: Calls) -> list[str]:
    return [span for span in listed if is_command(span, calls)]


def _literals(listed: Iterable[str], calls: Calls) -> list[str]:
    return [span for span in listed if not is_command(span, calls)]


def _told_commands(
    remedy_spans: Iterable[str],
    negated: Collection[str],
    situation: frozenset[str],
    calls: Calls,
) -> list[str]:
    """The commands of the remedy that are to be run."""
    return [
        span
        for span in remedy_spans
        if is_command(span, calls)
        and not _is_warning(span, calls, situation, negated=span in negated)
    ]


def _literal_parts(span: str) -> list[frozenset[str]]:
    """What a text in backticks names, in parts that each are enough: a program may be called by its name alone."""
    if is_path(span) or is_flag(span):
        return [names_of_literal(span)]
    words = words_in(PLACEHOLDER.sub(" ", span)) or frozenset({span})
    return [words] if " " in span else [words, frozenset({f"run {span}"})]


def _paths_ending_as(situation: Iterable[str], names: Iterable[str]) -> list[str]:
    """Among names the paths that end as those of a situation do: it may leave out how they begin."""
    ends = tuple(f"/{name}" for name in filter(is_path_name, situation))
    return [name for name in names if is_path_name(name) and f"/{name}".endswith(ends)]


def _above(names: Iterable[str]) -> frozenset[str]:
    """The folders that paths lead through: every call in one of them names it, and files may be there after all."""
    return frozenset(
        path[:at] for path in names for at, sign in enumerate(path) if sign == "/"
    )


def _same_programs(
    commands: Iterable[frozenset[str]], run_names: frozenset[str]
) -> frozenset[str]:
    """What commands of the situation name whose program the remedy runs too: what it does not name again is to go."""
    return union(names for names in commands if any(map(is_program, names & run_names)))


def _singles(lines: Iterable[str]) -> Iterable[frozenset[str]]:
    """What the commands of the remedy name, one by one; going somewhere is no remedy by itself."""
    for line in lines:
        for command in commands_in(fillable(line)):
            if program(command.program).family != "setup":
                yield without_placeholders(names_of_single(command))


def _is_plain(span: str) -> bool:
    return not (is_path(span) or is_flag(span) or PLACEHOLDER.search(span))


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
    """Texts in backticks that stand behind a "not" in their clause, or of which one is told that they do not do it."""
    pieces = SPAN.split(text)
    negated: set[str] = set()
    clause = ""
    for words, code, fence, behind in zip(
        pieces[::4], pieces[2::4], pieces[3::4], pieces[4::4], strict=False
    ):
        clause = _CLAUSE_END.split(clause + words)[-1]
        if _NEGATION.search(clause) or _FAILS_TO.match(behind):
            negated.add((code or fence).strip())
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
        written != word and has_sign(word)
        for command in parse(span).commands
        for word, written in zip(command.words, command.written, strict=True)
    )

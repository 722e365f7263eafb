"""What the code in a lesson does: commands that are told to be run, and flags, settings, paths and packages by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import Command, program_name
from afterglow.calls.programs import table
from afterglow.harvest.risk.commands import (
    risk_of_assignments,
    risk_of_commands,
    risk_of_text,
    unclear_in,
    unfamiliar_part,
)
from afterglow.harvest.risk.familiar import Familiar
from afterglow.harvest.risk.kinds import Risk
from afterglow.harvest.risk.packages import is_named
from afterglow.harvest.risk.parts import kind_of_flag, kind_of_variable
from afterglow.harvest.risk.paths import deciding_file
from afterglow.harvest.risk.sentences import name_that_tells, risk_of_clause
from afterglow.harvest.risk.tables import acts_of_programs
from afterglow.harvest.risk.told import Code
from afterglow.harvest.writing.names import commands_in, fillable

ANY_PROGRAM = "program"  # stands for the one that a flag is given to

_ASSIGNMENT = re.compile(r"\b([A-Za-z_]\w*)=(\S*)")
_VARIABLE = re.compile(r"(?<![\w-])([A-Z][A-Z0-9_]{2,})=(\S*)")
# Words before some code that tell to run it, even where it looks like no command.
_RUN = re.compile(
    r"\b(?:run|execute|start|invoke|launch)\W*(?:the\W+|your\W+)?(?:command\W+|tool\W+|script\W+)?$",
    re.IGNORECASE,
)
_INSTALL = re.compile(
    r"\b(?:install|download|upgrade to|switch to)\W*(?:the\W+)?(?:(?:new|missing|npm|pip|python|dev)\W+)?"
    r"(?:(?:package|library|module|dependency)\W+)?$",
    re.IGNORECASE,
)
_SAYS_PACKAGE = re.compile(
    r"\b(?:package|library|module|dependency|npm|pip|gem|crate)\b", re.IGNORECASE
)
_PACKAGE_WORD = re.compile(r"@?[\w-]+(?:/[\w-]+)?(?:[@=]+[\w.^~-]+)?")
_CHANGE = re.compile(
    r"\b(?:edit|change|add|append|write|put|set|create|delete|remove|replace|rename|move|update|insert|empty|configure|in|to|into)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[\W_]+")  # `never_verify_tls` says something, too
_FLAG_AND_VALUE = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)(?:[ =]([^\s-]\S*))?")
FLAG = re.compile(r"--?[A-Za-z]")
PROGRAM_WORD = re.compile(r"[a-z][\w.+-]+")


def words_of_call(command: Command) -> Iterator[str]:
    """Every word of a call, and of `--flag=value` both."""
    yield from command.words
    for flag in command.flags:
        yield from filter(None, (flag.name, flag.value))
    for item in command.environment:
        yield from (item.name, item.value)
    for wrapper in command.wrappers:
        yield from wrapper.words


def words_in_calls(codes: list[Code], familiar: Familiar) -> frozenset[str]:
    """The words of whole calls that are told: each is judged in its call."""
    lines = (code.text for code in codes if is_line(code, familiar))
    commands = (command for line in lines for command in commands_in(fillable(line)))
    return frozenset(word for command in commands for word in words_of_call(command))


def risks_of_codes(
    codes: list[Code], familiar: Familiar, *, is_quoted: bool = True
) -> Iterator[Risk]:
    """Of code without backticks nobody can say that it is a program, so what is not known of it is no matter."""
    lines = [code.text for code in codes if is_line(code, familiar)]
    commands = [command for line in lines for command in commands_in(fillable(line))]
    if risk := risk_of_commands(commands, familiar):
        yield risk
    described = {code.text for code in codes if code.is_described}
    for line in lines:
        if line in described:
            yield from _unclear_in_described(line, familiar)
        else:
            yield from _unclear_parts(line, familiar, is_run=is_quoted)
    for code in codes:
        if code.text not in lines:
            yield from _risks_of_literal(code, familiar)
        if risk := risk_of_clause(_JOINED.sub(" ", code.text)):
            yield Risk(risk.kind, code.text)
        if name := name_that_tells(code.text):
            yield Risk("unfamiliar", name)


def _unclear_in_described(line: str, familiar: Familiar) -> Iterator[Risk]:
    """ "`gull feed --pier` takes a name" tells nobody to use it: what it does not name harmfully is no matter."""
    parts = _unclear_parts(line, familiar, is_run=False)
    return (risk for risk in parts if risk.kind != "unfamiliar")


def _unclear_parts(line: str, familiar: Familiar, *, is_run: bool) -> Iterator[Risk]:
    """Of a line in a sentence the last words may be the sentence's: its flags and variables count."""
    commands = commands_in(fillable(line))
    if is_run:
        if risk := unclear_in(commands, familiar):
            yield risk
        return
    for command in commands:
        if risk := unfamiliar_part(command, familiar, is_whole=False):
            yield risk


def is_line(code: Code, familiar: Familiar) -> bool:
    """Whether some code is for a shell: by its program, or because it is told to be run."""
    commands = commands_in(fillable(code.text))
    if not commands:
        return False
    first, is_run = commands[0], _RUN.search(code.before) is not None
    outer = first.wrappers[0] if first.wrappers else first
    is_alone = len(code.text.split()) == 1
    if _is_program(outer.program, familiar):
        return not is_alone or is_run
    word = outer.words[0]
    if is_alone or (not PROGRAM_WORD.fullmatch(word) and "/" not in word):
        return False
    has_flag = any(map(FLAG.match, first.words[1:]))
    is_wrapping = any(program_name(part) in table() for part in first.words[1:3])
    return has_flag or is_run or is_wrapping or commands[0].then == "|"


def _is_program(name: str, familiar: Familiar) -> bool:
    is_in_table = name in table() or name in acts_of_programs()
    return is_in_table or name in familiar.programs


def _risks_of_literal(code: Code, familiar: Familiar) -> Iterator[Risk]:
    """Code that is no command: a flag, a setting, a path, the name of a package."""
    text = code.text
    for flag, value in _FLAG_AND_VALUE.findall(text):
        yield from _risks_of_flag(flag, value, familiar, is_used=not code.is_described)
    if risk := risk_of_assignments(_ASSIGNMENT.findall(text)):
        yield risk
    for name, value in _VARIABLE.findall(text):
        kind = kind_of_variable(name, value, familiar)
        if kind is not None and name not in familiar.words:
            yield Risk(kind, f"{name}={value}")
    if risk := risk_of_text(text):
        yield risk
    kind = deciding_file(text)
    if kind is not None and _CHANGE.search(code.before):
        yield Risk(kind, text)
    if _is_package(code) and not is_named(text, familiar.packages):
        yield Risk("package", text)


def _is_package(code: Code) -> bool:
    """A word that is told to be installed."""
    is_word = _PACKAGE_WORD.fullmatch(code.text) is not None
    is_named_so = _SAYS_PACKAGE.search(code.before) is not None
    is_shaped_so = re.search(r"[-/@\d]", code.text) is not None
    is_installed = _INSTALL.search(code.before) is not None
    return is_word and is_installed and (is_named_so or is_shaped_so)


def _risks_of_flag(
    flag: str, value: str, familiar: Familiar, *, is_used: bool
) -> Iterator[Risk]:
    """A flag that says by itself what it does, whichever program takes it. Of one that is only spoken of ("--pier takes
    a name") nothing has to be known."""
    if risk := risk_of_commands(commands_in(f"{ANY_PROGRAM} {flag}"), familiar):
        yield Risk(risk.kind, flag)
    if not is_used or flag in familiar.words | familiar.in_calls:
        return
    for name in sorted(familiar.acting if familiar.programs else {ANY_PROGRAM}):
        if kind := kind_of_flag(flag, value, name, familiar):
            yield Risk(kind, flag)

"""What typed commands do: each is held against the table of acts, and looked into where it carries another.

The order of `_CHECKS` is the order in which a person would want to be told.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from afterglow.calls import Command, Wrapper, effects_of, parse, program
from afterglow.calls.programs import table
from afterglow.harvest.risk.familiar import NOTHING_FAMILIAR, Familiar
from afterglow.harvest.risk.fetched_code import risk_of_code, risk_of_fetching
from afterglow.harvest.risk.git_settings import risk_of_git_settings
from afterglow.harvest.risk.kinds import Kind, Risk
from afterglow.harvest.risk.packages import is_named, risk_of_packages
from afterglow.harvest.risk.parts import TEXT_FLAGS, brought_in
from afterglow.harvest.risk.paths import risk_of_removing, risk_of_writing
from afterglow.harvest.risk.read_wrapper import as_command, task_words
from afterglow.harvest.risk.sending import risk_of_sending
from afterglow.harvest.risk.tables import (
    FLAG_AGAINST_SAFEGUARD,
    ReadAct,
    acts_of_programs,
    group,
    settings,
    variables,
)

# Lines in words of lines (`alias x='...'`, `find -exec`): nobody nests deeper on purpose.
MAX_DEPTH = 4
MAX_INNER_LINES = 12  # of one command that are looked into

_FLAG = re.compile(r"--?[A-Za-z]")
_EVERYWHERE = ""
_SWALLOWING = frozenset({"true", ":", "exit"})
_INNER = re.compile(r"\s")
_PROGRAM = re.compile(r"[a-z][\w.+-]+")
_ELSEWHERE = re.compile(r"[/~$]+\w")


Check = Callable[[Command, Familiar], Risk | None]


def risk_of_commands(
    commands: Sequence[Command], familiar: Familiar = NOTHING_FAMILIAR, depth: int = 0
) -> Risk | None:
    """The first thing that some commands, run one after the other, do that is risky; none where nothing is."""
    if risk := risk_of_fetching(commands):
        return risk
    for place, command in enumerate(commands):
        for check in _CHECKS:
            if risk := check(command, familiar):
                return risk
        if risk := _risk_of_swallowing(commands, place):
            return risk
        if depth < MAX_DEPTH and (risk := _risk_inside(command, familiar, depth)):
            return risk
    return None


def unclear_in(commands: Sequence[Command], familiar: Familiar) -> Risk | None:
    """A program of which nobody here knows what it does, or a part of a command."""
    for command in commands:
        if not is_clear(command, familiar):
            return Risk("unclear", command.words[0])
        if risk := unfamiliar_part(command, familiar):
            return risk
    return None


def unfamiliar_part(
    command: Command, familiar: Familiar, *, is_whole: bool = True
) -> Risk | None:
    """Of the command and of what it is wrapped in."""
    for each in (command, *map(as_command, command.wrappers)):
        is_whole_command = is_whole and each is command
        parts = brought_in(each, familiar, is_whole=is_whole_command)
        if risk := next(parts, None):
            return risk
    return None


def is_clear(command: Command, familiar: Familiar) -> bool:
    """Familiar by the table, a script of the repository, or what the failing call ran already."""
    word, name = command.words[0], command.program
    if (
        name in table()
        or name in familiar.programs
        or is_named(name, familiar.packages)
    ):
        return True
    if any(map(_runs_what_is_installed, command.wrappers)):
        return True
    if any(map(_may_be_a_task_of, command.wrappers)):
        return True
    if any(wrapper.program in familiar.programs for wrapper in command.wrappers):
        return True  # it may be a sub-command of what failed
    if "/" in word:
        return not _ELSEWHERE.match(word)
    # `x = y`, `(`, `<name>` are no programs at all.
    return command.place[-1:] == ("function",) or not _PROGRAM.fullmatch(word)


def _runs_what_is_installed(wrapper: Wrapper) -> bool:
    """`uv run`, `bundle exec`, `docker compose exec`: what is inside has been set up by the repository."""
    return program(wrapper.program).family in {"runner", "tool"}


def _may_be_a_task_of(wrapper: Wrapper) -> bool:
    """`rtk proxy cat`: these have sub-commands as well; what stands behind one is looked into."""
    return wrapper.program in group("wrappers with tasks")


def _risk_of_acts(command: Command, familiar: Familiar) -> Risk | None:
    for each in (command, *map(as_command, command.wrappers)):
        if kind := act_of(each):
            return Risk(kind, each.text)
    return None


def act_of(command: Command) -> Kind | None:
    rows = acts_of_programs()
    names = {command.program, command.words[0], _EVERYWHERE}
    if command.subcommand[:1] == ("-m",):
        names.add(command.subcommand[1])
    for act in chain.from_iterable(rows.get(name, ()) for name in sorted(names)):
        if _holds(act, command):
            return act.kind
    if effects_of(command) != {"looks"} and _has_flag_against_safeguard(command):
        return "verification"
    return None


def _has_flag_against_safeguard(command: Command) -> bool:
    """Also where a flag is handed on in a variable or in the words of another."""
    words = (
        part
        for word in _all_words(command)
        for part in re.split(r"[\s,]+|=(?=-)", word)
    )
    names = (word.partition("=")[0].casefold() for word in words)
    return any(map(FLAG_AGAINST_SAFEGUARD.fullmatch, names))


def _holds(act: ReadAct, command: Command) -> bool:
    has_flag = {flag.name for flag in command.flags}
    if act.flags and act.flags.isdisjoint(has_flag):
        return False
    if act.without and not act.without.isdisjoint({*has_flag, *command.operands}):
        return False
    words = task_words(command)
    if act.tasks and not any(words[: len(task)] == task for task in act.tasks):
        return False
    return act.words is None or any(map(act.words.search, _all_words(command)))


def _all_words(command: Command) -> Iterator[str]:
    messages = {flag.value for flag in command.flags if flag.name in TEXT_FLAGS}
    yield from (word for word in command.words[1:] if word not in messages)
    for flag in command.flags:
        if flag.value and flag.name not in TEXT_FLAGS:
            yield flag.value
    for item in command.environment:
        yield f"{item.name}={item.value}"


def _risk_of_variables(command: Command, familiar: Familiar) -> Risk | None:
    sets = [(item.name, item.value) for item in command.environment]
    if program(command.program).family == "setup":
        pairs = (word.partition("=") for word in command.operands if "=" in word)
        sets += [(name, value) for name, _, value in pairs]
    return risk_of_assignments(sets)


def risk_of_assignments(sets: Sequence[tuple[str, str]]) -> Risk | None:
    rows = variables()
    for name, value in sets:
        row = rows.get(name)
        if row is None or (row.harmless and row.harmless.fullmatch(value.strip("\"'"))):
            continue
        return Risk(row.kind, f"{name}={value}")
    return None


def risk_of_text(text: str, only: Kind | None = None) -> Risk | None:
    """By settings that stand in a text which is to be written somewhere."""
    for kind, pattern in settings():
        if only is not None and kind != only:
            continue
        if match := pattern.search(text):
            return Risk(kind, " ".join(match[0].split()))
    return None


def _risk_of_settings(command: Command, familiar: Familiar) -> Risk | None:
    """Settings in its words; a look for them changes nothing, but for one at what is secret."""
    words, bodies = _written_words(command)
    if effects_of(command) == {"looks"} and not command.redirections:
        risk = risk_of_text(" ".join(command.operands), only="credentials")
        return None if risk is None else Risk(risk.kind, command.text)
    return risk_of_text(" ".join([*words, *bodies]))


def _written_words(command: Command) -> tuple[list[str], list[str]]:
    """Its words without messages for people, and what its here-documents hold."""
    messages = {flag.value for flag in command.flags if flag.name in TEXT_FLAGS}
    words = [word for word in command.words[1:] if word not in messages]
    return words, [redirection.body for redirection in command.redirections]


def _risk_inside(command: Command, familiar: Familiar, depth: int) -> Risk | None:
    """What a command carries in its words: another line, or code."""
    if risk := risk_of_code(command):
        return risk
    for line in islice(_inner_lines(command), MAX_INNER_LINES):
        if risk := risk_of_commands(parse(line).commands, familiar, depth + 1):
            return risk
    return None


def _inner_lines(command: Command) -> Iterator[str]:
    if command.program in {"find", "gfind", "fd"}:
        yield from _executed(command.words)
        return
    if any(map(_may_be_a_task_of, command.wrappers)) and command.program not in table():
        yield shlex.join(command.words[1:])
    family = program(command.program).family
    if family == "shell":
        yield from (item.body for item in command.redirections if item.body)
    if effects_of(command) != {"looks"} or family == "setup":
        yield from _lines_in_words(command)


def _lines_in_words(command: Command) -> Iterator[str]:
    """Words with spaces in them, of a setting what it is set to; no messages for people."""
    messages = {flag.value for flag in command.flags if flag.name in TEXT_FLAGS}
    for word in _all_words(command):
        if word in messages or not _INNER.search(word):
            continue
        name, sign, value = word.partition("=")
        yield value if sign and not _INNER.search(name) else word


def _executed(words: Sequence[str]) -> Iterator[str]:
    """`find -exec rm -rf {} +`."""
    for place, word in enumerate(words):
        if word in {"-exec", "-execdir", "-ok", "-x", "-X", "--exec", "--exec-batch"}:
            rest = [part for part in words[place + 1 :] if part not in {";", "+", "{}"}]
            yield " ".join([*rest, "*"])


def _risk_of_swallowing(commands: Sequence[Command], place: int) -> Risk | None:
    """`npm test || true`: a check that cannot fail is none."""
    command = commands[place]
    if command.then != "||" or place + 1 >= len(commands):
        return None
    is_check = "checks" in effects_of(command)
    if is_check and commands[place + 1].program in _SWALLOWING:
        return Risk("check", f"{command.text} || {commands[place + 1].text}")
    return None


def _risk_of_packages(command: Command, familiar: Familiar) -> Risk | None:
    return risk_of_packages(command, familiar.packages)


def _risk_of_sending(command: Command, familiar: Familiar) -> Risk | None:
    return risk_of_sending(command, familiar.hosts)


def _of_command(check: Callable[[Command], Risk | None]) -> Check:
    return lambda command, familiar: check(command)


_CHECKS: tuple[Check, ...] = (
    _risk_of_acts,
    _of_command(risk_of_git_settings),
    _risk_of_variables,
    _of_command(risk_of_removing),
    _of_command(risk_of_writing),
    _risk_of_settings,
    _risk_of_packages,
    _risk_of_sending,
)

"""Code that runs without standing where it can be read: fetched, decoded, piped into a shell, or written as a string."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.calls import Command, program
from afterglow.harvest.risk.kinds import Risk
from afterglow.harvest.risk.paths import is_outside
from afterglow.harvest.risk.tables import calls_in_code, group

_RUNS = frozenset({"shell", "interpreter"})
# What may print lines for a shell to take: set-ups of tools that are known, files of the repository.
_OUTPUT_FLAGS = ("-o", "-O", "--output", "--remote-name", "--output-document", "-OutFile", "-OJ", "-LO", "-J")  # fmt: skip
_CODE_FLAGS = ("-c", "-e", "-E", "--eval", "--execute", "-p", "--print", "-r", "-pe", "-ne", "-i")  # fmt: skip


def risk_of_fetching(commands: Sequence[Command]) -> Risk | None:
    """What flows into a shell or an interpreter: by a pipe, a substitution or a file that was fetched."""
    has_fetched_file = False
    for place, command in enumerate(commands):
        before = commands[place - 1] if place else None
        if command.after == "|" and before is not None and _reads_code(command):
            return _piped(commands[:place], command)
        if risk := _substituted(command, commands[place + 1 :]):
            return risk
        if has_fetched_file and _runs_a_file(command):
            return Risk("fetched", command.text)
        has_fetched_file = has_fetched_file or _fetches_file(command)
    return None


def _piped(before: Sequence[Command], command: Command) -> Risk | None:
    """The whole pipe counts: what is fetched may be unpacked on the way."""
    source = list(before[-1:])
    for earlier in reversed(before[:-1]):
        if source[-1].after != "|":
            break
        source.append(earlier)
    where = f"{source[-1].text} | {command.text}"
    if any(part.program in group("fetching") for part in source):
        return Risk("fetched", where)
    first = source[-1]
    paths = first.operands
    is_printed = first.program in {"cat", "sed", "envsubst"} and len(source) == 1
    is_of_repository = not any(map(is_outside, paths))
    return None if is_printed and is_of_repository else Risk("hidden", where)


def _reads_code(command: Command) -> bool:
    """A shell or an interpreter that is given nothing to run but what it reads."""
    if command.program in group("evaluating"):
        return True
    if program(command.program).family not in _RUNS or command.subcommand:
        return False
    has_code = command.has(*_CODE_FLAGS)
    operands = [word for word in command.operands if word not in {"-", "/dev/stdin"}]
    return not has_code and (not operands or command.has("-s"))


def _substituted(command: Command, later: Sequence[Command]) -> Risk | None:
    """`sh -c "$(curl ...)"`, `bash <(curl ...)`, `eval "$(...)"`."""
    if "substitution" not in command.place:
        return None
    takers = {wrapper.program for wrapper in command.wrappers if wrapper.line}
    outer = next((each for each in later if "substitution" not in each.place), None)
    if outer is not None and _takes_code(outer):
        takers.add(outer.program)
    if not takers:
        return None
    if command.program in group("fetching"):
        return Risk("fetched", command.text)
    is_hidden = command.program not in group("printing set-ups")
    is_evaluated = not takers.isdisjoint(group("evaluating"))
    return Risk("hidden", command.text) if is_hidden and is_evaluated else None


def _takes_code(command: Command) -> bool:
    is_runner = program(command.program).family in _RUNS
    return is_runner or command.program in group("evaluating")


def _fetches_file(command: Command) -> bool:
    if command.program == "git" and command.subcommand[:1] == ("clone",):
        return True
    if command.program not in group("fetching"):
        return False
    is_saving = command.has(*_OUTPUT_FLAGS) or command.program in {"wget", "aria2c"}
    has_file = any(item.operator in {">", ">>"} for item in command.redirections)
    return is_saving or has_file


def _runs_a_file(command: Command) -> bool:
    """A script by its path, by an interpreter, made executable, installed."""
    name, word = command.program, command.words[0]
    if name in group("running a file that is named"):
        return True
    if program(name).family in _RUNS:
        return bool(command.operands)
    return "/" in word or bool({*command.subcommand[:1]} & {"install", "run"})


def risk_of_code(command: Command) -> Risk | None:
    """What an interpreter is given as a string, or in a here-document."""
    if program(command.program).family != "interpreter":
        return None
    bodies = [item.body for item in command.redirections if item.body]
    values = [flag.value or "" for flag in command.flags if flag.name in _CODE_FLAGS]
    has_code = command.has(*_CODE_FLAGS)
    code = "\n".join([*bodies, *values, *(command.operands if has_code else ())])
    for kind, pattern in calls_in_code():
        if match := pattern.search(code):
            return Risk(kind, match[0])
    return None

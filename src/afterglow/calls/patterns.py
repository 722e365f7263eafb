"""The pattern of a command: what stays when it is run again for another test, issue or commit.

`go test ./pkg/x -run TestFoo -v` -> `go test <package> -run <test>`. A placeholder stands only
where something varies from run to run: texts, numbers, ids, addresses, test names, files to
work on. A package filter, a project, a configuration file are part of what works
here and are kept: a remedy with `<path>` in their place is no use to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls.command import Command
from afterglow.calls.effects import (
    EVERYDAY_FAMILIES,
    RUNS_SCRIPTS,
    asks_for_help,
    kind_of_work,
    rows_of,
)
from afterglow.calls.programs import Program, Subcommand, program
from afterglow.calls.writing import quote

# Of a command that are looked at: behind forty words stands a list of files.
MAX_WORDS = 40
# A longer word is a text somebody wrote for this one run.
MAX_STEADY_CHARACTERS = 60

# They change what is printed, how long or how parallel it runs, not what is done.
_QUIETER = frozenset("-v -vv -vvv --verbose --no-color --color".split())
_TUNING = frozenset(
    "-timeout --timeout -count --count --maxfail --tb -j --jobs -parallel --parallel".split()
)
_TUNED = re.compile(
    r"-{1,2}(?:count|timeout|colou?r|parallel|maxfail|tb|jobs)=\S*|-[pj]\d+"
)
_NUMBER = re.compile(r"#?\d+")
_ID = re.compile(r"(?=[^\s]*\d)[0-9a-f]{7,}(?:-[0-9a-f]{4,})*")
_NUMBERS = re.compile(r"(?<=[/=])\d{2,}(?=[/?&]|$)")
_PATH = re.compile(r"[^\s=]*/[^\s]*|[\w.-]+\.[a-z]{1,5}(?:::\S+)?")
# No name of a program begins or looks like this: it was put there by the shell, or by mistake.
_NO_PROGRAM = re.compile(r"^\s*$|^[/~$<>\-\"'`{}()=]|[$()={}*\n]")
_NAME = re.compile(r"[A-Za-z][\w:.-]*")
_PLACEHOLDER = re.compile(r"<[a-z]+>")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]{0,40})(?:=.*)?", re.DOTALL)
# Everybody runs these everywhere: no repository is known by them.
_EVERYDAY = frozenset(
    "git curl wget nc ssh scp sqlite3 tmux screen code vim vi nano apt apt-get brew kill pkill "
    "killall open osascript xargs eval exec rsync ping".split()
)


_STEADY_OPERANDS = frozenset({".", "./...", "--"})
_FORGES = frozenset({"gh", "glab"})


class Pattern(Struct, frozen=True):
    """`key` is equal whatever the order of options; `text` has placeholders; `plain` is as
    written, without options that only change what is printed. `of_project`: a task or script
    of the repository itself."""

    key: str
    text: str
    plain: str
    kind: str
    of_project: bool


def pattern_of(command: Command, root: str = "") -> Pattern:
    """The pattern of a command; paths below `root` are written from there."""
    words = [_local(word, root) for word in command.words[:MAX_WORDS]]
    row, subcommand = rows_of(command)
    varies = _varying_flags(row, subcommand)
    masked, plain = [words[0]], [quote(words[0])]
    for word, value in _pairs(words[1:], _values(command)):
        if _is_noise(word, value):
            continue
        plain.append(quote(word))
        if value is not None:
            plain.append(quote(value))
        if word[:1] == "-" and len(word) > 1:
            masked += _masked_flag(word, value, varies)
        else:
            masked.append(_masked_operand(word, command, row))
    written = [_written(word) for word in _without_repeats(masked)]
    return Pattern(
        key=" ".join([written[0], *sorted(written[1:])]),
        text=" ".join(written),
        plain=" ".join(plain),
        kind=kind_of_work(command),
        of_project=is_own(command),
    )


def _pairs(
    words: list[str], with_value: frozenset[str]
) -> Iterator[tuple[str, str | None]]:
    """Each word with its value, where it is a flag that took the word behind it."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in with_value and at < len(words):
            yield word, words[at]
            at += 1
        else:
            yield word, None


def _is_noise(word: str, value: str | None) -> bool:
    if word in _QUIETER:
        return value is None  # with a value it is another flag: `docker run -v a:b`
    return word in _TUNING or _TUNED.fullmatch(word) is not None


@lru_cache(maxsize=4096)  # commands come again, in a session and in the next
def project_pattern(command: Command, root: str = "") -> Pattern | None:
    """The pattern of a command that says something about its project; None for what everybody runs everywhere."""
    if root:
        words = tuple(_local(word, root) for word in command.words)
        command = replace(command, words=words)
    return None if is_everyday(command) else pattern_of(command)


def is_everyday(command: Command) -> bool:
    """Looking around, moving files, plumbing, one-off programs: known everywhere."""
    row = program(command.program)
    if row.family in EVERYDAY_FAMILIES or command.program in _EVERYDAY:
        return True
    if _NO_PROGRAM.search(command.words[0]):
        return True
    if row.family in RUNS_SCRIPTS and not _is_script(command):
        return not command.subcommand  # a program written on the command line
    return asks_for_help(command)


def is_own(command: Command) -> bool:
    """A task or a script of the repository: `make lint`, `./scripts/x.sh`."""
    if program(command.program).family == "runner" and command.subcommand:
        return True
    return _is_local_path(command.words[0]) or _is_script(command)


def _is_script(command: Command) -> bool:
    """An interpreter that is given a file of the repository."""
    if program(command.program).family not in RUNS_SCRIPTS:
        return False
    first = next((word for word in command.words[1:] if word[:1] != "-"), "")
    return _is_local_path(first)


def _is_local_path(word: str) -> bool:
    return "/" in word and word[0] not in "/~$"


def shape_of_command(command: Command) -> str:
    """Program, sub-command and names of flags, sorted: equal for commands of one kind."""
    if not _NAME.fullmatch(command.program):
        return ""
    row = program(command.program)
    if row.family == "interpreter" and _runs_script(command):
        return f"{command.program} <script>"
    names = {flag.name for flag in command.flags if flag.name not in row.directory}
    flags = sorted(name for name in names if _FLAG.fullmatch(name))
    return " ".join([command.program, *command.subcommand, *flags])


def _runs_script(command: Command) -> bool:
    if not command.operands or command.subcommand:
        return False
    return not command.has("-c", "-e")


def _varying_flags(row: Program, subcommand: Subcommand | None) -> dict[str, str]:
    return {**row.varies, **subcommand.varies} if subcommand else row.varies


def _values(command: Command) -> frozenset[str]:
    """The flags of this command that took the word behind them."""
    names = {flag.name for flag in command.flags if flag.value is not None}
    if command.subcommand[:1] == ("-m",):
        names.add("-m")
    return frozenset(names)


def _masked_flag(word: str, value: str | None, varies: dict[str, str]) -> list[str]:
    """A flag with its value, which stands behind it or behind `=`; masked where it varies."""
    name, is_set, joined = word.partition("=")
    if value is None and not is_set:
        return [word]
    if name in varies:
        return [name, f"<{varies[name]}>"]
    if value is None:
        return [f"{name}={_masked_value(joined)}"]
    last_flag = f"-{word[-1]}"  # of a cluster, the one that takes the value
    if word[:2] != "--" and last_flag in varies:
        return [word, f"<{varies[last_flag]}>"]
    return [name, _masked_value(value)]


def _masked_value(value: str) -> str:
    """Only what can never be the same again."""
    if value.startswith(("http://", "https://")):
        return "<url>"
    if _is_text(value):
        name, is_set, _ = value.partition("=")
        return f"{name}=<text>" if is_set and _NAME.fullmatch(name) else "<text>"
    if "$" in value:
        return "<value>"
    return "<id>" if _ID.fullmatch(value) else value


def _is_text(value: str) -> bool:
    return " " in value or "\n" in value or len(value) > MAX_STEADY_CHARACTERS


def _masked_operand(word: str, command: Command, row: Program) -> str:
    """An operand, masked where it varies: a number, an id, a file to work on."""
    if word in _STEADY_OPERANDS or word in command.subcommand:
        return word
    if _NUMBER.fullmatch(word):
        return "<n>"
    masked = _masked_value(word)
    if masked != word:
        return masked
    if command.program in _FORGES:
        return _NUMBERS.sub("<n>", word)
    if row.packaged and "/" in word:
        return "<package>"
    if not _PATH.fullmatch(word):
        return word
    return word if _is_script_of(command, word) else "<path>"


def _is_script_of(command: Command, word: str) -> bool:
    """The file an interpreter runs is what the command does: it is kept."""
    if program(command.program).family not in RUNS_SCRIPTS:
        return False
    return not command.subcommand and command.operands[:1] == (word,)


def _written(word: str) -> str:
    """Quoted where the shell needs it; placeholders stay bare."""
    if _PLACEHOLDER.search(word):
        return word
    name, is_set, value = word.partition("=")
    if is_set and value and name[:1] == "-":
        return f"{name}={quote(value)}"
    return quote(word)


def _without_repeats(words: list[str]) -> list[str]:
    """Three files in a row are one placeholder."""
    distinct: list[str] = []
    for word in words:
        is_placeholder = word[:1] == "<"
        if not is_placeholder or distinct[-1:] != [word]:
            distinct.append(word)
    return distinct


def _local(word: str, root: str) -> str:
    """A path below the repository, from there."""
    return word.replace(f"{root}/", "") if root and root in word else word

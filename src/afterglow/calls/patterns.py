"""The pattern of a command: what stays when it is run again for another test, issue or commit.

`go test ./pkg/x -run TestFoo -v` -> `go test <package> -run <test>`. A placeholder stands only
where something varies from run to run: texts, numbers, ids, addresses, test names, files to
work on. A package filter, a project, a configuration file are part of what works
here and are kept: a remedy with `<path>` in their place is no use to anybody.
"""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls.command import Command
from afterglow.calls.effects import (
    EVERYDAY_FAMILIES,
    asks_for_help,
    kind_of_work,
    rows_of,
)
from afterglow.calls.programs import Program, Subcommand, program
from afterglow.calls.writing import quote

MAX_WORDS = 40  # of a command that are looked at
MAX_STEADY_CHARACTERS = 60  # a longer word is a text somebody wrote for this one run

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
_NAME = re.compile(r"[A-Za-z][\w:.-]*")
_PLACEHOLDER = re.compile(r"<[a-z]+>")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]{0,40})(?:=.*)?", re.DOTALL)
# Everybody runs these everywhere: no repository is known by them.
_EVERYDAY = frozenset(
    "git curl wget nc ssh scp sqlite3 tmux screen code vim vi nano apt apt-get brew kill pkill "
    "killall open osascript xargs eval exec rsync ping".split()
)


class Pattern(Struct, frozen=True):
    """`key` is equal whatever the order of options; `text` has placeholders; `plain` is as
    written, without options that only change what is printed. `own`: a task or a script
    of the repository itself."""

    key: str
    text: str
    plain: str
    kind: str
    own: bool


def pattern_of(command: Command, root: str = "") -> Pattern:
    """The pattern of a command; paths below `root` are written from there."""
    words = [_local(word, root) for word in command.words[:MAX_WORDS]]
    row, subcommand = rows_of(command)
    varies = _varying_flags(row, subcommand)
    values = _values(command)
    masked, plain = [words[0]], [quote(words[0])]
    at = 1
    while at < len(words):
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else None
        takes = 2 if word in values and following is not None else 1
        chunk, at = words[at : at + takes], at + takes
        if _is_noise(word, takes):
            continue
        plain += map(quote, chunk)
        if word[:1] == "-" and len(word) > 1:
            masked += _masked_flag(word, chunk[1] if takes == 2 else None, varies)
        else:
            masked.append(_masked_operand(word, command, row))
    masked = [_written(word) for word in _without_repeats(masked)]
    return Pattern(
        key=" ".join([masked[0], *sorted(masked[1:])]),
        text=" ".join(masked),
        plain=" ".join(plain),
        kind=kind_of_work(command),
        own=is_own(command),
    )


def _is_noise(word: str, words_taken: int) -> bool:
    if word in _QUIETER:
        return words_taken == 1  # with a value it is another flag: `docker run -v a:b`
    return word in _TUNING or _TUNED.fullmatch(word) is not None


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
    word = command.words[0]
    if (
        not word.strip()
        or word[0] in "/~$<>-\"'`{}()="
        or any(c in word for c in "$()={}*\n")
    ):
        return True
    if row.family in {"interpreter", "shell"} and not _is_script(command):
        return not command.subcommand  # a program written on the command line
    return asks_for_help(command)


def is_own(command: Command) -> bool:
    """A task or a script of the repository: `make lint`, `./scripts/x.sh`."""
    is_task = program(command.program).family == "runner" and bool(command.subcommand)
    is_local = "/" in command.words[0] and command.words[0][0] not in "/~$"
    return is_task or is_local or _is_script(command)


def _is_script(command: Command) -> bool:
    is_interpreter = program(command.program).family in {"interpreter", "shell"}
    first = next((word for word in command.words[1:] if word[:1] != "-"), "")
    return is_interpreter and "/" in first and first[0] not in "/~$"


def shape_of_command(command: Command) -> str:
    """Program, sub-command and names of flags, sorted: equal for commands of one kind."""
    if not _NAME.fullmatch(command.program):
        return ""
    row = program(command.program)
    runs_script = row.family == "interpreter" and not command.has("-c", "-e")
    if runs_script and command.operands and not command.subcommand:
        return f"{command.program} <script>"
    names = sorted({flag.name for flag in command.flags if _FLAG.fullmatch(flag.name)})
    names = [name for name in names if name not in row.directory]
    return " ".join([command.program, *command.subcommand, *names])


def _varying_flags(row: Program, subcommand: Subcommand | None) -> dict[str, str]:
    return {**row.varies, **subcommand.varies} if subcommand else row.varies


def _values(command: Command) -> frozenset[str]:
    """The flags of this command that took the word behind them."""
    with_value = {flag.name for flag in command.flags if flag.value is not None}
    return frozenset(with_value) | (
        {"-m"} if command.subcommand[:1] == ("-m",) else set()
    )


def _masked_flag(word: str, value: str | None, varies: dict[str, str]) -> list[str]:
    name, is_set, joined = word.partition("=")
    if value is None and not is_set:
        return [word]
    inner = value if value is not None else joined
    if name in varies:
        return [name, f"<{varies[name]}>"]
    cluster = f"-{word[-1]}"
    if value is not None and word[:2] != "--" and cluster in varies:
        return [word, f"<{varies[cluster]}>"]
    masked = _masked_value(inner)
    return [name, masked] if value is not None else [f"{name}={masked}"]


def _masked_value(value: str) -> str:
    """Only what can never be the same again."""
    if value.startswith(("http://", "https://")):
        return "<url>"
    if " " in value or "\n" in value or len(value) > MAX_STEADY_CHARACTERS:
        name, is_set, _ = value.partition("=")
        return f"{name}=<text>" if is_set and _NAME.fullmatch(name) else "<text>"
    if "$" in value:
        return "<value>"
    return "<id>" if _ID.fullmatch(value) else value


def _masked_operand(word: str, command: Command, row: Program) -> str:
    if word in {".", "./...", "--"} or word in command.subcommand:
        return word
    if _NUMBER.fullmatch(word):
        return "<n>"
    masked = _masked_value(word)
    if masked != word:
        return masked
    if command.program in {"gh", "glab"}:
        return _NUMBERS.sub("<n>", word)
    if row.packaged and "/" in word:
        return "<package>"
    is_script = program(command.program).family in {"interpreter", "shell"}
    if is_script and not command.subcommand and command.operands[:1] == (word,):
        return word
    return "<path>" if _PATH.fullmatch(word) else word


def _written(word: str) -> str:
    """Quoted where the shell needs it; placeholders stay bare."""
    name, is_set, value = word.partition("=")
    if _PLACEHOLDER.search(word):
        return word
    is_flag = is_set and name[:1] == "-"
    return f"{name}={quote(value)}" if is_flag and value else quote(word)


def _without_repeats(words: list[str]) -> list[str]:
    """Three files in a row are one placeholder."""
    return [
        word
        for word, earlier in zip(words, ["", *words], strict=False)
        if word != earlier or word[:1] != "<"
    ]


def _local(word: str, root: str) -> str:
    """A path below the repository, from there."""
    return word.replace(f"{root}/", "") if root and root in word else word

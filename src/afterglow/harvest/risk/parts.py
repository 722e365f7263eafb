"""What a command brings in that the failing call did not have: each part is harmless by what it is, or waits.

The program and its sub-command have to be known, and so have flags, variables and what is named by them. A flag and a
variable are harmless by their words (`parts.toml`), whichever program takes them. A value is harmless by its shape: a
number, a word, a path inside the repository. Looks change nothing, so that only the addresses in them count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from afterglow.calls import Command, effects_of, program
from afterglow.calls.programs import table
from afterglow.harvest.risk.familiar import NOTHING_FAMILIAR, Familiar
from afterglow.harvest.risk.kinds import Kind, Risk
from afterglow.harvest.risk.packages import is_named
from afterglow.harvest.risk.paths import is_outside, is_scratch
from afterglow.harvest.risk.places import (
    HOLE,
    LOCAL,
    is_file_of_repository,
    kind_of_place,
)
from afterglow.harvest.risk.sentences import is_long_name
from afterglow.harvest.risk.tables import (
    act_words,
    group,
    harmless_flag_words,
    variable_names,
)
from afterglow.harvest.risk.tasks import (
    does_more_than_look,
    risk_of_task,
    telling_kind,
    words_of,
)

# Flags whose value is a message for people.
TEXT_FLAGS = frozenset(
    "-m --message --body -b --title -t --notes --description --jq -q --grep --author --subject".split()
)
MIN_OWN_LETTERS = 4  # of a name by whose beginning something is known to belong to it
# What is set to one of these is switched on or off.
SWITCHES = frozenset(
    {"", "0", "1", "true", "false", "yes", "no", "on", "off", "y", "n"}
)
_SIMPLE = re.compile(r"[\w.,:+@%^=~/ -]*")
_LIVE = frozenset({"prod", "production", "live", "admin", "root", "superuser"})
_AT_HOME = re.compile(r"(?:~|\$\{?HOME\}?)/")  # only its owner puts files there
# What is made by a command and not read by it.
_WRITTEN = frozenset(
    """-o -O -d -C -D output out outdir outfile outputfile log logfile file dir cache target report junitxml junitfile
    coverprofile dest tmp tmpdir temp""".split()
)
_LONG_FLAG = re.compile(r"--[A-Za-z]|-[A-Za-z]{4,}")
_SCRIPT = re.compile(r"(?!/|~|\.\./|\w+:)[\w./-]+\.\w+")  # a file below the folder
_DEFINITION = re.compile(r"-D([\w.-]+)(?:=(.*))?")
_SUBSTITUTED = re.compile(r"\$\(|`|<\(")
_OWN_REMOTES = frozenset({"origin", "upstream"})
_REMOTE_TASKS = frozenset({"push", "pull", "fetch"})
# Folders where the tools of a person are: to look there first is how a program is found that is installed.
_TOOL_FOLDER = re.compile(
    r"\$\{?PATH\}?|\$PWD.*|(?:\$\{?HOME\}?|~)/[\w./-]*(?:bin|shims)|/(?:usr|opt/homebrew|usr/local|snap)(?:/[\w.@-]+)*/s?bin"
    r"|/s?bin|(?!/|~|\.\./)[\w.@/-]+|\$\(\w+ [^)]*\)[\w./-]*"
)


def brought_in(
    command: Command, familiar: Familiar, *, is_whole: bool = True
) -> Iterator[Risk]:
    """The parts that wait for a person. `is_whole`: all its words are a command's, and no sentence goes on behind it."""
    yield from _risks_of_variables(command, familiar)
    if is_whole and (act := risk_of_task(command, familiar.words)):
        yield act
    if not does_more_than_look(command):
        return
    yield from _risks_of_flags(command, familiar)
    yield from _risks_of_names(command, familiar.words)
    if is_whole and command.program not in group("going elsewhere"):
        yield from _risks_of_operands(command, familiar)
    yield from _risks_of_remote(command, familiar.words)


def _risks_of_variables(command: Command, familiar: Familiar) -> Iterator[Risk]:
    for item in command.environment:
        if item.name in familiar.words and item.value in familiar.words:
            continue
        if kind := kind_of_variable(item.name, item.value, familiar):
            yield Risk(kind, f"{item.name}={item.value}")


def _risks_of_names(command: Command, words: Collection[str]) -> Iterator[Risk]:
    """Whoever named a container, a branch or a volume may have put a sentence into it. Tests are chosen by long names."""
    if "checks" in effects_of(command):
        return
    for word in command.words[1:]:
        if word not in words and is_long_name(word):
            yield Risk("unfamiliar", word)


def _risks_of_operands(command: Command, familiar: Familiar) -> Iterator[Risk]:
    has_unknown_flags = command.program not in table()  # they may take what follows
    runs_files = program(command.program).family in {"shell", "interpreter"}
    if runs_files and any(map(is_scratch, command.operands[:1])):
        yield Risk("loads", command.operands[0])  # anybody may have put it there
    for operand in command.operands:
        is_value = has_unknown_flags and _AT_HOME.match(operand)
        if operand in familiar.words or is_value:
            continue
        if kind := _kind_of_operand(operand, familiar):
            yield Risk(kind, operand)


def _kind_of_operand(operand: str, familiar: Familiar) -> Kind | None:
    name, sign, value = operand.partition("=")
    if sign and re.fullmatch(r"[A-Z][A-Z0-9_]+", name):  # `make test NAME=value`
        return kind_of_variable(name, value, familiar)
    return "elsewhere" if operand in _LIVE else kind_of_place(operand, familiar.hosts)


def _risks_of_flags(command: Command, familiar: Familiar) -> Iterator[Risk]:
    for flag in command.flags:
        name, value = flag.name, flag.value or _word_behind(flag.name, command)
        is_repeated = name in familiar.words and (not value or value in familiar.words)
        if is_repeated or name in TEXT_FLAGS:
            continue
        if kind := kind_of_flag(name, value, _owner_of_flags(command), familiar):
            yield Risk(kind, f"{name} {value}".strip())


def _word_behind(flag: str, command: Command) -> str:
    """Of a program that nobody knows, the word behind a flag may be its value."""
    if command.program in table() or flag not in command.words[:-1]:
        return ""
    word = command.words[command.words.index(flag) + 1]
    return "" if word.startswith("-") else word


def _owner_of_flags(command: Command) -> str:
    """The program that takes them: behind a script of the repository they are the script's (`sh check.sh --brief`)."""
    if is_script(command):
        return command.words[0]
    runs_scripts = program(command.program).family in {"shell", "interpreter"}
    script = command.operands[0] if runs_scripts and command.operands else ""
    return script if _SCRIPT.fullmatch(script) else command.program


def is_script(command: Command) -> bool:
    """Run by its path in the repository: whoever wrote it there names its flags."""
    word = command.words[0]
    return "/" in word and command.program not in table() and not is_outside(word)


def kind_of_flag(
    name: str, value: str, program_name: str, familiar: Familiar
) -> Kind | None:
    """What a flag does: by the words of its name, by what it sets, by where its value leads."""
    if not name.startswith("-"):  # `make NAME=value`
        return kind_of_variable(name, value, familiar)
    if definition := _DEFINITION.fullmatch(name):
        key = definition[1].rpartition(".")[2]
        return _kind_of_setting(key, value or definition[2] or "")
    key, sign, assigned = value.partition("=")
    if sign and re.fullmatch(r"[\w.-]+", key):
        if kind := _kind_of_setting(key.rpartition(".")[2], assigned):
            return kind
    elif kind := _kind_by_name(name, value, program_name, familiar):
        return kind
    is_written = not _WRITTEN.isdisjoint({name, *words_of(name)})
    if is_scratch(value) and not is_written:
        return "loads"
    if value in _LIVE:
        return "elsewhere"
    return None if _AT_HOME.match(value) else kind_of_place(value, familiar.hosts)


def _kind_of_setting(key: str, value: str) -> Kind | None:
    kind = telling_kind(words_of(key))
    if kind is not None and not _is_harmless_value(kind, value, NOTHING_FAMILIAR):
        return kind
    return "loads" if is_scratch(value) else kind_of_place(value)


def _kind_by_name(
    name: str, value: str, program_name: str, familiar: Familiar
) -> Kind | None:
    if f"{program_name}:{name}" in act_words("loading flags"):
        return _kind_of_loading(value, familiar)
    words = words_of(name)
    if not words or not _LONG_FLAG.match(name):
        return None
    is_in_table, harmless = program_name in table(), harmless_flag_words()
    is_known = "".join(words) in harmless
    is_directory = name in program(program_name).directory
    if is_directory or (is_in_table and is_known):
        return None
    kind = telling_kind(words)
    if kind is not None:
        return None if _is_harmless_value(kind, value, familiar) else kind
    if is_known or harmless.issuperset(words) or _is_of_repository(program_name):
        return None
    if not is_in_table and _is_plain_name(words, value, familiar):
        return None
    return "unfamiliar"


def _kind_of_loading(value: str, familiar: Familiar) -> Kind | None:
    is_off = value.startswith("no:")  # `pytest -p no:cacheprovider`
    return None if is_off or _is_harmless_value("loads", value, familiar) else "loads"


def _is_of_repository(program_name: str) -> bool:
    """A script of the repository: its flags are its own."""
    return "/" in program_name or _SCRIPT.fullmatch(program_name) is not None


def _is_harmless_value(kind: Kind, value: str, familiar: Familiar) -> bool:
    if not value:
        return False
    if HOLE.fullmatch(value) or value in _OWN_REMOTES:
        return True
    if kind == "loads":
        return is_file_of_repository(value) or is_named(value, familiar.packages)
    if kind in {"elsewhere", "opens"}:
        return LOCAL.fullmatch(value) is not None
    return kind == "confirms" and value.casefold() in {"false", "0", "no", "off"}


def kind_of_variable(
    name: str, value: str, familiar: Familiar = NOTHING_FAMILIAR
) -> Kind | None:
    """A setting of a known program has to be known; another one is harmless by its words, where its value is plain."""
    value = value.strip("\"'")
    if name == "PATH":
        return None if all(map(_TOOL_FOLDER.fullmatch, value.split(":"))) else "loads"
    words = words_of(name)
    if is_scratch(value) and _WRITTEN.isdisjoint(words):
        return "loads"
    if name in variable_names("harmless"):
        return kind_of_place(value, familiar.hosts)
    if kind := telling_kind(words):
        return None if _is_harmless_value(kind, value, familiar) else kind
    if _is_of_a_tool(name, words) or not _is_plain_name(words, value, familiar):
        return "unfamiliar"
    if value in _LIVE:
        return "elsewhere"
    return kind_of_place(value, familiar.hosts) or _kind_of_form(value)


def _is_plain_name(words: list[str], value: str, familiar: Familiar) -> bool:
    """`HARBOR_TEST_TIMEOUT`: what it belongs to, and words that say how much, what or how. Where the situation speaks of
    it, what it is set to is the lesson; whoever switches something on or off has to say what."""
    is_switch = value.casefold() in SWITCHES
    known_words = harmless_flag_words() | (
        frozenset() if is_switch else familiar.spoken
    )
    return all(
        word in known_words or word.isdecimal() or _is_own(word, familiar)
        for word in words
    )


def _is_own(word: str, familiar: Familiar) -> bool:
    """Also where only the beginning is the same: `entire` and `entireio`."""
    return any(
        word == name or (len(word) >= MIN_OWN_LETTERS and name.startswith(word))
        for name in familiar.own_words
    )


def _is_of_a_tool(name: str, words: list[str]) -> bool:
    tools = variable_names("tools")
    return name.casefold() in tools or not tools.isdisjoint(words[:1])


def _kind_of_form(value: str) -> Kind | None:
    is_plain = _SIMPLE.fullmatch(value) and not _SUBSTITUTED.search(value)
    return None if is_plain or HOLE.fullmatch(value) else "unfamiliar"


def _risks_of_remote(command: Command, words: Collection[str]) -> Iterator[Risk]:
    """`git push harbour main`: a remote that is not the repository's own."""
    is_git = command.program == "git" and {*command.subcommand[:1]} & _REMOTE_TASKS
    for remote in command.operands[:1] if is_git else ():
        is_own = remote in _OWN_REMOTES or remote in words
        if not is_own and not HOLE.fullmatch(remote):
            yield Risk("elsewhere", command.text)

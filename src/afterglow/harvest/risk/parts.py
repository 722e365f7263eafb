"""What a command brings in that the failing call did not have: each part is harmless by what it is, or waits.

The program and its sub-command have to be known, and so have flags, variables and what is named by them. A flag of a
program that the table has is harmless by its words (`parts.toml`); one of any other program unless it says that it
leads elsewhere. A value is harmless by its shape: a number, a word, a path inside the repository. Looks change nothing,
so that only the addresses in them count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from afterglow.calls import Command, effects_of, program
from afterglow.calls.programs import table
from afterglow.harvest.risk.familiar import NOTHING_FAMILIAR, Familiar
from afterglow.harvest.risk.kinds import Kind, Risk
from afterglow.harvest.risk.packages import is_named
from afterglow.harvest.risk.paths import is_scratch
from afterglow.harvest.risk.places import (
    HOLE,
    LOCAL,
    is_file_of_repository,
    kind_of_place,
)
from afterglow.harvest.risk.tables import (
    act_words,
    group,
    harmless_flag_words,
    telling_names,
    variable_names,
)

# Flags whose value is a message for people.
TEXT_FLAGS = frozenset(
    "-m --message --body -b --title -t --notes --description --jq -q --grep --author --subject".split()
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SIMPLE = re.compile(r"[\w.,:+@%^=~/ -]*")
_LIVE = frozenset({"prod", "production", "live", "admin", "root", "superuser"})
_AT_HOME = re.compile(r"(?:~|\$\{?HOME\}?)/")  # only its owner puts files there
# What is made by a command and not read by it.
_WRITTEN = frozenset(
    """-o -O -d -C -D output out outdir outfile outputfile log logfile file dir cache target report junitxml junitfile
    coverprofile dest tmp tmpdir temp""".split()
)
_LONG_FLAG = re.compile(r"--[A-Za-z]|-[A-Za-z]{4,}")
_DEFINITION = re.compile(r"-D([\w.-]+)(?:=(.*))?")
_STATEMENT_FLAGS = frozenset(
    "-c -e -Q -q -cmd --command --execute --eval --query".split()
)
_READING = re.compile(
    r"\s*(?:select|show|explain|describe|desc|with|pragma|\\\w|\.(?:tables|schema|mode|headers|indexes)|get|keys|ping|info|ttl"
    r"|scan|llen|type|exists|hgetall|lrange|dbsize|db\.\w+\.(?:find|count)|<|…|\$|begin|--)",
    re.IGNORECASE,
)
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
    words = familiar.words
    for item in command.environment:
        if item.name in words and item.value in words:
            continue
        if kind := kind_of_variable(item.name, item.value, familiar):
            yield Risk(kind, f"{item.name}={item.value}")
    if is_whole and (act := _risk_of_act(command, words)):
        yield act
    if not does_more_than_look(command):
        return
    yield from _risks_of_flags(command, familiar)
    is_going = command.program in group("going elsewhere")
    operands = command.operands if is_whole and not is_going else ()
    for operand in operands:
        name, sign, value = operand.partition("=")
        if operand in words:
            continue
        if sign and re.fullmatch(r"[A-Z][A-Z0-9_]+", name):  # `make test NAME=value`
            kind = kind_of_variable(name, value, familiar)
        else:
            kind = kind_of_place(operand, familiar.hosts)
        if kind:
            yield Risk(kind, operand)
    yield from _risks_of_remote(command, words)


def _risks_of_flags(command: Command, familiar: Familiar) -> Iterator[Risk]:
    for flag in command.flags:
        name, value = flag.name, flag.value or ""
        is_repeated = name in familiar.words and (not value or value in familiar.words)
        if is_repeated or name in TEXT_FLAGS:
            continue
        if kind := kind_of_flag(name, value, command.program, familiar):
            yield Risk(kind, f"{name} {value}".strip())


def does_more_than_look(command: Command) -> bool:
    """A look at another machine may hand something on, too."""
    reaches_out = is_service(command) or command.program in group("requesting")
    return reaches_out or effects_of(command) != {"looks"}


def is_service(command: Command) -> bool:
    return command.program in act_words("services")


def _risk_of_act(command: Command, words: Collection[str]) -> Risk | None:
    """What it does is not known, or is done to a service outside."""
    if command.program not in table():
        return _risk_of_new_task(command, words)
    if _repeats(command, words) and not is_service(command):
        return None
    if is_service(command):
        return None if _leaves_service(command) else Risk("service", command.text)
    row, effects = program(command.program), effects_of(command)
    if effects & {"sends", "publishes"}:
        is_request = command.program in group("requesting")
        is_ordinary = command.program in act_words("talking") or is_request
        is_script = row.family in {"shell", "interpreter", "runner"}
        is_ordinary = is_ordinary or command.program in act_words("agents")
        return None if is_ordinary or is_script else Risk("sends", command.text)
    task = (*command.subcommand, *command.operands[:1])
    if row.family != "tool" or not task or "looks" in effects:
        return None
    if task[0] in act_words("settles") and not tasks_of(command.program):
        return Risk("unfamiliar", command.text)
    if not command.subcommand:
        return None
    tasks = act_words("runs") | tasks_of(command.program)
    is_known = bool(effects) or not tasks.isdisjoint(task) or task[0] == "-m"
    return None if is_known else Risk("unfamiliar", command.text)


def tasks_of(program_name: str) -> frozenset[str]:
    """The sub-commands of a program that are known one by one."""
    return act_words(f"tasks of {program_name}")


def _risk_of_new_task(command: Command, words: Collection[str]) -> Risk | None:
    """Of a program that the table does not have: a task by whose name it settles something, or lets something by."""
    for task in command.operands[:2]:
        if task in words or not re.fullmatch(r"[a-z][a-z:-]+", task):
            continue
        names = words_of(task)
        is_settling = not act_words("settles").isdisjoint({task, *names})
        if is_settling or telling_kind(names) in {"confirms", "opens"}:
            return Risk("unfamiliar", command.text)
    return None


def _repeats(command: Command, words: Collection[str]) -> bool:
    """The failing call ran the same sub-command already."""
    return command.program in words and all(
        word in words for word in command.subcommand
    )


def _leaves_service(command: Command) -> bool:
    if command.program in group("databases"):
        return all(map(_READING.match, _statements(command)))
    if effects_of(command) == {"looks"}:
        return True
    tasks = [*command.subcommand, *command.operands[:1]]
    first_words = {task.split("-")[0] for task in tasks}
    is_look = not first_words.isdisjoint(act_words("looks of services"))
    return is_look or not act_words("of services that stay here").isdisjoint(tasks)


def _statements(command: Command) -> Iterator[str]:
    """What a database is told."""
    yield from (
        flag.value
        for flag in command.flags
        if flag.value and flag.name in _STATEMENT_FLAGS
    )
    is_redis = command.program == "redis-cli"
    for operand in command.operands[: 1 if is_redis else None]:
        if is_redis or " " in operand:
            yield operand


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
    words = words_of(name)
    if not words or not _LONG_FLAG.match(name):
        return None
    is_in_table, harmless = program_name in table(), harmless_flag_words()
    is_directory = name in program(program_name).directory
    if is_directory or (is_in_table and "".join(words) in harmless):
        return None
    kind = telling_kind(words)
    if kind is not None:
        return None if _is_harmless_value(kind, value, familiar) else kind
    return "unfamiliar" if is_in_table and not harmless.issuperset(words) else None


def words_of(name: str) -> list[str]:
    """`--maxTestWorkers` and `MAX_TEST_WORKERS`: max, test, workers."""
    return [word.casefold() for word in _WORDS.findall(name)]


def telling_kind(words: list[str]) -> Kind | None:
    """By the last word, which says what is named; by any word, where it says what is done."""
    names = telling_names()
    for word in words:
        if names.get(word) in {"confirms", "opens"} or word in {"javaagent", "plugin"}:
            return names[word]
    return names.get("".join(words)) or names.get(words[-1] if words else "")


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
    """A setting of a known program has to be known; another one is harmless where its value is plain."""
    value = value.strip("\"'")
    if name == "PATH":
        return None if all(map(_TOOL_FOLDER.fullmatch, value.split(":"))) else "loads"
    words = words_of(name)
    is_written = not _WRITTEN.isdisjoint(words)
    if is_scratch(value) and not is_written:
        return "loads"
    if name in variable_names("harmless"):
        return kind_of_place(value, familiar.hosts)
    if kind := telling_kind(words):
        return None if _is_harmless_value(kind, value, familiar) else kind
    tools = variable_names("tools")
    if words and (words[0] in tools or name.casefold() in tools):
        return "unfamiliar"
    if kind := kind_of_place(value, familiar.hosts):
        return kind
    is_plain = _SIMPLE.fullmatch(value) and not _SUBSTITUTED.search(value)
    return None if is_plain or HOLE.fullmatch(value) else "unfamiliar"


def _risks_of_remote(command: Command, words: Collection[str]) -> Iterator[Risk]:
    """`git push harbour main`: a remote that is not the repository's own."""
    is_git = command.program == "git" and {*command.subcommand[:1]} & _REMOTE_TASKS
    for remote in command.operands[:1] if is_git else ():
        is_own = remote in _OWN_REMOTES or remote in words
        if not is_own and not HOLE.fullmatch(remote):
            yield Risk("elsewhere", command.text)

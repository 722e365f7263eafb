"""What a command is told to do, by its sub-command: known, as usual, or done to a service outside."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from afterglow.calls import Command, effects_of, program
from afterglow.calls.programs import table
from afterglow.harvest.risk.kinds import Kind, Risk
from afterglow.harvest.risk.tables import act_words, group, telling_names

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TASK = re.compile(r"[a-z][a-z:-]+")
_STATEMENT_FLAGS = frozenset(
    "-c -e -Q -q -cmd --command --execute --eval --query".split()
)
_READING = re.compile(
    r"\s*(?:select|show|explain|describe|desc|with|pragma|\\\w|\.(?:tables|schema|mode|headers|indexes)|get|keys|ping|info|ttl"
    r"|scan|llen|type|exists|hgetall|lrange|dbsize|db\.\w+\.(?:find|count)|<|…|\$|begin|--)",
    re.IGNORECASE,
)


def does_more_than_look(command: Command) -> bool:
    """A look at another machine may hand something on, too."""
    reaches_out = is_service(command) or command.program in group("requesting")
    return reaches_out or effects_of(command) != {"looks"}


def is_service(command: Command) -> bool:
    return command.program in act_words("services")


def risk_of_task(command: Command, words: Collection[str]) -> Risk | None:
    """What it is told to do is not known, or is done to a service outside. `words` are those of the failing call."""
    if command.program not in table():
        return _risk_of_new_task(command, words)
    if is_service(command):
        return None if _leaves_service(command) else Risk("service", command.text)
    if _repeats(command, words):
        return None
    if effects_of(command) & {"sends", "publishes"}:
        return None if _sends_as_usual(command) else Risk("sends", command.text)
    return None if _is_known(command) else Risk("unfamiliar", command.text)


def _sends_as_usual(command: Command) -> bool:
    """Talks with a forge or a model; what requests carry is looked at elsewhere. Scripts are the repository's."""
    is_script = program(command.program).family in {"shell", "interpreter", "runner"}
    is_usual = command.program in act_words("talking") | act_words("agents")
    return is_script or is_usual or command.program in group("requesting")


def _is_known(command: Command) -> bool:
    """Its sub-command; of programs that are no tools it is a task of the repository."""
    effects, task = effects_of(command), (*command.subcommand, *command.operands[:1])
    family = program(command.program).family
    if family == "runner" and not effects:
        return all(map(_is_ordinary, command.subcommand or command.operands[:1]))
    if family != "tool" or not task or "looks" in effects:
        return True
    if task[0] in act_words("settles") and not tasks_of(command.program):
        return False
    if effects or not command.subcommand or task[0] == "-m":
        return True
    return not (act_words("runs") | tasks_of(command.program)).isdisjoint(task)


def _is_ordinary(task: str) -> bool:
    """A task of the repository, or of its own program, may have any name that does not say that it settles something or
    lets something by."""
    names = words_of(task)
    is_settling = not act_words("settles").isdisjoint({task, *names})
    return not is_settling and telling_kind(names) not in {"confirms", "opens"}


def tasks_of(program_name: str) -> frozenset[str]:
    """The sub-commands of a program that are known one by one."""
    return act_words(f"tasks of {program_name}")


def _risk_of_new_task(command: Command, words: Collection[str]) -> Risk | None:
    """Of a program that the table does not have: a task by whose name it settles something, or lets something by."""
    for task in command.operands[:2]:
        is_new = task not in words and _TASK.fullmatch(task) is not None
        if is_new and not _is_ordinary(task):
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

"""What was changed to make a call work, so that two sessions can be compared: typed, without what varies.

A move says which word went and which came. It is linked when the error's own words name what went, or what it was put
in front of: a change near a failure is common, a change of what the failure complains about is a remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from afterglow.calls import Change, Command, as_run, changes, pattern_of
from afterglow.harvest.writing.rules.pairs import Pair, task_of
from afterglow.records.problems import Event

# Characters of a word that may begin a longer one: `--lib` is what "no library targets" complains about.
MIN_WORD = 3

MoveKind = Literal[
    "program", "subcommand", "wrapper", "environment", "flag", "value", "operand",
    "fewer operands", "ending", "quoting", "directory", "step",
]  # fmt: skip
# What may vary beside a move without saying anything: which file, which test.
OPERANDS = frozenset({"operand", "fewer operands"})

_EDGES = re.compile(r"^[-\s'\"`]+|[\s'\"`]+$")
_NUMBER = re.compile(r"\d+")


class Move(Struct, frozen=True):
    """`before` is what went, `after` what came; either may be empty."""

    kind: MoveKind
    before: str = ""
    after: str = ""


def moves_of(pair: Pair) -> tuple[Move, ...]:
    """Everything that was changed between two commands, each change by itself; nothing where only what is printed
    was."""
    if not pair.first and _is_tuned(pair):
        return ()
    return tuple(dict.fromkeys(_moves(pair)))


def _is_tuned(pair: Pair) -> bool:
    """Only options differ that say how much is printed, or how long it may take."""
    failing, working = pair.failing, pair.working
    if failing.words == working.words or failing.wrappers != working.wrappers:
        return False
    if failing.environment != working.environment:
        return False
    return pattern_of(failing).plain == pattern_of(working).plain


def _moves(pair: Pair) -> Iterator[Move]:
    failing, working = pair.failing, pair.working
    prefix = _dropped_prefix(failing, working)
    if prefix:
        yield Move("wrapper", prefix)
        return
    if failing.words[0] != working.words[0]:
        yield Move("program", failing.words[0], working.words[0])
    if task_of(failing) != task_of(working):
        yield Move("subcommand", task_of(failing), task_of(working))
    yield from _operand_moves(failing, working)
    for change in changes(failing, working):
        yield from _typed(change)
    for command in pair.first:
        yield Move("step", "", as_run(command))


def _dropped_prefix(failing: Command, working: Command) -> str:
    """The words that stood before a command that worked without them: a wrapper, whether it is known as one or not."""
    before, after = _plain_words(failing), _plain_words(working)
    count = len(before) - len(after)
    is_inside = count > 0 and before[count:] == after
    return " ".join(before[:count]) if is_inside else ""


def _plain_words(command: Command) -> list[str]:
    wrapping = [word for wrapper in command.wrappers for word in wrapper.words]
    return [*wrapping, *command.words]


def _typed(change: Change) -> Iterator[Move]:
    before, after = change.before or "", change.after or ""
    match change.kind:
        case "wrapper":
            yield Move("wrapper", before.split(" ")[0], after.split(" ")[0])
        case "environment":
            yield Move(
                "environment",
                _assigned(change.name, change.before),
                _assigned(change.name, change.after),
            )
        case "flag":
            yield from _flag_moves(change)
        case "quoting":
            yield Move("quoting")
        case "directory":
            yield Move("directory", before, after)
        case "program" | "subcommand" | "operand" | "input":
            return  # read elsewhere: as they were written, and one by one


def _assigned(name: str, value: str | None) -> str:
    return "" if value is None else f"{name}={value}"


def _flag_moves(change: Change) -> Iterator[Move]:
    if change.after is None:
        yield Move("flag", change.name)
    elif change.before is None:
        yield Move("flag", "", f"{change.name} {change.after}".strip())
    elif "," in change.before:
        yield from _list_moves(change.name, change.before, change.after)
    else:
        before, after = (
            f"{change.name} {change.before}",
            f"{change.name} {change.after}",
        )
        yield Move("value", before, after)


def _list_moves(name: str, before: str, after: str) -> Iterator[Move]:
    """What was taken out of a list."""
    remaining = after.split(",")
    for item in before.split(","):
        if item not in remaining:
            yield Move("value", f"{name} {item}")


def _operand_moves(failing: Command, working: Command) -> Iterator[Move]:
    removed = [word for word in failing.operands if word not in working.operands]
    added = [word for word in working.operands if word not in failing.operands]
    if len(removed) == len(added) == 1 and added[0] == f"{removed[0]}/":
        yield Move("ending", "", "/")
    elif len(removed) == len(added) == 1:
        yield Move("operand", removed[0], added[0])
        if "," in removed[0]:
            yield from _list_moves("", removed[0], added[0])
    if len(failing.operands) > len(working.operands) > 0:
        yield Move("fewer operands", "", str(len(working.operands)))


def is_linked(move: Move, pair: Pair) -> bool:
    """Whether the error's own words name what the move is about."""
    text = words_of(pair.event)
    match move.kind:
        case "wrapper":
            return any(names(text, word) for word in _around(move, pair.failing))
        case "program" | "subcommand" | "operand" | "flag" | "environment":
            return names(text, move.before)
        case "value":
            return names(text, move.before.partition(" ")[2])
        case "fewer operands":
            return _names_surplus(text, pair)
        case "quoting":
            return any(names(text, word) for word in requoted(pair))
        case "ending" | "directory" | "step":
            return False


def _around(move: Move, failing: Command) -> Iterator[str]:
    """What a wrapper that went or came is named by: itself, or what it runs."""
    prefix = move.before.split(" ")
    yield prefix[0]
    words = _plain_words(failing)
    yield words[len(prefix) if move.before else 0]
    yield from failing.subcommand


def words_of(event: Event) -> str:
    return "\n".join(line.text for line in event.lines)


def names(text: str, word: str) -> bool:
    """Whether a text names a word: as it stands, or as the beginning of a longer one. A letter or two stand everywhere:
    they are named where a dash or a quote stands before them."""
    bare = _EDGES.sub("", word)
    if not bare:
        return False
    if len(bare) < MIN_WORD:
        return re.search(rf"[-'\"`] ?{re.escape(bare)}(?!\w)", text) is not None
    pattern = rf"(?<![\w/.]){re.escape(bare)}"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _names_surplus(text: str, pair: Pair) -> bool:
    """The error quotes an operand behind those there may be, or says how many there may be and how many were given. A
    path that is not there is not one too many."""
    failing, working = pair.failing.operands, pair.working.operands
    if pair.event.target in failing:
        return False
    first, surplus = failing[: len(working)], failing[len(working) :]
    if any(names(text, word) for word in surplus):
        return not any(names(text, word) for word in first)
    counts = set(_NUMBER.findall(text))
    return {str(len(failing)), str(len(working))} <= counts


def requoted(pair: Pair) -> list[str]:
    """The words that were written in another way."""
    written = zip(pair.failing.written, pair.working.written, strict=False)
    return [before for before, after in written if before != after]


def has_before(move: Move, command: Command) -> bool:
    """Whether a command has what the move takes away; where it takes nothing away, whether it lacks what comes."""
    match move.kind:
        case "program":
            return command.words[0] == move.before
        case "subcommand":
            return task_of(command) == move.before
        case "wrapper":
            programs = {command.program, *(item.program for item in command.wrappers)}
            name = move.before.split(" ")[0]
            return name in programs if name else move.after not in programs
        case "flag" | "value":
            return _has_flag(move, command)
        case "operand":
            return move.before in command.operands
        case "fewer operands":
            return len(command.operands) > int(move.after)
        case "environment":
            names_set = {item.name for item in command.environment}
            name = (move.before or move.after).partition("=")[0]
            return (name in names_set) == bool(move.before)
        case "ending":
            return not any(word.endswith(move.after) for word in command.operands)
        case "quoting" | "directory" | "step":
            return True


def _has_flag(move: Move, command: Command) -> bool:
    name, _, value = (move.before or move.after).partition(" ")
    if not move.before:
        return not command.has(name)
    if not name:
        return any(value in operand.split(",") for operand in command.operands)
    flag = next((item for item in command.flags if item.name == name), None)
    if flag is None or not value:
        return flag is not None
    return value in (flag.value or "").split(",") or value == flag.value

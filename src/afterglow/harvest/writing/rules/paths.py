"""A file or folder that sessions keep asking for where it is not, and where it is.

Only what sessions themselves opened instead is told as the place: a file of the same name elsewhere, or one of nearly
the same name in the same folder. What merely was read next is not. A name that stands among others on a command line,
and is the only one complained about, is not there; the others are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

from msgspec import Struct

from afterglow.harvest.writing.rules.general_form import as_code, quoted_message
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.harvest.writing.rules.moves import names, words_of
from afterglow.harvest.writing.rules.pairs import failing_command, pairs_of
from afterglow.records.problems import Event, Problem
from afterglow.records.tools import tool_kind

MIN_SESSIONS = 2  # that asked in vain for the same, and found it in the same place
# Of the letters of two names in one folder: `logging.go` and `logger.go` are alike, `a.go` and `main.go` are not.
SAME_NAME = 0.6
MAX_PARTS = 3  # of the folder above that are shown: roots differ between machines
MAX_NEIGHBOURS = 4  # names beside the absent one that are told: a line holds no more

Parts = tuple[str, ...]

_NAME = re.compile(r"[\w.@+-][\w./@+-]*")


class Moved(Struct, frozen=True):
    """A path that was asked for and the one that was opened: `folder` and `name` are the same, before and behind; of
    what differs, `before` or `after` may be empty."""

    event: Event
    folder: Parts
    before: Parts
    after: Parts
    name: Parts = ()


def lessons(problem: Problem) -> Iterator[RuleLesson]:
    """Folders whose files are elsewhere, then files, then what is nowhere."""
    moves = [moved for event in problem.events if (moved := _moved(event)) is not None]
    folders = [moved for moved in moves if moved.name]
    yield from _new_places(folders, is_folder=True)
    yield from _new_places(moves, is_folder=False)
    yield from _absent(problem)


def _new_places(moves: Sequence[Moved], *, is_folder: bool) -> Iterator[RuleLesson]:
    groups: dict[tuple[Parts, Parts], list[Moved]] = defaultdict(list)
    for moved in moves:
        name = () if is_folder else moved.name
        groups[(*moved.before, *name), (*moved.after, *name)].append(moved)
    for (before, _), members in groups.items():
        sessions = _sessions(members)
        places = [moves for (place, _), moves in groups.items() if place == before]
        elsewhere = set().union(*map(_sessions, places)) - sessions
        if len(sessions) < MIN_SESSIONS or len(sessions) <= len(elsewhere):
            continue
        is_one_file = len({moved.name for moved in members}) < 2
        if not (is_folder and is_one_file):
            yield _new_place(members, is_folder=is_folder)


def _sessions(moves: Sequence[Moved]) -> frozenset[str]:
    return frozenset(moved.event.session for moved in moves)


def _new_place(members: Sequence[Moved], *, is_folder: bool) -> RuleLesson:
    newest = members[-1]
    folder = _shared_end([moved.folder for moved in members])
    name = ("",) if is_folder else newest.name
    missing = as_code("/".join((*folder, *newest.before, *name)))
    opened = as_code("/".join((*folder, *newest.after, *name)) or "./")
    event = newest.event
    return RuleLesson(
        situation=f"{event.program or event.tool} of {missing}: there is no such path",
        remedy=f"its files are in {opened}" if is_folder else f"it is {opened}",
        events=tuple(moved.event for moved in members),
    )


def _shared_end(folders: Sequence[Parts]) -> Parts:
    """What the folders above have in common, read backwards; of a path of one machine, its end."""
    shared = _shared_start([folder[::-1] for folder in folders])[::-1]
    is_whole = shared == folders[0] and shared and not _is_absolute(shared)
    return shared if is_whole else shared[-MAX_PARTS:]


def _shared_start(paths: Sequence[Parts]) -> Parts:
    rows = zip(*paths, strict=False)
    return tuple(row[0] for row in takewhile(lambda row: len(set(row)) == 1, rows))


def _moved(event: Event) -> Moved | None:
    """What changed between the path that was asked for and the one that was opened instead."""
    missing, opened = _paths(event)
    if not missing or not opened or missing == opened:
        return None
    folder = _shared_start([missing, opened])
    is_of_machine = not folder and (_is_absolute(missing) or _is_absolute(opened))
    if is_of_machine:
        return None
    missing, opened = missing[len(folder) :], opened[len(folder) :]
    name = _shared_start([missing[::-1], opened[::-1]])[::-1]
    before = missing[: len(missing) - len(name)]
    after = opened[: len(opened) - len(name)]
    moved = Moved(event, folder, before, after, name)
    return moved if _is_same_thing(moved) else None


def _is_same_thing(moved: Moved) -> bool:
    if moved.name:
        return True
    if len(moved.before) != 1 or len(moved.after) != 1:
        return False
    letters = SequenceMatcher(None, moved.before[0], moved.after[0], autojunk=False)
    return letters.ratio() >= SAME_NAME


def _paths(event: Event) -> tuple[Parts, Parts]:
    """The path that was not there and the one that was, in parts."""
    if event.remedy is None or not event.target or event.directory:
        return (), ()
    if tool_kind(event.tool) != "read":
        return _operands(event)
    if tool_kind(event.remedy.tool) != "read":
        return (), ()
    return _path_in(event.command), _path_in(event.remedy.command)


def _path_in(call: str) -> Parts:
    """The path of a call that reads a file."""
    words = call.split()
    return _parts(words[1]) if len(words) > 1 else ()


def _operands(event: Event) -> tuple[Parts, Parts]:
    """Of a shell's line: the operand that was not there, and the only one that came in its place."""
    for pair in pairs_of(event):
        before, after = pair.failing.operands, pair.working.operands
        added = [word for word in after if word not in before]
        if pair.has_worked and len(added) == 1 and event.target in before:
            return _parts(event.target), _parts(added[0])
    return (), ()


def _parts(path: str) -> Parts:
    """An empty first part stands for the root."""
    first, *further = path.replace("\\", "/").split("/")
    inner = [part for part in further if part not in {"", "."}]
    return (*inner,) if first == "." else (first, *inner)


def _is_absolute(parts: Parts) -> bool:
    return parts[0] in {"", "~"} or parts[0].endswith(":")


def _absent(problem: Problem) -> Iterator[RuleLesson]:
    """A name beside others on command lines, the only one complained about."""
    by_target: dict[str, dict[str, Event]] = defaultdict(dict)
    for event in problem.events:
        if _neighbours(event):
            by_target[event.target][event.session] = event
    for target, sessions in by_target.items():
        events = tuple(sessions.values())
        counts = Counter(word for event in events for word in _neighbours(event))
        by_count = sorted(counts, key=lambda word: (-counts[word], word))
        common = [word for word in by_count if counts[word] >= MIN_SESSIONS]
        if len(sessions) >= MIN_SESSIONS and common and not _is_there(target, problem):
            present = ", ".join(map(as_code, common[:MAX_NEIGHBOURS]))
            program = events[-1].program
            message = quoted_message([_message(event) for event in events])
            if not message:
                continue
            yield RuleLesson(
                situation=f"{as_code(f'{program} … {target}')} fails: {message}",
                remedy=f"leave out {as_code(target)}, it is not there; there are {present}",
                events=events,
            )


def _message(event: Event) -> str:
    texts = (line.text for line in event.lines)
    return next((text for text in texts if names(text, event.target)), "")


def _neighbours(event: Event) -> set[str]:
    """The other paths of the call, none of which the output complains about."""
    command = failing_command(event)
    if command is None or event.directory or event.target not in command.operands:
        return set()
    text = words_of(event)
    further = command.operands[1:]  # the first one may be what is looked for
    return {
        word
        for word in further
        if word != event.target and _NAME.fullmatch(word) and not names(text, word)
    }


def _is_there(target: str, problem: Problem) -> bool:
    """A call that worked has it."""
    pairs = (pair for event in problem.events for pair in pairs_of(event))
    return any(pair.has_worked and target in pair.working.operands for pair in pairs)

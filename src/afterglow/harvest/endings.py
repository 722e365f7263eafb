"""Of an event as part of a problem: the lines that belong to it, and what ended it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from afterglow.calls import Command, only_shows
from afterglow.harvest.events.claims import (
    LINE_END,
    is_summary,
    is_verdict,
    names_test,
)
from afterglow.harvest.events.keys import makes
from afterglow.harvest.events.runs import form_of
from afterglow.harvest.lint_lines import SUPPRESSING
from afterglow.harvest.writing.names import commands_in
from afterglow.records.problems import Event, FollowingCall, TellingLine
from afterglow.records.tools import is_shell

MAX_TELLING_LINES = 3  # of one failure
MAX_RULE_LINES = (
    2  # of a rule: the lines of a linter that name others are beside the point
)
MAX_LETTERS_COMPARED = 7  # of a word
MAX_HELPING_CHANGES = 2  # before the same call passed

# How ways of ending are told apart: the same call again; what was done before it passed; what was done next, where no
# end is seen.
AGAIN, BEFORE, NEXT = "again", "then ", "next "
EDIT = "edit"  # the form of every edit that was made through a shell

Manner = Literal["", "code changed", "comment that suppresses it"]

_FOLDERS = re.compile(r"[^\s'\"`:]*/")
_WORD = re.compile(r"\w{3,}")
_NUMBER_IN_PATH = re.compile(r"/\d{3,}(?=/|$)")


def lines_of(key: str, event: Event) -> list[TellingLine]:
    """The telling lines of an event as a part of this problem: those that made it one, then others that say something."""
    making: list[TellingLine] = []
    further: list[TellingLine] = []
    for line in event.lines:
        if makes(key, line):
            making.append(line)
        elif not is_summary(line.text) or names_test(line.text):
            further.append(line)
    if making and key.startswith("rule "):
        return making[:MAX_RULE_LINES]
    lines = [*making, *further]
    lines.sort(key=lambda line: is_verdict(line.text))
    return lines[:MAX_TELLING_LINES] or list(event.lines[:1])


def is_ended(event: Event) -> bool:
    """Whether it shows how it was ended: by another call, or by a change before the same call."""
    remedy = event.remedy
    if remedy is None or not remedy.command:
        return False
    return not remedy.again or any(map(is_change, event.tried))


def way_of(key: str, event: Event) -> str:
    """How it was ended, as far as it is the same in other sessions: the form of the call that worked, or of what was
    done before it passed; where no end is seen, the form of what was done next; empty where there is nothing of it."""
    changes = helping_changes(key, event)
    manner = manner_of(key, changes[-1]) if changes else ""
    if changes and (manner or event.remedy is not None):
        return f"{BEFORE}{manner or _form(changes[-1])}"
    if event.remedy is None:
        return f"{NEXT}{_form(changes[-1])}" if changes else ""
    return AGAIN if event.remedy.again else _form(event.remedy)


def _form(call: FollowingCall) -> str:
    """Of a line of a shell the form of its last command that does something; of another call its tool."""
    if not is_shell(call.tool):
        return call.tool
    if call.edits:
        return EDIT
    commands = commands_in(call.command)
    working = [item for item in commands if not only_shows(item)] or commands
    if not working:
        return ""
    address = _address(working[-1])
    if address:  # whatever flags beside it say how it is shown
        return " ".join([working[-1].program, *working[-1].subcommand, address])
    return form_of(working[-1])


def _address(command: Command) -> str:
    """What a command asks for by a path with a number in it, without the number: `jobs/<n>/logs`."""
    for word in command.operands:
        if _NUMBER_IN_PATH.search(word):
            return "/".join(_NUMBER_IN_PATH.sub("/<n>", word).split("/")[-3:])
    return ""


def shows_way_out(key: str, event: Event) -> bool:
    """Whether it shows what to do: how it was ended, or what was done about it and why."""
    if is_ended(event):
        return True
    is_open = event.remedy is None and bool(event.because)
    return is_open and bool(helping_changes(key, event))


def is_change(call: FollowingCall) -> bool:
    return call.worked and call.changes


def is_edit(call: FollowingCall) -> bool:
    """A change of texts: by an editor, or by a shell as by one."""
    return call.edits or not is_shell(call.tool)


def helping_changes(key: str, event: Event) -> list[FollowingCall]:
    """What was changed before the goal was reached, as far as it has to do with the lines of this problem. Where the
    same call passed, something in between must have helped: the nearest then, if nothing else. Where nothing passed and
    the assistant says something about it, what it then did instead."""
    changes = [call for call in event.tried if is_change(call) and call.command]
    if mending := [call for call in changes if is_mending(key, call)]:
        return mending[:1]
    changes = _of_this_kind(key, changes)
    by_relevance = _by_relevance(changes, _words_about(key, event))
    if event.remedy is not None and event.remedy.again:
        return _between(changes, by_relevance)
    went_otherwise = event.remedy is None and event.because
    return by_relevance[:1] or (changes[:1] if went_otherwise else [])


def _of_this_kind(key: str, changes: list[FollowingCall]) -> list[FollowingCall]:
    """What answered another report of a linter did not answer this one. Where a test failed, what it tests was changed,
    or the test."""
    if key.startswith("rule "):
        return [call for call in changes if not call.mends]
    if key.startswith("test "):
        return [call for call in changes if is_edit(call)] or changes
    return changes


def _words_about(key: str, event: Event) -> str:
    """What the failure and a person said."""
    lines = (line.text for line in lines_of(key, event))
    return " ".join([*lines, event.person])


def _between(
    changes: list[FollowingCall], by_relevance: Sequence[FollowingCall]
) -> list[FollowingCall]:
    """What came between two runs of the same call, in its order."""
    if not by_relevance:
        return changes[-1:]
    best = by_relevance[:MAX_HELPING_CHANGES]
    return [call for call in changes if call in best]


def is_mending(key: str, call: FollowingCall) -> bool:
    """Whether an edit answered the first report of the rule, or of the type error, that a problem is about."""
    kind, _, rest = key.partition(" ")
    return kind in {"rule", "code"} and any(
        rule == rest or rule.startswith(f"{rest} ") for rule in call.mends
    )


def _by_relevance(changes: Sequence[FollowingCall], text: str) -> list[FollowingCall]:
    """The changes that name something of what the failure or a person said, those that name most first, the later ones
    before the earlier."""
    words = _words(text)
    ranked: list[tuple[int, int, FollowingCall]] = []
    for place, call in enumerate(changes):
        shared = len(words & _words(call.command))
        if shared:
            ranked.append((-shared, -place, call))
    ranked.sort(key=lambda item: item[:2])
    return [call for *_, call in ranked]


def _words(text: str) -> frozenset[str]:
    """Names of files without their folders, which all edits of a project share, and every other word, by how they begin:
    `generated` is what `generate` made."""
    words = _WORD.findall(_FOLDERS.sub("", text))
    return frozenset(word[:MAX_LETTERS_COMPARED].lower() for word in words)


def manner_of(key: str, call: FollowingCall) -> Manner:
    """Of an edit that answered a linter: whether the code is other now, or the linter told to be quiet."""
    lines = call.command.replace(f" {LINE_END} ", "\n").splitlines()
    changed = [line for line in lines if line.startswith(("+ ", "- "))]
    is_answer = key.startswith("rule ") or is_mending(key, call)
    if not changed or not is_answer:
        return ""
    added = (line for line in changed if line.startswith("+ "))
    is_quieted = any(map(SUPPRESSING.search, added))
    return "comment that suppresses it" if is_quieted else "code changed"

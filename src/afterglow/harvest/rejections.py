"""What a person rejected stays rejected in other words: the same remedy for the same problem, whoever tells it.

A rejected item stays in the store and is compared by its words. Of a deleted one nothing is left but marks: hashes of
its remedy together with what names its problem, by which it is known again and nothing can be read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import product

from msgspec import Struct

from afterglow.calls import Command, commands_in
from afterglow.harvest.user_speech import content
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.words import words

REJECTED = "rejected"  # how the reason of an item begins that a person rejected
# Shares of the words of two texts together. Both halves of a lesson have to be alike, so that half of each is enough.
SAME_PROBLEM = SAME_REMEDY = 0.5
# Of the shorter one, where the other says the same and goes on.
SAME_REMEDY_AND_MORE = 0.75
SAME_COMMAND = 0.5  # of flags and operands: one more flag is no other remedy

_CODE = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"\d+")
# What every failure has: no sign that two are the same.
_OF_EVERY_FAILURE = frozenset(
    "command code error exit fail message report run say".split()
)
_DENIAL = re.compile(r"\b(?:not?|never|cannot|without|avoid|\w+n't)\b")


class CommandKey(Struct, frozen=True):
    """A command as it is compared: in whatever order its parts stand, behind whatever wrapper."""

    program: str
    parts: frozenset[str]


class Lesson(Struct, frozen=True):
    """An item as it is compared. `anchors` name its problem exactly: errors, topics, the matter that it settles."""

    repo: str
    anchors: frozenset[str]
    situation: frozenset[str]
    commands: frozenset[CommandKey]
    remedy: frozenset[str]
    numbers: frozenset[str]
    is_denial: bool


def is_rejected(item: KnowledgeItem) -> bool:
    is_set_aside = item.status == "retired" and item.decided
    return is_set_aside and item.reason.startswith(REJECTED)


def rejected_before(
    item: KnowledgeItem, rejected: Iterable[KnowledgeItem]
) -> KnowledgeItem | None:
    """The rejected item that says what this one does; none where a person has decided about this one or wrote it. Who
    rejects what was proposed in its place has nothing against the item itself."""
    if item.decided or item.edited:
        return None
    lesson = lesson_of(item)
    for earlier in rejected:
        if item.id in {earlier.id, *earlier.related}:
            continue
        if is_same(lesson_of(earlier), lesson):
            return earlier
    return None


def is_same(rejected: Lesson, lesson: Lesson) -> bool:
    """The same remedy for the same problem, in a place that the rejection speaks of."""
    if rejected.repo not in {"", lesson.repo} or rejected.is_denial != lesson.is_denial:
        return False
    is_told_anyway = not rejected.situation or not lesson.situation
    is_anchored = is_told_anyway or bool(rejected.anchors & lesson.anchors)
    if rejected.commands and lesson.commands:
        # The very command says so much that the problem may be told in rather different words.
        is_near = bool(rejected.situation & lesson.situation - _OF_EVERY_FAILURE)
        is_same_command = _have_same_command(rejected.commands, lesson.commands)
        return is_same_command and (is_anchored or is_near)
    is_alike = _alike(rejected.situation, lesson.situation) >= SAME_PROBLEM
    return (is_anchored or is_alike) and _is_same_remedy(rejected, lesson)


def lesson_of(item: KnowledgeItem) -> Lesson:
    return _lesson(
        item.repo,
        frozenset(filter(None, (*item.fingerprints, *item.topics, item.key))),
        item.situation,
        item.remedy,
        item.fact,
    )


@lru_cache(maxsize=4096)
def _lesson(
    repo: str, anchors: frozenset[str], situation: str, remedy: str, fact: str
) -> Lesson:
    """Where nothing is told to be done, the commands of the fact are what it is about."""
    sentence = remedy or fact
    return Lesson(
        repo,
        anchors,
        _words(situation),
        frozenset(_changes(_commands(situation), _commands(remedy))),
        _words(sentence),
        frozenset(_NUMBER.findall(sentence)),
        _DENIAL.search(sentence.lower()) is not None,
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(words(" ".join(content(text))))


def _commands(text: str) -> list[CommandKey]:
    lines = map(commands_in, _CODE.findall(text))
    return [_key(command) for line in lines for command in line]


def _changes(
    failing: Iterable[CommandKey], commands: Iterable[CommandKey]
) -> Iterator[CommandKey]:
    """What a remedy changes about the call that fails; its other parts are the work at hand, and differ each time."""
    of_call: dict[str, frozenset[str]] = {}
    for key in failing:
        of_call[key.program] = of_call.get(key.program, frozenset()) | key.parts
    for key in commands:
        changed = key.parts - of_call.get(key.program, frozenset())
        yield CommandKey(key.program, changed or key.parts)


def _key(command: Command) -> CommandKey:
    flags = (f"{flag.name}={flag.value or ''}" for flag in command.flags)
    parts = (*command.subcommand, *flags, *command.operands)
    return CommandKey(command.program, frozenset(parts))


def _is_same_remedy(rejected: Lesson, lesson: Lesson) -> bool:
    if rejected.numbers != lesson.numbers:
        return False
    shared = len(rejected.remedy & lesson.remedy)
    shorter = min(len(rejected.remedy), len(lesson.remedy))
    if shorter > 1 and shared >= SAME_REMEDY_AND_MORE * shorter:
        return True
    return _alike(rejected.remedy, lesson.remedy) >= SAME_REMEDY


def _have_same_command(
    rejected: Collection[CommandKey], commands: Collection[CommandKey]
) -> bool:
    return any(
        first.program == second.program
        and (
            _adds_flags_only(first.parts, second.parts)
            or _alike(first.parts, second.parts) >= SAME_COMMAND
        )
        for first, second in product(rejected, commands)
    )


def _adds_flags_only(rejected: frozenset[str], parts: frozenset[str]) -> bool:
    """`wake` and `wake --now`: the same, whatever flags are added."""
    added = parts - rejected
    return rejected <= parts and all(part.startswith("-") for part in added)


def _alike(first: frozenset[str], second: frozenset[str]) -> float:
    together = first | second
    return len(first & second) / len(together) if together else 0.0


def marks_of(item: KnowledgeItem) -> frozenset[str]:
    """By which the lesson is known again when its words are gone: every name of its problem with every form of its
    remedy."""
    lesson = lesson_of(item)
    problems = {*lesson.anchors, " ".join(sorted(lesson.situation))}
    remedies = {" ".join(sorted(lesson.remedy))}
    remedies |= {" ".join(sorted((key.program, *key.parts))) for key in lesson.commands}
    return frozenset(
        _mark(lesson.repo, problem, remedy)
        for problem, remedy in product(problems, remedies)
        if remedy
    )


def _mark(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"remedy:{blake2b(text, digest_size=16).hexdigest()}"

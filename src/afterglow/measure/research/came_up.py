"""What came up in a session, and which of it stood in what the session could have been told.

Four kinds: failures whose remedy stood there, commands that worked and were shown in the same shape, files that were
opened and named, things a person had to say that were said already. In view, and no more: nobody says it would have
helped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from afterglow.harvest.duplicates import Twins
from afterglow.measure.research.material import Material, commands_of
from afterglow.measure.research.pieces import Piece, one_line
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.records.problems import SessionEvents
from afterglow.records.tools import is_shell

Kind = Literal["failures", "commands", "files", "corrections"]
KINDS: tuple[Kind, ...] = ("failures", "commands", "files", "corrections")
IN_WORDS: dict[Kind, str] = {
    "failures": "Failures with their remedy in view",
    "commands": "Commands that worked, shown in the same shape",
    "files": "Files that were opened, named",
    "corrections": "What a person had to say, already said",
}
SAYING_MINERS = frozenset({"rules", "corrections"})  # of what people lay down
# Characters of a remedy by which it is known again: long ones are told cut.
REMEDY_START = 60


class Mishap(Struct, frozen=True):
    """A failure: its fingerprint, and the shapes of the commands that then reached its goal, where they are different
    than the failed one's."""

    fingerprint: str
    solved_by: frozenset[str] = frozenset()


class Saying(Struct, frozen=True):
    """What a person laid down or put right, and what it is about."""

    topic: str
    words: str


class CameUp(Struct, frozen=True, kw_only=True):
    """What came up in one session. The same failure counts once a session, and so does everything else."""

    failures: tuple[Mishap, ...] = ()
    commands: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    corrections: tuple[Saying, ...] = ()

    def count(self, kind: Kind) -> int:
        return len(getattr(self, kind))


class Known(Struct, frozen=True):
    """What was known of what came up when the session began: the items that tell of an error, by its fingerprint, and
    those about a topic."""

    of_error: Mapping[str, Sequence[KnowledgeItem]]
    of_topic: Mapping[str, KnowledgeItem]


InView = dict[Kind, frozenset[str]]  # of each kind, what stood there


def came_up(
    material: Material, events: SessionEvents, findings: Iterable[Finding]
) -> CameUp:
    """Tests and builds that fail while code is being written are the work itself, and no lesson."""
    solutions = _solutions(events)
    mishaps: dict[str, Mishap] = {}
    for failure in material.lived.failures:
        if not failure.work and failure.fingerprint not in mishaps:
            solved_by = solutions.get(failure.line, frozenset())
            mishaps[failure.fingerprint] = Mishap(failure.fingerprint, solved_by)
    sayings = {}
    for finding in findings:
        words = finding.slots.get("words", "")
        if finding.miner in SAYING_MINERS and words and not finding.against:
            sayings[finding.topic] = Saying(finding.topic, words)
    return CameUp(
        failures=tuple(mishaps.values()),
        commands=material.commands,
        files=material.files,
        corrections=tuple(sayings.values()),
    )


def _solutions(events: SessionEvents) -> dict[int, frozenset[str]]:
    """By the line of the failed call, the commands that reached its goal and are not the failed one again."""
    by_line: dict[int, frozenset[str]] = {}
    for event in events.events:
        solution = event.remedy
        if solution is None or solution.again or not is_shell(solution.tool):
            continue
        different = commands_of(solution.command) - commands_of(event.command)
        if different:
            by_line[event.line] = different
    return by_line


def in_view(session: CameUp, pieces: Sequence[Piece], knowledge: Known) -> InView:
    """What of each kind stood in these pieces."""
    commands = _union(pieces, lambda piece: piece.commands)
    errors = _union(pieces, lambda piece: piece.errors)
    names = _union(pieces, lambda piece: piece.names)
    words = "\n".join(piece.words for piece in pieces)

    def has_remedy(mishap: Mishap) -> bool:
        if mishap.fingerprint in errors or mishap.solved_by & commands:
            return True
        items = knowledge.of_error.get(mishap.fingerprint, ())
        return any(is_told(item, words) for item in items if item.remedy)

    twins = Twins((str(at), piece.text) for at, piece in enumerate(pieces))

    def is_said(saying: Saying) -> bool:
        item = knowledge.of_topic.get(saying.topic)
        if item is not None and is_told(item, words):
            return True
        return twins.find(saying.words) is not None

    remedied = [each.fingerprint for each in session.failures if has_remedy(each)]
    said_before = [each.topic for each in session.corrections if is_said(each)]
    return {
        "failures": frozenset(remedied),
        "commands": session.commands & commands,
        "files": session.files & names,
        "corrections": frozenset(said_before),
    }


def is_told(item: KnowledgeItem, words: str) -> bool:
    """Whether what an item says to do, or its fact where it says nothing, stands in these words."""
    start = one_line(item.remedy or item.fact)[:REMEDY_START]
    return bool(start) and start in words


def _union(
    pieces: Iterable[Piece], of: Callable[[Piece], frozenset[str]]
) -> frozenset[str]:
    return frozenset().union(*map(of, pieces))


def joined(*views: InView) -> InView:
    """What stood in any of them."""
    return {kind: frozenset().union(*(view[kind] for view in views)) for kind in KINDS}

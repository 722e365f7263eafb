"""One change of a call and all sessions that made it: what they have in common, and which show it most plainly."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest.writing.rules.general_form import common_words
from afterglow.harvest.writing.rules.moves import OPERANDS, Move, is_linked
from afterglow.harvest.writing.rules.pairs import Pair


class Case(Struct, frozen=True):
    """A failing call beside one that followed, and everything that was changed between them."""

    pair: Pair
    moves: tuple[Move, ...]

    @property
    def session(self) -> str:
        return self.pair.event.session

    def further(self, move: Move) -> frozenset[Move]:
        """What was changed beside a move, but for operands: another file is no other call."""
        changed = (item for item in self.moves if item.kind not in OPERANDS)
        return frozenset(changed) - {move}

    def message(self, move: Move) -> str:
        """The line of the error that names what a move is about, else the first."""
        event = self.pair.event
        for line in event.lines:
            alone = replace(self.pair, event=replace(event, lines=(line,)))
            if is_linked(move, alone):
                return line.text
        return event.lines[0].text if event.lines else ""


class Agreement:
    """The cases of one move, oldest first."""

    def __init__(self, move: Move, cases: tuple[Case, ...]) -> None:
        self.move, self.cases = move, cases

    @cached_property
    def sessions(self) -> set[str]:
        return {case.session for case in self.cases}

    @cached_property
    def companions(self) -> frozenset[Move]:
        """What all sessions changed beside the move."""
        first, *further = (case.further(self.move) for case in self.cases)
        return first.intersection(*further)

    @cached_property
    def minimal(self) -> list[Case]:
        """Those that changed nothing else."""
        return [
            case for case in self.cases if case.further(self.move) <= self.companions
        ]

    @cached_property
    def worked(self) -> list[Case]:
        return [case for case in self.cases if case.pair.has_worked]

    @cached_property
    def telling(self) -> list[Case]:
        """By which the call is shown: those that changed nothing else, where two sessions did and one got through."""
        is_twice = len({case.session for case in self.minimal}) > 1
        is_shown = any(case.pair.has_worked for case in self.minimal)
        return self.minimal if is_twice and is_shown else list(self.cases)

    @cached_property
    def messages(self) -> list[str]:
        return [case.message(self.move) for case in self.cases]

    @cached_property
    def common_words(self) -> set[str]:
        return common_words(self.messages)

    @cached_property
    def is_of_state(self) -> bool:
        """The state of a session explains some of its failures."""
        return any(case.pair.event.state for case in self.cases)

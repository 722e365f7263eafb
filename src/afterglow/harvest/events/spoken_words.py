"""What a person said near a failure, with its line of the transcript."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import is_short, is_speech, tidy
from afterglow.records.session import Turn
from afterglow.text.clip import clip

MAX_SENTENCE_CHARACTERS = 240  # of what was said


class Words(Struct, frozen=True):
    """What a person said, as it is kept, and its line of the transcript; none where nobody spoke."""

    text: str = ""
    line: int = 0

    def __bool__(self) -> bool:
        return bool(self.text)


def words_after(trail: Trail, step: Step) -> Words:
    """What a person said directly behind the call, before the agent did anything more."""
    for turn in trail.turns[step.turn + 1 : step.turn + 4]:
        if turn.role == "assistant":
            return Words()
        if is_speech(turn):
            return spoken(turn)
    return Words()


def first_short(speech: Sequence[Turn]) -> Words:
    return spoken(next((turn for turn in speech if is_short(turn.text)), None))


def spoken(turn: Turn | None) -> Words:
    if turn is None:
        return Words()
    return Words(clip(tidy(turn.text), MAX_SENTENCE_CHARACTERS), turn.line)

"""Whose words the turns under "user" are, once a session is whole.

A reader takes a voice from its agent's record of the line. Where the record does not say, the session does: only with
signs of a present person, left by the agent and not by anybody's words, are its prompts taken for typed. A sub-agent,
a job or a tool is spoken to by a program, whatever its lines say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from afterglow.records.session import Session, Turn, Voice

# People read an answer before they go on; a script answers at once, and a job that resumes a session comes hours later.
MIN_PAUSE, MAX_PAUSE = 5.0, 3600.0  # seconds between an answer and the next prompt
MIN_PAUSES = 2  # one may be chance
SAME_PAUSE = 1.5  # seconds: pauses of one length are a clock's

_SPOKEN = frozenset({"said", "steer"})


def voiced(session: Session) -> tuple[Turn, ...]:
    """The turns of a whole session, none of them with an unstated voice under "user"."""
    if session.origin != "main":
        return tuple(_with_voice(turn, "outside") for turn in session.turns)
    if not any(map(_is_unstated, session.turns)):
        return session.turns
    voice: Voice = "typed" if is_attended(session) else "outside"
    return tuple(
        _with_voice(turn, voice) if _is_unstated(turn) else turn
        for turn in session.turns
    )


def is_attended(session: Session) -> bool:
    """Whether the agent's records show a person: lines of its interactive program, a refused call, words said into a
    running turn, or prompts at the pace of somebody who reads."""
    if session.attended or any(call.refused for call in session.calls):
        return True
    if any(turn.kind == "steer" and turn.voice == "typed" for turn in session.turns):
        return True
    return _reads_answers(session.turns)


def _reads_answers(turns: Sequence[Turn]) -> bool:
    pauses = sorted(_pauses(turns))
    lengths = bool(pauses) + sum(
        later - earlier > SAME_PAUSE for earlier, later in pairwise(pauses)
    )
    return lengths >= MIN_PAUSES


def _pauses(turns: Sequence[Turn]) -> Iterator[float]:
    """Seconds between an answer and the prompt behind it, where a person may have read in between."""
    for before, turn in pairwise(turn for turn in turns if turn.time is not None):
        if before.role != "assistant" or not _is_unstated(turn):
            continue
        pause = (turn.time or 0.0) - (before.time or 0.0)
        if MIN_PAUSE <= pause <= MAX_PAUSE:
            yield pause


def _is_unstated(turn: Turn) -> bool:
    is_prompt = turn.role == "user" and turn.kind in _SPOKEN
    return is_prompt and turn.voice == "unstated"


def _with_voice(turn: Turn, voice: Voice) -> Turn:
    is_prompt = turn.role == "user" and turn.kind in _SPOKEN
    return replace(turn, voice=voice) if is_prompt else turn

"""The texts of a session, and stretches of them that evidence points at."""

from __future__ import annotations

from typing import NamedTuple

from afterglow.records.knowledge import Part, Trust

NO_STEP = -1  # no call's text


class Text(NamedTuple):
    """One text of a session. `own_words` is what of it is its author's: a person's message without what they pasted. `step`
    is the number of the step it belongs to; a call that is no step (an example of a warm start, a tool of ours) has
    none."""

    line: int
    part: Part
    whole: str
    own_words: str
    trust: Trust
    step: int = NO_STEP


class Span(NamedTuple):
    """What evidence points at: the number of its text, the text, and the stretch of it."""

    at: int
    text: Text
    words: str

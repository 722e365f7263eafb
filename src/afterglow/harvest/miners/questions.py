"""Questions about the work that sessions end on and nobody answers, once two sessions have asked the same.

A question of one session belongs to that session. What the assistant asks about its own next step is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterglow.harvest import user_speech
from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.session import Turn

NAME = "questions"
VERSION = 1

MAX_TAIL = 600  # characters: an open question is the last thing said
MIN_SESSIONS = 2  # that ask it: one alone is about the work at hand
MAX_TOPIC_WORDS = 20  # that tell two questions apart
DIRECT_ASKED = 0.5  # how directly: nobody said that it matters

_QUESTION = re.compile(
    r"(?:^|(?<=[.!?:]\s)|(?<=\n))((?:Should|Do|Does|Did|Is|Are|Was|What|Which|How|Where|Who|Can|Could|Will|Would|Has|"
    r"Have|Why|When)\b[^.!?\n]{25,250}\?)\s*$"
)
# Addressed to the person, about what to do next.
_OFFER = re.compile(
    r"\b(?:i|me|my|you|your|want|like|shall|prefer|proceed|continue|ready|anything|which (?:option|approach)|sound|"
    r"thoughts|next)\b",
    re.IGNORECASE,
)


def mine(trail: Trail) -> Iterator[Finding]:
    last = _last_message(trail)
    if not trail.repo or last is None or last.role != "assistant" or last.calls:
        return
    ending = _QUESTION.search(last.text.rstrip()[-MAX_TAIL:])
    if ending is None or _OFFER.search(ending[1]):
        return
    question = ending[1]
    start = last.text.rfind(question)
    topic = f"{trail.repo}|?|{user_speech.about(question, MAX_TOPIC_WORDS)}"
    evidence = trail.said(last, start, start + len(question))
    yield Finding(NAME, topic, {"question": question}, (evidence,))


def _last_message(trail: Trail) -> Turn | None:
    spoken = (
        turn for turn in reversed(trail.turns) if turn.text and turn.kind == "said"
    )
    return next(spoken, None)


def tell(findings: Sequence[Finding]) -> Telling | str:
    if len(session_ids(findings)) < MIN_SESSIONS:
        return "asked in one session"
    return Telling(
        fact=f"Open: {findings[0].slots['question']}",
        category="question",
        situation="asked, never answered",
        directness=DIRECT_ASKED,
        domain="questions",
        tags=("open",),
    )
